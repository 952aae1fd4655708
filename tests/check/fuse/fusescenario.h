/* robocache: robocachefuse: scenarios of rows in and samples out, each a line of words
 *
 * Times are in ms, or 2h, 1d. They and values may be sums like t+5 or 1d-10, where t is the time of the loop that the word is
 * in, or of the word itself.
 *
 * Pads are letters: "a" is proprio_0, "b" is proprio_1, and so on; "a=sink_0" has another name. Behind a comma each:
 *     PROPERTY=VALUE              a setting; durations in ns, or as 5ms
 *     caps:C                      [float64:]CHANNELS[:ROWS][NAME,NAME][@RATE], 1+times with row times, or gray@RATE, which is 4x2
 *                                 pixels. Without it one channel with no rate, or at 100 Hz if it is live
 *     live, live:N                its source is live, with a latency of N ms; holds-nothing: and with no room
 *     bare                        linked, and nothing is sent yet     absent      there is no such pad yet
 *     on-seek:ACT                 what its source does, as in Feed
 *     expects:C                   its expected caps                   unlinked    it has no source yet
 *
 * In:
 *     a+T[:D][~R][=V,V][!FLOW]    a row at T (a block of duration D), of the value T or these; the pad answers FLOW, or any. T is
 *                                 - for no time, or FIRST..LAST/STEP. ab+T: to a, then to b. R is a reference timestamp (of the
 *                                 duration D): ntp:T, unix:T since TODAY of that clock, or raw:T. Of row:T is its row time
 *     a:stream, a:caps=C, a:segment:start=T,stop=T,base=T,…, a:start:… (these three), a:eos, a:gap:T,D
 *     a:origin=T, a:origin-set=T  its source counts from T on its clock: its first row, or what was set
 *     a:title                     tags of something else
 *     ab:flush                    one flush of these pads             a:flush-start#N, a:flush-stop#N  parts of flush N
 *     a:live, a:live:N            its source is live from now on      a:flush-stop-keep#N  that does not reset times
 *     a:add, a:link, a:remove, a:activate, a:deactivate, a:PROPERTY=VALUE
 *     eos (of all pads), set:PROPERTY=VALUE, stop, play
 *     seek:START[..STOP][!]       a flushing seek from downstream; ! is refused
 *     a:sought=START[..STOP]      its source got a seek to there
 *     @T                          the clock is at T                   base:T      the base time
 *     deadline:T                  the element waits for T; the clock is let there
 *     jump:T                      the element waits for the clock, which is then at T
 *     wall:T                      the system clock is at T
 *     pause:T                     the element pauses until the clock is at T, and running time stands still
 *     clock:T                     while it pauses the clock's provider leaves, and another clock that is at T takes its place
 *     waits, waits:T, awake       the element waits for the clock, for that time, or reads the clock again and again
 * Out:
 *     >T[:D][!?] a=V,V b=…        a sample at T (of duration D; ! with DISCONT, ? without) and its streams: V is aligned,
 *                                 held:V, missing, any, or none where it is not in the sample. One that is not named is aligned,
 *                                 and its value is T. One value stands for all channels
 *     >eos, >gap:T,D, >nogap      the end; the next GAP event; no other one
 *     >segment:T                  positions of the segment in force start at T
 *     .                           no sample is out                    drop, renew  forget samples; after a flush, the EOS, too
 *     past:T                      forgets samples up to the one at T, which it waits for
 *     yield, idle                 other threads go on; for 20 ms
 * Then:
 *     NAME=N, a.NAME>N, removed.NAME<N   a number of stats: of the element, a pad, the pads that are gone; ns, or as 5ms, 1h, 1d
 *     latency=N, live=N, now=N    as queried                          balance     all rows are accounted for, as at the end
 *     caps.FIELD=TEXT             of the samples                      qos:FIELD=N,…  the next QoS message; see expect_qos
 *     error:KIND:WORD|WORD        the one error, and words of its text: a word with blanks is quoted
 *     warning:WORD|WORD           the next one                        wait:TYPE, no:TYPE, drop:TYPE  messages
 *     for:FIRST..LAST/STEP { … }  the words between for each t
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_SCENARIO_H
#define FUSE_SCENARIO_H

#include "fuseplay.h"

typedef struct
{
  const gchar *name, *settings, *pads, *words;
} Scenario;

/* ---- samples out ---- */

static inline gdouble
element_of (const PlayedPad *pad, const GstMapInfo *map, guint i)
{
  gfloat value;

  if (pad->element_size == 1)
    return map->data[i];
  memcpy (&value, map->data + i * sizeof (value), sizeof (value));
  return value;
}

/* The stream has this status and these values, from the first-th element of the tensor on: all of them, or as many as are given;
 * without a text it is aligned, and its value t. Returns how many they are. */
static inline guint
expect_stream (Play *play, const PlayedPad *pad, gint64 status, GstMemory *tensor, guint first, gboolean is_all,
    const gchar *text, gdouble t)
{
  const gboolean is_held = text && g_str_has_prefix (text, "held:"), is_missing = g_strcmp0 (text, "missing") == 0;
  const gint64 expected = is_held ? HELD : is_missing ? MISSING : ALIGNED;
  gdouble values[MAX_VALUES] = { !is_missing ? t : pad->element_size == 1 ? 0 : NAN };
  const guint n_given = is_missing || text == NULL ? 1 : parse_values (play, is_held ? text + 5 : text, t, values);
  GstMapInfo map;
  guint n;

  fail_unless (status == expected, "%s: the status of %s is %d, not %d", play->word, pad->name, (gint) status, (gint) expected);
  fail_unless (gst_memory_map (tensor, &map, GST_MAP_READ));
  n = is_all ? (guint) (map.size / MIN (pad->element_size, sizeof (gfloat))) : n_given;
  fail_unless (n_given == 1 || n_given == n, "%s: %s has %u values", play->word, pad->name, n);
  for (guint i = 0; i < n; i++) {
    const gdouble wanted = values[n_given == 1 ? 0 : i], value = element_of (pad, &map, first + i);

    fail_unless (isnan (wanted) ? isnan (value) : fabs (value - wanted) <= 1e-5 * MAX (1.0, fabs (wanted)),
        "%s: %s is %.9g, not %.9g", play->word, pad->name, value, wanted);
  }
  gst_memory_unmap (tensor, &map);
  return n;
}

/* What the words behind that of a sample say about a pad; NULL: nothing. */
static inline const gchar *
find_stream (const Play *play, gchar **words, guint pad)
{
  for (; *words && is_of_pads (play, *words, '='); words++) {
    if (**words == (gchar) ('a' + pad))
      return *words + 2;
  }
  return NULL;
}

/* Every stream is what its word says. */
static inline void
expect_streams (Play *play, GstBuffer *sample, gdouble t, gchar **words)
{
  gchar **streams = g_strsplit (gst_structure_get_string (sample_meta (sample), "streams"), ",", -1);
  const guint n_streams = g_strv_length (streams);
  const gboolean is_concat = gst_buffer_n_memory (sample) < n_streams;
  gboolean is_present[MAX_PADS] = { FALSE };
  guint n_before = 0;
  gsize info_size;

  g_bytes_get_data (g_value_get_boxed (gst_structure_get_value (sample_meta (sample), "info")), &info_size);
  for (guint s = 0; s < n_streams; s++) {
    const guint newest = (guint) (info_size / (4 * sizeof (gint64))) - n_streams + s;
    const gchar *text;
    guint p = 0;

    while (p < play->n_pads && !g_str_equal (play->pads[p].name, streams[s]))
      p++;
    fail_unless (p < play->n_pads, "%s: a stream %s", play->word, streams[s]);
    text = find_stream (play, words, p);
    is_present[p] = TRUE;
    if (g_strcmp0 (text, "any") != 0)
      n_before += expect_stream (play, &play->pads[p], status_of (sample, newest), gst_buffer_peek_memory (sample,
              is_concat ? 0 : s), is_concat ? n_before : 0, !is_concat, text, t);
  }
  for (guint p = 0; p < play->n_pads; p++) {
    const gchar *text = find_stream (play, words, p);

    fail_unless (is_present[p] == (text ? !g_str_equal (text, "none") : play->pads[p].has_caps), "%s: %s is %sin the sample",
        play->word, play->pads[p].name, is_present[p] ? "" : "not ");
  }
  g_strfreev (streams);
}

static inline void
expect_sample (Play *play, gdouble t, const gchar *duration, gchar flag, gchar **words)
{
  GstBuffer *sample = pull_until_eos (play->rig);

  fail_unless (sample != NULL, "%s: EOS instead of a sample at %g", play->word, t);
  fail_unless (GST_BUFFER_PTS (sample) == (guint64) ns_of_ms (t), "%s: a sample at %g", play->word,
      (gdouble) GST_BUFFER_PTS (sample) / 1e6);
  if (duration)
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (sample), (guint64) ns_of_ms (number_at (duration, t)));
  if (flag)
    fail_unless (GST_BUFFER_IS_DISCONT (sample) == (flag == '!'), "%s: DISCONT at %g", play->word, t);
  expect_streams (play, sample, t, words);
  gst_buffer_unref (sample);
}

/* T[:D][!?] and the words of its streams */
static inline void
expect_samples (Play *play, const gchar *text, gchar **words)
{
  gchar *time = g_strdup (text), *end = time + strlen (time) - 1, *duration;
  const gchar flag = *end == '!' || *end == '?' ? *end : '\0';
  Times times;

  if (flag)
    *end = '\0';
  duration = cut_at (time, ':');
  times = parse_times (play, time);
  for (gdouble t = times.first; t <= times.last; t += times.step)
    expect_sample (play, t, duration, flag, words);
  g_free (time);
}

static inline GstEvent *
next_event (Rig *rig, GstEventType type)
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_event (rig->out)) && GST_EVENT_TYPE (event) != type)
    gst_event_unref (event);
  return event;
}

static inline GstEvent *
wait_event (Rig *rig, GstEventType type)
{
  GstEvent *event;

  while ((event = next_event (rig, type)) == NULL)
    g_thread_yield ();
  return event;
}

static inline void
expect_gap (Play *play, const gchar *text)
{
  GstEvent *event = next_event (play->rig, GST_EVENT_GAP);
  GstClockTime start, duration;
  gdouble numbers[MAX_VALUES];

  fail_unless (event != NULL, "%s: no GAP", play->word);
  parse_values (play, text, 0, numbers);
  gst_event_parse_gap (event, &start, &duration);
  fail_unless_equals_uint64 (start, (guint64) ns_of_ms (numbers[0]));
  fail_unless_equals_uint64 (duration, (guint64) ns_of_ms (numbers[1]));
  gst_event_unref (event);
}

static inline void
expect_segment (Play *play, const gchar *text)
{
  GstEvent *event = gst_pad_get_sticky_event (play->rig->out->sinkpad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;

  fail_unless (event != NULL, "%s: no segment", play->word);
  gst_event_parse_segment (event, &segment);
  fail_unless_equals_uint64 (segment->start, (guint64) ns_of_ms (number_at (text, play->t)));
  fail_unless_equals_uint64 (gst_segment_to_running_time (segment, GST_FORMAT_TIME, segment->start), segment->start);
  gst_event_unref (event);
}

static inline void
drop_samples (Rig *rig)
{
  GstBuffer *sample;

  while ((sample = gst_harness_try_pull (rig->out)))
    gst_buffer_unref (sample);
}

/* ---- numbers and messages ---- */

static inline gint64
number_in (const GstStructure *stats, const gchar *name)
{
  const GValue *value = gst_structure_get_value (stats, name);
  GValue number = G_VALUE_INIT;

  fail_unless (value != NULL, "stats have no %s", name);
  g_value_init (&number, G_TYPE_INT64);
  fail_unless (g_value_transform (value, &number), "%s is no number", name);
  return g_value_get_int64 (&number);
}

/* The latency of the element, which is live or not. */
static inline gint64
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
static inline gint64
number_of (Play *play, const gchar *name)
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

/* N, or a time in ns: Nms, Nh, Nd */
static inline gint64
parse_integer (const gchar *text)
{
  gchar *rest;
  const gint64 n = g_ascii_strtoll (text, &rest, 10);

  if (*rest == '\0')
    return n;
  return g_str_has_suffix (text, "ms") ? ns_of_ms (g_ascii_strtod (text, NULL)) : ns_of_ms (number_at (text, NAN));
}

/* NAME=N, NAME>N, NAME<N */
static inline void
expect_number (Play *play, const gchar *word)
{
  const gsize length = strcspn (word, "=<>");
  gchar *name = g_strndup (word, length);
  const gchar *text = word + length + 1, relation = word[length];

  fail_unless (relation != '\0', "\"%s\" is no word of a scenario", word);
  if (g_str_has_prefix (name, "caps.")) {
    assert_output_field (play->rig, name + 5, *text ? text : NULL);
  } else {
    const gint64 number = number_of (play, name), wanted = parse_integer (text);

    fail_unless (relation == '=' ? number == wanted : relation == '<' ? number < wanted : number > wanted,
        "%s: it is %" G_GINT64_FORMAT, word, number);
  }
  g_free (name);
}

/* FIELD=N,…: the next QoS message is of this pad, or the element, and has these fields; times are in ms */
static inline void
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
    fail_unless (fields[f].is == (g_str_equal (value, "-") ? -1 : fields[f].is_time ? ns_of_ms (number_at (value, play->t))
            : g_ascii_strtoll (value, NULL, 10)), "%s: %s is %" G_GINT64_FORMAT, play->word, *item, fields[f].is);
  }
  g_strfreev (items);
  gst_message_unref (message);
}

static inline GstMessageType
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

/* ---- scenarios ---- */

/* Until the element waits for that time. */
static inline void
wait_for_deadline (Rig *rig, gint64 deadline)
{
  while (gst_test_clock_peek_next_pending_id (rig->clock, NULL) == FALSE
      || gst_test_clock_get_next_entry_time (rig->clock) != (GstClockTime) deadline)
    g_thread_yield ();
}

static inline void
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

static inline void
forget_samples_up_to (Play *play, gint64 time)
{
  GstClockTime pts;

  do {
    GstBuffer *sample = pull (play->rig);

    pts = GST_BUFFER_PTS (sample);
    gst_buffer_unref (sample);
  } while (pts != (GstClockTime) time);
}

/* To NULL; what sources have sent is forgotten. */
static inline void
stop (Rig *rig)
{
  rig_stop (rig);
  for (guint i = 0; i < rig->feeds->len; i++) {
    Feed *feed = g_ptr_array_index (rig->feeds, i);

    gst_pad_set_active (feed->pad, FALSE);
    gst_pad_set_active (feed->pad, TRUE);
  }
}

static inline void
expect_out (Play *play, const gchar *what, gchar **words)
{
  if (g_str_equal (what, "eos"))
    assert_eos (play->rig);
  else if (g_str_equal (what, "nogap"))
    fail_unless (next_event (play->rig, GST_EVENT_GAP) == NULL, "a GAP");
  else if (g_str_has_prefix (what, "gap:"))
    expect_gap (play, what + 4);
  else if (g_str_has_prefix (what, "segment:"))
    expect_segment (play, what + 8);
  else
    expect_samples (play, what, words);
}

/* START[..STOP][!] */
static inline void
seek (Play *play, const gchar *text)
{
  gchar *range = g_strdup (text);
  const gboolean is_taken = cut_at (range, '!') == NULL;
  const Times times = parse_times (play, range);

  fail_unless (gst_pad_push_event (play->rig->out->sinkpad, seek_to (ns_of_ms (times.first), strstr (range, "..")
              ? ns_of_ms (times.last) : -1)) == is_taken, "%s", play->word);
  g_free (range);
}

static inline gint64
ns_at (const Play *play, const gchar *text)
{
  return ns_of_ms (number_at (text, play->t));
}

/* Of tests that know how the element waits. */
static void (*rig_assert_awake) (Rig * rig);

/* A word that is neither a pad's nor a number. */
static inline gboolean
follow_command (Play *play, const gchar *word)
{
  Rig *rig = play->rig;
  const gchar *rest = strchr (word, ':') ? strchr (word, ':') + 1 : "";

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
    seek (play, rest);
  else if (g_str_has_prefix (word, "set:"))
    set_from_text (rig->fuse, rest);
  else if (g_str_has_prefix (word, "error:"))
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

static inline void
follow (Play *play, gchar **words)
{
  gchar *word = *words;

  play->word = word;
  if (*word == '>') {
    expect_out (play, word + 1, words + 1);
  } else if (is_of_pads (play, word, '+')) {
    for (gchar *letter = word; *letter != '+'; letter++)
      push_rows (play, &play->pads[*letter - 'a'], strchr (word, '+') + 1);
  } else if (is_of_pads (play, word, ':') && g_str_has_suffix (word, ":flush")) {
    play->seqnums[0] = 0;
    for (gchar *letter = word; *letter != ':'; letter++)
      push_flush (play, &play->pads[*letter - 'a'], gst_event_new_flush_start (), 0);
    for (gchar *letter = word; *letter != ':'; letter++)
      push_flush (play, &play->pads[*letter - 'a'], gst_event_new_flush_stop (TRUE), 0);
  } else if (is_of_pads (play, word, ':')) {
    for (gchar *letter = word; *letter != ':'; letter++)
      tell_pad (play, &play->pads[*letter - 'a'], strchr (word, ':') + 1);
  } else if (!follow_command (play, word)) {
    expect_number (play, word);
  }
}

/* From there to the end, or to the brace that ends a loop; returns where it is. */
static inline gchar **
follow_all (Play *play, gchar **words)
{
  for (; *words && !g_str_equal (*words, "}"); words++) {
    if (g_str_has_prefix (*words, "for:")) {
      const Times times = parse_times (play, *words + 4);
      const gdouble outer = play->t;
      gchar **end = words;

      for (play->t = times.first; play->t <= times.last; play->t += times.step)
        end = follow_all (play, words + 2);
      fail_unless (*end != NULL, "a brace too few");
      play->t = outer;
      words = end;
      continue;
    }
    follow (play, words);
    if (**words == '>') {       /* the words of its streams were read with a sample */
      while (words[1] && is_of_pads (play, words[1], '='))
        words++;
    }
  }
  return words;
}

/* A running element with these settings and pads. */
static inline Play *
play_new (const gchar *settings, const gchar *pads)
{
  Play *play = g_new0 (Play, 1);
  gchar **items;

  play->rig = rig_new (settings);
  play->t = NAN;
  items = g_strsplit (pads, " ", -1);
  for (gchar **item = items; *item && **item; item++)
    declare_pad (play, *item);
  g_strfreev (items);
  rig_play (play->rig);
  for (guint p = 0; p < play->n_pads; p++) {
    if (!play->pads[p].is_bare && !play->pads[p].is_absent && !play->pads[p].is_unlinked)
      tell_pad (play, &play->pads[p], "start");
  }
  return play;
}

static inline void
play_words (Play *play, const gchar *text)
{
  gchar **words;

  fail_unless (g_shell_parse_argv (text, NULL, &words, NULL), "\"%s\" cannot be split", text);
  fail_unless (*follow_all (play, words) == NULL, "a brace too much");
  g_strfreev (words);
}

/* All rows are accounted for at the end, and no error is left unread. */
static inline void
play_free (Play *play)
{
  assert_no_message (play->rig, GST_MESSAGE_ERROR);
  if (play->rig->out)
    assert_all_rows_balance (play->rig);
  rig_free (play->rig);
  for (guint p = 0; p < play->n_pads; p++) {
    g_free (play->pads[p].name);
    g_free (play->pads[p].caps);
    g_free (play->pads[p].expected);
    g_free (play->pads[p].on_seek);
  }
  g_free (play);
}

/* A thread that feeds the pad until its rows are refused; it has fed that many, and may wait. */
static inline GThread *
start_source (Play *play, gchar letter, guint64 n_rows)
{
  Feed *feed = play->pads[letter - 'a'].feed;
  GThread *thread = g_thread_new ("source", push_until_refused, feed);

  while (count_of (feed->sink, "rows-in") < n_rows)
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

/* Each scenario is a test case of its own name, and runs once more while the element never sleeps for long, if awake_too. */
static inline void
add_scenarios (Suite *s, const Scenario *scenarios, gint n, gboolean awake_too)
{
  played = scenarios;
  for (gint i = 0; i < n; i++)
    tcase_add_loop_test (add_case (s, scenarios[i].name), test_scenario, 2 * i, 2 * i + (awake_too ? 2 : 1));
}

#endif
