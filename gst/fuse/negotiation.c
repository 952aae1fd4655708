/* robocache: robocachefuse, negotiation: which memories and caps it takes, and what its samples look like
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstrobocachefuse.h"

#include "common/tensors/cudaframe.h"
#include "common/tensors/tensorcaps.h"

GST_DEBUG_CATEGORY_EXTERN (gst_robocache_fuse_debug);
#define GST_CAT_DEFAULT gst_robocache_fuse_debug

/* ---- in ---- */

/* The template's caps in the memories on offer, the better first. */
GstCaps *
gst_robocache_fuse_sink_caps (GstRobocacheFuse *fuse, GstPad *pad)
{
  const RobocacheOffer offer = robocache_device_offer (&fuse->device, GST_ELEMENT (fuse));
  const gboolean frames = GST_ROBOCACHE_FUSE_PAD (pad)->role == GST_ROBOCACHE_FUSE_CAMERA;
  GstCaps *caps = gst_pad_get_pad_template_caps (pad), *system, *device;

  if (gst_caps_get_size (caps) == 1)    /* this build has no other memory */
    return caps;
  system = gst_caps_copy_nth (caps, 0);
  device = gst_caps_copy_nth (caps, 1);
  gst_caps_unref (caps);
  if (offer == ROBOCACHE_OFFER_SYSTEM || (frames && !robocache_cuda_frames_are_supported ())) {
    gst_caps_unref (device);
    return system;
  }
  if (offer == ROBOCACHE_OFFER_SYSTEM_FIRST) {
    gst_caps_append (system, device);
    return system;
  }
  gst_caps_append (device, system);
  return device;
}

/* ---- out ---- */

/* The output's framerate: the rate, or the reference pad's. */
static void
get_output_rate (GstRobocacheFuse *fuse, gint *num, gint *den)
{
  const RobocacheTickGrid grid = gst_robocache_fuse_grid (fuse);
  const GstRobocacheFuseEpoch *epoch;

  *num = grid.num;
  *den = grid.den;
  if (grid.num > 0)
    return;
  *num = 0;
  *den = 1;
  epoch = fuse->reference ? gst_robocache_fuse_pad_epoch (fuse->reference) : NULL;
  if (epoch && epoch->format.rate_num > 0) {
    *num = epoch->format.rate_num;
    *den = epoch->format.rate_den;
  }
}

/* Called with the lock. */
static GstRobocacheFuseComposer *
new_composer (GstRobocacheFuse *fuse, gboolean on_device, GError **error)
{
  GPtrArray *with_caps = g_ptr_array_new ();
  GstRobocacheFuseComposer *composer;
  GstRobocacheFuseOutput output;
  gint num, den;

  GST_OBJECT_LOCK (fuse);
  output = fuse->output;
  GST_OBJECT_UNLOCK (fuse);
  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = g_ptr_array_index (fuse->pads, i);

    if (gst_robocache_fuse_pad_epoch (pad))
      g_ptr_array_add (with_caps, pad);
  }
  get_output_rate (fuse, &num, &den);
  composer = gst_robocache_fuse_composer_new (with_caps, &output, on_device, &fuse->device, GST_ELEMENT (fuse), num, den,
      error);
  g_ptr_array_free (with_caps, TRUE);
  return composer;
}

/* Called with the lock. Memory that comes in is rather handed on as it came. */
static RobocacheOffer
offer_of_samples (GstRobocacheFuse *fuse)
{
  const RobocacheOffer offer = robocache_device_offer (&fuse->device, GST_ELEMENT (fuse));
  gboolean on_device = FALSE;

  for (guint i = 0; i < fuse->pads->len; i++) {
    const GstRobocacheFuseEpoch *epoch = gst_robocache_fuse_pad_epoch (g_ptr_array_index (fuse->pads, i));

    on_device |= epoch && epoch->format.on_device;
  }
  return offer != ROBOCACHE_OFFER_SYSTEM && on_device ? ROBOCACHE_OFFER_DEVICE_FIRST : offer;
}

/* Called without the lock. Whether samples are in device memory: of the memories on offer, the first that downstream takes. */
static gboolean
choose_memory (GstRobocacheFuse *fuse, RobocacheOffer offer)
{
  GstCaps *ours = robocache_caps_offer (gst_caps_new_empty_simple (ROBOCACHE_TENSORS_MEDIA_TYPE), offer);
  GstCaps *theirs = gst_pad_peer_query_caps (GST_AGGREGATOR_SRC_PAD (fuse), NULL);
  GstCaps *both = gst_caps_intersect_full (ours, theirs, GST_CAPS_INTERSECT_FIRST);
  const gboolean on_device = robocache_caps_on_device (both);

  gst_caps_unref (both);
  gst_caps_unref (theirs);
  gst_caps_unref (ours);
  return on_device;
}

/* Called without the lock. Makes downstream agree to caps. */
static gboolean
negotiate (GstRobocacheFuse *fuse, GstCaps *caps, GError **error)
{
  GstPad *srcpad = GST_AGGREGATOR_SRC_PAD (fuse);
  GstCaps *peer = gst_pad_peer_query_caps (srcpad, NULL);
  GstCaps *spelled;
  gboolean ok = robocache_tensors_caps_compatible (caps, peer);

  if (ok) {
    spelled = robocache_tensors_caps_in_spelling_of (caps, peer);
    GST_INFO_OBJECT (fuse, "samples are %" GST_PTR_FORMAT, spelled);
    gst_aggregator_set_src_caps (GST_AGGREGATOR (fuse), spelled);
    gst_caps_unref (spelled);
  } else {
    gchar *ours = gst_caps_to_string (caps), *theirs = gst_caps_to_string (peer);
    gchar *why = robocache_device_explain (&fuse->device, GST_ELEMENT (fuse), peer);

    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "samples are %s, but downstream takes %s%s", ours, theirs,
        why);
    g_free (why);
    g_free (ours);
    g_free (theirs);
  }
  gst_caps_unref (peer);
  return ok;
}

gboolean
gst_robocache_fuse_has_streams (GstRobocacheFuse *fuse)
{
  for (guint i = 0; i < fuse->pads->len; i++) {
    if (gst_robocache_fuse_pad_epoch (g_ptr_array_index (fuse->pads, i)))
      return TRUE;
  }
  return FALSE;
}

/* Called with the lock. Replaces the composer. The old one's memory is given back first where the new one takes nothing over, or
 * does not fit beside it. */
static gboolean
replace_composer (GstRobocacheFuse *fuse, gboolean on_device, GError **error)
{
  GstRobocacheFuseComposer *composer;
  GError *failure = NULL;

  if (fuse->composer && !gst_robocache_fuse_composer_has_window (fuse->composer))
    g_clear_pointer (&fuse->composer, gst_robocache_fuse_composer_free);
  composer = new_composer (fuse, on_device, &failure);
  if (composer == NULL && fuse->composer
      && g_error_matches (failure, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT)) {
    g_clear_error (&failure);
    g_clear_pointer (&fuse->composer, gst_robocache_fuse_composer_free);
    composer = new_composer (fuse, on_device, &failure);
  }
  if (composer == NULL) {
    g_propagate_error (error, failure);
    return FALSE;
  }
  if (fuse->composer) {
    gst_robocache_fuse_composer_adopt_window (composer, fuse->composer);
    gst_robocache_fuse_composer_free (fuse->composer);
  }
  fuse->composer = composer;
  return TRUE;
}

gboolean
gst_robocache_fuse_change_composition (GstRobocacheFuse *fuse, GError **error)
{
  const RobocacheOffer offer = offer_of_samples (fuse);
  gboolean on_device, ok;
  GstCaps *caps;

  FUSE_UNLOCK (fuse);
  on_device = choose_memory (fuse, offer);
  robocache_device_prepare (&fuse->device, GST_ELEMENT (fuse), on_device);
  FUSE_LOCK (fuse);
  if (!gst_robocache_fuse_has_streams (fuse))
    return TRUE;                /* the last of them went meanwhile */
  if (!replace_composer (fuse, on_device, error))
    return FALSE;
  fuse->composition_changed = FALSE;
  caps = gst_robocache_fuse_composer_caps (fuse->composer);
  FUSE_UNLOCK (fuse);
  ok = negotiate (fuse, caps, error);
  gst_caps_unref (caps);
  FUSE_LOCK (fuse);
  return ok;
}

/* Our caps depend on the streams, not on what downstream would like best: they are made anew at the next tick. */
gboolean
gst_robocache_fuse_negotiate (GstAggregator *agg)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (agg);

  FUSE_LOCK (fuse);
  fuse->composition_changed = TRUE;
  FUSE_UNLOCK (fuse);
  return TRUE;
}
