/* robocache: advice for two elements whose caps do not fit
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "linkadvice.h"

#include "errors.h"

/* Name of a pad's data with the caps that it refused last. */
#define REFUSED "robocache-refused-caps"

/* The first entry of which both sides match gives the advice. */
static const struct
{
  const gchar *offered, *accepted, *advice;
} advices[] = {
  {"video/x-raw(memory:GLMemory)", "video/x-raw", "put gldownload and videoconvert between"},
  {"video/x-raw(ANY)", "video/x-raw, format=(string)RGB", "put videoconvert between"},
  {"video/x-raw(ANY)", "video/x-raw, format=(string)GRAY16_LE", "send depth images of format GRAY16_LE; other video has no points"},
  {"video/x-raw(ANY)", "other/tensors", "link video to a camera_%u pad of robocachefuse"},
  {"image/jpeg", "video/x-raw", "put jpegdec and videoconvert between"},
  {"image/png", "video/x-raw", "put pngdec and videoconvert between"},
  {"video/x-bayer", "video/x-raw", "put bayer2rgb and videoconvert between"},
  {"video/x-bayer", "other/tensors", "put bayer2rgb between, and link video to a camera_%u pad of robocachefuse"},
  {"video/mpeg; video/x-h264; video/x-h265; video/x-vp8; video/x-vp9; video/x-av1", "video/x-raw",
      "put decodebin and videoconvert between"},
  {"application/x-pointcloud(ANY); application/x-lidar(ANY)", "other/tensors", "put robocachevoxelize between"},
  {"other/tensors(ANY)", "video/x-raw, format=(string)RGB", "link tensors to a proprio_%u, force_%u or sink_%u pad"},
  {"application/x-mcap", "ANY", "put robocachemcapdemux between"},
  {"application/x-gdp", "ANY", "put gdpdepay between"},
  {"application/octet-stream; text/plain; text/csv", "other/tensors; application/x-pointcloud", "put robocacheparse between"},
};

gboolean
robocache_caps_match (const GstCaps *caps, const gchar *text)
{
  GstCaps *pattern = gst_caps_from_string (text);
  const gboolean can = gst_caps_can_intersect (caps, pattern);

  gst_caps_unref (pattern);
  return can;
}

const gchar *
robocache_link_advice (const GstCaps *offered, const GstCaps *accepted)
{
  if (gst_caps_can_intersect (offered, accepted))
    return "add the missing fields to the caps";
  for (guint i = 0; i < G_N_ELEMENTS (advices); i++) {
    if (robocache_caps_match (offered, advices[i].offered) && robocache_caps_match (accepted, advices[i].accepted))
      return advices[i].advice;
  }
  return "link another element";
}

static GError *
new_refusal (GstPad *sink, const GstCaps *caps)
{
  GstCaps *accepted = gst_pad_query_caps (sink, NULL);
  gchar *offered_text = gst_caps_to_string (caps), *accepted_text = gst_caps_to_string (accepted);
  GError *error = g_error_new (ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "caps are %s: %s. The pad accepts %s", offered_text,
      robocache_link_advice (caps, accepted), accepted_text);

  g_free (accepted_text);
  g_free (offered_text);
  gst_caps_unref (accepted);
  return error;
}

/* Whether the caps are those of the current CAPS event, which the core stores at the peer before the query. */
static gboolean
are_sent (GstPad *sink, const GstCaps *caps)
{
  GstPad *peer = gst_pad_get_peer (sink);
  GstCaps *sent = peer ? gst_pad_get_current_caps (peer) : NULL;
  const gboolean are_same = sent && gst_caps_is_equal (sent, caps);

  gst_clear_caps (&sent);
  gst_clear_object (&peer);
  return are_same;
}

static gpointer
ref_caps (gpointer caps, gpointer user_data)
{
  return caps ? gst_caps_ref (caps) : NULL;
}

/* Any thread may ask whether caps are accepted. */
static GstCaps *
get_refused (GstPad *sink)
{
  return g_object_dup_data (G_OBJECT (sink), REFUSED, ref_caps, NULL);
}

GError *
robocache_refused_caps (GstPad *sink, GstCaps *caps, gboolean accepts)
{
  GstCaps *refused;
  GError *error = NULL;

  if (!are_sent (sink, caps))
    return NULL;
  refused = get_refused (sink);
  if (accepts) {
    robocache_forget_refused_caps (sink);
  } else if (!(refused && gst_caps_is_equal (refused, caps))) {
    error = new_refusal (sink, caps);
    g_object_set_data_full (G_OBJECT (sink), REFUSED, gst_caps_ref (caps), (GDestroyNotify) gst_caps_unref);
  }
  gst_clear_caps (&refused);
  return error;
}

void
robocache_forget_refused_caps (GstPad *sink)
{
  g_object_set_data (G_OBJECT (sink), REFUSED, NULL);
}

GError *
robocache_error_without_caps (GstPad *sink)
{
  return g_object_get_data (G_OBJECT (sink), REFUSED) ? NULL : g_error_new (ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS,
      "a buffer arrived before caps: put robocacheparse before this pad if the bytes come from a file, or a capsfilter if you know "
      "their caps");
}
