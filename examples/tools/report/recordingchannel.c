/* robocache: the messages of a channel of a recording, as rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recordingparts.h"

#include <string.h>

#include "rows.h"

/* A stream of the topic. */
typedef struct
{
  gchar *key;                   /* among those of the topic */
  ReportStream *stream;         /* NULL: not shown */
  GstCaps *caps;
  ReportRows rows;
} Output;

static void
free_output (gpointer data)
{
  Output *output = data;

  gst_clear_caps (&output->caps);
  report_rows_clear (&output->rows);
  g_free (output->key);
  g_free (output);
}

/* The caps of a channel of samples are those of all its tensors. */
static RobocacheRosDecoder *
make_decoder (const RobocacheMcapChannelInfo *info, const RobocacheMcapSchemaInfo *schema, gboolean is_of_sample, GError **error)
{
  const RobocacheRosChannel channel = {
    .topic = info->topic,.type = schema ? schema->name : "",.definition = schema ? (const gchar *) schema->data : "",
    .definition_size = schema ? schema->size : 0,.caps = is_of_sample ? NULL : g_hash_table_lookup (info->metadata, "caps"),
    .kinds = g_hash_table_lookup (info->metadata, "kinds"),.message_encoding = info->message_encoding,
    .schema_encoding = schema ? schema->encoding : ""
  };

  if (schema)
    return robocache_ros_decoder_new (&channel, error);
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "its messages are %s without a schema", info->message_encoding);
  return NULL;
}

ReportChannel *
report_channel_new (const RobocacheMcapChannelInfo *info, const RobocacheMcapSchemaInfo *schema, const gchar *base)
{
  ReportChannel *channel = g_new0 (ReportChannel, 1);
  GError *error = NULL;

  channel->topic = g_strdup (info->topic);
  channel->outputs = g_ptr_array_new_with_free_func (free_output);
  channel->pending_ns = REPORT_NO_TIME;
  channel->base = base;
  channel->decoder = make_decoder (info, schema, base != NULL, &error);
  if (error)
    channel->fault = g_strdup (error->message);
  g_clear_error (&error);
  return channel;
}

void
report_channel_free (gpointer data)
{
  ReportChannel *channel = data;

  g_clear_pointer (&channel->decoder, robocache_ros_decoder_free);
  g_ptr_array_unref (channel->outputs);
  gst_clear_caps (&channel->pending_caps);
  gst_clear_buffer (&channel->pending);
  report_rows_clear (&channel->pending_rows);
  g_free (channel->first_malformed);
  g_free (channel->fault);
  g_free (channel->topic);
  g_free (channel);
}

ReportStream *
report_channel_only_stream (const ReportChannel *channel)
{
  return channel->outputs->len == 1 ? ((Output *) g_ptr_array_index (channel->outputs, 0))->stream : NULL;
}

/* ---- rows ---- */

static Output *
get_output (ReportChannel *channel, const gchar *key, const ReportChannelUser *user)
{
  Output *output;
  gchar *name;

  for (guint i = 0; i < channel->outputs->len; i++) {
    output = g_ptr_array_index (channel->outputs, i);
    if (g_str_equal (output->key, key))
      return output;
  }
  name = *key ? g_strconcat (channel->topic, " ", key, NULL) : g_strdup (channel->topic);
  output = g_new0 (Output, 1);
  output->key = g_strdup (key);
  output->stream = user->get_stream (user->user_data, name);
  g_ptr_array_add (channel->outputs, output);
  g_free (name);
  return output;
}

/* The rows of a sample that are read. */
typedef struct
{
  ReportChannel *channel;
  Output *output;
  const RobocacheRosSample *sample;
  const ReportChannelUser *user;
  gint64 time_ns, arrival_ns;
} Reading;

/* Row i of R lies i * duration / R after the buffer's, unless rows have times of their own. */
static gint64
time_of_row (gpointer data, guint64 i, const gint64 *row_times)
{
  const Reading *reading = data;
  const GstClockTime duration = GST_BUFFER_DURATION (reading->sample->buffer);
  gint64 after = 0, time_ns;

  if (row_times && reading->sample->has_row_times)
    memcpy (&after, row_times + i, sizeof (after));
  else if (i > 0 && GST_CLOCK_TIME_IS_VALID (duration))
    after = (gint64) gst_util_uint64_scale (duration, i, report_rows_count (&reading->output->rows));
  return __builtin_add_overflow (reading->time_ns, after, &time_ns) ? REPORT_NO_TIME : time_ns;
}

static void
handle_row (gpointer data, gint64 time_ns, const gdouble *values)
{
  Reading *reading = data;
  const ReportChannelRow row = { reading->output->stream, time_ns, reading->arrival_ns, values };

  reading->channel->n_rows++;
  reading->user->add_row (reading->user->user_data, &row);
}

static void
read_sample (ReportChannel *channel, const RobocacheRosSample *sample, const RobocacheMcapMessage *message,
    const ReportChannelUser *user)
{
  Output *output = get_output (channel, sample->key, user);
  const guint64 written = message->publish_time != 0 ? message->publish_time : message->log_time;
  Reading reading = { channel, output, sample, user, sample->stamp_ns, (gint64) MIN (message->log_time, G_MAXINT64) };

  if (!output->stream)
    return;
  if (sample->stamp_ns == ROBOCACHE_ROS_NO_TIME)
    reading.time_ns = (gint64) MIN (written, G_MAXINT64);
  if (sample->caps != output->caps) {
    gst_caps_replace (&output->caps, sample->caps);
    report_rows_set_caps (&output->rows, output->stream, sample->caps);
  }
  report_rows_read (&output->rows, output->stream, sample->buffer, time_of_row, handle_row, &reading);
}

static void
count_malformed (ReportChannel *channel, GError *error)
{
  if (channel->n_malformed++ == 0)
    channel->first_malformed = g_strdup (error->message);
  g_error_free (error);
}

/* Numbers that others had are not missing: the file may have been made of several. */
static void
count_sequence (ReportChannel *channel, guint32 sequence)
{
  if (channel->n_messages++ > 0 && sequence > channel->sequence)
    channel->n_missing += sequence - channel->sequence - 1;
  channel->sequence = sequence;
}

void
report_channel_read (ReportChannel *channel, const RobocacheMcapMessage *message, const ReportChannelUser *user)
{
  GError *error = NULL;
  GArray *samples;

  count_sequence (channel, message->sequence);
  if (!channel->decoder)
    return;
  samples = robocache_ros_decoder_run (channel->decoder, message->data.data, message->data.size, &error);
  if (!samples) {
    count_malformed (channel, error);
    return;
  }
  for (guint i = 0; i < samples->len; i++)
    read_sample (channel, &g_array_index (samples, RobocacheRosSample, i), message, user);
}

/* ---- tensors of samples ---- */

void
report_channel_keep_pending (ReportChannel *channel, const RobocacheMcapMessage *message)
{
  GError *error = NULL;
  GArray *samples = channel->decoder ? robocache_ros_decoder_run (channel->decoder, message->data.data, message->data.size, &error)
      : NULL;
  RobocacheRosSample *sample = samples && samples->len > 0 ? &g_array_index (samples, RobocacheRosSample, 0) : NULL;

  channel->pending_ns = REPORT_NO_TIME;
  if (error)
    count_malformed (channel, error);
  if (!sample)
    return;
  channel->pending_ns = (gint64) MIN (message->publish_time, G_MAXINT64);
  gst_caps_replace (&channel->pending_caps, sample->caps);
  gst_buffer_replace (&channel->pending, sample->buffer);
}

void
report_channel_describe (ReportChannel *channel, ReportStream *stream)
{
  if (channel->pending_caps && stream->n_channels == 0 && !stream->kind)
    report_rows_set_caps (&channel->pending_rows, stream, channel->pending_caps);
}

static gint64
no_time (gpointer data, guint64 i, const gint64 *row_times)
{
  return REPORT_NO_TIME;
}

typedef struct
{
  gdouble *values;
  guint n;
  gboolean has_values;
} LastRow;

static void
keep_last (gpointer data, gint64 time_ns, const gdouble *values)
{
  LastRow *last = data;

  last->has_values = values != NULL;
  if (values)
    memcpy (last->values, values, last->n * sizeof (gdouble));
}

/* Of a window, the last row is the tick's. */
const gdouble *
report_channel_get_pending (ReportChannel *channel, const ReportStream *stream, gint64 stamp_ns)
{
  LastRow last = { channel->pending_values, stream->n_drawn, FALSE };

  if (channel->pending_ns != stamp_ns || !channel->pending_rows.has_rows || stream->n_drawn == 0)
    return NULL;
  report_rows_read (&channel->pending_rows, stream, channel->pending, no_time, keep_last, &last);
  return last.has_values ? channel->pending_values : NULL;
}

static gboolean
has_part (const ReportRows *rows, const ReportStream *stream, guint skipped)
{
  return rows->has_rows && stream->n_drawn > 0 && skipped + (guint64) stream->n_channels <= rows->layout.channels;
}

/* Of a window, the last row is the tick's. */
const gdouble *
report_channel_get_part (ReportChannel *channel, ReportStream *stream, guint skipped, guint n, gint64 stamp_ns)
{
  ReportRows *rows = &channel->pending_rows;
  RobocacheTensorsMap map;

  if (channel->pending_ns != stamp_ns)
    return NULL;
  report_rows_set_format (rows, channel->pending_caps);
  report_stream_set_channels (stream, rc_dtype_name (rows->layout.dtype), n, NULL);
  if (!has_part (rows, stream, skipped) || !robocache_tensors_map (&map, channel->pending, &rows->info, GST_MAP_READ, NULL))
    return NULL;
  report_numbers_to_doubles (rows->layout.dtype, (const guint8 *) map.data[0]
      + ((rows->layout.n_rows - 1) * rows->layout.channels + skipped) * rc_dtype_size (rows->layout.dtype), channel->pending_values,
      stream->n_drawn);
  robocache_tensors_unmap (&map);
  return channel->pending_values;
}
