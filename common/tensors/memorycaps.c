/* robocache: tensors in system memory and in device memory, in caps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memorycaps.h"

#include "cudaframe.h"

static gboolean
is_supported (const GstCapsFeatures *features)
{
  if (gst_caps_features_contains (features, ROBOCACHE_CAPS_FEATURE_CUDA))
    return rc_backend_is_built (RC_BACKEND_CUDA);
  return robocache_cuda_frames_are_built () || !gst_caps_features_contains (features, ROBOCACHE_CAPS_FEATURE_CUDA_FRAMES);
}

void
robocache_add_pad_template (GstElementClass *klass, GstStaticPadTemplate *template, GType pad_type)
{
  GstCaps *caps = gst_caps_from_string (template->static_caps.string);
  const guint n = gst_caps_get_size (caps);

  for (guint i = n; i-- > 0;) {
    if (!is_supported (gst_caps_get_features (caps, i)))
      gst_caps_remove_structure (caps, i);
  }
  if (gst_caps_get_size (caps) < n)
    template->static_caps.string = gst_caps_to_string (caps);   /* as long as the class: never freed */
  gst_caps_unref (caps);
  gst_element_class_add_static_pad_template_with_gtype (klass, template, pad_type);
}

GstCaps *
robocache_caps_in_memory (GstCaps *caps, gboolean on_device)
{
  if (!on_device || gst_caps_is_any (caps))
    return caps;
  caps = gst_caps_make_writable (caps);
  gst_caps_set_features_simple (caps, gst_caps_features_new_single (ROBOCACHE_CAPS_FEATURE_CUDA));
  return caps;
}

GstCaps *
robocache_caps_offer (GstCaps *caps, RobocacheOffer offer)
{
  GstCaps *on_device;

  if (offer == ROBOCACHE_OFFER_SYSTEM || gst_caps_is_any (caps) || gst_caps_is_empty (caps))
    return caps;
  on_device = robocache_caps_in_memory (gst_caps_copy (caps), TRUE);
  if (offer == ROBOCACHE_OFFER_DEVICE_FIRST) {
    gst_caps_append (on_device, caps);
    return on_device;
  }
  caps = gst_caps_make_writable (caps);
  gst_caps_append (caps, on_device);
  return caps;
}

gboolean
robocache_caps_on_device (const GstCaps *caps)
{
  return caps && !gst_caps_is_any (caps) && !gst_caps_is_empty (caps)
      && gst_caps_features_contains (gst_caps_get_features (caps, 0), ROBOCACHE_CAPS_FEATURE_CUDA);
}

gboolean
robocache_caps_are_all_on_device (const GstCaps *caps)
{
  if (gst_caps_is_any (caps))
    return FALSE;
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    if (!gst_caps_features_contains (gst_caps_get_features (caps, i), ROBOCACHE_CAPS_FEATURE_CUDA))
      return FALSE;
  }
  return gst_caps_get_size (caps) > 0;
}

GstCaps *
robocache_caps_first_in_system_memory (const GstCaps *caps, gboolean *on_device)
{
  *on_device = robocache_caps_on_device (caps);
  if (gst_caps_is_any (caps) || gst_caps_is_empty (caps))
    return gst_caps_copy (caps);
  return gst_caps_new_full (gst_structure_copy (gst_caps_get_structure (caps, 0)), NULL);
}
