/* robocache: scenarios of robocachefuse, rows in and samples out, each a line of words
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/interpolation.h"

typedef struct
{
  gdouble first, last, step;
} Times;

void
play_fail (const Play *play, const gchar *format, ...)
{
  va_list args;
  gchar *reason, *text;

  va_start (args, format);
  reason = g_strdup_vprintf (format, args);
  va_end (args);
  text = g_strdup_printf ("%s: %s", play->word ? play->word : "", reason);
  g_free (reason);
  play->player->fail (text);
}

/* ---- parts of words ---- */

gint64
ns_of_ms (gdouble ms)
{
  return isnan (ms) ? NONE : (gint64) llround (ms * 1e6);
}

/* A sum of t and numbers, which may be hours or days: "t+10", "1d-5"; - is NaN. */
static gdouble
number_at (const Play *play, const gchar *text, gdouble t)
{
  const gchar *rest = text;
  gdouble sum = 0;

  if (g_str_equal (text, "-"))
    return NAN;
  do {
    gchar *end = NULL;
    gdouble term = t;

    if (*rest == 't')
      end = (gchar *) rest + 1;
    else
      term = g_ascii_strtod (rest, &end);
    play_expect (play, end > rest, "\"%s\" is no number", text);
    sum += term * (*end == 'd' ? 24 * 3600000.0 : *end == 'h' ? 3600000.0 : 1);
    rest = *end == 'd' || *end == 'h' ? end + 1 : end;
  } while (*rest == '+' || *rest == '-');
  play_expect (play, *rest == '\0', "\"%s\" is no number", text);
  return sum;
}

gint64
ns_at (const Play *play, const gchar *text)
{
  return ns_of_ms (number_at (play, text, play->t));
}

/* T or FIRST..LAST/STEP */
static Times
parse_times (const Play *play, const gchar *text)
{
  gchar **ends = g_strsplit (text, "..", 2);
  Times times = { number_at (play, ends[0], play->t), 0, 1 };

  times.last = times.first;
  if (ends[1]) {
    gchar **items = g_strsplit (ends[1], "/", 2);

    times.last = number_at (play, items[0], play->t);
    if (items[1])
      times.step = number_at (play, items[1], play->t);
    g_strfreev (items);
  }
  g_strfreev (ends);
  play_expect (play, !(times.last < times.first) && times.step > 0, "\"%s\" is empty", text);
  return times;
}

void
parse_range (const Play *play, const gchar *text, gint64 *start, gint64 *stop)
{
  const Times times = parse_times (play, text);

  *start = ns_of_ms (times.first);
  *stop = strstr (text, "..") ? ns_of_ms (times.last) : NONE;
}

/* V,V,… */
static guint
parse_values (const Play *play, const gchar *text, gdouble t, gdouble values[MAX_VALUES])
{
  gchar **items = g_strsplit (text, ",", -1);
  const guint n = g_strv_length (items);

  play_expect (play, n <= MAX_VALUES, "%u values", n);
  for (guint i = 0; i < n; i++)
    values[i] = number_at (play, items[i], isnan (play->t) ? t : play->t);
  g_strfreev (items);
  return n;
}

/* T,D in ns. */
static void
parse_gap (const Play *play, const gchar *text, gint64 *start, gint64 *duration)
{
  gdouble numbers[MAX_VALUES] = { NAN, NAN };

  parse_values (play, text, 0, numbers);
  *start = ns_of_ms (numbers[0]);
  *duration = ns_of_ms (numbers[1]);
}

/* N, or a time in ns: Nms, Nh, Nd */
static gint64
parse_integer (const Play *play, const gchar *text)
{
  gchar *rest;
  const gint64 n = g_ascii_strtoll (text, &rest, 10);

  if (*rest == '\0')
    return n;
  return g_str_has_suffix (text, "ms") ? ns_of_ms (g_ascii_strtod (text, NULL)) : ns_of_ms (number_at (play, text, NAN));
}

gchar *
setting_in_ns (const gchar *text)
{
  if (g_str_has_suffix (text, "ms") && strspn (text, "-.0123456789") == strlen (text) - 2)
    return g_strdup_printf ("%" G_GINT64_FORMAT, ns_of_ms (g_ascii_strtod (text, NULL)));
  return g_strdup (text);
}

gchar *
cut_at (gchar *text, gchar mark)
{
  gchar *found = strchr (text, mark);

  if (found)
    *found++ = '\0';
  return found;
}

gboolean
is_of_pads (const Play *play, const gchar *word, gchar mark)
{
  gsize n = 0;

  while (word[n] >= 'a' && word[n] < (gchar) ('a' + play->n_pads))
    n++;
  return n > 0 && word[n] == mark;
}

static PlayedPad *
pad_of (Play *play, gchar letter)
{
  return &play->pads[letter - 'a'];
}

gchar *
missing_word (const gchar *text, const gchar *words)
{
  gchar **split = g_strsplit (words, "|", -1), *missing = NULL;

  for (gchar **word = split; *word && missing == NULL; word++) {
    if (strstr (text, *word) == NULL)
      missing = g_strdup (*word);
  }
  g_strfreev (split);
  return missing;
}

/* ---- pads ---- */

static void
clear_caps (PlayedCaps *caps)
{
  g_free (caps->shape);
  g_free (caps->names);
  g_free (caps->kinds);
  g_free (caps->rate);
}

static gchar *
up_to (gchar *text, gchar end)
{
  if (text)
    cut_at (text, end);
  return g_strdup (text);
}

/* gray@RATE, 1+times or [float64:]CHANNELS[:ROWS[:N]][NAME,NAME]<KIND,KIND>[@RATE] */
static void
parse_caps (PlayedCaps *caps, const gchar *text)
{
  const gboolean is_double = g_str_has_prefix (text, "float64:"), is_gray = g_str_has_prefix (text, "gray");
  gchar *shape = g_strdup (is_double ? text + strlen ("float64:") : text), *rate = cut_at (shape, '@'), *kinds = cut_at (shape, '<');
  gchar *names = cut_at (shape, '[');
  const gchar *rows = strchr (shape, ':');

  clear_caps (caps);
  *caps = (PlayedCaps) {
    .names = up_to (names, ']'),
    .kinds = up_to (kinds, '>'),
    .rate = g_strdup (rate),
    .element_size = is_gray ? 1 : is_double ? sizeof (gdouble) : sizeof (gfloat),
    .channels = is_gray ? 8 : (guint) strtoull (shape, NULL, 10),
    .n_rows = 1,
    .has_times = g_str_has_suffix (shape, "+times"),
  };
  for (; rows; rows = strchr (rows + 1, ':'))
    caps->n_rows *= (guint) atoi (rows + 1);
  cut_at (shape, '+');
  caps->shape = shape;
}

/* One of an attribute behind a comma; settings are for later. */
static void
declare_attribute (Play *play, PlayedPad *pad, const gchar *item)
{
  if (g_str_has_prefix (item, "live")) {
    pad->is_live = TRUE;
    pad->latency = item[4] ? number_at (play, item + 5, 0) : 0;
  } else if (g_str_has_prefix (item, "caps:")) {
    parse_caps (&pad->caps, item + 5);
  } else if (g_str_has_prefix (item, "on-seek:")) {
    pad->on_seek = g_strdup (item + 8);
  } else if (g_str_has_prefix (item, "expects:")) {
    parse_caps (&pad->expected, item + 8);
  } else if (g_str_equal (item, "holds-nothing")) {
    pad->holds_nothing = TRUE;
  } else if (g_str_equal (item, "bare")) {
    pad->is_bare = TRUE;
  } else if (g_str_equal (item, "absent")) {
    pad->is_absent = TRUE;
  } else if (g_str_equal (item, "unlinked")) {
    pad->is_unlinked = TRUE;
  } else {
    play_expect (play, strchr (item, '=') != NULL, "\"%s\" is nothing of a pad", item);
  }
}

/* LETTER[=NAME][,ATTRIBUTE…] */
static void
declare_pad (Play *play, const gchar *text)
{
  const guint index = play->n_pads++;
  gchar **items = g_strsplit (text, ",", -1);
  PlayedPad *pad = &play->pads[index];

  play_expect (play, index < MAX_PADS && *text == (gchar) ('a' + index), "\"%s\" is not the next pad", text);
  pad->name = text[1] == '=' ? g_strdup (items[0] + 2) : g_strdup_printf ("proprio_%u", index);
  for (gchar **item = items + 1; *item; item++)
    declare_attribute (play, pad, *item);
  if (pad->caps.shape == NULL)
    parse_caps (&pad->caps, pad->is_live ? "1@100/1" : "1");
  if (!pad->is_absent)
    play->player->add (play, pad);
  for (gchar **item = items + 1; *item; item++) {
    if (strchr (*item, '='))
      play->player->set (play, pad, *item);
  }
  g_strfreev (items);
}

/* ---- rows in ---- */

/* CLOCK:T */
static void
parse_reference (const Play *play, const gchar *text, PlayedRows *rows)
{
  static const struct
  {
    const gchar *prefix;
    gint64 origin;
  } clocks[] = {
    [PLAYED_NTP] = {"ntp:", NTP_TODAY}, [PLAYED_UNIX] = {"unix:", UNIX_TODAY}, [PLAYED_RAW] = {"raw:", 0}, [PLAYED_ROW] = {"row:", 0}
  };

  for (guint i = PLAYED_NTP; i < G_N_ELEMENTS (clocks); i++) {
    if (!g_str_has_prefix (text, clocks[i].prefix))
      continue;
    rows->clock = i;
    rows->reference = clocks[i].origin + ns_at (play, strchr (text, ':') + 1);
    return;
  }
  play_fail (play, "\"%s\" has no clock", text);
}

/* A row word's parts behind the time; NULL: it has none. */
typedef struct
{
  const gchar *duration, *reference, *values, *answer;
} RowParts;

static void
push_rows_at (Play *play, PlayedPad *pad, gdouble t, const RowParts *parts)
{
  PlayedRows rows = { ns_of_ms (t), parts->duration ? ns_at (play, parts->duration) : NONE, .values = {t} };
  const guint n = pad->caps.channels * pad->caps.n_rows;
  const guint n_given = parts->values ? parse_values (play, parts->values, t, rows.values) : 1;
  const gchar *flow;

  play_expect (play, n <= MAX_VALUES && (n_given == 1 || n_given == n), "%u values of %u", n_given, n);
  for (guint i = n_given; i < n; i++)
    rows.values[i] = rows.values[0];
  if (parts->reference)
    parse_reference (play, parts->reference, &rows);
  flow = play->player->push (play, pad, &rows);
  play_expect (play, g_strcmp0 (parts->answer, "any") == 0 || g_str_equal (flow, parts->answer ? parts->answer : "ok"), "%s", flow);
}

/* T[:D][~R][=V,V][!FLOW] */
static void
push_rows (Play *play, PlayedPad *pad, const gchar *text)
{
  gchar *time = g_strdup (text);
  RowParts parts = { NULL };
  Times times;

  parts.answer = cut_at (time, '!');
  parts.values = cut_at (time, '=');
  parts.reference = cut_at (time, '~');
  parts.duration = cut_at (time, ':');
  times = parse_times (play, time);
  if (isnan (times.first))
    push_rows_at (play, pad, NAN, &parts);
  for (gdouble t = times.first; t <= times.last; t += times.step)
    push_rows_at (play, pad, t, &parts);
  g_free (time);
}

/* start=T,stop=T,base=T,offset=T,time=T,position=T; format=NAME */
static void
send_segment (Play *play, PlayedPad *pad, const gchar *text)
{
  gchar **items = g_strsplit (text, ",", -1);
  PlayedSegment segment = {.stop = NONE };
  const struct
  {
    const gchar *name;
    gint64 *field;
  } fields[] = {
    {"start", &segment.start}, {"stop", &segment.stop}, {"base", &segment.base}, {"offset", &segment.offset}, {"time", &segment.time},
    {"position", &segment.position}
  };

  for (gchar **item = items; *item && **item; item++) {
    const gchar *value = cut_at (*item, '=');
    guint i = 0;

    if (g_str_equal (*item, "format")) {
      segment.format = value;
      continue;
    }
    while (i < G_N_ELEMENTS (fields) && !g_str_equal (fields[i].name, *item))
      i++;
    play_expect (play, i < G_N_ELEMENTS (fields), "a segment has no %s", *item);
    *fields[i].field = ns_at (play, value);
    if (i == 0)
      segment.time = segment.start;
  }
  play->player->send_segment (play, pad, &segment);
  g_strfreev (items);
}

static void
send_caps (Play *play, PlayedPad *pad)
{
  pad->has_caps = play->player->send_caps (play, pad);
}

void
tell_pad (Play *play, PlayedPad *pad, const gchar *what)
{
  const Player *player = play->player;
  gint64 start, duration;

  if (g_str_equal (what, "eos")) {
    player->send_eos (play, pad);
  } else if (g_str_equal (what, "start") || g_str_has_prefix (what, "start:")) {
    player->begin_stream (play, pad);
    send_caps (play, pad);
    send_segment (play, pad, what[5] ? what + 6 : "");
  } else if (g_str_equal (what, "stream")) {
    player->begin_stream (play, pad);
  } else if (g_str_has_prefix (what, "caps=")) {
    parse_caps (&pad->caps, what + 5);
    send_caps (play, pad);
  } else if (g_str_has_prefix (what, "segment")) {
    send_segment (play, pad, what[7] ? what + 8 : "");
  } else if (g_str_has_prefix (what, "gap:")) {
    parse_gap (play, what + 4, &start, &duration);
    player->send_gap (play, pad, start, duration);
  } else if (g_str_has_prefix (what, "origin=") || g_str_has_prefix (what, "origin-set=")) {
    player->send_origin (play, pad, ns_at (play, strchr (what, '=') + 1), what[6] == '=');
  } else if (g_str_equal (what, "live") || g_str_has_prefix (what, "live:")) {
    pad->is_live = TRUE;
    pad->latency = what[4] ? number_at (play, what + 5, play->t) : 0;
    player->set_source (play, pad);
  } else if (g_str_equal (what, "add")) {
    player->add (play, pad);
  } else if (g_str_equal (what, "remove")) {
    player->remove (play, pad);
    pad->has_caps = FALSE;
  } else if (!player->follow_of_pad (play, pad, what)) {
    player->set (play, pad, what);
  }
}

/* ---- samples out ---- */

/* The stream has this status and these values: all of them, or as many as are given; without a text it is aligned, and its value t. */
static void
expect_stream (Play *play, const PlayedPad *pad, const PlayedStream *stream, const gchar *text, gdouble t)
{
  const gboolean is_held = text && g_str_has_prefix (text, "held:"), is_missing = g_strcmp0 (text, "missing") == 0;
  const gint status = is_held ? RC_HELD : is_missing ? RC_MISSING : RC_ALIGNED;
  gdouble values[MAX_VALUES] = { !is_missing ? t : pad->caps.element_size == 1 ? 0 : NAN };
  const guint n_given = is_missing || text == NULL ? 1 : parse_values (play, is_held ? text + 5 : text, t, values);

  play_expect (play, stream->status == status, "the status of %s is %d, not %d", pad->name, stream->status, status);
  play_expect (play, n_given == 1 || n_given == stream->n, "%s has %u values", pad->name, stream->n);
  for (guint i = 0; i < MIN (stream->n, MAX_VALUES); i++) {
    const gdouble wanted = values[n_given == 1 ? 0 : i], value = stream->values[i];

    play_expect (play, isnan (wanted) ? isnan (value) : fabs (value - wanted) <= 1e-5 * MAX (1.0, fabs (wanted)),
        "%s is %.9g, not %.9g", pad->name, value, wanted);
  }
}

/* What the words behind that of a sample say about a pad; NULL: nothing. */
static const gchar *
find_stream (const Play *play, gchar **words, guint pad)
{
  for (; *words && is_of_pads (play, *words, '='); words++) {
    if (**words == (gchar) ('a' + pad))
      return *words + 2;
  }
  return NULL;
}

/* Every stream is what its word says. */
static void
expect_streams (Play *play, const PlayedSample *sample, gdouble t, gchar **words)
{
  gboolean is_present[MAX_PADS] = { FALSE };

  for (guint s = 0; s < sample->n_streams; s++) {
    const PlayedStream *stream = &sample->streams[s];
    const gchar *text;
    guint p = 0;

    while (p < play->n_pads && !g_str_equal (play->pads[p].name, stream->name))
      p++;
    play_expect (play, p < play->n_pads, "a stream %s", stream->name);
    text = find_stream (play, words, p);
    is_present[p] = TRUE;
    if (g_strcmp0 (text, "any") != 0)
      expect_stream (play, &play->pads[p], stream, text, t);
  }
  for (guint p = 0; p < play->n_pads; p++) {
    const gchar *text = find_stream (play, words, p);

    play_expect (play, is_present[p] == (text ? !g_str_equal (text, "none") : play->pads[p].has_caps), "%s is %sin the sample",
        play->pads[p].name, is_present[p] ? "" : "not ");
  }
}

static void
expect_sample (Play *play, gdouble t, const gchar *duration, gchar flag, gchar **words)
{
  PlayedSample sample;

  play_expect (play, play->player->pull (play, &sample), "EOS instead of a sample at %g", t);
  play_expect (play, sample.time == ns_of_ms (t), "a sample at %g, not %g", (gdouble) sample.time / 1e6, t);
  play_expect (play, duration == NULL || sample.duration == ns_of_ms (number_at (play, duration, t)), "a duration of %g",
      (gdouble) sample.duration / 1e6);
  play_expect (play, flag == '\0' || sample.is_discont == (flag == '!'), "DISCONT at %g", t);
  expect_streams (play, &sample, t, words);
}

/* T[:D][!?] and the words of its streams */
static void
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

static void
expect_gap (Play *play, const gchar *text)
{
  gint64 start = NONE, duration = NONE, wanted_start, wanted_duration;

  parse_gap (play, text, &wanted_start, &wanted_duration);
  play_expect (play, play->player->pull_gap (play, &start, &duration), "no GAP");
  play_expect (play, start == wanted_start && duration == wanted_duration, "a GAP at %g, of %g", (gdouble) start / 1e6,
      (gdouble) duration / 1e6);
}

static void
expect_out (Play *play, const gchar *what, gchar **words)
{
  PlayedSample sample;
  gint64 start, duration;

  if (g_str_equal (what, "eos"))
    play_expect (play, !play->player->pull (play, &sample), "a sample where EOS was expected");
  else if (g_str_equal (what, "nogap"))
    play_expect (play, !play->player->pull_gap (play, &start, &duration), "a GAP");
  else if (g_str_has_prefix (what, "gap:"))
    expect_gap (play, what + 4);
  else if (g_str_has_prefix (what, "segment:"))
    play_expect (play, play->player->get_segment_start (play) == ns_at (play, what + 8), "another segment");
  else
    expect_samples (play, what, words);
}

/* ---- numbers ---- */

static void
expect_caps_field (Play *play, const gchar *field, const gchar *expected)
{
  gchar *text = play->player->get_caps_field (play, field);

  play_expect (play, g_strcmp0 (text, *expected ? expected : NULL) == 0, "it is %s", text);
  g_free (text);
}

/* NAME=N, NAME>N, NAME<N */
static void
expect_number (Play *play, const gchar *word)
{
  const gsize length = strcspn (word, "=<>");
  gchar *name = g_strndup (word, length);
  const gchar *text = word + length + 1, relation = word[length];

  play_expect (play, relation != '\0', "it is no word of a scenario");
  if (g_str_has_prefix (name, "caps.")) {
    expect_caps_field (play, name + 5, text);
  } else {
    const gint64 number = play->player->get_number (play, name), wanted = parse_integer (play, text);

    play_expect (play, relation == '=' ? number == wanted : relation == '<' ? number < wanted : number > wanted,
        "it is %" G_GINT64_FORMAT, number);
  }
  g_free (name);
}

/* ---- words ---- */

static void
follow_of_pads (Play *play, const gchar *word)
{
  const gchar *what = strchr (word, ':') + 1;
  gchar *letters;

  if (g_str_equal (what, "flush")) {
    letters = g_strndup (word, strcspn (word, ":"));
    play->player->flush (play, letters);
    g_free (letters);
    return;
  }
  for (const gchar *letter = word; *letter != ':'; letter++)
    tell_pad (play, pad_of (play, *letter), what);
}

static void
follow (Play *play, gchar **words)
{
  gchar *word = *words;
  const gchar *rest = strchr (word, ':') ? strchr (word, ':') + 1 : "";

  play->word = word;
  if (*word == '>') {
    expect_out (play, word + 1, words + 1);
  } else if (is_of_pads (play, word, '+')) {
    for (gchar *letter = word; *letter != '+'; letter++)
      push_rows (play, pad_of (play, *letter), strchr (word, '+') + 1);
  } else if (is_of_pads (play, word, ':')) {
    follow_of_pads (play, word);
  } else if (g_str_has_prefix (word, "set:")) {
    play->player->set (play, NULL, rest);
  } else if (!play->player->follow (play, word, rest)) {
    expect_number (play, word);
  }
  if (play->player->word_is_over)
    play->player->word_is_over (play);
}

/* From there to the end, or to the brace that ends a loop; returns where it is. */
static gchar **
follow_all (Play *play, gchar **words)
{
  for (; *words && !g_str_equal (*words, "}"); words++) {
    if (g_str_has_prefix (*words, "for:")) {
      const Times times = parse_times (play, *words + 4);
      const gdouble outer = play->t;
      gchar **end = words;

      for (play->t = times.first; play->t <= times.last; play->t += times.step)
        end = follow_all (play, words + 2);
      play_expect (play, *end != NULL, "a brace too few");
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

void
play_words (Play *play, const gchar *text)
{
  gchar **words;

  play_expect (play, g_shell_parse_argv (text, NULL, &words, NULL), "\"%s\" cannot be split", text);
  play_expect (play, *follow_all (play, words) == NULL, "a brace too much");
  play->word = NULL;
  g_strfreev (words);
}

/* ---- plays ---- */

Play *
play_of_rig (const Player *player, Rig *rig, const gchar *pads)
{
  Play *play = g_new0 (Play, 1);
  gchar **items = g_strsplit (pads, " ", -1);

  play->player = player;
  play->rig = rig;
  play->t = NAN;
  for (gchar **item = items; *item && **item; item++)
    declare_pad (play, *item);
  g_strfreev (items);
  player->start (play);
  for (guint p = 0; p < play->n_pads; p++) {
    if (!play->pads[p].is_bare && !play->pads[p].is_absent && !play->pads[p].is_unlinked)
      tell_pad (play, &play->pads[p], "start");
  }
  if (player->word_is_over)
    player->word_is_over (play);
  return play;
}

void
play_release (Play *play)
{
  for (guint p = 0; p < play->n_pads; p++) {
    g_free (play->pads[p].name);
    g_free (play->pads[p].on_seek);
    clear_caps (&play->pads[p].caps);
    clear_caps (&play->pads[p].expected);
  }
  g_free (play);
}

gint64
random_time (GRand *rand, gint64 now)
{
  const gint shift = g_rand_int_range (rand, 0, 64);
  const guint64 high = g_rand_int (rand), low = g_rand_int (rand);
  const gint64 far = (gint64) ((high << 32 | low) >> shift);

  switch (g_rand_int_range (rand, 0, 4)) {
    case 0:
      return far;
    case 1:
      return -far;
    case 2:
      return now + far / 1000;
    default:
      return now;
  }
}
