/* robocache: a recording that upstream gives random access to
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "padsource.h"

#include "common/bags/mcapstorage.h"

GST_DEBUG_CATEGORY_EXTERN (robocache_mcap_demux_debug);
#define GST_CAT_DEFAULT robocache_mcap_demux_debug

/* Upstream may give less than it was asked for. */
static gboolean
read_range (gpointer user_data, guint64 offset, gsize size, guint8 *to, GError **error)
{
  RobocacheMcapPadSource *source = user_data;

  while (size > 0) {
    GstBuffer *buffer = NULL;
    gsize n = 0;

    source->pulled = gst_pad_pull_range (source->sinkpad, offset, (guint) MIN (size, G_MAXINT), &buffer);
    if (source->pulled == GST_FLOW_OK) {
      n = MIN (gst_buffer_get_size (buffer), size);
      gst_buffer_extract (buffer, 0, to, n);
      gst_buffer_unref (buffer);
    }
    if (n == 0) {
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "byte %" G_GUINT64_FORMAT " cannot be read: %s", offset,
          gst_flow_get_name (source->pulled));
      return FALSE;
    }
    offset += n;
    to += n;
    size -= n;
  }
  return TRUE;
}

static RobocacheBag *
open_recording (gpointer user_data, GError **error)
{
  RobocacheMcapPadSource *source = user_data;
  RobocacheMcapSource bytes = { 0, read_range, source };
  RobocacheBagStorage *storage;
  RobocacheBag *bag;
  gint64 size;

  if (gst_pad_peer_query_duration (source->sinkpad, GST_FORMAT_BYTES, &size) && size > 0)
    bytes.size = (guint64) size;
  storage = robocache_mcap_storage_new (&bytes, NULL, error);
  if (!storage)
    return NULL;
  if (storage->note)
    GST_INFO_OBJECT (source->sinkpad, "summary not used: %s", storage->note);
  bag = robocache_bag_new ();
  if (!robocache_bag_add (bag, storage, NULL, NULL, error))
    g_clear_pointer (&bag, robocache_bag_free);
  return bag;
}

static gboolean
is_flushing (gpointer user_data)
{
  return ((const RobocacheMcapPadSource *) user_data)->pulled == GST_FLOW_FLUSHING;
}

RobocacheMcapOpener
robocache_mcap_pad_source_init (RobocacheMcapPadSource *source, GstPad *sinkpad)
{
  *source = (RobocacheMcapPadSource) {sinkpad, GST_FLOW_OK};
  return (RobocacheMcapOpener) {open_recording, is_flushing, source};
}
