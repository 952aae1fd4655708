/* robocache: a recording that arrives in buffers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pushinput.h"

#include "common/bags/compressedbag.h"
#include "common/device/mapping.h"
#include "common/mcap/read/fileindex.h"
#include "common/mcap/read/stream.h"

struct _RobocacheMcapPushInput
{
  RobocacheMcapSession *session;
  RobocacheMcapStream *stream;
  RobocacheMcapDefinitions *definitions;
  RobocacheZstdMessage *zstd;
  gboolean has_failed, has_clocks;
};

RobocacheMcapPushInput *
robocache_mcap_push_input_new (RobocacheMcapSession *session)
{
  RobocacheMcapPushInput *input = g_new0 (RobocacheMcapPushInput, 1);

  input->session = session;
  input->stream = robocache_mcap_stream_new ();
  input->definitions = robocache_mcap_definitions_new ();
  input->zstd = robocache_zstd_message_new (session->settings.max_message_bytes);
  robocache_mcap_stream_set_max_bytes (input->stream, session->settings.max_message_bytes);
  session->definitions = input->definitions;
  return input;
}

void
robocache_mcap_push_input_free (RobocacheMcapPushInput *input)
{
  robocache_mcap_stream_free (input->stream);
  robocache_mcap_definitions_free (input->definitions);
  robocache_zstd_message_free (input->zstd);
  g_free (input);
}

void
robocache_mcap_push_input_restart (RobocacheMcapPushInput *input)
{
  robocache_mcap_stream_reset (input->stream);
  input->has_failed = FALSE;
}

static void
warn (RobocacheMcapPushInput *input, GError *error)
{
  GST_ELEMENT_WARNING (input->session->element, STREAM, DECODE, ("%s", error->message), ("The data after it are read."));
  g_error_free (error);
}

static GstFlowReturn
fail (RobocacheMcapPushInput *input, GError *error)
{
  input->has_failed = TRUE;
  robocache_mcap_session_post_error (input->session, error);
  g_error_free (error);
  return GST_FLOW_ERROR;
}

static void
note_metadata (RobocacheMcapPushInput *input, const RobocacheMcapMetadata *record)
{
  gchar *name = robocache_mcap_text_dup (record->name);
  GHashTable *metadata = robocache_mcap_text_map (record->metadata);

  robocache_mcap_session_note_metadata (input->session, name, metadata);
  g_hash_table_unref (metadata);
  g_free (name);
}

/* rosbag2 compresses messages one by one, too. One that is damaged is lost. */
static GstFlowReturn
handle_message (RobocacheMcapPushInput *input, const RobocacheMcapMessage *message)
{
  RobocacheMcapMessage unpacked = *message;
  GError *error = NULL;

  if (robocache_zstd_message_unpack (input->zstd, input->definitions, &unpacked, &error)
      && robocache_check_converted_size (input->definitions, &unpacked, input->session->settings.max_message_bytes,
          robocache_mcap_stream_get_offset (input->stream), &error))
    return robocache_mcap_session_handle (input->session, &unpacked);
  warn (input, error);
  return GST_FLOW_OK;
}

static GstFlowReturn
handle_record (RobocacheMcapPushInput *input, const RobocacheMcapStreamRecord *record)
{
  GError *error = NULL;

  if (record->opcode == ROBOCACHE_MCAP_MESSAGE)
    return handle_message (input, &record->record.message);
  if (record->opcode == ROBOCACHE_MCAP_METADATA)
    note_metadata (input, &record->record.metadata);
  if (!robocache_mcap_definitions_add (input->definitions, record->opcode, record->content, &error))
    warn (input, error);
  return GST_FLOW_OK;
}

static GstFlowReturn
handle_records (RobocacheMcapPushInput *input)
{
  GstFlowReturn ret = GST_FLOW_OK;

  while (ret == GST_FLOW_OK) {
    RobocacheMcapStreamRecord record;
    GError *error = NULL;

    switch (robocache_mcap_stream_next (input->stream, &record, &error)) {
      case ROBOCACHE_MCAP_STREAM_RECORD:
        ret = handle_record (input, &record);
        break;
      case ROBOCACHE_MCAP_STREAM_DAMAGED:
        warn (input, error);
        break;
      case ROBOCACHE_MCAP_STREAM_FATAL:
        return fail (input, error);
      case ROBOCACHE_MCAP_STREAM_END:
        return GST_FLOW_EOS;
      default:
        return GST_FLOW_OK;
    }
  }
  return ret;
}

/* A stream is not read twice, so its clocks must be known. */
static gboolean
read_clocks (RobocacheMcapPushInput *input)
{
  RobocacheTimeline timeline;
  GError *error = NULL;
  gboolean survey;

  input->has_clocks = TRUE;
  if (!robocache_mcap_session_read_clocks (input->session, &survey, &timeline, &error)) {
    fail (input, error);
    return FALSE;
  }
  if (survey)
    robocache_mcap_session_warn (input->session, "the property clocks needs a file: the stamps of this stream are not shifted");
  return TRUE;
}

GstFlowReturn
robocache_mcap_push_input_push (RobocacheMcapPushInput *input, GstBuffer *buffer)
{
  GError *error = NULL;
  GstMapInfo map;

  if (input->has_failed || (!input->has_clocks && !read_clocks (input)))
    return GST_FLOW_ERROR;
  if (!robocache_map_buffer (buffer, &map, GST_MAP_READ, &error))
    return fail (input, error);
  robocache_mcap_stream_push (input->stream, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  return handle_records (input);
}

static void
warn_of_cut (RobocacheMcapPushInput *input)
{
  gchar *text = robocache_mcap_cut_text (robocache_mcap_stream_get_offset (input->stream));

  if (robocache_mcap_stream_is_in_data (input->stream) && robocache_mcap_session_has_pads (input->session))
    robocache_mcap_session_warn (input->session, text);
  g_free (text);
}

GstFlowReturn
robocache_mcap_push_input_end (RobocacheMcapPushInput *input)
{
  GstFlowReturn ret;

  if (input->has_failed)
    return GST_FLOW_ERROR;
  robocache_mcap_stream_end (input->stream);
  ret = handle_records (input);
  if (ret == GST_FLOW_OK || ret == GST_FLOW_EOS)
    warn_of_cut (input);
  return ret;
}
