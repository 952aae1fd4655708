/* robocache: an element's scenario as a line of words: buffers and events in, buffers, events, messages and counts out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/scenario.h"

void
expect_int_in (const Scenario *s, gint64 got, gint64 expected)
{
  expect_in (s, got == expected, "%" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT, got, expected);
}

GstClockTime
read_time (const Scenario *s, const gchar **text)
{
  const gboolean is_none = **text == '-' && !g_ascii_isdigit ((*text)[1]);
  gchar *end = (gchar *) *text + 1;
  const gdouble ms = is_none ? 0 : g_ascii_strtod (*text, &end);

  expect_in (s, end != *text, "there is no time at \"%s\"", *text);
  *text = end;
  return is_none ? GST_CLOCK_TIME_NONE : (GstClockTime) (s->origin + llround (ms * 1e6));
}

GstClockTime
time_of (const Scenario *s, const gchar *text)
{
  return read_time (s, &text);
}

/* Numbers separated by commas, up to five. */
static void
read_numbers (const gchar *text, gdouble numbers[5])
{
  gchar **items = g_strsplit (text, ",", 5);

  for (guint i = 0; items[i]; i++)
    numbers[i] = g_ascii_strtod (items[i], NULL);
  g_strfreev (items);
}

/* Of float32, or int32 where caps say so. */
static void
expect_values (const Scenario *s, const GstMapInfo *map, const gchar *text, gboolean nearly)
{
  gchar *types = caps_text (s->h, "types"), **numbers = g_strsplit (text, ",", -1);
  const gboolean are_int32 = g_strcmp0 (types, "int32") == 0;

  expect_int_in (s, (gint64) map->size, g_strv_length (numbers) * sizeof (gfloat));
  for (guint i = 0; numbers[i]; i++) {
    const gfloat expected = (gfloat) g_ascii_strtod (numbers[i], NULL);
    const gfloat got = are_int32 ? (gfloat) ((gint32 *) map->data)[i] : ((gfloat *) map->data)[i];

    expect_in (s, got == expected || (isnan (got) && isnan (expected))
        || (nearly && fabsf (got - expected) <= 1e-6f * MAX (1, fabsf (expected))), "value %u is %.9g", i, got);
  }
  g_strfreev (numbers);
  g_free (types);
}

void
expect_buffer (Scenario *s, const gchar *text)
{
  GstBuffer *buffer = s->thread || s->is_source ? gst_harness_pull (s->h) : gst_harness_try_pull (s->h);
  const gchar flag = text[strlen (text) - 1];
  gchar *values = g_strndup (text, strcspn (text, "/=~#!?"));
  GstMapInfo map;

  expect_in (s, buffer && gst_buffer_map (buffer, &map, GST_MAP_READ), "there is no buffer");
  expect_int_in (s, (gint64) GST_BUFFER_PTS (buffer), (gint64) read_time (s, &text));
  if (*text == '/') {
    text++;
    expect_int_in (s, (gint64) GST_BUFFER_DURATION (buffer), (gint64) read_time (s, &text));
  }
  if (*text == '=' || *text == '~') {
    g_free (values);
    values = g_strndup (text + 1, strcspn (text + 1, "!?"));
  }
  if (*text == '#')
    expect_int_in (s, (gint64) map.size, g_ascii_strtoll (text + 1, NULL, 10));
  else if (*text == '=' || *text == '~' ? !g_str_equal (values, "any") : s->value_is_time)
    expect_values (s, &map, values, *text == '~');
  if (flag == '!' || flag == '?')
    expect_int_in (s, GST_BUFFER_IS_DISCONT (buffer), flag == '!');
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  g_free (values);
}

static void
expect_no_buffer (Scenario *s, const gchar *text)
{
  GstBuffer *buffer = gst_harness_try_pull (s->h);

  expect_in (s, buffer == NULL, "a buffer at %" G_GUINT64_FORMAT, buffer ? GST_BUFFER_PTS (buffer) : 0);
}

static void
follow_input (Scenario *s, const gchar *text)
{
  s->flow = gst_harness_push (s->h, s->input (s, text));
}

static gpointer
push_from_thread (gpointer data)
{
  return GINT_TO_POINTER (gst_harness_push (((Scenario *) data)->h, ((Scenario *) data)->buffer));
}

static void
follow_input_of_thread (Scenario *s, const gchar *text)
{
  s->buffer = s->input (s, text);
  s->thread = g_thread_new ("push", push_from_thread, s);
}

static void
follow_join (Scenario *s, const gchar *text)
{
  s->flow = GPOINTER_TO_INT (g_thread_join (s->thread));
  s->thread = NULL;
}

static void
follow_flow (Scenario *s, const gchar *text)
{
  expect_in (s, g_str_equal (gst_flow_get_name (s->flow), text), "it is %s", gst_flow_get_name (s->flow));
  s->flow = GST_FLOW_OK;
}

static void
follow_event (Scenario *s, const gchar *name)
{
  if (g_str_equal (name, "eos") && s->is_source) {
    gst_element_send_event (s->h->element, gst_event_new_eos ());
  } else if (g_str_equal (name, "eos")) {
    gst_harness_push_event (s->h, gst_event_new_eos ());
  } else if (g_str_equal (name, "flush")) {
    gst_harness_push_event (s->h, gst_event_new_flush_start ());
    gst_harness_push_event (s->h, gst_event_new_flush_stop (TRUE));
  } else if (g_str_equal (name, "drain")) {
    GstQuery *query = gst_query_new_drain ();

    expect_in (s, gst_pad_peer_query (s->h->srcpad, query), "the query failed");
    gst_query_unref (query);
  } else if (g_str_equal (name, "reconfigure")) {
    gst_pad_push_event (s->h->sinkpad, gst_event_new_reconfigure ());
  } else if (g_str_equal (name, "tag")) {
    gst_harness_push_event (s->h, gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "a flight", NULL)));
  } else if (g_str_equal (name, "bytes")) {
    push_segment_of (s->h, GST_FORMAT_BYTES);
  } else {
    gst_harness_push_event (s->h, gst_event_new_stream_start (name));
    if (g_str_equal (name, "start") && s->caps)
      push_caps (s->h, s->caps);
  }
}

static void
follow_caps (Scenario *s, const gchar *text)
{
  push_caps (s->h, *text == ':' ? text + 1 : s->caps);
}

static void
follow_segment (Scenario *s, const gchar *text)
{
  gdouble numbers[5] = { 0, 0, 0, 1, -1 };
  GstSegment segment;

  read_numbers (text, numbers);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = segment.position = NS (numbers[0]);
  segment.base = NS (numbers[1]);
  segment.offset = NS (numbers[2]);
  segment.rate = numbers[3];
  segment.stop = numbers[4] < 0 ? GST_CLOCK_TIME_NONE : NS (numbers[4]);
  gst_harness_push_event (s->h, gst_event_new_segment (&segment));
}

static void
follow_gap (Scenario *s, const gchar *text)
{
  const GstClockTime start = read_time (s, &text);
  const GstClockTime duration = g_str_equal (text, ",-") ? GST_CLOCK_TIME_NONE : NS (g_ascii_strtod (text + 1, NULL));

  gst_harness_push_event (s->h, gst_event_new_gap (start, duration));
}

static void
follow_segment_done (Scenario *s, const gchar *text)
{
  gst_harness_push_event (s->h, gst_event_new_segment_done (GST_FORMAT_TIME, (gint64) time_of (s, text)));
}

/* It arrives upstream, unless the word is "no-seek:". */
static void
follow_seek (Scenario *s, const gchar *text)
{
  const GstClockTime start = read_time (s, &text), stop = *text == ',' ? time_of (s, text + 1) : GST_CLOCK_TIME_NONE;
  const GstSeekFlags flags = *text == ',' ? GST_SEEK_FLAG_SEGMENT : GST_SEEK_FLAG_FLUSH;
  const gboolean is_refused = *s->word == 'n';
  GstEvent *event;

  expect_int_in (s, gst_pad_push_event (s->h->sinkpad, gst_event_new_seek (1.0, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET,
              (gint64) start, *text == ',' ? GST_SEEK_TYPE_SET : GST_SEEK_TYPE_NONE, (gint64) stop)), !is_refused);
  if (is_refused)
    return;
  while ((event = gst_harness_try_pull_upstream_event (s->h)) && GST_EVENT_TYPE (event) != GST_EVENT_SEEK)
    gst_event_unref (event);
  expect_in (s, event != NULL, "it does not arrive upstream");
  gst_event_unref (event);
}

static GstEvent *
next_event (const Scenario *s)
{
  return s->is_source ? gst_harness_pull_event (s->h) : gst_harness_try_pull_event (s->h);
}

static void
expect_next_events (Scenario *s, const gchar *text)
{
  gchar **names = g_strsplit (text, ",", -1);

  for (gchar **name = names; *name; name++) {
    GstEvent *event = next_event (s);
    const gchar *got = event ? GST_EVENT_TYPE_NAME (event) : "none";

    expect_in (s, g_str_equal (got, *name), "it is %s in place of %s", got, *name);
    g_clear_pointer (&event, gst_event_unref);
  }
  g_strfreev (names);
}

static void
expect_event (Scenario *s, const gchar *name)
{
  GstEvent *event;

  while ((event = next_event (s)) && !g_str_equal (GST_EVENT_TYPE_NAME (event), name))
    gst_event_unref (event);
  expect_in (s, event != NULL, "there is no such event");
  gst_event_unref (event);
}

static void
expect_gap (Scenario *s, const gchar *text)
{
  GstEvent *event = pull_event (s->h, GST_EVENT_GAP);
  GstClockTime start, duration;

  expect_in (s, event != NULL, "there is no GAP");
  gst_event_parse_gap (event, &start, &duration);
  expect_int_in (s, (gint64) start, (gint64) read_time (s, &text));
  expect_int_in (s, (gint64) duration, (gint64) NS (g_ascii_strtod (text + 1, NULL)));
  gst_event_unref (event);
}

static void
expect_no_gap (Scenario *s, const gchar *text)
{
  expect_in (s, pull_event (s->h, GST_EVENT_GAP) == NULL, "there is one");
}

/* FIELD=VALUE */
static void
expect_caps_field_of (Scenario *s, const gchar *text)
{
  gchar **pair = g_strsplit (text, "=", 2), *got = caps_text (s->h, pair[0]);

  expect_in (s, g_strcmp0 (got, pair[1]) == 0, "it is %s", got);
  g_free (got);
  g_strfreev (pair);
}

static void
expect_caps (Scenario *s, const gchar *text)
{
  GstCaps *caps = gst_caps_from_string (text), *got = gst_pad_get_current_caps (s->h->sinkpad);
  gchar *got_text = gst_caps_to_string (got);

  expect_in (s, gst_caps_is_equal (got, caps), "they are %s", got_text);
  gst_caps_unref (got);
  gst_caps_unref (caps);
  g_free (got_text);
}

/* START,BASE,RATE */
static void
expect_segment (Scenario *s, const gchar *text)
{
  GstEvent *event = gst_pad_get_sticky_event (s->h->sinkpad, GST_EVENT_SEGMENT, 0);
  gdouble numbers[5] = { 0 };
  const GstSegment *segment;

  expect_in (s, event != NULL, "there is none");
  gst_event_parse_segment (event, &segment);
  read_numbers (text, numbers);
  expect_int_in (s, segment->format, GST_FORMAT_TIME);
  expect_int_in (s, (gint64) segment->start, (gint64) NS (numbers[0]));
  expect_int_in (s, (gint64) segment->time, (gint64) NS (numbers[0]));
  expect_int_in (s, (gint64) segment->base, (gint64) NS (numbers[1]));
  expect_in (s, segment->rate == numbers[2] && segment->stop == GST_CLOCK_TIME_NONE, "its rate or stop differs");
  gst_event_unref (event);
}

static void
follow_downstream (Scenario *s, const gchar *text)
{
  gst_harness_set_sink_caps_str (s->h, text);
}

/* The harness is live at first. */
static void
follow_live (Scenario *s, const gchar *text)
{
  gst_harness_set_live (s->h, *text == '1');
}

static void
follow_upstream_latency (Scenario *s, const gchar *text)
{
  gst_harness_set_upstream_latency (s->h, time_of (s, text));
}

static void
follow_set (Scenario *s, const gchar *text)
{
  set_properties (s->h->element, text);
}

/* NAME[=RETURN] */
static void
follow_state (Scenario *s, const gchar *text)
{
  static const gchar *const names[] = { "null", "ready", "paused", "playing" };
  gchar **pair = g_strsplit (text, "=", 2);
  const gchar *got = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (pair[0], names[i]))
      got = gst_element_state_change_return_get_name (gst_element_set_state (s->h->element, GST_STATE_NULL + i));
  expect_in (s, pair[1] ? g_strcmp0 (got, pair[1]) == 0 : got && !g_str_equal (got, "FAILURE"), "it is %s", got);
  g_strfreev (pair);
}

static void
follow_time (Scenario *s, const gchar *text)
{
  expect_in (s, gst_harness_set_time (s->h, time_of (s, text)), "the clock is later");
}

static void
follow_base_time (Scenario *s, const gchar *text)
{
  gst_element_set_base_time (s->h->element, time_of (s, text));
}

/* Another test clock, at a time; -: no clock. */
static void
follow_clock (Scenario *s, const gchar *text)
{
  const GstClockTime now = time_of (s, text);
  GstClock *clock = GST_CLOCK_TIME_IS_VALID (now) ? gst_test_clock_new_with_start_time (now) : NULL;

  gst_element_set_clock (s->h->element, clock);
  gst_clear_object (&clock);
}

static void
follow_origin (Scenario *s, const gchar *text)
{
  s->origin = (gint64) time_of (s, text);
  gst_harness_set_time (s->h, (GstClockTime) s->origin);
}

static void
follow_crank (Scenario *s, const gchar *text)
{
  for (gint64 n = g_ascii_strtoll (text, NULL, 10); n > 0; n--)
    expect_in (s, gst_harness_crank_single_clock_wait (s->h), "it does not wait");
}

static void
expect_wait (Scenario *s, const gchar *text)
{
  GstTestClock *clock = gst_harness_get_testclock (s->h);

  expect_in (s, gst_harness_wait_for_clock_id_waits (s->h, 1, 60), "it does not wait");
  expect_int_in (s, gst_harness_buffers_in_queue (s->h), 0);
  expect_int_in (s, (gint64) gst_test_clock_get_next_entry_time (clock), (gint64) time_of (s, text));
  gst_object_unref (clock);
}

/* CODE:WORDS, of the error or warning that the word begins with. */
static void
expect_message (Scenario *s, const gchar *text)
{
  gchar **parts = g_strsplit (text, ":", 2);
  gchar *fault = message_fault (s->h, *s->word == 'e' ? GST_MESSAGE_ERROR : GST_MESSAGE_WARNING, parts[0], parts[1]);

  expect_in (s, fault == NULL, "%s", fault);
  g_strfreev (parts);
}

static void
expect_qos (Scenario *s, const gchar *text)
{
  GstMessage *message = pop_message (s->h, GST_MESSAGE_QOS);
  guint64 running_time, stream_time, timestamp, duration, processed, dropped;
  gdouble numbers[5] = { 0 }, proportion;
  gboolean live;
  gint64 jitter;

  expect_in (s, message && GST_MESSAGE_SRC (message) == GST_OBJECT (s->h->element), "there is no QoS message");
  read_numbers (text, numbers);
  gst_message_parse_qos (message, &live, &running_time, &stream_time, &timestamp, &duration);
  gst_message_parse_qos_values (message, &jitter, &proportion, NULL);
  gst_message_parse_qos_stats (message, NULL, &processed, &dropped);
  expect_int_in (s, live, s->is_live);
  expect_in (s, stream_time == running_time && timestamp == running_time && proportion == 1.0, "its times differ");
  expect_int_in (s, (gint64) running_time, (gint64) NS (numbers[0]));
  expect_int_in (s, (gint64) duration, (gint64) NS (numbers[1]));
  expect_int_in (s, jitter, (gint64) NS (numbers[2]));
  expect_int_in (s, (gint64) processed, (gint64) numbers[3]);
  expect_int_in (s, (gint64) dropped, (gint64) numbers[4]);
  gst_message_unref (message);
}

/* FIELD=VALUE, of the next message of stats. */
static void
expect_stats_message (Scenario *s, const gchar *text)
{
  GstMessage *message = pop_message (s->h, GST_MESSAGE_ELEMENT);
  gchar **pair = g_strsplit (text, "=", 2), *got;

  expect_in (s, message && gst_message_has_name (message, GST_OBJECT_NAME (gst_element_get_factory (s->h->element))),
      "there is no such message");
  got = gst_value_serialize (gst_structure_get_value (gst_message_get_structure (message), pair[0]));
  expect_in (s, g_str_equal (got, pair[1]), "it is %s", got);
  gst_message_unref (message);
  g_strfreev (pair);
  g_free (got);
}

static const struct
{
  const gchar *name;
  GstMessageType type;
} message_counts[] = {
  {"warnings", GST_MESSAGE_WARNING}, {"errors", GST_MESSAGE_ERROR}, {"qos", GST_MESSAGE_QOS},
  {"stats-messages", GST_MESSAGE_ELEMENT}, {"new-durations", GST_MESSAGE_DURATION_CHANGED},
  {"new-latencies", GST_MESSAGE_LATENCY}, {"segment-messages", GST_MESSAGE_SEGMENT_START | GST_MESSAGE_SEGMENT_DONE},
};

/* NAME=N */
static void
expect_number (Scenario *s, const gchar *text)
{
  gchar **pair = g_strsplit (text, "=", 2), *got = query_text (s->h, pair[0]);

  expect_in (s, pair[1] != NULL, "it is no word of a scenario");
  for (guint i = 0; i < G_N_ELEMENTS (message_counts); i++)
    if (g_str_equal (pair[0], message_counts[i].name))
      got = g_strdup_printf ("%u", count_messages (s->h, message_counts[i].type));
  if (g_str_equal (pair[0], "buffers"))
    got = g_strdup_printf ("%u", gst_harness_buffers_received (s->h));
  if (!got)
    got = property_text (s->h->element, pair[0]);
  if (!got)
    got = stats_text (s->h->element, pair[0]);
  expect_in (s, g_strcmp0 (got ? got : "none", pair[1]) == 0, "it is %s", got ? got : "none");
  g_free (got);
  g_strfreev (pair);
}

/* What a word is, or begins with; the first of them. */
static const struct
{
  const gchar *begin;
  void (*follow) (Scenario *, const gchar *rest);
} scenario_words[] = {
  {"+", follow_input}, {"&", follow_input_of_thread}, {"join", follow_join}, {"flow:", follow_flow}, {"caps", follow_caps},
  {"seg:", follow_segment}, {"gap:", follow_gap}, {"segdone:", follow_segment_done}, {"seek:", follow_seek},
  {"no-seek:", follow_seek}, {"downstream:", follow_downstream}, {"upstream-latency:", follow_upstream_latency},
  {"live:", follow_live},
  {"set:", follow_set}, {"state:", follow_state}, {"time:", follow_time}, {"base:", follow_base_time},
  {"from:", follow_origin}, {"clock:", follow_clock}, {"crank:", follow_crank},
  {".", expect_no_buffer}, {">>", expect_next_events}, {">gap:", expect_gap}, {">nogap", expect_no_gap},
  {">caps:", expect_caps_field_of}, {">caps=", expect_caps}, {">seg:", expect_segment}, {"error:", expect_message},
  {"warning:", expect_message}, {"stats-message:", expect_stats_message}, {"qos:", expect_qos}, {"wait:", expect_wait},
};

void
follow_word (Scenario *s, const gchar *word)
{
  static const gchar *const events[] = { "start", "stream", "eos", "flush", "bytes", "tag", "reconfigure", "drain", NULL };

  s->word = word;
  if (s->extra && s->extra (s, word))
    return;
  if (g_strv_contains (events, word)) {
    follow_event (s, word);
  } else if (*word == '>' && (word[1] == '-' || g_ascii_isdigit (word[1]))) {
    expect_buffer (s, word + 1);
  } else {
    guint i = 0;

    while (i < G_N_ELEMENTS (scenario_words) && !g_str_has_prefix (word, scenario_words[i].begin))
      i++;
    if (i < G_N_ELEMENTS (scenario_words))
      scenario_words[i].follow (s, word + strlen (scenario_words[i].begin));
    else if (*word == '>')
      expect_event (s, word + 1);
    else
      expect_number (s, word);
  }
}

void
scenario_run (Scenario *s, const gchar *line)
{
  gchar **words;

  s->word = line;
  expect_in (s, g_shell_parse_argv (line, NULL, &words, NULL), "its quotes do not match");
  for (gchar **word = words; *word; word++) {
    expect_in (s, s->flow == GST_FLOW_OK || g_str_has_prefix (*word, "flow:"), "it returned %s", gst_flow_get_name (s->flow));
    follow_word (s, *word);
  }
  expect_in (s, s->flow == GST_FLOW_OK, "it returned %s", gst_flow_get_name (s->flow));
  g_strfreev (words);
}
