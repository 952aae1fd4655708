/* robocache: the rays of a depth camera's pixels, computed once for all that use them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "camerarays.h"

#include <string.h>

#include "common/device/budget.h"
#include "common/device/engine.h"
#include "common/tensors/tensorcaps.h"

static void
clear (gpointer rays)
{
  g_free (((RobocacheCameraRays *) rays)->rays);
}

void
robocache_camera_rays_unref (RobocacheCameraRays *rays)
{
  g_atomic_rc_box_release_full (rays, clear);
}

static gboolean
cast (RobocacheCameraRays *rays, GError **error)
{
  const guint64 bytes = rc_camera_rays_bytes (&rays->camera);
  RcError failure;

  if (!robocache_check_memory (bytes, "a ray for each pixel of the depth image", "send a smaller image, or set the distortion "
      "to 0", error))
    return FALSE;
  rays->rays = g_try_malloc (bytes);
  if (rays->rays == NULL) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "no memory for the rays of the depth "
        "image: %" G_GUINT64_FORMAT " bytes", bytes);
    return FALSE;
  }
  if (!robocache_engine_check_settings (rc_camera_rays (&rays->camera, rays->rays, &rays->n_without, &failure), &failure,
          ROBOCACHE_ERROR_CAPS, error))
    return FALSE;
  if (rays->n_without < rays->camera.width * rays->camera.height)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "no pixel has a ray through a lens of k1=%g k2=%g k3=%g p1=%g "
      "p2=%g, with fx=%g fy=%g cx=%g cy=%g: set the values of a calibration", rays->camera.k1,
      rays->camera.k2, rays->camera.k3, rays->camera.p1, rays->camera.p2, rays->camera.fx, rays->camera.fy,
      rays->camera.cx, rays->camera.cy);
  return FALSE;
}

RobocacheCameraRays *
robocache_camera_rays_new (const RcCamera *camera, RobocacheCameraRays *last, GError **error)
{
  RobocacheCameraRays *rays;

  /* a struct of doubles and 64-bit integers has no padding */
  if (last && memcmp (&last->camera, camera, sizeof (*camera)) == 0)
    return g_atomic_rc_box_acquire (last);
  rays = g_atomic_rc_box_new0 (RobocacheCameraRays);
  rays->camera = *camera;
  if (cast (rays, error))
    return rays;
  robocache_camera_rays_unref (rays);
  return NULL;
}
