/* robocache: live topics of ROS 2 as streams to align
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "align.h"

#include <string.h>

#include "common/rospads/topicchoice.h"
#include "examples/tools/inspect/inspection.h"
#include "examples/tools/program.h"
#include "examples/tools/recordings/recordings.h"

struct _LiveTopics
{
  GstElement *source;
  GPtrArray *recordings;        /* Recordings, surveyed: stream i goes to sinkpads[i] */
  GPtrArray *sinkpads;          /* GstPad: of queues before fuse */
};

/* ---- the survey ---- */

/* Options of files are not options of topics, although they have the same syntax. title: whose they are. */
static gboolean
check_options (const gchar *title, gchar *const *given, GError **error)
{
  for (guint option = 0; option < RECORDING_INTERPOLATION; option++) {
    if (given[option]) {
      USAGE_FAULT (error, "%s: %s is an option of files, not of topics", title, recording_options[option].name);
      return FALSE;
    }
  }
  return TRUE;
}

/* "/imu,/joint_states" */
static gchar *
list_topics (const GPtrArray *topics)
{
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < topics->len; i++)
    g_string_append_printf (list, "%s%s", i > 0 ? "," : "", ((const Recording *) g_ptr_array_index (topics, i))->path);
  return g_string_free (list, FALSE);
}

/* Options of the first argument that names the topic, else those for all. */
static void
take_options (Recording *recording, const GPtrArray *topics, const RecordingsOptions *options)
{
  gchar *const *given = (gchar * const *) options->for_all;

  for (guint i = topics->len; i-- > 0;) {
    const Recording *topic = g_ptr_array_index (topics, i);

    if (robocache_ros_topics_find (topic->path, recording->topic) >= 0)
      given = (gchar * const *) topic->given;
  }
  for (guint option = RECORDING_INTERPOLATION; option < RECORDING_N_OPTIONS; option++) {
    g_free (recording->given[option]);
    recording->given[option] = g_strdup (given[option]);
  }
}

/* Times of live topics are not shifted. */
static void
warn_of_clock (const StreamSurvey *survey, const Recording *recording)
{
  BagClock clock;
  gchar *text;

  if (!bag_clocks_get (survey->clocks, recording->topic, &clock) || clock.is_timeline)
    return;
  text = g_strdup_printf ("%s is stamped by another clock, %+.3f s from the others, so its rows are missing: synchronise the hosts, or record the "
      "topics and align the recording", recording->topic, -(gdouble) clock.shift / 1e9);
  printable_report ("warning", text);
  g_free (text);
}

static void
take_streams (const StreamSurvey *survey, GPtrArray *recordings, const GPtrArray *topics, const RecordingsOptions *options, FILE *talk)
{
  for (guint i = 0; i < survey->streams->len; i++) {
    SurveyedStream *stream = g_ptr_array_index (survey->streams, i);

    if (stream->fault) {
      gchar *fault = printable (stream->fault);

      fprintf (talk, "%s is left out: %s\n", stream->recording->topic, fault);
      g_free (fault);
      continue;
    }
    warn_of_clock (survey, stream->recording);
    take_options (stream->recording, topics, options);
    g_ptr_array_add (recordings, g_steal_pointer (&stream->recording));
  }
  recordings_make_labels_unique (recordings);
}

/* The topics of the command line; NULL and an error: one of them has a wrong option. */
static GPtrArray *
topics_of_arguments (gchar **arguments, const RecordingsOptions *options, GError **error)
{
  GPtrArray *topics = recordings_new ();
  gboolean ok = check_options ("--ros", (gchar * const *) options->for_all, error)
      && (!arguments || recordings_take_arguments (topics, arguments, options, error));

  for (guint i = 0; ok && i < topics->len; i++) {
    const Recording *topic = g_ptr_array_index (topics, i);

    ok = check_options (topic->path, (gchar * const *) topic->given, error);
  }
  if (!ok)
    g_clear_pointer (&topics, g_ptr_array_unref);
  return topics;
}

gboolean
live_topics_survey (GPtrArray *recordings, const RosOptions *ros, gchar **arguments, const RecordingsOptions *options, FILE *talk, GError **error)
{
  GPtrArray *topics = topics_of_arguments (arguments, options, error);
  Recording *domain = recording_new ("ROS 2", NULL);
  gchar *list = topics ? list_topics (topics) : NULL;
  Inspection *inspection;
  StreamSurvey survey;
  gboolean ok = FALSE;

  if (topics && ros_survey_run (&survey, domain, ros, list, error)) {
    inspection = inspection_new_of_survey (&survey, "live topics");
    inspection_print (inspection, talk);
    fputc ('\n', talk);
    inspection_free (inspection);
    take_streams (&survey, recordings, topics, options, talk);
    stream_survey_clear (&survey);
    ok = recordings->len > 0;
    if (!ok)
      FAULT (error, "no topic of rows of numbers sent a message: choose others, or set a longer --watch");
  }
  g_free (list);
  recording_free (domain);
  g_clear_pointer (&topics, g_ptr_array_unref);
  return ok;
}

/* ---- the pipeline ---- */

static void
link_pad (GstElement *source, GstPad *pad, gpointer user_data)
{
  const LiveTopics *live = user_data;
  gchar *stream = stream_survey_stream_of_pad (pad);

  for (guint i = 0; i < live->recordings->len; i++) {
    const Recording *recording = g_ptr_array_index (live->recordings, i);
    GstPad *sinkpad = g_ptr_array_index (live->sinkpads, i);

    if (g_str_equal (recording->stream, stream) && !gst_pad_is_linked (sinkpad))
      gst_pad_link (pad, sinkpad);
  }
  g_free (stream);
}

/* Pads of the source come with their first messages; fuse has all streams from the first tick on. */
static void
announce (const Recording *recording, GstPad *sinkpad)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_send_event (sinkpad, gst_event_new_stream_start (recording->stream));
  gst_pad_send_event (sinkpad, gst_event_new_caps (recording->caps));
  gst_pad_send_event (sinkpad, gst_event_new_segment (&segment));
}

/* Answers for a source whose pad has not come yet: otherwise ticks would wait for it. */
static GstPadProbeReturn
answer_latency (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY || gst_pad_is_linked (pad))
    return GST_PAD_PROBE_OK;
  gst_query_set_latency (query, TRUE, 0, GST_CLOCK_TIME_NONE);
  return GST_PAD_PROBE_HANDLED;
}

static gboolean
set_pad_options (GstPad *pad, const Recording *recording, GError **error)
{
  const gchar *given = recording->given[RECORDING_OFFSET];
  gint64 offset = 0;

  if (!recordings_set_pad_options (pad, recording, TRUE, error))
    return FALSE;
  if (given && !recording_parse_duration (given, &offset)) {
    USAGE_FAULT (error, "%s: offset=%s: expected a time with a unit, like -20ms", recording->title, given);
    return FALSE;
  }
  g_object_set (pad, "offset", offset, NULL);
  return TRUE;
}

/* A queue before a pad of fuse. */
static gboolean
add_pad (LiveTopics *live, const Recording *recording, GstElement *pipeline, GstElement *fuse, GError **error)
{
  GstElement *queue = gst_element_factory_make ("queue", NULL);
  gchar *name = g_strdup_printf ("sink_%u", live->sinkpads->len);
  GstPad *pad = gst_element_request_pad_simple (fuse, name), *from = gst_element_get_static_pad (queue, "src");
  GstPad *sinkpad = gst_element_get_static_pad (queue, "sink");
  gboolean ok;

  g_free (name);
  gst_bin_add (GST_BIN (pipeline), queue);
  ok = gst_pad_link (from, pad) == GST_PAD_LINK_OK && set_pad_options (pad, recording, error);
  gst_pad_add_probe (sinkpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM, answer_latency, NULL, NULL);
  g_ptr_array_add (live->sinkpads, sinkpad);
  gst_object_unref (from);
  gst_object_unref (pad);
  return ok;
}

LiveTopics *
live_topics_add (GPtrArray *recordings, const RosOptions *ros, GstElement *pipeline, GstElement *fuse, GError **error)
{
  GstElement *source;
  LiveTopics *live;
  GHashTable *listed = g_hash_table_new (g_str_hash, g_str_equal);
  GString *topics = g_string_new (NULL);
  gboolean ok = TRUE;

  for (guint i = 0; i < recordings->len; i++) {
    gchar *topic = ((Recording *) g_ptr_array_index (recordings, i))->topic;

    if (g_hash_table_add (listed, topic))
      g_string_append_printf (topics, "%s%s", topics->len > 0 ? "," : "", topic);
  }
  source = ros_source_new (ros, topics->str, error);
  g_hash_table_unref (listed);
  g_string_free (topics, TRUE);
  if (!source)
    return NULL;
  live = g_new0 (LiveTopics, 1);
  live->source = gst_object_ref_sink (source);
  live->recordings = recordings;
  live->sinkpads = g_ptr_array_new_with_free_func (gst_object_unref);
  gst_bin_add (GST_BIN (pipeline), source);
  for (guint i = 0; ok && i < recordings->len; i++)
    ok = add_pad (live, g_ptr_array_index (recordings, i), pipeline, fuse, error);
  g_signal_connect (source, "pad-added", G_CALLBACK (link_pad), live);
  if (!ok)
    g_clear_pointer (&live, live_topics_free);
  return live;
}

void
live_topics_free (LiveTopics *live)
{
  g_signal_handlers_disconnect_by_data (live->source, live);
  g_ptr_array_unref (live->sinkpads);
  gst_object_unref (live->source);
  g_free (live);
}

void
live_topics_play (LiveTopics *live, GstElement *pipeline)
{
  /* the source has no pads until it plays */
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  for (guint i = 0; i < live->recordings->len; i++)
    announce (g_ptr_array_index (live->recordings, i), g_ptr_array_index (live->sinkpads, i));
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
}

gint64
live_topics_origin (const LiveTopics *live)
{
  GstStructure *stats;
  gint64 origin = 0;

  g_object_get (live->source, "stats", &stats, NULL);
  gst_structure_get_int64 (stats, "time-origin", &origin);
  gst_structure_free (stats);
  return origin;
}

void
live_topics_end (LiveTopics *live)
{
  gst_element_send_event (live->source, gst_event_new_eos ());
  for (guint i = 0; i < live->sinkpads->len; i++) {
    GstPad *pad = g_ptr_array_index (live->sinkpads, i);

    if (!gst_pad_is_linked (pad))
      gst_pad_send_event (pad, gst_event_new_eos ());
  }
}
