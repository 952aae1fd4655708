/* robocache: a recording that upstream gives random access to
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "padsource.h"

#include "common/bags/storage.h"

GST_DEBUG_CATEGORY_EXTERN (robocache_mcap_demux_debug);
#define GST_CAT_DEFAULT robocache_mcap_demux_debug

/* Bytes of a request: upstream allocates as many. Its buffers are copied, since an element between may keep them. */
#define MAX_PULLED (1 << 20)

static guint64
size_of (GstPad *sinkpad)
{
  gint64 size;

  return gst_pad_peer_query_duration (sinkpad, GST_FORMAT_BYTES, &size) && size > 0 ? (guint64) size : 0;
}

/* Upstream may give less than it was asked for. */
static gboolean
read_range (gpointer user_data, guint64 offset, gsize size, guint8 *to, GError **error)
{
  RobocacheMcapPadSource *source = user_data;

  while (size > 0) {
    GstBuffer *buffer = NULL;
    gsize n = 0;

    source->pulled = gst_pad_pull_range (source->sinkpad, offset, (guint) MIN (size, MAX_PULLED), &buffer);
    if (source->pulled == GST_FLOW_OK) {
      n = MIN (gst_buffer_get_size (buffer), size);
      gst_buffer_extract (buffer, 0, to, n);
      gst_buffer_unref (buffer);
    }
    if (n == 0) {
      GST_DEBUG_OBJECT (source->sinkpad, "byte %" G_GUINT64_FORMAT " is answered %s", offset, gst_flow_get_name (source->pulled));
      source->is_cut = source->pulled == GST_FLOW_EOS && offset >= size_of (source->sinkpad);
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
  const RobocacheMcapSource bytes = { size_of (source->sinkpad), read_range, source, source->max_bytes };
  RobocacheBagStorage *storage;
  RobocacheBag *bag;

  storage = robocache_mcap_storage_new (&bytes, NULL, error);
  if (!storage)
    return NULL;
  if (storage->note)
    GST_INFO_OBJECT (source->sinkpad, "all of the recording is read first: %s", storage->note);
  else
    GST_DEBUG_OBJECT (source->sinkpad, "the summary of %" G_GUINT64_FORMAT " bytes is used", bytes.size);
  bag = robocache_bag_new (source->max_bytes);
  if (!robocache_bag_add (bag, storage, NULL, NULL, NULL, error))
    g_clear_pointer (&bag, robocache_bag_free);
  return bag;
}

/* If the source returns EOS within the file, the application has ended it. */
static GstFlowReturn
reason (gpointer user_data)
{
  const RobocacheMcapPadSource *source = user_data;

  if (source->pulled == GST_FLOW_FLUSHING)
    return GST_FLOW_FLUSHING;
  return source->pulled == GST_FLOW_EOS && !source->is_cut ? GST_FLOW_EOS : GST_FLOW_ERROR;
}

RobocacheMcapOpener
robocache_mcap_pad_source_init (RobocacheMcapPadSource *source, GstPad *sinkpad, guint64 max_bytes)
{
  *source = (RobocacheMcapPadSource) {sinkpad, max_bytes, GST_FLOW_OK, FALSE};
  return (RobocacheMcapOpener) {open_recording, reason, source};
}
