/* robocache: fills a report from an MCAP recording
 *
 * Messages are read in order of arrival. Those of a sample are the tensors of its streams, then a tick: BASE/STREAM … and BASE/tick.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recordingreport.h"

#include <string.h>

#include "common/mcap/read/reader.h"
#include "examples/tools/program.h"
#include "gst/parse/inputformat.h"
#include "recordingparts.h"
#include "robot.h"

#define EVENT_TYPE "robocache_msgs/msg/Event"
#define TICK_SUFFIX "/tick"
#define URDF_SUFFIX ".urdf"

/* Rows further apart are not on one axis: times of some are wrong. */
#define MAX_SPAN_NS (G_GINT64_CONSTANT (10) * 366 * 86400 * 1000000000)

/* So many rows and ticks do not make an axis yet. */
#define FEW 16

/* More are not drawn: a page of as many streams is of no use. */
#define MAX_STREAMS 200

/* A time, and how many rows and ticks are near it. */
typedef struct
{
  gint64 time_ns;
  guint64 n;
} Axis;

typedef struct
{
  Report *report;
  ReportFileSource file;
  RobocacheMcapReader *reader;
  ReportRobot *robot;           /* NULL: none */
  GHashTable *channels;         /* ReportChannel by id */
  GPtrArray *bases;             /* topics of samples, of texts */
  ReportMatch *match;
  GHashTable *pad_names;        /* of streams of samples: texts by ReportStream */
  GHashTable *pad_channels;     /* of rows of topics with the names of pads: numbers by name, one more each */
  GHashTable *rows_taken;       /* rows that the fuse had taken in, as text by ReportStream */
  ReportTick tick;
  Axis axis, rival;             /* the axis of time, and the place that may become it */
  guint64 n_damaged, n_bad_ticks, n_far_rows, n_far_ticks;
  gboolean has_too_many;
} Job;

/* Times of a damaged file may be anything. REPORT_NO_TIME: no difference that a number holds. */
static gint64
difference (gint64 later_ns, gint64 earlier_ns)
{
  gint64 ns;

  return __builtin_sub_overflow (later_ns, earlier_ns, &ns) ? REPORT_NO_TIME : ns;
}

/* ---- the axis ---- */

static gboolean
is_near (gint64 a_ns, gint64 b_ns)
{
  const gint64 ns = difference (a_ns, b_ns);

  return ns != REPORT_NO_TIME && ns >= -MAX_SPAN_NS && ns <= MAX_SPAN_NS;
}

/* Rows and ticks that were on the axis are no more; a time that was not is the rival of the next move. */
static void
move_axis (Job *job, gint64 time_ns, guint64 n_rival)
{
  for (guint i = 0; job->axis.n > 0 && i < job->report->streams->len; i++) {
    ReportStream *stream = g_ptr_array_index (job->report->streams, i);

    job->n_far_rows += stream->rows.n;
    report_stream_forget_times (stream);
  }
  job->rival = job->axis;
  job->axis = (Axis) { time_ns, n_rival };
}

/* Whether the axis has a time. It is where the first one is, unless few are there and times of arrival elsewhere, or twice as many are
 * elsewhere: as of a simulation that begins at 0, or of a clock that was set. */
static gboolean
is_on_axis (Job *job, gint64 time_ns)
{
  const gint64 arrival_ns = job->report->begin_ns;

  if (job->axis.n == 0)
    job->axis.time_ns = time_ns;
  if (is_near (time_ns, job->axis.time_ns)) {
    job->axis.n++;
    return TRUE;
  }
  if (!is_near (time_ns, job->rival.time_ns))
    job->rival = (Axis) { time_ns, 0 };
  job->rival.n++;
  if (job->rival.n <= 2 * job->axis.n && (job->axis.n > FEW || !is_near (time_ns, arrival_ns)
          || is_near (job->axis.time_ns, arrival_ns)))
    return FALSE;
  move_axis (job, time_ns, job->rival.n);
  return TRUE;
}

/* ---- the robot ---- */

/* One that cannot be used is a note, since nobody asked for it. */
static void
read_attached (Job *job, const RobocacheMcapEntry *entry, const gchar *tool)
{
  GError *error = NULL;
  GBytes *bytes = robocache_mcap_reader_get_attachment (job->reader, entry, &error);

  if (bytes)
    job->robot = report_robot_new (entry->name, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), tool, &error);
  if (error)
    report_add_note (job->report, "The path of the tool that --urdf and --tool choose is not shown: %s", error->message);
  g_clear_error (&error);
  g_clear_pointer (&bytes, g_bytes_unref);
}

static gboolean
find_robot (Job *job, const ReportRobotChoice *choice, GError **error)
{
  const GArray *attached = robocache_mcap_reader_get_index (job->reader)->attachments;

  if (choice->urdf) {
    job->robot = report_robot_open (choice->urdf, choice->tool, error);
    return job->robot != NULL;
  }
  for (guint i = 0; i < attached->len; i++) {
    const RobocacheMcapEntry *entry = &g_array_index (attached, RobocacheMcapEntry, i);

    if (entry->name && g_str_has_suffix (entry->name, URDF_SUFFIX)) {
      read_attached (job, entry, choice->tool);
      break;
    }
  }
  return TRUE;
}

static void
add_to_robot (Job *job, const ReportStream *stream, gboolean is_tick, gint64 time_ns, const gdouble *values)
{
  if (job->robot && time_ns != REPORT_NO_TIME)
    report_robot_add (job->robot, job->report, stream, is_tick, time_ns, values);
}

/* ---- topics of samples ---- */

static const RobocacheMcapSchemaInfo *
schema_of (const Job *job, const RobocacheMcapChannelInfo *info)
{
  return robocache_mcap_definitions_schema (robocache_mcap_reader_get_index (job->reader)->definitions, info->schema_id);
}

static gboolean
has_type (const Job *job, const RobocacheMcapChannelInfo *info, const gchar *type)
{
  const RobocacheMcapSchemaInfo *schema = schema_of (job, info);

  return schema && g_str_equal (schema->name, type);
}

static const RobocacheMcapChannelInfo *
next_channel (const Job *job, guint id)
{
  return robocache_mcap_definitions_next_channel (robocache_mcap_reader_get_index (job->reader)->definitions, id);
}

static void
find_bases (Job *job)
{
  const RobocacheMcapChannelInfo *info;

  g_ptr_array_set_size (job->bases, 0);
  for (guint id = 0; (info = next_channel (job, id)); id = info->id + 1u)
    if (has_type (job, info, REPORT_TICK_TYPE) && g_str_has_suffix (info->topic, TICK_SUFFIX))
      g_ptr_array_add (job->bases, g_strndup (info->topic, strlen (info->topic) - strlen (TICK_SUFFIX)));
}

/* Without summary, definitions are in the chunks. */
static gboolean
read_definitions (Job *job, GError **error)
{
  RobocacheMcapMessage message;
  RobocacheMcapReadResult result;

  if (robocache_mcap_reader_get_index (job->reader)->has_summary)
    return TRUE;
  do {
    GError *fault = NULL;

    result = robocache_mcap_reader_next (job->reader, &message, &fault);
    if (result == ROBOCACHE_MCAP_READ_FAILED)
      g_propagate_error (error, g_steal_pointer (&fault));
    g_clear_error (&fault);
  } while (result == ROBOCACHE_MCAP_READ_MESSAGE || result == ROBOCACHE_MCAP_READ_DAMAGED);
  robocache_mcap_reader_seek (job->reader, 0);
  return result == ROBOCACHE_MCAP_READ_END;
}

/* The base of a topic of samples; NULL: not a topic of samples. */
static const gchar *
base_of (const Job *job, const gchar *topic)
{
  for (guint i = 0; i < job->bases->len; i++) {
    const gchar *base = g_ptr_array_index (job->bases, i);
    const gsize length = strlen (base);

    if (strncmp (topic, base, length) == 0 && (topic[length] == '\0' || topic[length] == '/'))
      return base;
  }
  return NULL;
}

/* ---- messages ---- */

static void
add_row (gpointer user_data, const ReportChannelRow *row)
{
  Job *job = user_data;

  const gint64 lateness_ns = difference (row->arrival_ns, row->time_ns);

  if (row->time_ns != REPORT_NO_TIME && !is_on_axis (job, row->time_ns)) {
    row->stream->n_rows++;
    job->n_far_rows++;
    return;
  }
  report_stream_add_row (row->stream, row->time_ns, row->values);
  add_to_robot (job, row->stream, FALSE, row->time_ns, row->values);
  if (row->time_ns == REPORT_NO_TIME)
    return;
  if (lateness_ns != REPORT_NO_TIME)
    report_stream_add_lateness (row->stream, lateness_ns);
  report_match_add_row (job->match, row->stream, row->time_ns);
}

static ReportStream *
get_stream (gpointer user_data, const gchar *name)
{
  Job *job = user_data;

  /* streams of samples join those of their rows in the end */
  if (job->report->streams->len < MAX_STREAMS + g_hash_table_size (job->pad_names))
    return report_get_stream (job->report, name);
  job->has_too_many = TRUE;
  return NULL;
}

static ReportChannel *
get_channel (Job *job, guint16 id)
{
  ReportChannel *channel = g_hash_table_lookup (job->channels, GUINT_TO_POINTER (id));
  const RobocacheMcapChannelInfo *info;

  if (channel)
    return channel;
  info = robocache_mcap_definitions_channel (robocache_mcap_reader_get_index (job->reader)->definitions, id);
  if (!info)
    return NULL;
  channel = report_channel_new (info, schema_of (job, info), base_of (job, info->topic));
  channel->is_tick = has_type (job, info, REPORT_TICK_TYPE);
  channel->is_skipped = has_type (job, info, EVENT_TYPE) || (channel->base && g_str_has_suffix (info->topic, "/info"));
  g_hash_table_insert (job->channels, GUINT_TO_POINTER (id), channel);
  return channel;
}

/* The channel with what the tick's sample has for a stream: its own topic, or with one stream the base's. */
static ReportChannel *
find_tensor (Job *job, const gchar *base, const gchar *name, gboolean is_alone)
{
  gchar *topic = g_strconcat (base, "/", name, NULL);
  ReportChannel *channel, *found = NULL;
  GHashTableIter at;

  g_hash_table_iter_init (&at, job->channels);
  while (g_hash_table_iter_next (&at, NULL, (gpointer *) & channel))
    if (g_str_equal (channel->topic, topic) || (is_alone && g_str_equal (channel->topic, base)))
      found = channel;
  g_free (topic);
  return found;
}

/* Streams of samples have the pad's name; that of the base stands in front where there are several. */
static ReportStream *
get_fused_stream (Job *job, const gchar *base, const gchar *pad_name)
{
  gchar *name = g_strconcat (base, "/", pad_name, NULL);
  ReportStream *stream = get_stream (job, name);

  if (stream && !g_hash_table_contains (job->pad_names, stream))
    g_hash_table_insert (job->pad_names, stream, g_strdup (pad_name));
  g_free (name);
  return stream;
}

/* Channels of the rows of a topic: those of its caps, 0 of a picture or cloud. */
static guint
count_channels (const RobocacheMcapChannelInfo *info)
{
  GstCaps *caps = gst_caps_from_string (g_hash_table_lookup (info->metadata, "caps"));
  ReportRows rows = { 0 };
  const guint n = caps && gst_caps_is_fixed (caps) && report_rows_set_format (&rows, caps) ? (guint) rows.layout.channels : 0;

  gst_clear_caps (&caps);
  return n;
}

/* FALSE: no topic has the pad's name and a description of its rows. */
static gboolean
get_pad_channels (Job *job, const gchar *pad_name, guint *n)
{
  const RobocacheMcapChannelInfo *info;
  gpointer found = g_hash_table_lookup (job->pad_channels, pad_name);

  for (guint id = 0; !found && (info = next_channel (job, id)); id = info->id + 1u)
    if (report_match_has_name (info->topic, pad_name) && g_hash_table_contains (info->metadata, "caps"))
      found = GUINT_TO_POINTER (count_channels (info) + 1);
  if (found && !g_hash_table_contains (job->pad_channels, pad_name))
    g_hash_table_insert (job->pad_channels, g_strdup (pad_name), found);
  *n = GPOINTER_TO_UINT (found) - 1;
  return found != NULL;
}

/* The values of a stream in a tensor of all streams. */
typedef struct
{
  ReportChannel *tensor;
  guint skipped, n;             /* channels: of the streams in front, and its own */
} Part;

/* part: NULL: the stream has a tensor of its own, or none. NULL: there are no values. */
static const gdouble *
get_values (Job *job, const gchar *base, const gchar *pad_name, ReportStream *stream, const Part *part)
{
  ReportChannel *tensor;

  if (part)
    return report_channel_get_part (part->tensor, stream, part->skipped, part->n, job->tick.stamp_ns);
  tensor = find_tensor (job, base, pad_name, job->tick.streams->len == 1);
  if (!tensor)
    return NULL;
  report_channel_describe (tensor, stream);
  return report_channel_get_pending (tensor, stream, job->tick.stamp_ns);
}

/* shift_ns: from running time to the recording's clock */
static void
add_tick_stream (Job *job, const gchar *base, const RobocacheRosTickStream *from, gint64 shift_ns, const Part *part)
{
  gint64 row_ns;
  ReportStream *stream = get_fused_stream (job, base, from->name);
  const gdouble *values;

  if (!stream)
    return;
  values = get_values (job, base, from->name, stream, part);
  report_stream_add_tick (stream, job->tick.stamp_ns, from->status & 3u, from->age_ns, values);
  add_to_robot (job, stream, TRUE, job->tick.stamp_ns, values);
  if (from->before_ns != ROBOCACHE_ROS_NO_TIME && !__builtin_add_overflow (from->before_ns, shift_ns, &row_ns))
    report_match_add_use (job->match, stream, row_ns);
  if (from->rows > 0)
    g_hash_table_insert (job->rows_taken, stream, g_strdup_printf ("%" G_GUINT64_FORMAT, from->rows));
}

/* A tensor of several streams is a stream of its own where their rows are not recorded: the message does not say where one ends. */
static void
add_joint_tensor (Job *job, const gchar *base, ReportChannel *tensor)
{
  ReportStream *stream = get_stream (job, base);

  if (!stream)
    return;
  report_channel_describe (tensor, stream);
  report_stream_add_aligned (stream, job->tick.stamp_ns, report_channel_get_pending (tensor, stream, job->tick.stamp_ns));
}

static void
add_tick_streams (Job *job, const gchar *base, gint64 shift_ns)
{
  const GArray *streams = job->tick.streams;
  Part part = { streams->len > 1 ? find_tensor (job, base, "", TRUE) : NULL };
  gboolean is_known = part.tensor != NULL;

  for (guint i = 0; i < streams->len; i++) {
    const RobocacheRosTickStream *from = &g_array_index (streams, RobocacheRosTickStream, i);

    is_known = is_known && get_pad_channels (job, from->name, &part.n);
    add_tick_stream (job, base, from, shift_ns, is_known ? &part : NULL);
    part.skipped += part.n;
  }
  if (part.tensor && !is_known)
    add_joint_tensor (job, base, part.tensor);
}

static void
read_tick (Job *job, const ReportChannel *channel, const RobocacheMcapMessage *message)
{
  ReportTick *tick = &job->tick;
  const gint64 arrival_ns = (gint64) MIN (message->log_time, G_MAXINT64);
  const gboolean has_base = channel->base && report_tick_read (tick, message->data.data, message->data.size, NULL);
  const gint64 shift_ns = difference (tick->stamp_ns, tick->tick_ns);

  if (!has_base || shift_ns == REPORT_NO_TIME) {
    job->n_bad_ticks++;
    return;
  }
  if (!is_on_axis (job, tick->stamp_ns)) {
    job->n_far_ticks++;
    return;
  }
  report_add_tick (job->report, tick->stamp_ns, tick->decided_ns == ROBOCACHE_ROS_NO_TIME ? REPORT_NO_TIME
      : difference (tick->decided_ns, tick->tick_ns), difference (arrival_ns, tick->stamp_ns));
  add_tick_streams (job, channel->base, shift_ns);
}

static void
read_message (Job *job, const RobocacheMcapMessage *message)
{
  ReportChannel *channel = get_channel (job, message->channel_id);
  const ReportChannelUser user = { get_stream, add_row, job };

  if (!channel || channel->is_skipped)
    return;
  if (channel->is_tick)
    read_tick (job, channel, message);
  else if (channel->base)
    report_channel_keep_pending (channel, message);
  else
    report_channel_read (channel, message, &user);
}

static gboolean
read_messages (Job *job, GError **error)
{
  for (;;) {
    RobocacheMcapMessage message;
    GError *fault = NULL;

    switch (robocache_mcap_reader_next (job->reader, &message, &fault)) {
      case ROBOCACHE_MCAP_READ_MESSAGE:
        read_message (job, &message);
        break;
      case ROBOCACHE_MCAP_READ_DAMAGED:
        if (g_error_matches (fault, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY))
          report_add_note (job->report, "Messages of chunks that overlap in time come late: sort the recording by time.");
        else if (job->n_damaged++ == 0)
          report_add_note (job->report, "Damaged: %s", fault->message);
        g_error_free (fault);
        break;
      case ROBOCACHE_MCAP_READ_FAILED:
        g_propagate_error (error, fault);
        return FALSE;
      case ROBOCACHE_MCAP_READ_END:
        return TRUE;
    }
  }
}

/* ---- the end ---- */

/* Files that were not recorded live have the time of capture as that of arrival. */
static void
drop_arrivals_that_are_none (ReportStream *stream)
{
  if (stream->lateness.n > 0 && report_spread_quantile (&stream->lateness, 0.0) == 0.0
      && report_spread_quantile (&stream->lateness, 1.0) == 0.0)
    report_spread_clear (&stream->lateness);
}

static void
drop_lateness_that_is_none (Report *report)
{
  if (report->latenesses.n == 0 || report_spread_quantile (&report->latenesses, 1.0) > 0.0)
    return;
  report_timeline_clear (&report->lateness);
  report_spread_clear (&report->latenesses);
}

static void
join_stream (Job *job, ReportStream *fused, const gchar *pad_name)
{
  ReportStream *input = report_match_find (job->match, fused, pad_name);
  const gchar *n_taken = g_hash_table_lookup (job->rows_taken, fused);

  if (!input || input->aligned_as) {
    report_stream_add_note (fused, "The recording does not show which topic has the rows of this stream: record them on a topic "
        "with the name of its pad.");
    return;
  }
  input->aligned_as = g_strdup (pad_name);
  report_stream_take_ticks (input, fused);
  if (job->robot)
    report_robot_join (job->robot, job->report, input, fused);
  if (n_taken)
    report_stream_add_note (input, "robocachefuse had %s rows of this stream at its last tick.", n_taken);
  report_remove_stream (job->report, fused);
}

static void
join_streams (Job *job)
{
  for (guint i = job->report->streams->len; i-- > 0;) {
    ReportStream *fused = g_ptr_array_index (job->report->streams, i);
    const gchar *pad_name = g_hash_table_lookup (job->pad_names, fused);

    if (pad_name)
      join_stream (job, fused, pad_name);
  }
}

static void
add_notes (Job *job)
{
  const RobocacheMcapFileIndex *index = robocache_mcap_reader_get_index (job->reader);
  ReportChannel *channel;
  GHashTableIter at;

  if (index->is_cut)
    report_add_note (job->report, "The recording is cut: its last whole record ends at byte %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
        ".", index->whole_size, job->file.source.size);
  if (job->n_damaged > 1)
    report_add_note (job->report, "%" G_GUINT64_FORMAT " blocks of the recording are damaged.", job->n_damaged);
  if (job->n_bad_ticks > 0)
    report_add_note (job->report, "%" G_GUINT64_FORMAT " ticks cannot be read.", job->n_bad_ticks);
  if (job->n_far_rows + job->n_far_ticks > 0)
    report_add_note (job->report, "%" G_GUINT64_FORMAT " rows and %" G_GUINT64_FORMAT " ticks are not shown: they are more than 10 "
        "years from the others. Check the clocks of their sensors.", job->n_far_rows, job->n_far_ticks);
  if (job->has_too_many)
    report_add_note (job->report, "Only the first %u streams are shown.", MAX_STREAMS);
  if (job->report->n_ticks == 0)
    report_add_note (job->report, "The recording has no aligned samples: this page shows the rows before alignment.");
  g_hash_table_iter_init (&at, job->channels);
  while (g_hash_table_iter_next (&at, NULL, (gpointer *) & channel))
    if (channel->fault)
      report_add_note (job->report, "%s cannot be read: %s", channel->topic, channel->fault);
}

static void
finish (Job *job)
{
  ReportChannel *channel;
  GHashTableIter at;

  for (guint i = 0; i < job->report->streams->len; i++) {
    report_stream_finish (g_ptr_array_index (job->report->streams, i));
    drop_arrivals_that_are_none (g_ptr_array_index (job->report->streams, i));
  }
  drop_lateness_that_is_none (job->report);
  if (job->robot)
    report_robot_finish (job->robot, job->report);
  g_hash_table_iter_init (&at, job->channels);
  while (g_hash_table_iter_next (&at, NULL, (gpointer *) & channel))
    if (!channel->base && !channel->is_skipped)
      report_recording_add_account (channel, job->reader);
  join_streams (job);
  report_recording_add_settings (job->report, job->reader);
  add_notes (job);
}

/* ---- life ---- */

static gint64
begin_of (const RobocacheMcapFileIndex *index)
{
  return index->blocks->len == 0 ? 0 : (gint64) MIN (g_array_index (index->blocks, RobocacheMcapBlock, 0).start_time, G_MAXINT64);
}

static void
start (Job *job, const gchar *path)
{
  gchar *name = g_path_get_basename (path);

  job->report = report_new (name, begin_of (robocache_mcap_reader_get_index (job->reader)));
  job->report->epoch_ns = 0;
  job->report->lateness_meaning = "of samples: from the tick to the arrival at the recorder";
  job->channels = g_hash_table_new_full (NULL, NULL, NULL, report_channel_free);
  job->bases = g_ptr_array_new_with_free_func (g_free);
  job->match = report_match_new ();
  job->pad_names = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  job->pad_channels = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  job->rows_taken = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  report_tick_init (&job->tick);
  g_free (name);
}

static void
stop (Job *job)
{
  g_hash_table_unref (job->channels);
  g_ptr_array_unref (job->bases);
  report_match_free (job->match);
  g_hash_table_unref (job->pad_names);
  g_hash_table_unref (job->pad_channels);
  g_hash_table_unref (job->rows_taken);
  report_tick_clear (&job->tick);
  report_robot_free (job->robot);
}

static gboolean
read_recording (Job *job, const gchar *path, const ReportRobotChoice *choice, GError **error)
{
  gboolean ok;

  start (job, path);
  ok = find_robot (job, choice, error) && read_definitions (job, error);
  find_bases (job);
  ok = ok && read_messages (job, error);
  if (ok)
    finish (job);
  stop (job);
  return ok;
}

/* FALSE and an error: the file is of another kind. */
static gboolean
check_kind (ReportFileSource *file, const gchar *path, GError **error)
{
  const gsize n = (gsize) MIN (file->source.size, 64);
  gchar bytes[64];

  if (!file->source.read (file->source.user_data, 0, n, (guint8 *) bytes, error))
    return FALSE;
  if (memcmp (bytes, ROBOCACHE_MCAP_MAGIC, MIN (n, ROBOCACHE_MCAP_MAGIC_SIZE)) == 0 || !robocache_input_refuse (bytes, n, TRUE, NULL))
    return TRUE;
  FAULT (error, "not an MCAP file: robocache inspect says what it is, and robocache align makes a report of other recordings");
  return FALSE;
}

Report *
report_of_recording (const gchar *path, const ReportRobotChoice *choice, GError **error)
{
  Job job = { 0 };
  gboolean ok = FALSE;

  if (!report_file_source_open (&job.file, path, error))
    return NULL;
  if (check_kind (&job.file, path, error))
    job.reader = robocache_mcap_reader_new (&job.file.source, error);
  if (job.reader) {
    ok = read_recording (&job, path, choice, error);
    robocache_mcap_reader_free (job.reader);
  }
  if (!ok) {
    g_prefix_error (error, "%s: ", path);
    g_clear_pointer (&job.report, report_free);
  }
  report_file_source_close (&job.file);
  return job.report;
}
