/* robocache: plays scenarios on robocachefuse. Their words are told in tests/core/words.h
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fusescenario.h"

void (*rig_assert_awake) (Rig * rig);

static gdouble
read_element (const GstMapInfo *map, guint i, guint size)
{
  gfloat value;

  if (size == 1)
    return map->data[i];
  memcpy (&value, map->data + i * sizeof (value), sizeof (value));
  return value;
}

/* first: its element in the tensor; is_all: the others are its, too. Of float64 float32 is read, which no scenario compares. */
static void
read_stream (const PlayedPad *pad, GstMemory *tensor, guint first, gboolean is_all, PlayedStream *stream)
{
  const guint size = MIN (pad->caps.element_size, sizeof (gfloat));
  GstMapInfo map;

  fail_unless (gst_memory_map (tensor, &map, GST_MAP_READ));
  stream->n = is_all ? (guint) (map.size / size) : pad->caps.channels;
  for (guint i = 0; i < MIN (stream->n, MAX_VALUES); i++)
    stream->values[i] = read_element (&map, first + i, size);
  gst_memory_unmap (tensor, &map);
}

static const PlayedPad *
find_pad (Play *play, const gchar *name)
{
  for (guint p = 0; p < play->n_pads; p++) {
    if (g_str_equal (play->pads[p].name, name))
      return &play->pads[p];
  }
  play_fail (play, "a stream %s", name);
}

/* Of a window the status is that of the newest tick. */
static void
read_streams (Play *play, GstBuffer *buffer, PlayedSample *sample)
{
  gchar **names = g_strsplit (gst_structure_get_string (sample_meta (buffer), "streams"), ",", -1);
  const guint n = g_strv_length (names);
  const gboolean is_concat = gst_buffer_n_memory (buffer) < n;
  guint n_before = 0;
  gsize info_size;

  g_bytes_get_data (g_value_get_boxed (gst_structure_get_value (sample_meta (buffer), "info")), &info_size);
  sample->n_streams = n;
  for (guint s = 0; s < n; s++) {
    PlayedStream *stream = &sample->streams[s];
    const PlayedPad *pad = find_pad (play, names[s]);

    stream->name = pad->name;
    stream->status = (gint) status_of (buffer, (guint) (info_size / (4 * sizeof (gint64))) - n + s);
    read_stream (pad, gst_buffer_peek_memory (buffer, is_concat ? 0 : s), is_concat ? n_before : 0, !is_concat, stream);
    n_before += stream->n;
  }
  g_strfreev (names);
}

static gboolean
play_pull (Play *play, PlayedSample *sample)
{
  GstBuffer *buffer = pull_until_eos (play->rig);

  if (buffer == NULL)
    return FALSE;
  sample->time = (gint64) GST_BUFFER_PTS (buffer);
  sample->duration = GST_BUFFER_DURATION_IS_VALID (buffer) ? (gint64) GST_BUFFER_DURATION (buffer) : NONE;
  sample->is_discont = GST_BUFFER_IS_DISCONT (buffer);
  read_streams (play, buffer, sample);
  gst_buffer_unref (buffer);
  return TRUE;
}

GstEvent *
next_event (Rig *rig, GstEventType type)
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_event (rig->out)) && GST_EVENT_TYPE (event) != type)
    gst_event_unref (event);
  return event;
}

GstEvent *
wait_event (Rig *rig, GstEventType type)
{
  GstEvent *event;

  while ((event = next_event (rig, type)) == NULL)
    g_thread_yield ();
  return event;
}

static gboolean
play_pull_gap (Play *play, gint64 *start, gint64 *duration)
{
  GstEvent *event = next_event (play->rig, GST_EVENT_GAP);
  GstClockTime pts, length;

  if (event == NULL)
    return FALSE;
  gst_event_parse_gap (event, &pts, &length);
  *start = (gint64) pts;
  *duration = (gint64) length;
  gst_event_unref (event);
  return TRUE;
}

static gint64
play_get_segment_start (Play *play)
{
  GstEvent *event = gst_pad_get_sticky_event (play->rig->out->sinkpad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;
  gint64 start;

  fail_unless (event != NULL, "%s: no segment", play->word);
  gst_event_parse_segment (event, &segment);
  start = (gint64) segment->start;
  fail_unless_equals_int64 ((gint64) gst_segment_to_running_time (segment, GST_FORMAT_TIME, segment->start), start);
  gst_event_unref (event);
  return start;
}

void
drop_samples (Rig *rig)
{
  GstBuffer *sample;

  while ((sample = gst_harness_try_pull (rig->out)))
    gst_buffer_unref (sample);
}

gint64
number_in (const GstStructure *stats, const gchar *name)
{
  const GValue *value = gst_structure_get_value (stats, name);
  GValue number = G_VALUE_INIT;

  fail_unless (value != NULL, "stats have no %s", name);
  if (GST_VALUE_HOLDS_STRUCTURE (value))
    return gst_structure_n_fields (gst_value_get_structure (value));
  g_value_init (&number, G_TYPE_INT64);
  fail_unless (g_value_transform (value, &number), "%s is no number", name);
  return g_value_get_int64 (&number);
}

/* The latency of the element, which is live or not. */
static gint64
query_latency (Rig *rig, gboolean *is_live)
{
  GstQuery *query = gst_query_new_latency ();
  GstPad *src = gst_element_get_static_pad (rig->fuse, "src");
  GstClockTime min = 0;

  fail_unless (gst_pad_query (src, query));
  gst_query_parse_latency (query, is_live, &min, NULL);
  gst_query_unref (query);
  gst_object_unref (src);
  return (gint64) min;
}

/* "latency", "live", "now", or a number of stats: "NAME", "a.NAME", "removed.NAME". */
static gint64
play_get_number (Play *play, const gchar *name)
{
  const gchar *own = strchr (name, '.');
  GstStructure *stats;
  const GstStructure *part;
  gboolean is_live;
  gint64 number;

  if (g_str_equal (name, "latency"))
    return query_latency (play->rig, NULL);
  if (g_str_equal (name, "now"))
    return (gint64) gst_clock_get_time (GST_CLOCK (play->rig->clock));
  if (g_str_equal (name, "live")) {
    query_latency (play->rig, &is_live);
    return is_live;
  }
  part = stats = stats_of (is_of_pads (play, name, '.') ? (gpointer) play->pads[*name - 'a'].feed->sink : play->rig->fuse);
  if (g_str_has_prefix (name, "removed."))
    part = gst_value_get_structure (gst_structure_get_value (stats, "removed-pads"));
  number = number_in (part, own ? own + 1 : name);
  gst_structure_free (stats);
  return number;
}

static gchar *
play_get_caps_field (Play *play, const gchar *field)
{
  GstStructure *caps = output_caps (play->rig);
  const GValue *value = gst_structure_get_value (caps, field);
  gchar *text = value == NULL ? NULL : G_VALUE_HOLDS_STRING (value) ? g_value_dup_string (value) : gst_value_serialize (value);

  gst_structure_free (caps);
  return text;
}

/* FIELD=N,…: the next QoS message is of this pad, or the element, and has these fields; times are in ms */
static void
expect_qos (Play *play, const gchar *text)
{
  GstMessage *message = wait_message (play->rig, GST_MESSAGE_QOS);
  gchar **items = g_strsplit (text, ",", -1);
  guint64 running_time, stream_time, timestamp, duration, processed, dropped;
  gdouble proportion;
  gboolean is_live;
  gint quality;
  gint64 jitter;
  GstFormat format;

  gst_message_parse_qos (message, &is_live, &running_time, &stream_time, &timestamp, &duration);
  gst_message_parse_qos_values (message, &jitter, &proportion, &quality);
  gst_message_parse_qos_stats (message, &format, &processed, &dropped);
  fail_unless_equals_float (proportion, 1.0);
  fail_unless_equals_int (quality, 1000000);
  fail_unless_equals_int (format, GST_IS_PAD (GST_MESSAGE_SRC (message)) ? GST_FORMAT_DEFAULT : GST_FORMAT_BUFFERS);
  for (gchar **item = items; *item; item++) {
    const struct
    {
      const gchar *name;
      gint64 is;
      gboolean is_time;
    } fields[] = {
      {"live", is_live, FALSE}, {"running", (gint64) running_time, TRUE}, {"stream", (gint64) stream_time, TRUE},
      {"timestamp", (gint64) timestamp, TRUE}, {"duration", (gint64) duration, TRUE}, {"jitter", jitter, TRUE},
      {"processed", (gint64) processed, FALSE}, {"dropped", (gint64) dropped, FALSE},
    };
    const gchar *value = cut_at (*item, '=');
    guint f = 0;

    if (g_str_equal (*item, "from")) {
      fail_unless_equals_string (GST_OBJECT_NAME (GST_MESSAGE_SRC (message)), value);
      continue;
    }
    while (f < G_N_ELEMENTS (fields) && !g_str_equal (fields[f].name, *item))
      f++;
    fail_unless (f < G_N_ELEMENTS (fields), "QoS messages have no %s", *item);
    fail_unless (fields[f].is == (g_str_equal (value, "-") ? -1 : fields[f].is_time ? ns_at (play, value)
            : g_ascii_strtoll (value, NULL, 10)), "%s: %s is %" G_GINT64_FORMAT, play->word, *item, fields[f].is);
  }
  g_strfreev (items);
  gst_message_unref (message);
}

static GstMessageType
message_type (const gchar *name)
{
  static const GstMessageType types[] = { GST_MESSAGE_LATENCY, GST_MESSAGE_QOS, GST_MESSAGE_WARNING, GST_MESSAGE_ERROR,
    GST_MESSAGE_ELEMENT
  };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    if (g_str_equal (gst_message_type_get_name (types[i]), name))
      return types[i];
  }
  fail ("there are no messages \"%s\"", name);
  return GST_MESSAGE_UNKNOWN;
}

/* Until the element waits for that time. */
static void
wait_for_deadline (Rig *rig, gint64 deadline)
{
  while (gst_test_clock_peek_next_pending_id (rig->clock, NULL) == FALSE
      || gst_test_clock_get_next_entry_time (rig->clock) != (GstClockTime) deadline)
    g_thread_yield ();
}

static void
pause_until (Rig *rig, gint64 time, gboolean on_another_clock)
{
  const GstClockTime moved = (GstClockTime) time - gst_clock_get_time (GST_CLOCK (rig->clock));

  gst_element_set_state (rig->fuse, GST_STATE_PAUSED);
  if (on_another_clock) {
    gst_object_unref (rig->clock);
    rig->clock = g_object_new (GST_TYPE_TEST_CLOCK, "start-time", (GstClockTime) time, NULL);
    gst_object_ref_sink (rig->clock);
    gst_element_set_clock (rig->fuse, GST_CLOCK (rig->clock));
  } else {
    set_clock (rig, time);
  }
  gst_element_set_base_time (rig->fuse, gst_element_get_base_time (rig->fuse) + moved);
  gst_element_set_state (rig->fuse, GST_STATE_PLAYING);
}

static void
forget_samples_up_to (Play *play, gint64 time)
{
  GstClockTime pts;

  do {
    GstBuffer *sample = pull (play->rig);

    pts = GST_BUFFER_PTS (sample);
    gst_buffer_unref (sample);
  } while (pts != (GstClockTime) time);
}

void
stop (Rig *rig)
{
  rig_stop (rig);
  for (guint i = 0; i < rig->feeds->len; i++) {
    Feed *feed = g_ptr_array_index (rig->feeds, i);

    gst_pad_set_active (feed->pad, FALSE);
    gst_pad_set_active (feed->pad, TRUE);
  }
}

void
seek (Play *play, const gchar *text, GstSeekFlags flags)
{
  gchar *range = g_strdup (text);
  GstEvent *event;
  const gboolean is_taken = cut_at (range, '!') == NULL;
  gint64 start, stop;

  parse_range (play, range, &start, &stop);
  event = gst_event_new_seek (1, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, start, GST_SEEK_TYPE_SET, stop == NONE ? -1 : stop);
  if (is_taken)
    play->last_seek = gst_event_get_seqnum (event);
  fail_unless (gst_pad_push_event (play->rig->out->sinkpad, event) == is_taken, "%s", play->word);
  g_free (range);
}

static void
expect_segment_done (Play *play, gboolean is_of_seek)
{
  GstEvent *event = wait_event (play->rig, GST_EVENT_SEGMENT_DONE);

  if (play->last_seek != 0)
    fail_unless ((gst_event_get_seqnum (event) == play->last_seek) == is_of_seek, "SEGMENT_DONE of another seek");
  gst_event_unref (event);
}

/* T,R */
static void
expect_segment (Play *play, const gchar *text)
{
  GstEvent *event = gst_pad_get_sticky_event (play->rig->out->sinkpad, GST_EVENT_SEGMENT, 0);
  gchar **times = g_strsplit (text, ",", 2);
  const GstSegment *segment;

  fail_unless (event != NULL, "%s: no segment", play->word);
  gst_event_parse_segment (event, &segment);
  fail_unless_equals_int64 ((gint64) segment->start, ns_at (play, times[0]));
  fail_unless_equals_int64 ((gint64) gst_segment_to_running_time (segment, GST_FORMAT_TIME, segment->start), ns_at (play, times[1]));
  if (play->last_seek != 0)
    fail_unless_equals_int (gst_event_get_seqnum (event), play->last_seek);
  gst_event_unref (event);
  g_strfreev (times);
}

static gboolean
follow_message_word (Play *play, const gchar *word, const gchar *rest)
{
  Rig *rig = play->rig;

  if (g_str_has_prefix (word, "error:"))
    assert_error (rig, "%s", rest);
  else if (g_str_has_prefix (word, "warning:"))
    expect_message (rig, GST_MESSAGE_WARNING, word + 7);
  else if (g_str_has_prefix (word, "qos:"))
    expect_qos (play, rest);
  else if (g_str_has_prefix (word, "wait:"))
    gst_message_unref (wait_message (rig, message_type (rest)));
  else if (g_str_has_prefix (word, "no:"))
    assert_no_message (rig, message_type (rest));
  else if (g_str_has_prefix (word, "drop:"))
    drop_messages (rig, message_type (rest));
  else
    return FALSE;
  return TRUE;
}

static gboolean
play_follow (Play *play, const gchar *word, const gchar *rest)
{
  Rig *rig = play->rig;

  if (g_str_equal (word, "."))
    fail_unless (gst_harness_try_pull (rig->out) == NULL, "a sample");
  else if (*word == '@')
    set_clock (rig, ns_at (play, word + 1));
  else if (g_str_has_prefix (word, "base:"))
    gst_element_set_base_time (rig->fuse, (GstClockTime) ns_at (play, rest));
  else if (g_str_equal (word, "eos"))
    all_eos (rig);
  else if (g_str_equal (word, "balance"))
    assert_all_rows_balance (rig);
  else if (g_str_equal (word, "yield"))
    g_thread_yield ();
  else if (g_str_equal (word, "idle"))
    g_usleep (20000);
  else if (g_str_equal (word, "drop"))
    drop_samples (rig);
  else if (g_str_equal (word, "renew"))
    rig_renew_output (rig);
  else if (g_str_equal (word, "stop"))
    stop (rig);
  else if (g_str_equal (word, "play"))
    rig_play (rig);
  else if (g_str_equal (word, "awake"))
    rig_assert_awake (rig);
  else if (g_str_equal (word, "waits"))
    gst_test_clock_wait_for_next_pending_id (rig->clock, NULL);
  else if (g_str_has_prefix (word, "waits:"))
    wait_for_deadline (rig, ns_at (play, rest));
  else if (g_str_has_prefix (word, "jump:"))
    jump_clock (rig, ns_at (play, rest));
  else if (g_str_has_prefix (word, "pause:") || g_str_has_prefix (word, "clock:"))
    pause_until (rig, ns_at (play, rest), *word == 'c');
  else if (g_str_has_prefix (word, "past:"))
    forget_samples_up_to (play, ns_at (play, rest));
  else if (g_str_has_prefix (word, "deadline:"))
    pass_deadline (rig, ns_at (play, rest));
  else if (g_str_has_prefix (word, "wall:"))
    pass_wall_time (rig, ns_at (play, rest));
  else if (g_str_has_prefix (word, "seek:"))
    seek (play, rest, GST_SEEK_FLAG_FLUSH);
  else if (g_str_has_prefix (word, "loop:"))
    seek (play, rest, GST_SEEK_FLAG_SEGMENT);
  else if (g_str_has_prefix (word, "begins:"))
    expect_segment (play, rest);
  else if (g_str_equal (word, "done") || g_str_equal (word, "earlier-done"))
    expect_segment_done (play, *word == 'd');
  else
    return follow_message_word (play, word, rest);
  return TRUE;
}

static G_GNUC_NORETURN void
play_abort (const gchar *text)
{
  ck_abort_msg ("%s", text);
  g_assert_not_reached ();
}

static const Player element_player = {
  .fail = play_abort,
  .add = play_add,
  .remove = play_remove,
  .set = play_set,
  .start = play_start,
  .push = play_push,
  .begin_stream = play_begin_stream,
  .send_caps = play_send_caps,
  .send_segment = play_send_segment,
  .send_gap = play_send_gap,
  .send_origin = play_send_origin,
  .send_eos = play_send_eos,
  .flush = play_flush,
  .set_source = play_set_source,
  .follow_of_pad = play_follow_of_pad,
  .follow = play_follow,
  .pull = play_pull,
  .pull_gap = play_pull_gap,
  .get_segment_start = play_get_segment_start,
  .get_number = play_get_number,
  .get_caps_field = play_get_caps_field,
};

Play *
play_new (const gchar *settings, const gchar *pads)
{
  return play_of_rig (&element_player, rig_new (settings), pads);
}

void
play_free (Play *play)
{
  assert_no_message (play->rig, GST_MESSAGE_ERROR);
  if (play->rig->out)
    assert_all_rows_balance (play->rig);
  rig_free (play->rig);
  play_release (play);
}

GThread *
start_source (Play *play, gchar letter, guint64 n_rows)
{
  Feed *feed = play->pads[letter - 'a'].feed;
  GThread *thread = g_thread_new ("source", push_until_refused, feed);

  while (fuse_count (feed->sink, "rows-in") < n_rows)
    g_thread_yield ();
  return thread;
}

static const Scenario *played;

GST_START_TEST (test_scenario)
{
  Play *play;

  rig_busy_wait = __i__ % 2 ? "3000000" : "0";
  play = play_new (played[__i__ / 2].settings, played[__i__ / 2].pads);
  play_words (play, played[__i__ / 2].words);
  play_free (play);
}

GST_END_TEST;

void
add_scenarios (Suite *s, const Scenario *scenarios, gint n, gboolean awake_too)
{
  played = scenarios;
  for (gint i = 0; i < n; i++)
    tcase_add_loop_test (add_case (s, scenarios[i].name), test_scenario, 2 * i, 2 * i + (awake_too ? 2 : 1));
}
