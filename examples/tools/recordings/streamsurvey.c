/* robocache: a survey of the streams of an element that has a pad for each, such as a bag of ROS 2 or live topics
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "streamsurvey.h"

#include <string.h>

#include "common/channels/channelkinds.h"
#include "common/tensors/tensorelements.h"
#include "examples/tools/program.h"

static void
free_stream (gpointer data)
{
  SurveyedStream *stream = data;

  g_clear_pointer (&stream->recording, recording_free);
  g_free (stream->fault);
  g_free (stream->is_rounded);
  g_free (stream);
}

/* ---- names of streams ---- */

gchar *
stream_survey_stream_of_pad (GstPad *pad)
{
  gchar *id = gst_pad_get_stream_id (pad);
  const gchar *slash = id ? strchr (id, '/') : NULL;
  gchar *stream = g_strdup (slash ? slash + 1 : "");

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
leave_out (SurveyedStream *stream, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

static void
leave_out (SurveyedStream *stream, const gchar *format, ...)
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
take_row_caps (SurveyedStream *stream, const GstStructure *structure)
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
take_caps (SurveyedStream *stream, GstCaps *caps)
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

static void
note_rounding (SurveyedStream *stream, GstBuffer *buffer)
{
  const RcDtype dtype = stream->info.tensors[0].dtype;
  const gsize size = rc_dtype_size (dtype);
  GstMapInfo map;

  /* float32 stays, and holds all values of narrower types */
  if (size < 4 || dtype == RC_FLOAT32 || !gst_buffer_map (buffer, &map, GST_MAP_READ))
    return;
  for (guint c = 0; c < stream->recording->n_channels && (c + 1) * size <= map.size; c++)
    recording_note_rounding (stream->recording, c, robocache_element_read (dtype, map.data + c * size), stream->is_rounded);
  gst_buffer_unmap (buffer, &map);
}

static void
note_arrival (SurveyedStream *stream, GstBuffer *buffer, gint64 time)
{
  Recording *recording = stream->recording;
  static GstStaticCaps arrival = GST_STATIC_CAPS ("timestamp/x-robocache-arrival");
  GstCaps *caps = gst_static_caps_get (&arrival);
  GstReferenceTimestampMeta *meta = gst_buffer_get_reference_timestamp_meta (buffer, caps);

  gst_caps_unref (caps);
  if (!meta)
    return;
  recording->max_lag = MAX (recording->max_lag, ABS (bag_clocks_arrival (stream->clocks, (gint64) MIN (meta->timestamp, G_MAXINT64)) - time));
  if (stream->arrivals)
    robocache_clock_survey_add (stream->arrivals, recording->topic, TRUE, time, (gint64) MIN (meta->timestamp, G_MAXINT64));
}

/* Running time is the recording's clock. */
static void
take_time (SurveyedStream *stream, GstBuffer *buffer)
{
  const gint64 time = (gint64) GST_BUFFER_PTS (buffer);
  Recording *recording = stream->recording;

  if (recording->all_times->len == 0)
    recording->least_time = recording->greatest_time = time;
  g_array_append_val (recording->all_times, time);
  recording->disorder = MAX (recording->disorder, recording->greatest_time - time);
  recording->least_time = MIN (recording->least_time, time);
  recording->greatest_time = MAX (recording->greatest_time, time);
  note_arrival (stream, buffer, time);
}

static void
take_buffer (SurveyedStream *stream, GstBuffer *buffer)
{
  stream->recording->n_rows++;
  stream->n_bytes += gst_buffer_get_size (buffer);
  if (GST_BUFFER_PTS_IS_VALID (buffer))
    take_time (stream, buffer);
  if (!stream->fault)
    note_rounding (stream, buffer);
}

/* One thread sends all streams. */
static GstPadProbeReturn
note_data (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  SurveyedStream *stream = user_data;
  GstCaps *caps;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    take_buffer (stream, GST_PAD_PROBE_INFO_BUFFER (info));
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
  gchar *id = stream_survey_stream_of_pad (pad), *topic = topic_of_stream (id);
  SurveyedStream *stream = g_new0 (SurveyedStream, 1);
  GstCaps *caps = gst_pad_get_current_caps (pad);
  StreamSurvey *survey = user_data;

  stream->recording = recording_new_of_bag (survey->bag, topic);
  stream->recording->stream = id;
  stream->recording->clock = bag_clocks_number (survey->clocks, topic);
  stream->clocks = survey->clocks;
  stream->arrivals = survey->arrivals;
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

static void
note_message (StreamSurvey *survey, GstMessage *message)
{
  const gboolean is_warning = GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING;
  GError *said;

  if (is_warning)
    gst_message_parse_warning (message, &said, NULL);
  else
    gst_message_parse_info (message, &said, NULL);
  g_ptr_array_add (is_warning ? survey->warnings : survey->notes, printable (said->message));
  g_error_free (said);
}

/* Plays to the end, which is also where the time is over. */
static gboolean
play_through (StreamSurvey *survey, GstElement *pipeline, GstClockTime duration, GError **error)
{
  const GstMessageType types = GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_INFO | GST_MESSAGE_WARNING;
  const gint64 end_us = duration == GST_CLOCK_TIME_NONE ? G_MAXINT64 : g_get_monotonic_time () + (gint64) (duration / GST_USECOND);
  GstBus *bus = gst_element_get_bus (pipeline);
  gboolean ok = TRUE, has_ended = FALSE;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!has_ended) {
    const gint64 left_us = MAX (end_us - g_get_monotonic_time (), 0);
    GstMessage *message = gst_bus_timed_pop_filtered (bus, duration == GST_CLOCK_TIME_NONE ? duration : (GstClockTime) left_us * GST_USECOND, types);

    has_ended = !message || GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS || GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
    ok = !message || GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR;
    if (!ok)
      bag_source_take_error (survey->bag, message, error);
    else if (!has_ended)
      note_message (survey, message);
    g_clear_pointer (&message, gst_message_unref);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  return ok;
}

/* Streams by topic. */
static GHashTable *
count_topics (const GPtrArray *streams)
{
  GHashTable *counts = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < streams->len; i++) {
    gchar *topic = ((SurveyedStream *) g_ptr_array_index (streams, i))->recording->topic;

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
name_streams (const StreamSurvey *survey)
{
  GHashTable *counts = count_topics (survey->streams);

  for (guint i = 0; i < survey->streams->len; i++) {
    Recording *recording = ((SurveyedStream *) g_ptr_array_index (survey->streams, i))->recording;
    const gchar *key = recording->stream + strlen (recording->topic);

    if (GPOINTER_TO_UINT (g_hash_table_lookup (counts, recording->topic)) > 1 && *key == ':') {
      append_key (&recording->label, key);
      append_key (&recording->title, key);
    }
  }
  g_hash_table_unref (counts);
}

static void
finish_stream (SurveyedStream *stream)
{
  Recording *recording = stream->recording;

  if (!stream->fault && recording->n_rows == 0)
    leave_out (stream, "it has no row");
  recording->file_begin = recording->least_time;
  recording->file_end = recording->greatest_time;
  recording_note_spacings (recording);
}

/* A source that has its pad already. */
static void
survey_static_pad (StreamSurvey *survey, GstElement *source)
{
  GstPad *pad = gst_element_get_static_pad (source, "src");

  if (pad)
    survey_pad (source, pad, survey);
  gst_clear_object (&pad);
}

static gboolean
has_times (const StreamSurvey *survey)
{
  gboolean has = FALSE;

  for (guint i = 0; i < survey->streams->len; i++)
    has |= ((SurveyedStream *) g_ptr_array_index (survey->streams, i))->recording->has_times;
  return has;
}

/* The text of clocks, as robocachebagsrc writes it. */
static void
finish_clocks (StreamSurvey *survey)
{
  GVariant *found;

  if (survey->arrivals && has_times (survey)) {
    found = robocache_clock_survey_finish (survey->arrivals, ROBOCACHE_TIMELINE_AUTO);
    g_free (survey->bag->clocks);
    survey->bag->clocks = g_variant_print (found, TRUE);
    g_variant_unref (found);
    bag_clocks_free (survey->clocks);
    survey->clocks = bag_clocks_new (survey->bag);
  }
  g_clear_pointer (&survey->arrivals, robocache_clock_survey_free);
}

gboolean
stream_survey_run (StreamSurvey *survey, Recording *bag, GstElement *source, gboolean finds_clocks, GstClockTime duration, GError **error)
{
  GstElement *pipeline = gst_pipeline_new (NULL);
  gboolean ok;

  *survey = (StreamSurvey) {.streams = g_ptr_array_new_with_free_func (free_stream),.notes = g_ptr_array_new_with_free_func (g_free),
    .warnings = g_ptr_array_new_with_free_func (g_free),.bag = bag,.clocks = bag_clocks_new (bag),
    .arrivals = finds_clocks ? robocache_clock_survey_new () : NULL
  };
  g_signal_connect (source, "pad-added", G_CALLBACK (survey_pad), survey);
  gst_bin_add (GST_BIN (pipeline), source);
  survey_static_pad (survey, source);
  ok = play_through (survey, pipeline, duration, error);
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (source), "stats"))
    g_object_get (source, "stats", &survey->stats, NULL);
  gst_object_unref (pipeline);
  name_streams (survey);
  for (guint i = 0; i < survey->streams->len; i++)
    finish_stream (g_ptr_array_index (survey->streams, i));
  finish_clocks (survey);
  return ok;
}

void
stream_survey_clear (StreamSurvey *survey)
{
  g_ptr_array_unref (survey->streams);
  g_ptr_array_unref (survey->notes);
  g_ptr_array_unref (survey->warnings);
  g_clear_pointer (&survey->stats, gst_structure_free);
  bag_clocks_free (survey->clocks);
}
