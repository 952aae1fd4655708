/* robocache: records to rows, each stamped with the time in it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rowparser.h"

#include "common/channels/channelnames.h"
#include "common/element/errors.h"
#include "common/rows/reports.h"
#include "common/tensors/tensorcaps.h"
#include "common/time/originevent.h"
#include "gst/parse/records/firstrows.h"
#include "recordchecks.h"
#include "seek.h"

#define GST_CAT_DEFAULT robocache_parse_debug

struct _RobocacheRowParser
{
  RobocacheParseOutput *output;
  GstPad *sinkpad;
  RobocacheSourceWait *wait;
  RobocacheParseSettings settings;
  RobocacheRecordReader *reader;
  RobocacheRecordStamp stamp;
  gboolean replays, tracks;     /* rows wait for their arrival; the sensor's clock is estimated */
  guint caps_version;           /* of the reader's columns that caps were sent for; 0: none */
  gboolean warned_before_origin;

  /* The first rows are judged once. Those of a file wait for that, others do not. */
  gboolean has_bytes;           /* since the last restart */
  gboolean is_judged;
  RobocacheFirstRows *first;    /* of the bytes that wait; NULL: rows are not held back */
  RobocacheRecordChecks checks;
  RobocacheTimeCheck check;     /* of the rows that were sent */
  gboolean said_time_source, said_left_out, said_text;

  /* The last row before the segment is valid at its start. */
  GArray *earlier;              /* its values; empty: there is no such row, or it was sent */
  GstClockTime earlier_pts;     /* GST_CLOCK_TIME_NONE: no row was before the segment */
  guint64 earlier_number;       /* of its record */
  gboolean is_inside;           /* a row of the segment was sent */
};

/* ---- life ---- */

/* Its strings are the settings'. */
static RobocacheRecordSpec
make_spec (const RobocacheParseSettings *s)
{
  return (RobocacheRecordSpec) {s->format, s->delimiter, s->layout, s->channels,
    .time = {s->time_column, s->time_format, s->time_unit, s->leap_seconds, s->arrival_column}
  };
}

RobocacheRowParser *
robocache_row_parser_new (const RobocacheParseSettings *s, RobocacheParseOutput *output, GstPad *sinkpad,
    RobocacheSourceWait *wait, GError **error)
{
  RobocacheRowParser *parser = g_new0 (RobocacheRowParser, 1);
  const RobocacheRecordSpec spec = make_spec (s);

  robocache_parse_settings_copy (&parser->settings, s);
  parser->output = output;
  parser->sinkpad = sinkpad;
  parser->wait = wait;
  parser->replays = s->arrival_column >= 0;
  parser->checks.is_binary = s->format == ROBOCACHE_INPUT_BINARY;
  parser->tracks = s->clock_mode == ROBOCACHE_CLOCK_TRACK;
  parser->earlier = g_array_new (FALSE, FALSE, sizeof (gfloat));
  parser->earlier_pts = GST_CLOCK_TIME_NONE;
  parser->reader = robocache_record_reader_new (&spec, error);
  if (!parser->reader || !robocache_record_stamp_init (&parser->stamp, s->start, s->time_origin, s->clock_mode,
          parser->replays, error)) {
    robocache_row_parser_free (parser);
    return NULL;
  }
  GST_OBJECT_LOCK (output->element);
  output->replays = parser->replays;
  output->is_live = parser->replays || parser->tracks;
  output->statistics.tracks_clock = parser->tracks;
  GST_OBJECT_UNLOCK (output->element);
  return parser;
}

void
robocache_row_parser_free (RobocacheRowParser *parser)
{
  g_clear_pointer (&parser->reader, robocache_record_reader_free);
  g_clear_pointer (&parser->first, robocache_first_rows_free);
  g_array_unref (parser->earlier);
  robocache_parse_settings_clear (&parser->settings);
  robocache_record_stamp_clear (&parser->stamp);
  robocache_record_checks_clear (&parser->checks);
  g_free (parser);
}

void
robocache_row_parser_restart (RobocacheRowParser *parser)
{
  robocache_record_reader_restart (parser->reader);
  g_clear_pointer (&parser->first, robocache_first_rows_free);
  robocache_record_checks_restart (&parser->checks);
  parser->check.n = 0;
  parser->has_bytes = parser->is_inside = FALSE;
  g_array_set_size (parser->earlier, 0);
  parser->earlier_pts = GST_CLOCK_TIME_NONE;
}

/* ---- the time column ---- */

static const gchar *
reason_of (RobocacheChoice choice)
{
  static const gchar *const reasons[] = {
    [ROBOCACHE_CHOSEN_BY_DEFAULT] = "by default",
    [ROBOCACHE_CHOSEN_BY_NAME] = "by its name",
    [ROBOCACHE_CHOSEN_BY_VALUES] = "by its values",
    [ROBOCACHE_CHOSEN_BY_USER] = "set",
  };

  return reasons[choice];
}

/* What a guess rests on: the name of a column that is not the only one, a unit by steps, values. */
static gboolean
is_guess (const RobocacheTimeSource *times)
{
  const gboolean guesses_unit = times->unit_by == ROBOCACHE_CHOSEN_BY_DEFAULT && times->unit_reason && !times->has_dates
      && times->reading.unit != ROBOCACHE_TIME_UNIT_S;

  return times->column_by == ROBOCACHE_CHOSEN_BY_VALUES || guesses_unit || times->reading.form != ROBOCACHE_TIME_NUMBER
      || (times->column_by == ROBOCACHE_CHOSEN_BY_NAME && (times->column > 0 || times->others));
}

static gchar *
describe_leap_seconds (const RobocacheTimeSource *times, gint64 time_ns)
{
  const gint leap = times->reading.leap_seconds;

  if (times->reading.form != ROBOCACHE_TIME_GPS)
    return g_strdup ("");
  return g_strdup_printf (", less %d leap seconds%s", leap >= 0 ? leap : robocache_leap_seconds_at (time_ns / 1000000000 + 18),
      leap >= 0 ? "" : " (leap-seconds sets others)");
}

/* Once, where the user may have meant another column or unit. time_ns: of the first row, or 0. */
static void
say_time_source (RobocacheRowParser *parser, gint64 time_ns)
{
  const RobocacheTimeSource *times = robocache_record_reader_time_source (parser->reader);
  GstElement *element = parser->output->element;
  const gchar *reason = times->unit_by == ROBOCACHE_CHOSEN_BY_NAME ? NULL : times->unit_reason;
  gchar *columns = robocache_time_source_describe (times), *leap = describe_leap_seconds (times, time_ns);

  GST_INFO_OBJECT (element, "time in %s (%s)%s", columns, reason_of (times->column_by), leap);
  if (!parser->said_time_source && is_guess (times) && times->column_by != ROBOCACHE_CHOSEN_BY_USER) {
    parser->said_time_source = TRUE;
    GST_ELEMENT_INFO (element, STREAM, DECODE, ("The time is in %s (%s%s%s)%s%s%s; set time-column to choose another column%s",
        columns,
            reason_of (times->column_by), reason ? ", " : "", reason ? reason : "", leap, times->others ? ", and not in " : "", times->others ? times->others : "",
            times->unit_by == ROBOCACHE_CHOSEN_BY_DEFAULT && times->unit_reason && !times->has_dates ? ", or time-unit" : ""), (NULL));
  }
  g_free (columns);
  g_free (leap);
}

/* Once: lines that are left out, and columns that are no channels, with how they become some. */
static void
say_what_is_left_out (RobocacheRowParser *parser)
{
  const gchar *columns = robocache_record_reader_text_columns (parser->reader);
  const guint n_skipped = robocache_record_reader_n_skipped (parser->reader);

  if (parser->said_text)
    return;
  parser->said_text = TRUE;
  if (n_skipped > 0)
    GST_ELEMENT_INFO (parser->output->element, STREAM, DECODE, ("%u line%s before the data %s neither header nor comment, and left out", n_skipped,
            n_skipped == 1 ? "" : "s", n_skipped == 1 ? "is" : "are"), (NULL));
  if (!columns)
    return;
  GST_ELEMENT_INFO (parser->output->element, STREAM, DECODE, ("Columns of text are left out: %s; a column listed in channels has "
      "its words numbered, and is held", columns), (NULL));
}

/* At the end: which numbers stand for which words. */
static void
say_words (RobocacheRowParser *parser)
{
  gchar *words = robocache_record_reader_describe_words (parser->reader);

  if (words)
    GST_ELEMENT_INFO (parser->output->element, STREAM, DECODE, ("Words are numbered in the order of their first occurrence: %s",
        words), (NULL));
  g_free (words);
}

/* ---- headers ---- */

/* Names tell kinds, and fields of truths and words are held. */
static gchar *
kinds_of_columns (RobocacheRowParser *parser, const gchar *names, guint n, GError **error)
{
  gchar **split = names && *names ? g_strsplit (names, ",", -1) : NULL;
  RobocacheKinds kinds = { 0 };
  gboolean is_held = FALSE;
  gchar *text = NULL;

  if (split && g_strv_length (split) == n)
    robocache_kinds_of_names (&kinds, (const gchar * const *) split, n, error);
  else
    robocache_kinds_init (&kinds, n);
  for (guint i = 0; i < n; i++) {
    if (!robocache_record_reader_is_held (parser->reader, i))
      continue;
    is_held = TRUE;
    robocache_kinds_set_hold (&kinds, i);
  }
  if (split || is_held)
    text = robocache_kinds_to_string (&kinds, names);
  robocache_kinds_clear (&kinds);
  g_strfreev (split);
  return text;
}

/* Of columns that are sent; NULL: all are real, or an error. */
static gchar *
make_kinds (RobocacheRowParser *parser, const gchar *names, guint64 n, GError **error)
{
  const gchar *chosen = parser->settings.kinds;
  GError *why = NULL;
  gchar *kinds;

  if (chosen && *chosen)
    return robocache_kinds_check (chosen, n, names, error) ? g_strdup (chosen) : NULL;
  kinds = kinds_of_columns (parser, names, (guint) n, &why);
  if (why) {
    g_set_error (error, why->domain, why->code, "%s: list them in one of these orders in channels, or set "
        "kinds=" ROBOCACHE_KINDS_IGNORE,
        why->message);
    g_error_free (why);
    g_clear_pointer (&kinds, g_free);
  }
  return kinds;
}

/* NULL: the columns are refused, and the error is posted. */
static GstCaps *
make_caps (RobocacheRowParser *parser)
{
  RobocacheTensorsInfo info = {.n_tensors = 1,.rate_num = 0,.rate_den = 1 };
  const guint64 dims[] = { robocache_record_reader_n_channels (parser->reader) };
  const gchar *names = robocache_record_reader_channel_names (parser->reader);
  const gboolean is_ignored = g_strcmp0 (parser->settings.kinds, ROBOCACHE_KINDS_IGNORE) == 0;
  GError *error = NULL;
  gchar *kinds = is_ignored ? NULL : make_kinds (parser, names, dims[0], &error);
  GstCaps *caps;

  if (error) {
    robocache_parse_output_refuse (parser->output, error);
    g_error_free (error);
    return NULL;
  }
  robocache_tensor_info_set (&info.tensors[0], RC_FLOAT32, dims, 1);
  caps = robocache_tensors_info_to_caps (&info);
  if (names)
    gst_caps_set_simple (caps, "channels", G_TYPE_STRING, names, NULL);
  if (kinds)
    gst_caps_set_simple (caps, ROBOCACHE_KINDS_FIELD, G_TYPE_STRING, kinds, NULL);
  g_free (kinds);
  return caps;
}

/* time_ns: of the first row, or 0. */
static gboolean
send_headers (RobocacheRowParser *parser, gint64 time_ns)
{
  const guint version = robocache_record_reader_version (parser->reader);
  GstCaps *caps;
  gboolean accepted;

  if (parser->caps_version == version && !parser->output->needs_segment && !parser->output->needs_origin)
    return TRUE;
  if (parser->caps_version != version) {
    say_time_source (parser, time_ns);
    say_what_is_left_out (parser);
  }
  caps = make_caps (parser);
  if (caps == NULL)
    return FALSE;
  accepted = robocache_parse_output_send_headers (parser->output, caps);
  if (accepted)
    parser->caps_version = version;
  gst_caps_unref (caps);
  return accepted;
}

void
robocache_row_parser_send_headers (RobocacheRowParser *parser)
{
  if (robocache_record_reader_n_channels (parser->reader) > 0)
    send_headers (parser, 0);
}

/* ---- the first rows ---- */

/* Takes the fault. */
static GstFlowReturn
act_on_verdict (RobocacheRowParser *parser, RobocacheTimeVerdict verdict, gchar *fault)
{
  GstFlowReturn flow = GST_FLOW_OK;

  parser->is_judged = TRUE;
  GST_INFO_OBJECT (parser->output->element, "the times of the first rows are %s", fault ? fault : "plausible");
  /* which says that they go back, if they do */
  parser->checks.said_steps |= verdict == ROBOCACHE_TIMES_DOUBTFUL;
  if (verdict == ROBOCACHE_TIMES_DOUBTFUL)
    GST_ELEMENT_WARNING (parser->output->element, STREAM, DECODE, ("%s", fault), ("Such rows are counted in stats"));
  if (verdict == ROBOCACHE_TIMES_IMPOSSIBLE) {
    GError *error = g_error_new_literal (ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, fault);

    flow = robocache_parse_output_refuse (parser->output, error);
    g_error_free (error);
  }
  g_free (fault);
  return flow;
}

static GstFlowReturn
judge_sent_rows (RobocacheRowParser *parser)
{
  gchar *fault;
  const RobocacheTimeVerdict verdict = robocache_times_judge (parser->check.times, parser->check.n,
      robocache_record_reader_time_source (parser->reader), &fault);

  return act_on_verdict (parser, verdict, fault);
}

/* Columns of a file that have no value. */
static void
leave_out_columns (RobocacheRowParser *parser, const RobocacheFirstRows *first)
{
  const RobocacheEmptyCells *cells = robocache_first_rows_cells (first);
  GArray *columns = robocache_empty_cells_without_value (cells);

  if (columns->len > 0) {
    robocache_record_reader_leave_out (parser->reader, columns);
    if (!parser->said_left_out)
      robocache_record_checks_report_left_out (parser->output, cells, robocache_first_rows_has_ended (first));
    parser->said_left_out = TRUE;
  }
  g_array_unref (columns);
}

/* The rows that waited were enough, or are all. */
static GstFlowReturn
judge_waiting_rows (RobocacheRowParser *parser)
{
  GstFlowReturn flow = GST_FLOW_OK;

  if (parser->checks.is_file)
    leave_out_columns (parser, parser->first);
  if (robocache_first_rows_judges_times (parser->first)) {
    gchar *fault;
    const RobocacheTimeVerdict verdict = robocache_first_rows_judge (parser->first, &fault);

    flow = act_on_verdict (parser, verdict, fault);
  }
  g_clear_pointer (&parser->first, robocache_first_rows_free);
  return flow;
}

/* Of a file, which can be read before it is sent. */
static gboolean
is_file (const RobocacheRowParser *parser)
{
  return !parser->stamp.arrives_now && robocache_parse_reads_a_file (parser->sinkpad);
}

/* Nothing waits for a verdict on times where the user chose all: then it is no more than a warning. */
static gboolean
judges_times (const RobocacheRowParser *parser)
{
  const RobocacheParseSettings *s = &parser->settings;

  return !parser->is_judged && (!s->time_column || *s->time_column == '\0' || s->time_unit == ROBOCACHE_TIME_UNIT_AUTO);
}

static void
begin_bytes (RobocacheRowParser *parser)
{
  RobocacheRecordSpec spec = make_spec (&parser->settings);
  const gboolean is_csv = parser->settings.format == ROBOCACHE_INPUT_CSV;

  parser->has_bytes = TRUE;
  if (is_file (parser)) {
    parser->checks.is_file = is_csv;
    spec.n_ahead = ROBOCACHE_LINES_AHEAD;
    robocache_record_reader_set_ahead (parser->reader, spec.n_ahead);
    if (is_csv || judges_times (parser))
      parser->first = robocache_first_rows_new (&spec, judges_times (parser));
  }
  GST_DEBUG_OBJECT (parser->output->element, "the first rows %s", parser->first ? "wait until enough of them show their columns"
      : "are sent as they come");
}

/* ---- times ---- */

static void
announce_origin (RobocacheRowParser *parser)
{
  if (parser->output->origin || robocache_record_stamp_is_own (&parser->stamp))
    return;
  robocache_parse_output_set_origin (parser->output, robocache_origin_event_new (parser->stamp.origin_ns,
          robocache_record_stamp_is_from_first_row (&parser->stamp)));
}

static void
drop_before_origin (RobocacheRowParser *parser, const RobocacheRecord *record, guint64 before_ns)
{
  RobocacheParseOutput *output = parser->output;

  GST_OBJECT_LOCK (output->element);
  output->statistics.before_origin++;
  GST_OBJECT_UNLOCK (output->element);
  output->discont = TRUE;
  if (parser->warned_before_origin) {
    GST_LOG_OBJECT (output->element, "record %" G_GUINT64_FORMAT " is dropped: it is %" G_GUINT64_FORMAT " ns before running time 0",
        record->number, before_ns);
    return;
  }
  parser->warned_before_origin = TRUE;
  if (parser->stamp.arrives_now)
    GST_ELEMENT_WARNING (output->element, STREAM, FAILED,
        ("Dropped record %" G_GUINT64_FORMAT ": it was captured %" G_GUINT64_FORMAT " ns before running time 0, when the "
            "pipeline started", record->number, before_ns), ("further ones are counted in stats"));
  else
    GST_ELEMENT_WARNING (output->element, STREAM, FAILED,
        ("Dropped record %" G_GUINT64_FORMAT ": it is %" G_GUINT64_FORMAT " ns before running time 0, which is %"
            G_GINT64_FORMAT " on the file's clock; an earlier time-origin keeps it", record->number, before_ns,
            parser->stamp.origin_ns), ("further ones are counted in stats"));
}

static void
count_row (RobocacheRowParser *parser, const RobocacheRecord *record, const RobocacheRecordTimes *times)
{
  RobocacheParseStatistics *s = &parser->output->statistics;
  gint64 delay_ns;

  if (!robocache_time_difference (times->release, times->pts, &delay_ns))
    delay_ns = 0;               /* an arrival centuries before the capture */
  GST_OBJECT_LOCK (parser->output->element);
  s->empty_fields += record->n_empty;
  s->delay_max_ns = MAX (s->delay_max_ns, delay_ns);
  GST_OBJECT_UNLOCK (parser->output->element);
}

/* A row moved the estimate of the sensor's clock. */
static void
publish_clock (RobocacheRowParser *parser)
{
  const RobocacheClockEvent event = robocache_clock_track_take_event (parser->stamp.track);
  GstElement *element = parser->output->element;
  RobocacheClockEstimate estimate;

  robocache_clock_track_get (parser->stamp.track, &estimate);
  GST_OBJECT_LOCK (element);
  parser->output->statistics.clock = estimate;
  GST_OBJECT_UNLOCK (element);
  if (event != ROBOCACHE_CLOCK_NO_EVENT)
    gst_element_post_message (element, robocache_clock_event_message (event, &estimate, element, NULL));
}

/* ---- rows ---- */

static GstFlowReturn
push_row (RobocacheRowParser *parser, gconstpointer values, gsize n_values, guint64 number, GstClockTime pts)
{
  GstBuffer *buffer = gst_buffer_new_memdup (values, n_values * sizeof (gfloat));

  GST_BUFFER_PTS (buffer) = pts;
  GST_LOG_OBJECT (parser->output->element, "row of record %" G_GUINT64_FORMAT " at %" GST_TIME_FORMAT, number, GST_TIME_ARGS (pts));
  return robocache_parse_output_push (parser->output, buffer, 0);
}

static GstFlowReturn
push_earlier_row (RobocacheRowParser *parser)
{
  GstFlowReturn flow;

  if (parser->earlier->len == 0)
    return GST_FLOW_OK;
  robocache_parse_output_admit_earlier (parser->output);
  flow = push_row (parser, parser->earlier->data, parser->earlier->len, parser->earlier_number, parser->earlier_pts);
  g_array_set_size (parser->earlier, 0);
  return flow;
}

/* A row that is not admitted. One that comes after rows of the segment leaves at once, if it is newer than the one that was sent. */
static GstFlowReturn
keep_earlier_row (RobocacheRowParser *parser, const RobocacheRecord *record, GstClockTime pts)
{
  if (robocache_parse_output_compare_to_start (parser->output, pts) >= 0 || (GST_CLOCK_TIME_IS_VALID (parser->earlier_pts) && pts < parser->earlier_pts))
    return GST_FLOW_OK;
  GST_LOG_OBJECT (parser->output->element, "record %" G_GUINT64_FORMAT " at %" GST_TIME_FORMAT " is the last one before the segment so far",
      record->number, GST_TIME_ARGS (pts));
  g_array_set_size (parser->earlier, 0);
  g_array_append_vals (parser->earlier, record->values, robocache_record_reader_n_channels (parser->reader));
  parser->earlier_pts = pts;
  parser->earlier_number = record->number;
  return parser->is_inside ? push_earlier_row (parser) : GST_FLOW_OK;
}

static GstFlowReturn
send_record (RobocacheRowParser *parser, const RobocacheRecord *record, const RobocacheRecordTimes *times)
{
  GstFlowReturn flow;

  /* this row itself is valid at the start */
  if (robocache_parse_output_compare_to_start (parser->output, (GstClockTime) times->pts) == 0)
    g_array_set_size (parser->earlier, 0);
  flow = push_earlier_row (parser);
  parser->is_inside = TRUE;
  if (flow == GST_FLOW_OK && parser->replays)
    flow = robocache_source_wait_until (parser->wait, parser->output->element, (GstClockTime) MAX (times->release, 0));
  return flow != GST_FLOW_OK ? flow : push_row (parser, record->values, robocache_record_reader_n_channels (parser->reader), record->number,
      (GstClockTime) times->pts);
}

static GstFlowReturn
handle_record (RobocacheRowParser *parser, const RobocacheRecord *record)
{
  const gboolean had_origin = parser->stamp.has_origin;
  RobocacheRecordTimes times;
  gboolean is_admitted;

  if (!robocache_record_checks_admit (&parser->checks, parser->output, parser->reader, record)) {
    parser->output->errors_in_row = 0;
    return GST_FLOW_OK;
  }
  if (!robocache_record_stamp_row (&parser->stamp, record, &times)) {
    gchar *fault = g_strdup_printf (
        "record %" G_GUINT64_FORMAT " is further from time-origin than int64 nanoseconds can express", record->number);
    const GstFlowReturn flow = robocache_parse_output_malformed (parser->output, fault);

    g_free (fault);
    return flow;
  }
  parser->output->errors_in_row = 0;
  if (!had_origin)
    GST_INFO_OBJECT (parser->output->element, "running time 0 is %" G_GINT64_FORMAT " ns on the file's clock, %s", parser->stamp.origin_ns,
        parser->stamp.time_origin != ROBOCACHE_NO_ORIGIN ? "as time-origin is set" : robocache_record_stamp_is_from_first_row (&parser->stamp)
        ? "the time of the first row" : "as start is set");
  if (!parser->is_judged && robocache_time_check_add (&parser->check, record->time_ns)) {
    const GstFlowReturn flow = judge_sent_rows (parser);

    if (flow != GST_FLOW_OK)
      return flow;
  }
  announce_origin (parser);
  if (parser->tracks)
    publish_clock (parser);
  if (times.pts < 0) {
    drop_before_origin (parser, record, 0 - (guint64) times.pts);
    return GST_FLOW_OK;
  }
  count_row (parser, record, &times);
  is_admitted = robocache_parse_output_admit (parser->output, (GstClockTime) times.pts);
  if (!send_headers (parser, record->time_ns))
    return GST_FLOW_NOT_NEGOTIATED;
  return is_admitted ? send_record (parser, record, &times) : keep_earlier_row (parser, record, (GstClockTime) times.pts);
}

static GstFlowReturn
process (RobocacheRowParser *parser)
{
  GstFlowReturn flow = GST_FLOW_OK;
  RobocacheReadResult result;

  do {
    RobocacheRecord record;
    GError *fault = NULL;

    result = robocache_record_reader_next (parser->reader, &record, &fault);
    switch (result) {
      case ROBOCACHE_READ_MORE:
        break;
      case ROBOCACHE_READ_HEADER:
        GST_DEBUG_OBJECT (parser->output->element, "a header: %u channels, %s", (guint) robocache_record_reader_n_channels (parser->reader),
            robocache_record_reader_channel_names (parser->reader));
        if (robocache_record_reader_time_source (parser->reader)->reading.form != ROBOCACHE_TIME_GPS)
          flow = send_headers (parser, 0) ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED;
        break;
      case ROBOCACHE_READ_RECORD:
        flow = handle_record (parser, &record);
        break;
      case ROBOCACHE_READ_MALFORMED:
        flow = robocache_parse_output_malformed (parser->output, fault->message);
        break;
      case ROBOCACHE_READ_REFUSED:
        flow = robocache_parse_output_refuse (parser->output, fault);
        break;
    }
    g_clear_error (&fault);
  } while (flow == GST_FLOW_OK && result != ROBOCACHE_READ_MORE);

  GST_OBJECT_LOCK (parser->output->element);
  parser->output->statistics.comments = robocache_record_reader_comments (parser->reader);
  GST_OBJECT_UNLOCK (parser->output->element);
  return flow;
}

/* ---- input ---- */

/* The pipeline's clock, which times arrivals, runs in PLAYING. */
static GstFlowReturn
stamp_arrival (RobocacheRowParser *parser)
{
  RobocacheParseOutput *output = parser->output;
  const GstFlowReturn flow = robocache_source_wait_for_playing (parser->wait);

  if (flow != GST_FLOW_OK || robocache_record_stamp_arrive (&parser->stamp, output->element))
    return flow;
  GST_ELEMENT_ERROR (output->element, CORE, CLOCK, ("clock-mode=track compares the sensor's times with the pipeline's clock, "
      "but the pipeline has no clock: use a pipeline with a clock, or set arrival-column or clock-mode=none"), (NULL));
  output->failed = TRUE;
  return GST_FLOW_ERROR;
}

GstFlowReturn
robocache_row_parser_push (RobocacheRowParser *parser, GstBuffer *buffer)
{
  GError *fault = NULL;
  gboolean is_waiting;
  GstFlowReturn flow;

  if (parser->stamp.arrives_now && (flow = stamp_arrival (parser)) != GST_FLOW_OK) {
    gst_buffer_unref (buffer);
    return flow;
  }
  if (!parser->has_bytes)
    begin_bytes (parser);
  is_waiting = parser->first && !robocache_first_rows_push (parser->first, buffer);
  if (!robocache_record_reader_push (parser->reader, buffer, &fault)) {
    flow = robocache_parse_output_refuse (parser->output, fault);
    g_error_free (fault);
    return flow;
  }
  if (is_waiting)
    return GST_FLOW_OK;
  flow = parser->first ? judge_waiting_rows (parser) : GST_FLOW_OK;
  return flow == GST_FLOW_OK ? process (parser) : flow;
}

GstFlowReturn
robocache_row_parser_drain (RobocacheRowParser *parser)
{
  GstFlowReturn flow = GST_FLOW_OK;

  GST_DEBUG_OBJECT (parser->output->element, "what is left of the input is read");
  robocache_record_reader_end (parser->reader);
  if (parser->first) {
    robocache_first_rows_end (parser->first);
    flow = judge_waiting_rows (parser);
  }
  if (flow == GST_FLOW_OK)
    flow = process (parser);
  if (flow == GST_FLOW_OK)
    flow = push_earlier_row (parser);
  if (flow == GST_FLOW_OK && !parser->is_judged && parser->check.n > 0)
    flow = judge_sent_rows (parser);
  robocache_record_checks_end (&parser->checks, parser->output);
  say_words (parser);
  return flow;
}
