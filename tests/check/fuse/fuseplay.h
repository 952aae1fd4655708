/* robocache: what a scenario of robocachefuse puts in: its pads, rows and events. Their words are told in fusescenario.h
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_PLAY_H
#define FUSE_PLAY_H

#include "common/time/originevent.h"
#include "fuseharness.h"

/* 2023-11-14, in ns: what unix:0 and ntp:0 are, and NTP counts from 1900. */
#define UNIX_TODAY G_GINT64_CONSTANT (1700000000000000000)
#define NTP_TODAY G_GINT64_CONSTANT (3908988800000000000)
#define MAX_PADS 6
#define MAX_VALUES 64

typedef struct
{
  gchar *name, *caps, *expected, *on_seek;
  guint n_elements, element_size;       /* of a buffer */
  gboolean is_absent, is_unlinked, is_bare, is_live, holds_nothing;
  gdouble latency;
  Feed *feed;                   /* NULL: there is no such pad */
  gboolean has_caps;
} PlayedPad;

typedef struct
{
  Rig *rig;
  PlayedPad pads[MAX_PADS];
  guint n_pads;
  gdouble t;                    /* of the loop; NaN outside */
  guint32 seqnums[4];
  const gchar *word;            /* for messages */
} Play;

typedef struct
{
  gdouble first, last, step;
} Times;

/* ---- words ---- */

/* A sum of t and numbers, which may be hours or days: "t+10", "1d-5"; - is NaN. */
static inline gdouble
number_at (const gchar *text, gdouble t)
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
    fail_unless (end > rest, "\"%s\" is no number", text);
    sum += term * (*end == 'd' ? 24 * 3600000.0 : *end == 'h' ? 3600000.0 : 1);
    rest = *end == 'd' || *end == 'h' ? end + 1 : end;
  } while (*rest == '+' || *rest == '-');
  fail_unless (*rest == '\0', "\"%s\" is no number", text);
  return sum;
}

/* T or FIRST..LAST/STEP */
static inline Times
parse_times (const Play *play, const gchar *text)
{
  gchar **ends = g_strsplit (text, "..", 2);
  Times times = { number_at (ends[0], play->t), 0, 1 };

  times.last = times.first;
  if (ends[1]) {
    gchar **items = g_strsplit (ends[1], "/", 2);

    times.last = number_at (items[0], play->t);
    if (items[1])
      times.step = number_at (items[1], play->t);
    g_strfreev (items);
  }
  g_strfreev (ends);
  fail_if (times.last < times.first || times.step <= 0, "\"%s\" is empty", text);
  return times;
}

/* V,V,… */
static inline guint
parse_values (const Play *play, const gchar *text, gdouble t, gdouble values[MAX_VALUES])
{
  gchar **items = g_strsplit (text, ",", -1);
  const guint n = g_strv_length (items);

  fail_unless (n <= MAX_VALUES);
  for (guint i = 0; i < n; i++)
    values[i] = number_at (items[i], isnan (play->t) ? t : play->t);
  g_strfreev (items);
  return n;
}

/* What is behind the mark, which becomes the end of the text; NULL without one. */
static inline gchar *
cut_at (gchar *text, gchar mark)
{
  gchar *found = strchr (text, mark);

  if (found)
    *found++ = '\0';
  return found;
}

/* A word that begins with the letters of pads and the mark. */
static inline gboolean
is_of_pads (const Play *play, const gchar *word, gchar mark)
{
  gsize n = 0;

  while (word[n] >= 'a' && word[n] < (gchar) ('a' + play->n_pads))
    n++;
  return n > 0 && word[n] == mark;
}

/* ---- pads ---- */

/* gray@RATE, 1+times or [float64:]CHANNELS[:ROWS][NAME,NAME][@RATE] */
static inline gchar *
parse_caps (PlayedPad *pad, const gchar *text)
{
  gchar *dims = g_strdup (text), *rate = cut_at (dims, '@'), *names = cut_at (dims, '['), *caps, *start = dims;
  const gboolean is_double = g_str_has_prefix (dims, "float64:");

  if (g_str_equal (dims, "gray")) {
    pad->element_size = 1;
    pad->n_elements = 8;
    caps = g_strdup_printf ("video/x-raw, format=(string)GRAY8, width=(int)4, height=(int)2, framerate=(fraction)%s", rate);
  } else if (g_str_equal (dims, "1+times")) {
    pad->element_size = sizeof (gfloat);
    pad->n_elements = 1;
    caps = g_strdup ("other/tensors, format=(string)static, num_tensors=(int)2, types=(string)\"float32,int64\", "
        "dimensions=(string)\"1.1\", framerate=(fraction)0/1");
  } else {
    start += is_double ? strlen ("float64:") : 0;
    pad->element_size = is_double ? sizeof (gdouble) : sizeof (gfloat);
    pad->n_elements = (guint) strtoull (start, NULL, 10) * (strchr (start, ':') ? (guint) atoi (strchr (start, ':') + 1) : 1);
    caps = g_strdup_printf ("other/tensors, format=(string)static, num_tensors=(int)1, types=(string)%s, "
        "dimensions=(string)%s, framerate=(fraction)%s%s%.*s%s", is_double ? "float64" : "float32", start, rate ? rate : "0/1",
        names ? ", channels=(string)\"" : "", names ? (gint) strcspn (names, "]") : 0, names ? names : "", names ? "\"" : "");
  }
  g_free (dims);
  return caps;
}

static inline void
set_pad_caps (PlayedPad *pad, const gchar *text)
{
  g_free (pad->caps);
  pad->caps = parse_caps (pad, text);
}

static inline void
add_pad (Play *play, PlayedPad *pad)
{
  pad->feed = feed_new_unlinked (play->rig, pad->name, pad->is_live);
  if (pad->expected)
    gst_util_set_object_arg (G_OBJECT (pad->feed->sink), "expected-caps", pad->expected);
  if (!pad->is_unlinked)
    feed_link (pad->feed);
  pad->feed->latency = (GstClockTime) ns_of_ms (pad->latency);
  pad->feed->holds_nothing = pad->holds_nothing;
  pad->feed->on_seek = pad->on_seek;
}

/* LETTER[=NAME][,ATTRIBUTE…] */
static inline void
declare_pad (Play *play, const gchar *text)
{
  const guint index = play->n_pads++;
  gchar **items = g_strsplit (text, ",", -1);
  PlayedPad *pad = &play->pads[index];

  fail_unless (index < MAX_PADS && *text == (gchar) ('a' + index), "\"%s\" is not the next pad", text);
  pad->name = text[1] == '=' ? g_strdup (items[0] + 2) : g_strdup_printf ("proprio_%u", index);
  for (gchar **item = items + 1; *item; item++) {
    if (g_str_has_prefix (*item, "live")) {
      pad->is_live = TRUE;
      pad->latency = (*item)[4] ? number_at (*item + 5, 0) : 0;
    } else if (g_str_has_prefix (*item, "caps:")) {
      set_pad_caps (pad, *item + 5);
    } else if (g_str_has_prefix (*item, "on-seek:")) {
      pad->on_seek = g_strdup (*item + 8);
    } else if (g_str_has_prefix (*item, "expects:")) {
      pad->expected = parse_caps (pad, *item + 8);
    } else if (g_str_equal (*item, "holds-nothing")) {
      pad->holds_nothing = TRUE;
    } else if (g_str_equal (*item, "bare")) {
      pad->is_bare = TRUE;
    } else if (g_str_equal (*item, "absent")) {
      pad->is_absent = TRUE;
    } else if (g_str_equal (*item, "unlinked")) {
      pad->is_unlinked = TRUE;
    } else {
      fail_unless (strchr (*item, '=') != NULL, "\"%s\" is nothing of a pad", *item);
    }
  }
  if (pad->caps == NULL)
    set_pad_caps (pad, pad->is_live ? "1@100/1" : "1");
  if (!pad->is_absent)
    add_pad (play, pad);
  for (gchar **item = items + 1; *item; item++) {
    if (strchr (*item, '='))
      set_from_text (pad->feed->sink, *item);
  }
  g_strfreev (items);
}

/* ---- rows in ---- */

/* CLOCK:T */
static inline void
add_reference (Play *play, GstBuffer *buffer, const gchar *text, GstClockTime duration)
{
  const gint64 origin = g_str_has_prefix (text, "ntp:") ? NTP_TODAY : g_str_has_prefix (text, "unix:") ? UNIX_TODAY : 0;
  const gint64 time = origin + ns_of_ms (number_at (strchr (text, ':') + 1, play->t));
  GstCaps *caps = gst_caps_new_empty_simple (g_str_has_prefix (text, "unix:") ? "timestamp/x-unix" : "timestamp/x-ntp");

  if (g_str_has_prefix (text, "row:"))
    buffer = gst_buffer_append (buffer, gst_buffer_new_memdup (&time, sizeof (time)));
  else
    gst_buffer_add_reference_timestamp_meta (buffer, caps, (GstClockTime) time, duration);
  gst_caps_unref (caps);
}

static inline void
push_row (Play *play, PlayedPad *pad, gdouble t, const gchar *length, const gchar *reference, const gchar *text,
    const gchar *answer)
{
  const guint n = pad->n_elements;
  const GstClockTime duration = length ? (GstClockTime) ns_of_ms (number_at (length, play->t)) : GST_CLOCK_TIME_NONE;
  gdouble values[MAX_VALUES] = { t };
  const guint n_given = text ? parse_values (play, text, t, values) : 1;
  gfloat floats[MAX_VALUES];
  guint8 bytes[MAX_VALUES];
  gconstpointer data = pad->element_size == 1 ? (gpointer) bytes : pad->element_size == 4 ? (gpointer) floats : values;
  const gchar *flow;
  GstBuffer *buffer;

  fail_unless (n <= MAX_VALUES && (n_given == 1 || n_given == n), "%s: %u values of %u", play->word, n_given, n);
  for (guint i = 0; i < n; i++) {
    values[i] = values[n_given == 1 ? 0 : i];
    floats[i] = (gfloat) values[i];
    bytes[i] = pad->element_size == 1 ? (guint8) values[i] : 0;
  }
  buffer = buffer_of (ns_of_ms (t), data, n * pad->element_size);
  if (reference)
    add_reference (play, buffer, reference, duration);
  else
    GST_BUFFER_DURATION (buffer) = duration;
  flow = gst_flow_get_name (gst_pad_push (pad->feed->pad, buffer));
  fail_unless (g_strcmp0 (answer, "any") == 0 || g_str_equal (flow, answer ? answer : "ok"), "%s: %s", play->word, flow);
}

/* T[:D][~R][=V,V][!FLOW] */
static inline void
push_rows (Play *play, PlayedPad *pad, const gchar *text)
{
  gchar *time = g_strdup (text), *answer = cut_at (time, '!'), *values = cut_at (time, '='), *reference = cut_at (time, '~');
  const gchar *duration = cut_at (time, ':');
  const Times times = parse_times (play, time);

  if (isnan (times.first))
    push_row (play, pad, NAN, duration, reference, values, answer);
  for (gdouble t = times.first; t <= times.last; t += times.step)
    push_row (play, pad, t, duration, reference, values, answer);
  g_free (time);
}

/* start=T,stop=T,base=T,offset=T,time=T,position=T; format=NAME */
static inline void
push_segment_of (Play *play, PlayedPad *pad, const gchar *text)
{
  gchar **items = g_strsplit (text, ",", -1);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (gchar **item = items; *item && **item; item++) {
    gchar *value = cut_at (*item, '=');
    const gboolean is_format = g_str_equal (*item, "format");
    const guint64 ns = is_format ? 0 : (guint64) ns_of_ms (number_at (value, play->t));

    if (is_format)
      gst_segment_init (&segment, gst_format_get_by_nick (value));
    else if (g_str_equal (*item, "start"))
      segment.start = segment.time = ns;
    else if (g_str_equal (*item, "stop"))
      segment.stop = ns;
    else if (g_str_equal (*item, "base"))
      segment.base = ns;
    else if (g_str_equal (*item, "offset"))
      segment.offset = ns;
    else if (g_str_equal (*item, "time"))
      segment.time = ns;
    else if (g_str_equal (*item, "position"))
      segment.position = ns;
    else
      fail ("a segment has no %s", *item);
  }
  feed_event (pad->feed, gst_event_new_segment (&segment));
  g_strfreev (items);
}

static inline void
push_flush (Play *play, PlayedPad *pad, GstEvent *event, gint number)
{
  if (play->seqnums[number] == 0)
    play->seqnums[number] = gst_util_seqnum_next ();
  gst_event_set_seqnum (event, play->seqnums[number]);
  feed_event (pad->feed, event);
}

/* START[..STOP] */
static inline void
expect_sought (Play *play, const PlayedPad *pad, const gchar *text)
{
  gchar *start = g_strdup (text), *stop = strstr (start, "..");

  if (stop)
    *stop = '\0';
  fail_unless_equals_int64 (pad->feed->sought_start, ns_of_ms (number_at (start, play->t)));
  fail_unless_equals_int64 (pad->feed->sought_stop, stop ? ns_of_ms (number_at (stop + 2, play->t)) : -1);
  g_free (start);
}

/* What is behind "a:". */
static inline void
tell_pad (Play *play, PlayedPad *pad, const gchar *what)
{
  gdouble numbers[MAX_VALUES];

  if (g_str_equal (what, "eos")) {
    feed_eos (pad->feed);
  } else if (g_str_has_prefix (what, "start")) {
    feed_event (pad->feed, gst_event_new_stream_start (pad->name));
    pad->has_caps = feed_caps (pad->feed, pad->caps);
    push_segment_of (play, pad, what[5] ? what + 6 : "");
  } else if (g_str_equal (what, "stream")) {
    feed_event (pad->feed, gst_event_new_stream_start (pad->name));
  } else if (g_str_has_prefix (what, "caps=")) {
    set_pad_caps (pad, what + 5);
    pad->has_caps = feed_caps (pad->feed, pad->caps);
  } else if (g_str_has_prefix (what, "segment")) {
    push_segment_of (play, pad, what[7] ? what + 8 : "");
  } else if (g_str_has_prefix (what, "gap:")) {
    parse_values (play, what + 4, 0, numbers);
    feed_event (pad->feed, gst_event_new_gap ((guint64) ns_of_ms (numbers[0]), (guint64) ns_of_ms (numbers[1])));
  } else if (g_str_equal (what, "title")) {
    feed_event (pad->feed, gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "a title", NULL)));
  } else if (g_str_has_prefix (what, "sought=")) {
    expect_sought (play, pad, what + 7);
  } else if (g_str_has_prefix (what, "origin=")) {
    feed_event (pad->feed, robocache_origin_event_new (ns_of_ms (number_at (what + 7, play->t)), TRUE));
  } else if (g_str_has_prefix (what, "origin-set=")) {
    feed_event (pad->feed, robocache_origin_event_new (ns_of_ms (number_at (what + 11, play->t)), FALSE));
  } else if (g_str_has_prefix (what, "flush-start#")) {
    push_flush (play, pad, gst_event_new_flush_start (), atoi (what + 12));
  } else if (g_str_has_prefix (what, "flush-stop#")) {
    push_flush (play, pad, gst_event_new_flush_stop (TRUE), atoi (what + 11));
  } else if (g_str_has_prefix (what, "flush-stop-keep#")) {
    push_flush (play, pad, gst_event_new_flush_stop (FALSE), atoi (what + 16));
  } else if (g_str_equal (what, "live") || g_str_has_prefix (what, "live:")) {
    pad->feed->live = TRUE;
    pad->feed->latency = (GstClockTime) ns_of_ms (what[4] ? number_at (what + 5, play->t) : 0);
  } else if (g_str_equal (what, "remove")) {
    feed_remove (pad->feed);
    pad->feed = NULL;
    pad->has_caps = FALSE;
  } else if (g_str_equal (what, "add")) {
    add_pad (play, pad);
  } else if (g_str_equal (what, "link")) {
    feed_link (pad->feed);
  } else if (g_str_equal (what, "activate") || g_str_equal (what, "deactivate")) {
    gst_pad_set_active (pad->feed->sink, *what == 'a');
  } else {
    set_from_text (pad->feed->sink, what);
  }
}

#endif
