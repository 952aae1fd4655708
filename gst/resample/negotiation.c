/* robocache: robocacheresample, caps that its pads offer
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "negotiation.h"

#include "common/tensors/memorycaps.h"

/* Output caps for caps of the sink pad. */
static GstCaps *
offer_output (const GstRobocacheResampleNegotiation *negotiation, const GstCaps *in_caps)
{
  return robocache_caps_offer (gst_robocache_resample_output_caps (&negotiation->settings, in_caps),
      robocache_device_offer_as (negotiation->device, negotiation->element, in_caps), GST_PAD_SRC);
}

GstCaps *
gst_robocache_resample_transform_caps (const GstRobocacheResampleNegotiation *negotiation, GstPadDirection direction,
    GstCaps *caps, GstCaps *filter)
{
  GstCaps *other;

  if (direction == GST_PAD_SINK)
    other = offer_output (negotiation, caps);
  else
    other = robocache_caps_offer (gst_caps_new_empty_simple (ROBOCACHE_TENSORS_MEDIA_TYPE),
        robocache_device_offer (negotiation->device, negotiation->element), GST_PAD_SINK);
  if (filter) {
    GstCaps *intersection = gst_caps_intersect_full (filter, other, GST_CAPS_INTERSECT_FIRST);

    gst_caps_unref (other);
    other = intersection;
  }
  return other;
}

GstCaps *
gst_robocache_resample_fixate_caps (const GstRobocacheResampleNegotiation *negotiation, GstPadDirection direction,
    GstCaps *caps, GstCaps *other)
{
  GstCaps *ours, *peer, *spelled;

  if (direction != GST_PAD_SINK)
    return gst_caps_fixate (other);
  if (!gst_pad_is_linked (negotiation->src)) {
    /* the base class proposes the input's own caps when no peer can be asked */
    gst_caps_unref (other);
    other = offer_output (negotiation, caps);
  }
  ours = gst_robocache_resample_fixate_output (&negotiation->settings, caps, other);
  peer = gst_pad_peer_query_caps (negotiation->src, NULL);
  spelled = robocache_tensors_caps_in_spelling_of (ours, peer);
  gst_caps_unref (peer);
  gst_caps_unref (ours);
  return spelled;
}

/* "14:1" without a type reads as a set of flags. */
static gboolean
has_untyped_dimensions (const GstCaps *caps)
{
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    if (gst_structure_has_field_typed (gst_caps_get_structure (caps, i), "dimensions", GST_TYPE_FLAG_SET))
      return TRUE;
  }
  return FALSE;
}

GError *
gst_robocache_resample_downstream_error (const GstRobocacheResampleNegotiation *negotiation, const GstCaps *in_caps)
{
  const GstRobocacheResampleSettings *settings = &negotiation->settings;
  GstCaps *allowed = gst_pad_peer_query_caps (negotiation->src, NULL);
  GstCaps *ours = gst_robocache_resample_fixate_output (settings, in_caps,
      gst_robocache_resample_output_caps (settings, in_caps));
  gchar *theirs_text = gst_caps_to_string (allowed), *ours_text = gst_caps_to_string (ours);
  const gchar *hint = has_untyped_dimensions (allowed)
      ? "; its dimensions are a flagset: write them like dimensions=(string)14:1" : "";
  gchar *why = robocache_device_explain (negotiation->device, negotiation->element, allowed);
  GError *error = g_error_new (ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "downstream accepts only %s, but the input gives %s%s%s",
      theirs_text, ours_text, hint, why);

  g_free (why);
  g_free (ours_text);
  g_free (theirs_text);
  gst_caps_unref (ours);
  gst_caps_unref (allowed);
  return error;
}
