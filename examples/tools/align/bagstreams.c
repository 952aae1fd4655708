/* robocache: streams of a bag of ROS 2 as recordings to align
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "align.h"

#include <math.h>
#include <string.h>

#include "bagclocks.h"

#ifdef HAVE_BAGS
#include "common/bags/bagmetadata.h"
#endif
#include "common/channels/kinds.h"
#include "common/tensors/tensorcaps.h"
#include "examples/tools/program.h"
#include "examples/tools/recordings/recordings.h"
#include "gst/parse/table/timecheck.h"

/* From here on float32 does not hold every integer. */
#define FLOAT32_INTEGERS 16777216.0
/* Rows that wait for those of another topic. */
#define QUEUE_BYTES (64u << 20)
/* Of robocachebagsrc. */
#define DEFAULT_TRANSPORT (2 * GST_SECOND)

/* What a stream's rows are to be, while a bag is surveyed. */
typedef struct
{
  Recording *recording;
  RobocacheTensorsInfo info;
  gchar *fault;                 /* why it is left out; NULL: it is aligned */
  guint8 *is_rounded;           /* by channel */
  const BagClocks *clocks;      /* NULL: none were found */
} Stream;

typedef struct
{
  const Recording *bag;
  GPtrArray *streams;           /* of Stream */
  BagClocks *clocks;            /* NULL: none were found */
} Survey;

static void
free_stream (gpointer data)
{
  Stream *stream = data;

  g_clear_pointer (&stream->recording, recording_free);
  g_free (stream->fault);
  g_free (stream->is_rounded);
  g_free (stream);
}

/* ---- its files ---- */

/* The files of a folder with metadata; without metadata that can be read, the folder. */
static void
add_files (GPtrArray *inputs, const gchar *folder)
{
#ifdef HAVE_BAGS
  RobocacheBagInfo info;

  if (robocache_bag_info_read (&info, folder, NULL)) {
    for (gchar **path = info.paths; *path; path++)
      g_ptr_array_add (inputs, g_strdup (*path));
    robocache_bag_info_clear (&info);
    return;
  }
#endif
  g_ptr_array_add (inputs, g_strdup (folder));
}

/* Of SQLite, whose newest rows are beside the file. */
static void
add_files_beside (GPtrArray *inputs)
{
  static const gchar *const endings[] = { "-wal", "-shm", "-journal" };

  for (guint i = inputs->len; i-- > 0;) {
    for (guint k = 0; k < G_N_ELEMENTS (endings); k++)
      g_ptr_array_add (inputs, g_strconcat (g_ptr_array_index (inputs, i), endings[k], NULL));
  }
}

static void
add_folders (GPtrArray *inputs, const gchar *list)
{
  gchar **folders = g_strsplit (list ? list : "", ":", -1);

  for (guint i = 0; folders[i]; i++) {
    if (*folders[i])
      g_ptr_array_add (inputs, g_strdup (folders[i]));
  }
  g_strfreev (folders);
}

void
bag_streams_add_inputs (GPtrArray *inputs, const Recording *recording)
{
  const gboolean is_folder = g_file_test (recording->path, G_FILE_TEST_IS_DIR);
  gchar *folder;

  if (!recording->is_bag || !is_folder)
    g_ptr_array_add (inputs, g_strdup (recording->path));
  if (!recording->is_bag)
    return;
  if (is_folder)
    add_files (inputs, recording->path);
  add_files_beside (inputs);
  /* the metadata belong to the file, even where they are not read */
  folder = is_folder ? g_strdup (recording->path) : g_path_get_dirname (recording->path);
  g_ptr_array_add (inputs, g_build_filename (folder, "metadata.yaml", NULL));
  add_folders (inputs, recording->given[RECORDING_MSG_PATH]);
  g_free (folder);
}

/* ---- names of streams ---- */

/* What a stream id has behind the id of the run: "/imu@base_link". Free with g_free. */
static gchar *
stream_of_pad (GstPad *pad)
{
  gchar *id = gst_pad_get_stream_id (pad), *stream = g_strdup (strchr (id, '/') + 1);

  g_free (id);
  return stream;
}

/* "/tf" of "/tf:camera@base", whose topic may have neither : nor @ in it. */
static gchar *
topic_of_stream (const gchar *stream)
{
  return g_strndup (stream, strcspn (stream, ":@"));
}

/* ---- caps ---- */

static void
leave_out (Stream *stream, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

static void
leave_out (Stream *stream, const gchar *format, ...)
{
  va_list args;

  va_start (args, format);
  if (!stream->fault)
    stream->fault = g_strdup_vprintf (format, args);
  va_end (args);
}

static gboolean
is_row (const RobocacheTensorsInfo *info)
{
  return info->n_tensors == 1 && info->tensors[0].rank == 1;
}

static void
take_row_caps (Stream *stream, const GstStructure *structure)
{
  const gchar *channels = gst_structure_get_string (structure, "channels");
  const gchar *kinds = gst_structure_get_string (structure, ROBOCACHE_KINDS_FIELD);
  Recording *recording = stream->recording;
  RobocacheKinds parsed = { 0 };

  recording->n_channels = (guint) stream->info.tensors[0].dims[0];
  recording_set_names (recording, channels);
  if (recording->names && g_strv_length (recording->names) != recording->n_channels)
    g_clear_pointer (&recording->names, g_strfreev);
  if (kinds && !recording->given[RECORDING_KINDS] && robocache_kinds_parse (&parsed, kinds, recording->n_channels, channels, NULL)) {
    recording->kinds = g_strdup (kinds);
    recording->quaternions = robocache_kinds_list_quaternions (&parsed);
    recording->quaternions_reason = g_strdup ("by its type");
    robocache_kinds_clear (&parsed);
  }
  stream->is_rounded = g_new0 (guint8, recording->n_channels);
}

static void
take_caps (Stream *stream, GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);

  if (stream->recording->caps && !gst_caps_is_equal (stream->recording->caps, caps)) {
    leave_out (stream, "its channels change");
    return;
  }
  gst_caps_replace (&stream->recording->caps, caps);
  if (!gst_structure_has_name (structure, ROBOCACHE_TENSORS_MEDIA_TYPE))
    leave_out (stream, "%s is no row of numbers", gst_structure_get_name (structure));
  else if (!robocache_tensors_info_from_caps (&stream->info, caps, NULL) || !is_row (&stream->info))
    leave_out (stream, "its tensors have more than one axis");
  else if (!stream->recording->names && stream->recording->n_channels == 0)
    take_row_caps (stream, structure);
}

/* ---- rows ---- */

static gdouble
number_at (RcDtype dtype, const guint8 *bytes)
{
  union
  {
    gfloat f;
    gdouble d;
    gint32 i32;
    guint32 u32;
    gint64 i64;
    guint64 u64;
  } value;

  memcpy (&value, bytes, rc_dtype_size (dtype));
  switch (dtype) {
    case RC_FLOAT64:
      return value.d;
    case RC_INT32:
      return value.i32;
    case RC_UINT32:
      return value.u32;
    case RC_INT64:
      return (gdouble) value.i64;
    case RC_UINT64:
      return (gdouble) value.u64;
    default:
      /* narrower ones, and float32 as it is */
      return 0.0;
  }
}

static void
note_rounding (Stream *stream, GstBuffer *buffer)
{
  const RcDtype dtype = stream->info.tensors[0].dtype;
  Recording *recording = stream->recording;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return;
  for (guint c = 0; c < recording->n_channels && (c + 1) * rc_dtype_size (dtype) <= map.size; c++) {
    const gdouble value = number_at (dtype, map.data + c * rc_dtype_size (dtype));
    gchar *name;

    if (stream->is_rounded[c] || !(fabs (value) > FLOAT32_INTEGERS) || isinf (value))
      continue;
    stream->is_rounded[c] = TRUE;
    name = recording_channel_name (recording, c, FALSE);
    g_string_append_printf (recording->rounded, recording->rounded->len > 0 ? ", %s" : "%s", name);
    g_free (name);
  }
  gst_buffer_unmap (buffer, &map);
}

static void
note_lag (Stream *stream, GstBuffer *buffer, gint64 time)
{
  Recording *recording = stream->recording;
  static GstStaticCaps arrival = GST_STATIC_CAPS ("timestamp/x-robocache-arrival");
  GstCaps *caps = gst_static_caps_get (&arrival);
  GstReferenceTimestampMeta *meta = gst_buffer_get_reference_timestamp_meta (buffer, caps);

  if (meta)
    recording->max_lag = MAX (recording->max_lag, ABS (bag_clocks_arrival (stream->clocks, (gint64) MIN (meta->timestamp, G_MAXINT64)) - time));
  gst_caps_unref (caps);
}

/* Running time is the recording's clock. */
static void
take_row (Stream *stream, GstBuffer *buffer)
{
  const gint64 time = (gint64) GST_BUFFER_PTS (buffer);
  Recording *recording = stream->recording;

  if (recording->n_rows++ == 0)
    recording->least_time = recording->greatest_time = time;
  g_array_append_val (recording->all_times, time);
  recording->disorder = MAX (recording->disorder, recording->greatest_time - time);
  recording->least_time = MIN (recording->least_time, time);
  recording->greatest_time = MAX (recording->greatest_time, time);
  note_lag (stream, buffer, time);
  note_rounding (stream, buffer);
}

/* One thread sends all streams. */
static GstPadProbeReturn
note_data (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Stream *stream = user_data;
  GstCaps *caps;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    if (!stream->fault)
      take_row (stream, GST_PAD_PROBE_INFO_BUFFER (info));
  } else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_CAPS) {
    gst_event_parse_caps (GST_PAD_PROBE_INFO_EVENT (info), &caps);
    take_caps (stream, caps);
  }
  return GST_PAD_PROBE_OK;
}

static void
survey_pad (GstElement *source, GstPad *pad, gpointer user_data)
{
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstPad *sinkpad = gst_element_get_static_pad (sink, "sink");
  GstObject *pipeline = gst_object_get_parent (GST_OBJECT (source));
  gchar *id = stream_of_pad (pad), *topic = topic_of_stream (id);
  Stream *stream = g_new0 (Stream, 1);
  GstCaps *caps = gst_pad_get_current_caps (pad);
  Survey *survey = user_data;

  stream->recording = recording_new_of_bag (survey->bag, topic);
  stream->recording->stream = id;
  stream->recording->clock = bag_clocks_number (survey->clocks, topic);
  stream->clocks = survey->clocks;
  g_ptr_array_add (survey->streams, stream);
  if (caps)
    take_caps (stream, caps);
  gst_clear_caps (&caps);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note_data, stream, NULL);
  g_object_set (sink, "sync", FALSE, "async", FALSE, NULL);
  gst_bin_add (GST_BIN (pipeline), sink);
  gst_element_sync_state_with_parent (sink);
  gst_pad_link (pad, sinkpad);
  gst_object_unref (sinkpad);
  gst_object_unref (pipeline);
  g_free (topic);
}

/* ---- the survey ---- */

/* Topics that cannot be read are infos. */
static void
say_info (const Recording *bag, GstMessage *message, FILE *talk)
{
  GError *info;
  gchar *text;

  gst_message_parse_info (message, &info, NULL);
  text = printable (info->message);
  fprintf (talk, "%s: %s\n", bag->title, text);
  g_free (text);
  g_error_free (info);
}

/* Plays to the end. Warnings come again when the rows are read. */
static gboolean
play_through (GstElement *pipeline, const Recording *bag, FILE *talk, GError **error)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessageType type = GST_MESSAGE_INFO;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (type == GST_MESSAGE_INFO) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_INFO);

    type = GST_MESSAGE_TYPE (message);
    if (type == GST_MESSAGE_INFO)
      say_info (bag, message, talk);
    else if (type == GST_MESSAGE_ERROR)
      bag_source_take_error (bag, message, error);
    gst_message_unref (message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  return type == GST_MESSAGE_EOS;
}

/* Streams by topic. */
static GHashTable *
count_topics (const GPtrArray *streams)
{
  GHashTable *counts = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < streams->len; i++) {
    gchar *topic = ((Stream *) g_ptr_array_index (streams, i))->recording->topic;

    g_hash_table_insert (counts, topic, GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (counts, topic)) + 1));
  }
  return counts;
}

/* Appends ":camera" of ":camera@base", printable. */
static void
append_key (gchar **text, const gchar *key)
{
  gchar *name = g_strndup (key, strcspn (key, "@")), *shown = printable (name), *longer = g_strconcat (*text, shown, NULL);

  g_free (name);
  g_free (shown);
  g_free (*text);
  *text = longer;
}

/* What is left of the label of a stream that shares its topic: "tf:camera". */
static void
name_streams (const Survey *survey)
{
  GHashTable *counts = count_topics (survey->streams);

  for (guint i = 0; i < survey->streams->len; i++) {
    Recording *recording = ((Stream *) g_ptr_array_index (survey->streams, i))->recording;
    const gchar *key = recording->stream + strlen (recording->topic);

    if (GPOINTER_TO_UINT (g_hash_table_lookup (counts, recording->topic)) > 1 && *key == ':') {
      append_key (&recording->label, key);
      append_key (&recording->title, key);
    }
  }
  g_hash_table_unref (counts);
}

/* Whether a stream can be aligned; if not, prints the reason. */
static gboolean
is_aligned (Stream *stream, FILE *talk)
{
  if (!stream->fault && stream->recording->n_rows == 0)
    leave_out (stream, "it has no row");
  if (stream->fault) {
    gchar *fault = printable (stream->fault);

    fprintf (talk, "%s is left out: %s\n", stream->recording->title, fault);
    g_free (fault);
  }
  return stream->fault == NULL;
}

static void
finish_survey (Recording *recording)
{
  GArray *times = recording->all_times;

  recording->file_begin = recording->least_time;
  recording->file_end = recording->greatest_time;
  recording->step_s = (gdouble) robocache_time_median_step ((gint64 *) (gpointer) times->data, times->len) / 1e9;
  g_clear_pointer (&recording->all_times, g_array_unref);
}

/* A number that no bag has yet. */
static guint
next_number (const GPtrArray *recordings)
{
  guint number = 1;

  for (guint i = 0; i < recordings->len; i++)
    number = MAX (number, ((Recording *) g_ptr_array_index (recordings, i))->bag + 1);
  return number;
}

/* The streams that are aligned go to recordings, at position `at`; their number. */
static guint
take_streams (Survey *survey, GPtrArray *recordings, guint at, FILE *talk, gboolean *ok, GError **error)
{
  const guint number = next_number (recordings);
  guint n = 0;

  name_streams (survey);
  for (guint i = 0; i < survey->streams->len; i++) {
    Stream *stream = g_ptr_array_index (survey->streams, i);

    if (!is_aligned (stream, talk))
      continue;
    finish_survey (stream->recording);
    *ok &= *ok && recording_apply_offset (stream->recording, error);
    stream->recording->bag = number;
    g_ptr_array_insert (recordings, (gint) (at + n++), g_steal_pointer (&stream->recording));
  }
  return n;
}

/* Plays the bag of a survey through. */
static gboolean
survey_bag (Survey *survey, FILE *talk, GError **error)
{
  GstElement *source = bag_source_new (survey->bag, error), *pipeline;
  gboolean ok;

  if (!source)
    return FALSE;
  pipeline = gst_pipeline_new (NULL);
  gst_util_set_object_arg (G_OBJECT (source), "start", "keep");
  g_signal_connect (source, "pad-added", G_CALLBACK (survey_pad), survey);
  gst_bin_add (GST_BIN (pipeline), source);
  ok = play_through (pipeline, survey->bag, talk, error);
  gst_object_unref (pipeline);
  return ok;
}

/* Replaces the bag by its streams. */
static gboolean
replace_bag (GPtrArray *recordings, guint at, guint *n, FILE *talk, GError **error)
{
  Recording *bag = g_ptr_array_steal_index (recordings, at);
  Survey survey = { bag, g_ptr_array_new_with_free_func (free_stream), bag_clocks_new (bag) };
  gboolean ok = survey_bag (&survey, talk, error);

  *n = ok ? take_streams (&survey, recordings, at, talk, &ok, error) : 0;
  if (ok && *n == 0) {
    FAULT (error, "%s has no topic whose messages are rows of numbers", bag->path);
    ok = FALSE;
  }
  g_ptr_array_unref (survey.streams);
  bag_clocks_free (survey.clocks);
  recording_free (bag);
  return ok;
}

gboolean
bag_streams_survey (GPtrArray *recordings, FILE *talk, GError **error)
{
  if (!bag_clocks_find (recordings, talk, error))
    return FALSE;
  for (guint i = 0; i < recordings->len;) {
    guint n = 1;

    if (((Recording *) g_ptr_array_index (recordings, i))->is_bag && !replace_bag (recordings, i, &n, talk, error))
      return FALSE;
    i += n;
  }
  recordings_make_labels_unique (recordings);
  return TRUE;
}

/* ---- the pipeline ---- */

/* A stream that is linked to fuse. */
typedef struct
{
  const Recording *recording;
  GstPad *sinkpad;              /* of its queue */
  gint64 origin;
} Link;

static void
clear_link (gpointer link)
{
  gst_clear_object (&((Link *) link)->sinkpad);
}

/* Those of a bag. */
typedef struct
{
  GArray *links;                /* of Link */
  GHashTable *numbers;          /* of links, by stream */
} Links;

static Links *
links_new (void)
{
  Links *links = g_rc_box_new0 (Links);

  links->links = g_array_new (FALSE, FALSE, sizeof (Link));
  g_array_set_clear_func (links->links, clear_link);
  links->numbers = g_hash_table_new (g_str_hash, g_str_equal);
  return links;
}

static void
links_clear (gpointer data)
{
  Links *links = data;

  g_hash_table_unref (links->numbers);
  g_array_unref (links->links);
}

static const Link *
nth_link (const Links *links, guint i)
{
  return &g_array_index (links->links, Link, i);
}

static void
link_pad (GstElement *source, GstPad *pad, gpointer user_data)
{
  const Links *links = user_data;
  gchar *stream = stream_of_pad (pad);
  gpointer number;

  if (g_hash_table_lookup_extended (links->numbers, stream, NULL, &number)) {
    const Link *link = nth_link (links, GPOINTER_TO_UINT (number));

    if (!gst_pad_is_linked (link->sinkpad))
      gst_pad_link (pad, link->sinkpad);
  }
  g_free (stream);
}

/* Says that no row of a stream comes before its first one. */
static void
announce (const Link *link)
{
  const gint64 first = link->recording->least_time - link->recording->offset - link->origin;
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_send_event (link->sinkpad, gst_event_new_stream_start (link->recording->stream));
  gst_pad_send_event (link->sinkpad, gst_event_new_caps (link->recording->caps));
  gst_pad_send_event (link->sinkpad, gst_event_new_segment (&segment));
  if (first > 0)
    gst_pad_send_event (link->sinkpad, gst_event_new_gap (0, (guint64) first));
}

/* Streams that begin later, like another frame of /tf, would be waited for. */
static void
announce_late_streams (GstElement *source, gpointer user_data)
{
  const Links *links = user_data;

  for (guint i = 0; i < links->links->len; i++) {
    if (!gst_pad_is_linked (nth_link (links, i)->sinkpad))
      announce (nth_link (links, i));
  }
}

/* A queue before pad sink_`i` of fuse. */
static gboolean
add_link (Links *links, const GPtrArray *recordings, guint i, GstElement *pipeline, GstElement *fuse, gint64 origin, GError **error)
{
  GstElement *queue = gst_element_factory_make ("queue", NULL);
  Recording *recording = g_ptr_array_index (recordings, i);
  Link link = { recording, gst_element_get_static_pad (queue, "sink"), recording_origin (recording, origin) };
  gchar *name = g_strdup_printf ("sink_%u", i);
  GstPad *pad = gst_element_request_pad_simple (fuse, name), *from = gst_element_get_static_pad (queue, "src");
  gboolean ok;

  g_object_set (queue, "max-size-bytes", QUEUE_BYTES, "max-size-buffers", 0, "max-size-time", G_GUINT64_CONSTANT (0), NULL);
  gst_bin_add (GST_BIN (pipeline), queue);
  ok = gst_pad_link (from, pad) == GST_PAD_LINK_OK && recordings_set_pad_options (pad, link.recording, FALSE, error);
  g_hash_table_insert (links->numbers, link.recording->stream, GUINT_TO_POINTER (links->links->len));
  g_array_append_val (links->links, link);
  gst_object_unref (from);
  gst_object_unref (pad);
  g_free (name);
  return ok;
}

/* Names of topics, each once. */
static gchar *
list_topics (const Links *links)
{
  GString *list = g_string_new (NULL);
  GHashTable *listed = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < links->links->len; i++) {
    gchar *topic = nth_link (links, i)->recording->topic;

    if (g_hash_table_add (listed, topic))
      g_string_append_printf (list, "%s%s", list->len > 0 ? "," : "", topic);
  }
  g_hash_table_unref (listed);
  return g_string_free (list, FALSE);
}

static void
set_up_source (GstElement *source, const Links *links, gint64 origin)
{
  gchar *topics = list_topics (links);
  gchar *name = g_strdup_printf ("bag_%u", nth_link (links, 0)->recording->bag);
  gint64 max_lag = 0;

  for (guint i = 0; i < links->links->len; i++)
    max_lag = MAX (max_lag, nth_link (links, i)->recording->max_lag);
  gst_object_set_name (GST_OBJECT (source), name);
  g_free (name);
  g_object_set (source, "topics", topics, "time-origin", recording_origin (nth_link (links, 0)->recording, origin), "max-transport", MAX ((guint64) max_lag, DEFAULT_TRANSPORT), NULL);
  g_free (topics);
}

static void
unref_links (gpointer links, GClosure *closure)
{
  g_rc_box_release_full (links, links_clear);
}

gboolean
bag_streams_add (GPtrArray *recordings, guint i, GstElement *pipeline, GstElement *fuse, gint64 origin, GError **error)
{
  const Recording *first = g_ptr_array_index (recordings, i);
  GstElement *source;
  gboolean ok = TRUE;
  Links *links;

  if (i > 0 && ((Recording *) g_ptr_array_index (recordings, i - 1))->bag == first->bag)
    return TRUE;
  source = bag_source_new (first, error);
  if (!source)
    return FALSE;
  /* a topic may end before another begins */
  g_object_set (fuse, "allow-gaps", TRUE, NULL);
  links = links_new ();
  gst_bin_add (GST_BIN (pipeline), source);
  for (guint k = i; ok && k < recordings->len && ((Recording *) g_ptr_array_index (recordings, k))->bag == first->bag; k++)
    ok = add_link (links, recordings, k, pipeline, fuse, origin, error);
  set_up_source (source, links, origin);
  g_signal_connect_data (source, "pad-added", G_CALLBACK (link_pad), g_rc_box_acquire (links), unref_links, 0);
  g_signal_connect_data (source, "no-more-pads", G_CALLBACK (announce_late_streams), links, unref_links, 0);
  return ok;
}
