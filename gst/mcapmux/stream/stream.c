/* robocache: a stream that is recorded
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stream.h"

#include "gst/mcapmux/file/channels.h"
#include "common/rosstreams/encoders/encoders.h"

static void
set_encoder (MuxStream *stream, RobocacheEncoder *encoder)
{
  g_clear_pointer (&stream->encoder, robocache_encoder_free);
  stream->encoder = encoder;
  stream->has_channels = FALSE;
  g_array_set_size (stream->channels, 0);
}

/* ---- life ---- */

void
mux_stream_init (MuxStream *stream)
{
  stream->channels = g_array_new (FALSE, FALSE, sizeof (guint));
  mux_stream_reset (stream);
}

void
mux_stream_reset (MuxStream *stream)
{
  gst_clear_caps (&stream->caps);
  g_clear_pointer (&stream->format, robocache_encoder_format_free);
  set_encoder (stream, NULL);
  robocache_row_times_init (&stream->clock);
  mux_buffer_notes_init (&stream->notes);
  stream->statistics = (MuxStreamStatistics) {.first_ns = ROBOCACHE_ROS_NO_TIME, .last_ns = ROBOCACHE_ROS_NO_TIME};
  stream->in_next = stream->is_video = FALSE;
}

void
mux_stream_clear (MuxStream *stream)
{
  mux_stream_reset (stream);
  g_array_unref (stream->channels);
  g_free (stream->name);
  g_free (stream->topic);
  g_free (stream->frame_id);
}

void
mux_stream_set_format (MuxStream *stream, RobocacheEncoderFormat *format)
{
  gst_caps_replace (&stream->caps, format->caps);
  set_encoder (stream, g_steal_pointer (&format->encoder));
  robocache_row_times_set_rate (&stream->clock, format->rate_num, format->rate_den);
  stream->is_video = format->is_video;
  g_clear_pointer (&stream->format, robocache_encoder_format_free);
  stream->format = format;
}

void
mux_stream_set_segment (MuxStream *stream, const GstSegment *segment)
{
  robocache_row_times_set_segment (&stream->clock, segment);
}

/* ---- buffers ---- */

GstBuffer *
mux_stream_close (MuxStream *stream)
{
  if (!stream->buffer)
    return NULL;
  stream->encoder->class->end (stream->encoder);
  g_clear_pointer (&stream->change, g_free);
  return g_steal_pointer (&stream->buffer);
}

static gboolean
has_duration (const MuxStream *stream)
{
  return g_array_index (stream->encoder->channels, RobocacheEncoderChannel, 0).has_duration;
}

gboolean
mux_stream_open (MuxStream *stream, GstBuffer *buffer, GError **error)
{
  if (!stream->encoder)
    set_encoder (stream, robocache_encoder_format_new_tensors (stream->format, &stream->settings, buffer, error));
  if (!stream->encoder || !stream->encoder->class->begin (stream->encoder, buffer, &stream->items, error))
    return FALSE;
  stream->buffer = gst_buffer_ref (buffer);
  stream->position = 0;
  stream->has_time = robocache_row_times_begin (&stream->clock, buffer, stream->items.n_items, stream->items.times,
      &stream->times) == ROBOCACHE_BUFFER_TIMED;
  mux_buffer_notes_change (&stream->notes, buffer, has_duration (stream), stream->settings.keep_buffers, &stream->change);
  stream->statistics.buffers++;
  stream->statistics.rows += stream->items.n_items;
  return TRUE;
}

gboolean
mux_stream_has_item (const MuxStream *stream)
{
  return stream->buffer && stream->position < stream->items.n_items;
}

static MuxItemTiming
time_of_item (const MuxStream *stream, guint64 item, gint64 *running_ns)
{
  if (!stream->has_time)
    return MUX_ITEM_UNTIMED;
  return robocache_row_times_nth (&stream->clock, &stream->times, item, running_ns) ? MUX_ITEM_TIMED : MUX_ITEM_OUTSIDE;
}

MuxItemTiming
mux_stream_get_time (const MuxStream *stream, gint64 *running_ns)
{
  return time_of_item (stream, stream->position, running_ns);
}

guint64
mux_stream_count_outside (const MuxStream *stream)
{
  guint64 n = 0;
  gint64 time;

  for (guint64 i = 0; i < stream->items.n_items; i++)
    n += time_of_item (stream, i, &time) == MUX_ITEM_OUTSIDE;
  return n;
}

void
mux_stream_skip (MuxStream *stream, guint64 *counter)
{
  stream->position++;
  (*counter)++;
}

/* ---- messages ---- */

static gchar *
topic_of (const MuxStream *stream, const RobocacheEncoderChannel *channel)
{
  return g_strconcat (stream->topic, channel->suffix, NULL);
}

static gboolean
open_channels (MuxStream *stream, MuxRecording *recording, GError **error)
{
  for (guint i = 0; i < stream->encoder->channels->len; i++) {
    const RobocacheEncoderChannel *channel = &g_array_index (stream->encoder->channels, RobocacheEncoderChannel, i);
    GByteArray *metadata = mux_channel_metadata_new ();
    gchar *topic = topic_of (stream, channel);
    gint id;

    mux_channel_metadata_add_stream (metadata, stream->name, stream->caps, &stream->clock.segment, channel->dtype, channel->kinds);
    id = mux_recording_add_channel (recording, topic, channel->type, metadata);
    g_array_append_val (stream->channels, id);
    g_byte_array_unref (metadata);
    g_free (topic);
    if (id < 0) {
      g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "more than 65535 channels: each change of caps adds one");
      return FALSE;
    }
  }
  stream->has_channels = TRUE;
  return TRUE;
}

/* What the encoder's messages are added to. */
typedef struct
{
  MuxStream *stream;
  MuxRecording *recording;
  const MuxTimes *times;
  gboolean has_time;
  GError **error;
} Target;

static gboolean
add_message (gpointer user_data, guint channel, const RobocacheCdrWriter *message)
{
  Target *target = user_data;
  MuxStreamStatistics *statistics = &target->stream->statistics;
  const guint64 publish_ns = target->has_time ? (guint64) target->times->stamp_ns : target->times->log_ns;

  if (message->has_failed) {
    g_set_error (target->error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_MEMORY, "%s: no memory for the message of a buffer of %" G_GSIZE_FORMAT
        " bytes", target->stream->topic, gst_buffer_get_size (target->stream->buffer));
    return FALSE;
  }
  if (!mux_recording_add_message (target->recording, target->stream->in_next, g_array_index (target->stream->channels, guint, channel),
          target->times->log_ns, publish_ns, message->data, message->size, target->error)) {
    g_prefix_error (target->error, "%s: ", target->stream->topic);
    return FALSE;
  }
  statistics->messages++;
  statistics->bytes += message->size;
  return TRUE;
}

/* Of the next item. */
static gint64
duration_of (const MuxStream *stream)
{
  const GstClockTime duration = GST_BUFFER_DURATION (stream->buffer);

  return GST_CLOCK_TIME_IS_VALID (duration) && duration < G_MAXINT64 ? (gint64) (duration / stream->items.n_items) : -1;
}

guint32
mux_stream_get_sequence (const MuxStream *stream, const MuxRecording *recording)
{
  return stream->has_channels ? mux_recording_get_sequence (recording, g_array_index (stream->channels, guint, 0)) : 0;
}

static void
note_change (MuxStream *stream, MuxRecording *recording, MuxEvents *events, const MuxTimes *times)
{
  const GstClockTime duration = GST_BUFFER_DURATION (stream->buffer);

  mux_events_write (events, recording, times, &(MuxEvent) {
      "buffer", stream->topic, mux_stream_get_sequence (stream, recording),
      GST_CLOCK_TIME_IS_VALID (duration) ? (gint64) duration : -1, stream->change});
  stream->statistics.events++;
  g_clear_pointer (&stream->change, g_free);
}

static void
count_time (MuxStream *stream)
{
  gint64 time;

  if (mux_stream_get_time (stream, &time) != MUX_ITEM_TIMED)
    return;
  if (stream->statistics.first_ns == ROBOCACHE_ROS_NO_TIME)
    stream->statistics.first_ns = time;
  stream->statistics.last_ns = time;
}

gboolean
mux_stream_write (MuxStream *stream, MuxRecording *recording, MuxEvents *events, const MuxTimes *times, gboolean has_time,
    GError **error)
{
  Target target = { stream, recording, times, has_time, error };
  const RobocacheEncoderTimes of_item = { {has_time ? times->stamp_ns : 0, stream->frame_id}, duration_of (stream) };

  if (!stream->has_channels && !open_channels (stream, recording, error))
    return FALSE;
  if (stream->change)
    note_change (stream, recording, events, times);
  if (!stream->encoder->class->write (stream->encoder, stream->position, &of_item, add_message, &target))
    return FALSE;
  count_time (stream);
  stream->position++;
  return TRUE;
}
