/* robocache: what a scenario puts into robocachefuse: its pads, rows and events. Its words are told in tests/core/words.h
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fuseplay.h"

/* Free with g_free. text: NULL: there is no such field. */
static gchar *
list_field (const gchar *name, const gchar *text)
{
  return text ? g_strdup_printf (", %s=(string)\"%s\"", name, text) : g_strdup ("");
}

/* free with g_free */
static gchar *
caps_text (const PlayedCaps *caps)
{
  const gchar *rate = caps->rate ? caps->rate : "0/1";
  gchar *names, *kinds, *text;

  if (g_str_equal (caps->shape, "gray"))
    return g_strdup_printf ("video/x-raw, format=(string)GRAY8, width=(int)4, height=(int)2, framerate=(fraction)%s", rate);
  if (caps->has_times)
    return g_strdup_printf ("other/tensors, format=(string)static, num_tensors=(int)2, types=(string)\"float32,int64\", "
        "dimensions=(string)\"1.1\", framerate=(fraction)%s", rate);
  names = list_field ("channels", caps->names);
  kinds = list_field ("kinds", caps->kinds);
  text = g_strdup_printf ("other/tensors, format=(string)static, num_tensors=(int)1, types=(string)%s, dimensions=(string)%s, "
      "framerate=(fraction)%s%s%s", caps->element_size == sizeof (gdouble) ? "float64" : "float32", caps->shape, rate, names, kinds);
  g_free (kinds);
  g_free (names);
  return text;
}

GstCaps *
caps_of (const PlayedPad *pad)
{
  gchar *text = caps_text (&pad->caps);
  GstCaps *caps = gst_caps_from_string (text);

  g_free (text);
  return caps;
}

void
play_set (Play *play, PlayedPad *pad, const gchar *setting)
{
  set_from_text (pad ? (gpointer) pad->feed->sink : play->rig->fuse, setting);
}

void
play_set_source (Play *play, PlayedPad *pad)
{
  pad->feed->live = pad->is_live;
  pad->feed->latency = (GstClockTime) ns_of_ms (pad->latency);
}

void
play_add (Play *play, PlayedPad *pad)
{
  gchar *expected = pad->expected.shape ? caps_text (&pad->expected) : NULL;

  pad->feed = feed_new_unlinked (play->rig, pad->name, pad->is_live);
  if (expected)
    gst_util_set_object_arg (G_OBJECT (pad->feed->sink), "expected-caps", expected);
  if (!pad->is_unlinked)
    feed_link (pad->feed);
  play_set_source (play, pad);
  pad->feed->holds_nothing = pad->holds_nothing;
  pad->feed->on_seek = pad->on_seek;
  g_free (expected);
}

void
play_remove (Play *play, PlayedPad *pad)
{
  feed_remove (pad->feed);
  pad->feed = NULL;
}

void
play_start (Play *play)
{
  rig_play (play->rig);
}

static GstBuffer *
buffer_of_rows (const PlayedPad *pad, const PlayedRows *rows)
{
  const guint n = pad->caps.channels * pad->caps.n_rows, size = pad->caps.element_size;
  gfloat floats[MAX_VALUES];
  guint8 bytes[MAX_VALUES];

  for (guint i = 0; i < n; i++) {
    floats[i] = (gfloat) rows->values[i];
    bytes[i] = size == 1 ? (guint8) rows->values[i] : 0;
  }
  return fuse_buffer (rows->time, size == 1 ? (gpointer) bytes : size == sizeof (gfloat) ? (gpointer) floats : (gpointer) rows->values, n * size);
}

/* A row time is a tensor. */
static void
add_reference (GstBuffer *buffer, const PlayedRows *rows, GstClockTime duration)
{
  GstCaps *caps = gst_caps_new_empty_simple (rows->clock == PLAYED_UNIX ? "timestamp/x-unix" : "timestamp/x-ntp");

  if (rows->clock == PLAYED_ROW)
    gst_buffer_append (buffer, gst_buffer_new_memdup (&rows->reference, sizeof (rows->reference)));
  else
    gst_buffer_add_reference_timestamp_meta (buffer, caps, (GstClockTime) rows->reference, duration);
  gst_caps_unref (caps);
}

const gchar *
play_push (Play *play, PlayedPad *pad, const PlayedRows *rows)
{
  const GstClockTime duration = rows->duration == NONE ? GST_CLOCK_TIME_NONE : (GstClockTime) rows->duration;
  GstBuffer *buffer = buffer_of_rows (pad, rows);

  if (rows->clock != PLAYED_NO_CLOCK)
    add_reference (buffer, rows, duration);
  else
    GST_BUFFER_DURATION (buffer) = duration;
  return gst_flow_get_name (gst_pad_push (pad->feed->pad, buffer));
}

void
play_begin_stream (Play *play, PlayedPad *pad)
{
  feed_event (pad->feed, gst_event_new_stream_start (pad->name));
}

gboolean
play_send_caps (Play *play, PlayedPad *pad)
{
  GstCaps *caps = caps_of (pad);
  const gboolean ok = gst_pad_push_event (pad->feed->pad, gst_event_new_caps (caps));

  gst_caps_unref (caps);
  return ok;
}

void
play_send_segment (Play *play, PlayedPad *pad, const PlayedSegment *from)
{
  GstSegment segment;

  gst_segment_init (&segment, from->format ? gst_format_get_by_nick (from->format) : GST_FORMAT_TIME);
  segment.start = (guint64) from->start;
  segment.stop = from->stop == NONE ? GST_CLOCK_TIME_NONE : (guint64) from->stop;
  segment.base = (guint64) from->base;
  segment.offset = (guint64) from->offset;
  segment.time = (guint64) from->time;
  segment.position = (guint64) from->position;
  feed_event (pad->feed, gst_event_new_segment (&segment));
}

void
play_send_gap (Play *play, PlayedPad *pad, gint64 start, gint64 duration)
{
  feed_event (pad->feed, gst_event_new_gap ((guint64) start, (guint64) duration));
}

void
play_send_origin (Play *play, PlayedPad *pad, gint64 origin, gboolean is_first_row)
{
  feed_event (pad->feed, robocache_origin_event_new (origin, is_first_row));
}

void
play_send_eos (Play *play, PlayedPad *pad)
{
  feed_eos (pad->feed);
}

static void
push_flush (Play *play, PlayedPad *pad, GstEvent *event, gint number)
{
  if (play->seqnums[number] == 0)
    play->seqnums[number] = gst_util_seqnum_next ();
  gst_event_set_seqnum (event, play->seqnums[number]);
  feed_event (pad->feed, event);
}

void
play_flush (Play *play, const gchar *letters)
{
  play->seqnums[0] = 0;
  for (const gchar *letter = letters; *letter; letter++)
    push_flush (play, &play->pads[*letter - 'a'], gst_event_new_flush_start (), 0);
  for (const gchar *letter = letters; *letter; letter++)
    push_flush (play, &play->pads[*letter - 'a'], gst_event_new_flush_stop (TRUE), 0);
}

/* START[..STOP] */
static void
expect_sought (Play *play, const PlayedPad *pad, const gchar *text)
{
  gint64 start, stop;

  parse_range (play, text, &start, &stop);
  fail_unless_equals_int64 (pad->feed->sought_start, start);
  fail_unless_equals_int64 (pad->feed->sought_stop, stop == NONE ? -1 : stop);
}

gboolean
play_follow_of_pad (Play *play, PlayedPad *pad, const gchar *what)
{
  const gchar *number = strchr (what, '#') ? strchr (what, '#') + 1 : "";

  if (g_str_equal (what, "title"))
    feed_event (pad->feed, gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "a title", NULL)));
  else if (g_str_equal (what, "done"))
    feed_event (pad->feed, gst_event_new_segment_done (GST_FORMAT_TIME, 0));
  else if (g_str_has_prefix (what, "sought="))
    expect_sought (play, pad, what + 7);
  else if (g_str_has_prefix (what, "flush-start#"))
    push_flush (play, pad, gst_event_new_flush_start (), atoi (number));
  else if (g_str_has_prefix (what, "flush-stop#") || g_str_has_prefix (what, "flush-stop-keep#"))
    push_flush (play, pad, gst_event_new_flush_stop (what[10] == '#'), atoi (number));
  else if (g_str_equal (what, "link"))
    feed_link (pad->feed);
  else if (g_str_equal (what, "activate") || g_str_equal (what, "deactivate"))
    gst_pad_set_active (pad->feed->sink, *what == 'a');
  else
    return FALSE;
  return TRUE;
}
