/* robocache: recorders of live sources: times of arrival, quiet streams, a full queue, fragments at key frames
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gstdio.h>

#include "common/time/originevent.h"
#include "tests/check/lib/recordings/muxrun.h"
#include "tests/check/lib/checks.h"
#include "tests/check/lib/memorylimit.h"

#define MUX "robocachemcapmux"
/* time-origin=0: the recording's clock is running time */
#define ORIGIN "time-origin=0 index-interval=0 "

/* ---- times ---- */

/* log_time is when a row arrived, publish_time when it was captured, and the order is that of arrival. */
GST_START_TEST (test_arrival)
{
  MuxSource *a, *b;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN "chunk-duration=0");
  a = mux_add (&run, TRUE);
  b = mux_add (&run, TRUE);
  b->needs_caps = TRUE;
  mux_play (&run);
  mux_begin (a, TENSORS ("float32", "1"));
  mux_begin (b, TENSORS ("float32", "2"));
  mux_set_time (&run, 20);
  fail_unless (mux_push (a, 10, 4) == GST_FLOW_OK && mux_push (b, 5, 8) == GST_FLOW_OK);
  mux_set_time (&run, 30);
  fail_unless (mux_push (b, 15, 8) == GST_FLOW_OK);
  mux_end (&run);
  EXPECT_FILE (&run, "[recording property] | /sink_0#0@20/10 /sink_1#0@20/5 /sink_1#1@30/15 eos(/sink_0 )@30 eos(/sink_1 )@30 | [statistics]");
  EXPECT_MESSAGES (&run, "");
  mux_close (&run);
}

GST_END_TEST;

/* Streams that count from different origins, as robocacheparse announces them: not live the second is 100 ms behind the first. Live both
 * are on the pipeline's clock. */
static const struct
{
  gboolean is_live;
  const gchar *row;             /* of the second stream */
} origins[] = { {TRUE, "/sink_1#0@20/5 "}, {FALSE, "/sink_1#0@105/105 "} };

GST_START_TEST (test_origins)
{
  MuxSource *sources[2];
  MuxRun run;

  mux_open (&run, MUX, ORIGIN "chunk-duration=0");
  for (guint i = 0; i < 2; i++)
    sources[i] = mux_add (&run, origins[__i__].is_live);
  mux_play (&run);
  mux_set_time (&run, 20);
  for (guint i = 0; i < 2; i++) {
    mux_begin (sources[i], TENSORS ("float32", "1"));
    fail_unless (gst_pad_push_event (sources[i]->pad, robocache_origin_event_new ((gint64) (1000 * GST_SECOND + i * 100 * MS), TRUE)));
  }
  fail_unless (mux_push (sources[0], 10, 4) == GST_FLOW_OK && mux_push (sources[1], 5, 4) == GST_FLOW_OK);
  mux_end (&run);
  fail_unless (mux_file_has (&run, "/sink_0#0@"));
  fail_unless (mux_file_has (&run, origins[__i__].row), "no %s", origins[__i__].row);
  mux_close (&run);
}

GST_END_TEST;

/* A row of a quiet stream is written once its chunk is old, without another row. */
GST_START_TEST (test_quiet)
{
  MuxSource *a;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN "chunk-duration=500000000");
  a = mux_add (&run, TRUE);
  mux_play (&run);
  mux_begin (a, TENSORS ("float32", "1"));
  fail_unless (mux_push (a, 0, 4) == GST_FLOW_OK);
  for (gint64 ms = 250; !mux_file_has (&run, "/sink_0#0@0/0"); ms += 250) {
    fail_unless (ms <= 750, "not written after %d ms", (gint) ms);
    mux_set_time (&run, ms);
    gst_test_clock_crank (run.clock);
    if (ms >= 500)
      WAIT_UNTIL (mux_file_has (&run, "/sink_0#0@0/0"));
  }
  mux_end (&run);
  mux_close (&run);
}

GST_END_TEST;

/* ---- a full queue ---- */

static guint64
count_of (MuxRun *run, const gchar *name)
{
  const GstStructure *pad;
  GstStructure *stats;
  guint64 n = G_MAXUINT64;

  g_object_get (run->mux, "stats", &stats, NULL);
  pad = gst_value_get_structure (gst_structure_get_value (stats, "sink_0"));
  fail_unless (gst_structure_get_uint64 (pad, name, &n), "no %s", name);
  gst_structure_free (stats);
  return n;
}

/* Downstream stands still: live rows never wait; what finds no space is counted, posted and recorded. */
GST_START_TEST (test_overflow)
{
  guint64 dropped, n_events;
  MuxSource *a;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN "chunk-size=1024 chunk-duration=0 max-queue-size=4000");
  a = mux_add (&run, TRUE);
  mux_play (&run);
  mux_begin (a, TENSORS ("float32", "100"));
  set_blocked (&run, TRUE);
  for (guint i = 0; i < 100; i++)
    fail_unless (mux_push (a, i, 400) == GST_FLOW_OK);
  dropped = count_of (&run, "rows-dropped-overflow");
  fail_unless (dropped > 80 && dropped < 100, "%" G_GUINT64_FORMAT " dropped", dropped);
  EXPECT_MESSAGES (&run, "");
  n_events = count_of (&run, "events");
  set_blocked (&run, FALSE);
  /* once there is space rows are written again, and the first one is behind the event */
  WAIT_UNTIL (mux_push (a, 100, 400) == GST_FLOW_OK && count_of (&run, "events") > n_events);
  mux_end (&run);
  dropped = count_of (&run, "rows-dropped-overflow");
  fail_unless_equals_uint64 (count_of (&run, "messages") + dropped, count_of (&run, "rows-in"));
  {
    gchar *event = g_strdup_printf ("overflow(/sink_0 rows=%" G_GUINT64_FORMAT ")", dropped);

    fail_unless (mux_file_has (&run, event), "no %s", event);
    g_free (event);
  }
  EXPECT_MESSAGES (&run, "rows were dropped");
  mux_close (&run);
}

GST_END_TEST;

#define MIB ((gsize) 1 << 20)

/* Frames of this many bytes that fill the queue. */
static const struct
{
  guint width, height, n;
} bursts[] = { {400, 250, 600}, {4096, 2048, 7} };

static void
forget_file (MuxRun *run)
{
  g_mutex_lock (&run->lock);
  g_byte_array_unref (run->file);
  run->file = g_byte_array_new ();
  g_mutex_unlock (&run->lock);
}

/* Memory of the queue is given back once it is written, but for a few chunks. */
GST_START_TEST (test_burst)
{
  const gsize size = bursts[__i__].width * bursts[__i__].height;
  gchar *caps = g_strdup_printf ("video/x-raw, format=(string)GRAY8, width=(int)%u, height=(int)%u, framerate=(fraction)30/1",
      bursts[__i__].width, bursts[__i__].height);
  const gsize before = heap_in_use ();
  MuxSource *a;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN "chunk-duration=0");
  a = mux_add (&run, TRUE);
  mux_play (&run);
  mux_begin (a, caps);
  set_blocked (&run, TRUE);
  for (guint i = 0; i < bursts[__i__].n; i++)
    fail_unless (mux_push (a, i, size) == GST_FLOW_OK);
  fail_unless (!HAS_HEAP_COUNT || heap_in_use () > before + 50 * MIB);
  set_blocked (&run, FALSE);
  mux_end (&run);
  forget_file (&run);
  WAIT_UNTIL (!HAS_HEAP_COUNT || heap_in_use () < before + 12 * MIB);
  mux_close (&run);
  g_free (caps);
}

GST_END_TEST;

/* A source that is not live waits instead, and nothing is lost. */
static gpointer
push_many (gpointer source)
{
  for (guint i = 0; i < 100; i++)
    if (mux_push (source, i, 400) != GST_FLOW_OK)
      return NULL;
  return source;
}

GST_START_TEST (test_waits)
{
  GThread *thread;
  MuxSource *a;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN "chunk-size=1024 chunk-duration=0 max-queue-size=4000");
  a = mux_add (&run, FALSE);
  mux_play (&run);
  mux_begin (a, TENSORS ("float32", "100"));
  set_blocked (&run, TRUE);
  thread = g_thread_new ("source", push_many, a);
  WAIT_UNTIL (run.is_waiting && count_of (&run, "rows-in") > 3);
  fail_unless (count_of (&run, "rows-in") < 50);
  set_blocked (&run, FALSE);
  fail_unless (g_thread_join (thread) == a);
  mux_end (&run);
  fail_unless_equals_uint64 (count_of (&run, "messages"), 100);
  fail_unless_equals_uint64 (count_of (&run, "rows-dropped-overflow"), 0);
  EXPECT_MESSAGES (&run, "");
  mux_close (&run);
}

GST_END_TEST;

static gpointer
end_stream (gpointer source)
{
  gst_pad_push_event (((MuxSource *) source)->pad, gst_event_new_eos ());
  return NULL;
}

static void
wait_for_file (MuxRun *run)
{
  g_mutex_lock (&run->lock);
  while (!run->has_eos)
    g_cond_wait (&run->changed, &run->lock);
  g_mutex_unlock (&run->lock);
}

/* The queue is full when the last stream ends: the rows that another one left are written, too. */
GST_START_TEST (test_full_at_the_end)
{
  MuxSource *a, *b;
  GThread *thread;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN "chunk-size=1024 chunk-duration=0 max-queue-size=1");
  a = mux_add (&run, FALSE);
  b = mux_add (&run, FALSE);
  mux_play (&run);
  mux_begin (a, TENSORS ("float32", "100"));
  mux_begin (b, TENSORS ("float32", "100"));
  for (guint i = 0; i < 20; i++)
    fail_unless (mux_push (a, 100 + i, 400) == GST_FLOW_OK);
  end_stream (a);
  set_blocked (&run, TRUE);
  thread = g_thread_new ("source", end_stream, b);
  WAIT_UNTIL (run.is_waiting);
  set_blocked (&run, FALSE);
  wait_for_file (&run);
  g_thread_join (thread);
  fail_unless (mux_file_has (&run, "/sink_0#19@119/119"));
  mux_close (&run);
}

GST_END_TEST;

/* A stream that ended waits for another, which turns out to be live, or is removed. */
GST_START_TEST (test_waits_for_none)
{
  MuxSource *a, *b;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN "chunk-duration=0");
  a = mux_add (&run, FALSE);
  b = mux_add (&run, __i__);
  mux_play (&run);
  mux_begin (a, TENSORS ("float32", "1"));
  fail_unless (mux_push (a, 5, 4) == GST_FLOW_OK);
  end_stream (a);
  if (__i__) {
    mux_begin (b, TENSORS ("float32", "1"));
    end_stream (b);
  } else {
    gst_element_release_request_pad (run.mux, b->peer);
  }
  wait_for_file (&run);
  fail_unless (mux_file_has (&run, "/sink_0#0@5/5 eos(/sink_0 )@5"));
  mux_close (&run);
}

GST_END_TEST;

/* ---- fragments ---- */

#define KEY_FRAME "\0\0\0\1\x67\x42\0\0\1\x68\x01\0\0\1\x65\x80"
#define FRAME "\0\0\1\x41\x9a"
#define H264 "video/x-h264, stream-format=(string)byte-stream, alignment=(string)au, width=(int)4, height=(int)2, framerate=(fraction)10/1"

/* The flag of a frame that others are needed for is the parser's. */
static void
push_frame (MuxSource *source, gint64 pts_ms)
{
  GstBuffer *buffer = gst_buffer_new_memdup (FRAME, sizeof (FRAME) - 1);

  GST_BUFFER_PTS (buffer) = (GstClockTime) pts_ms * MS;
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  fail_unless (gst_pad_push (source->pad, buffer) == GST_FLOW_OK);
}

static gchar *
read_fragment (const gchar *folder, guint number)
{
  gchar *path = g_strdup_printf ("%s/f%u.mcap", folder, number), *bytes, *text;
  gsize size;

  if (!g_file_get_contents (path, &bytes, &size, NULL)) {
    g_free (path);
    return g_strdup ("absent");
  }
  text = describe_file ((const guint8 *) bytes, size);
  g_unlink (path);
  g_free (bytes);
  g_free (path);
  return text;
}

/* Rows go on in the next file at once, the video with its next key frame, which is asked for. */
GST_START_TEST (test_fragments)
{
  static const gchar *const expected[] = {
    "[recording property] | /sink_0#0@0/0 /sink_1#0@0/0 /sink_1#1@50/50 /sink_0#1@100/100 /sink_1#2@150/150 /sink_1#3@250/250",
    "[recording property] | /sink_0#2@200/200 /sink_1#4@300/300 /sink_0#3@300/300 eos(/sink_0 )@300 eos(/sink_1 )@300 | [statistics]",
    "absent"
  };
  gchar *folder = g_dir_make_tmp ("fragments-XXXXXX", NULL);
  gchar *properties = g_strdup_printf (ORIGIN "chunk-duration=0 sync-interval=0 fragment-duration=200000000 location=%s/f%%d.mcap", folder);
  MuxSource *rows, *video;
  MuxRun run;

  mux_open (&run, "robocachemcapsink", properties);
  rows = mux_add (&run, TRUE);
  video = mux_add (&run, TRUE);
  mux_play (&run);
  mux_begin (rows, TENSORS ("float32", "1"));
  mux_begin (video, H264);
  for (gint64 ms = 0; ms <= 300; ms += 50) {
    mux_set_time (&run, ms);
    if (ms % 100 == 0 && ms < 300)
      fail_unless (mux_push (rows, ms, 4) == GST_FLOW_OK);
    if (ms == 0 || ms == 300)
      fail_unless (mux_push_bytes (video, ms, KEY_FRAME, sizeof (KEY_FRAME) - 1) == GST_FLOW_OK);
    else if (ms % 100 == 50)
      push_frame (video, ms);
    fail_unless_equals_int (g_atomic_int_get (&video->n_key_requests), ms >= 200);
  }
  fail_unless (mux_push (rows, 300, 4) == GST_FLOW_OK);
  mux_end (&run);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    gchar *text = read_fragment (folder, i);

    fail_unless_equals_string (text, expected[i]);
    g_free (text);
  }
  mux_close (&run);
  fail_unless_equals_int (g_rmdir (folder), 0);
  g_free (properties);
  g_free (folder);
}

GST_END_TEST;

/* ---- a faulty sensor ---- */

static gboolean
set_caps (MuxSource *source, const gchar *text)
{
  GstCaps *caps = gst_caps_from_string (text);
  const gboolean is_handled = gst_pad_send_event (source->peer, gst_event_new_caps (caps));

  gst_caps_unref (caps);
  return is_handled;
}

/* Live, buffers and caps that cannot be used cost the rows of their own stream. */
GST_START_TEST (test_faulty_sensor)
{
  static const gsize sizes[] = { 0, 3, 5, 4000 };
  MuxSource *a, *b;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN "chunk-duration=0");
  a = mux_add (&run, TRUE);
  b = mux_add (&run, TRUE);
  mux_play (&run);
  mux_begin (a, TENSORS ("float32", "1"));
  mux_begin (b, TENSORS ("float32", "1"));
  mux_set_time (&run, 10);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    fail_unless_equals_int (mux_push (a, 5, sizes[i]), GST_FLOW_OK);
  fail_unless (mux_push (a, 6, 4) == GST_FLOW_OK && mux_push (b, 7, 4) == GST_FLOW_OK);
  EXPECT_MESSAGES (&run, "rows-dropped-malformed");
  fail_unless (set_caps (a, TENSORS ("complex", "1")) && set_caps (a, "other/tensors, format=(string)flexible, framerate=(string)many"));
  fail_unless (mux_push (a, 8, 4) == GST_FLOW_OK && mux_push (b, 8, 4) == GST_FLOW_OK);
  EXPECT_MESSAGES (&run, "until usable caps arrive");
  fail_unless (set_caps (a, TENSORS ("float32", "2")));
  fail_unless (mux_push (a, 9, 8) == GST_FLOW_OK);
  fail_unless_equals_uint64 (count_of (&run, "rows-dropped-malformed"), G_N_ELEMENTS (sizes) + 1);
  mux_end (&run);
  fail_unless (mux_file_has (&run, "/sink_0#0@10/6 ") && mux_file_has (&run, "/sink_1#0@10/7 ") && mux_file_has (&run, "/sink_1#1@10/8 ")
      && mux_file_has (&run, "@10/9 "));
  EXPECT_MESSAGES (&run, "");
  mux_close (&run);
}

GST_END_TEST;

/* Buffers without PTS follow each other, malformed ones included. */
GST_START_TEST (test_faulty_sensor_without_pts)
{
  static const gsize sizes[] = { 3, 4, 0, 4 };
  MuxSource *a;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN "chunk-duration=0");
  a = mux_add (&run, TRUE);
  mux_add (&run, TRUE);
  mux_play (&run);
  mux_begin (a, TENSORS ("float32", "1"));
  mux_set_time (&run, 50);
  fail_unless_equals_int (mux_push (a, 5, 4), GST_FLOW_OK);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    fail_unless_equals_int (mux_push (a, -1, sizes[i]), GST_FLOW_OK);
  EXPECT_MESSAGES (&run, "rows-dropped-malformed");
  mux_end (&run);
  fail_unless (mux_file_has (&run, "/sink_0#0@50/5 ") && mux_file_has (&run, "/sink_0#1@50/25 ") && mux_file_has (&run, "/sink_0#2@50/45 "));
  mux_close (&run);
}

GST_END_TEST;

/* A pad that is requested while the recording runs takes its topic when its stream begins. */
GST_START_TEST (test_late_pad)
{
  MuxSource *late;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN "chunk-duration=0");
  mux_begin (mux_add (&run, TRUE), TENSORS ("float32", "1"));
  mux_play (&run);
  mux_set_time (&run, 10);
  late = mux_add (&run, TRUE);
  g_object_set (late->peer, "topic", "/late", NULL);
  mux_begin (late, TENSORS ("float32", "1"));
  fail_unless_equals_int (mux_push (late, 7, 4), GST_FLOW_OK);
  EXPECT_MESSAGES (&run, "");
  g_object_set (late->peer, "topic", "/later", NULL);
  fail_unless_equals_int (mux_push (late, 8, 4), GST_FLOW_OK);
  EXPECT_MESSAGES (&run, "sink_1::topic was set while the element runs");
  mux_end (&run);
  fail_unless (mux_file_has (&run, "/late#0@10/7 ") && mux_file_has (&run, "/late#1@10/8 "));
  mux_close (&run);
}

GST_END_TEST;

/* An error is due where no other sensor is left, and where the source is not live. */
GST_START_TEST (test_faulty_sensor_alone)
{
  const gboolean is_live = __i__;
  MuxSource *a;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN "chunk-duration=0");
  a = mux_add (&run, is_live);
  if (!is_live)
    mux_begin (mux_add (&run, TRUE), TENSORS ("float32", "1"));
  mux_play (&run);
  mux_begin (a, TENSORS ("float32", "1"));
  fail_if (set_caps (a, TENSORS ("complex", "1")));
  EXPECT_MESSAGES (&run, "complex");
  mux_close (&run);
}

GST_END_TEST;

CHECK_MAIN (live, NULL, NULL, ONCE (test_faulty_sensor), TIMES (2, test_faulty_sensor_alone), ONCE (test_faulty_sensor_without_pts), ONCE (test_late_pad), ONCE (test_arrival), EACH (origins, test_origins), ONCE (test_quiet), ONCE (test_overflow),
    EACH (bursts, test_burst), ONCE (test_waits), ONCE (test_full_at_the_end), TIMES (2, test_waits_for_none), ONCE (test_fragments))
