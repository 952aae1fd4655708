/* robocache: what the recorders owe to a pipeline: pads, refusals, events in order, clocks, restarts
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gstdio.h>

#include "tests/check/lib/recordings/muxrun.h"
#include "tests/check/lib/checks.h"
#include "tests/check/lib/memorylimit.h"

#define MUX "robocachemcapmux"
#define ORIGIN "time-origin=0 index-interval=0 chunk-duration=0"
#define ROW TENSORS ("float32", "1")
#define ROW_SIZE 4

/* ---- pads ---- */

static const struct
{
  const gchar *name, *got;      /* NULL: refused */
} requests[] = { {"sink_%u", "sink_0"}, {"sink_3", "sink_3"}, {"sink_%u", "sink_4"}, {"sink_x", NULL}, {"sink_4294967296", NULL} };

GST_START_TEST (test_pads)
{
  MuxRun run;

  mux_open (&run, MUX, "");
  for (guint i = 0; i < G_N_ELEMENTS (requests); i++) {
    GstPad *pad = gst_element_request_pad_simple (run.mux, requests[i].name);

    fail_unless_equals_string (pad ? GST_PAD_NAME (pad) : NULL, requests[i].got);
    gst_clear_object (&pad);
  }
  fail_unless_equals_int (gst_child_proxy_get_children_count (GST_CHILD_PROXY (run.mux)), 3);
  gst_child_proxy_set (GST_CHILD_PROXY (run.mux), "sink_3::topic", "/joints", NULL);
  mux_close (&run);
}

GST_END_TEST;

/* A pad that is removed ends its stream, and the last one the file. */
GST_START_TEST (test_release)
{
  MuxSource *a, *b;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN);
  a = mux_add (&run, FALSE);
  b = mux_add (&run, FALSE);
  mux_play (&run);
  mux_begin (a, ROW);
  mux_begin (b, ROW);
  fail_unless (mux_push (b, 5, ROW_SIZE) == GST_FLOW_OK);
  gst_element_release_request_pad (run.mux, a->peer);
  fail_unless (mux_push (a, 10, ROW_SIZE) == GST_FLOW_NOT_LINKED);
  gst_clear_object (&a->peer);
  a->peer = gst_object_ref (b->peer);
  gst_pad_push_event (b->pad, gst_event_new_eos ());
  g_mutex_lock (&run.lock);
  while (!run.has_eos)
    g_cond_wait (&run.changed, &run.lock);
  g_mutex_unlock (&run.lock);
  EXPECT_FILE (&run, "[recording property] | /sink_1#0@5/5 eos(/sink_1 )@5 | [statistics]");
  gst_clear_object (&a->peer);
  run.n_sources = 0;
  gst_object_unref (a->pad);
  gst_object_unref (b->pad);
  gst_object_unref (b->peer);
  mux_close (&run);
}

GST_END_TEST;

/* ---- refusals ---- */

static const struct
{
  const gchar *caps;
  gsize size;
  const gchar *error;
} refusals[] = {                /* live: those at even places, which are of caps */
  {"other/tensors, format=(string)sparse", 8, "format"},
  {"other/tensors, format=(string)flexible", 8, "a flexible tensor has 8 bytes, less than its header of 128"},
  {"other/tensors, format=(string)flexible, framerate=(string)fast", 8, "framerate"},
  {TENSORS ("float32", "4"), 15, "15"},
  {"application/x-pointcloud, fields=(string)\"x,y\"", 8, "fields"},
  {"video/x-raw, format=(string)RGB, width=(int)4, height=(int)4", 10, "10 bytes is not a frame of 4 x 4"},
  {"video/x-raw, format=(string)RGB", 24, "expected video/x-raw with format, width and height"},
  {"video/x-h264, stream-format=(string)byte-stream, alignment=(string)au", 8, "put h264parse before the recorder"},
  {TENSORS ("float32", "4:2") ", picture=(string)32FC3", 32, "picture=32FC3 does not fit types and dimensions"},
};

GST_START_TEST (test_refusals)
{
  MuxSource *a;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN);
  a = mux_add (&run, __i__ % 2 == 0);
  mux_play (&run);
  mux_begin (a, refusals[__i__].caps);
  fail_unless (mux_push (a, 0, refusals[__i__].size) < GST_FLOW_FLUSHING);
  EXPECT_MESSAGES (&run, refusals[__i__].error);
  mux_close (&run);
}

GST_END_TEST;

GST_START_TEST (test_segment_of_bytes)
{
  GstSegment segment;
  MuxSource *a;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN);
  a = mux_add (&run, FALSE);
  mux_play (&run);
  mux_begin (a, ROW);
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  gst_pad_push_event (a->pad, gst_event_new_segment (&segment));
  fail_unless (mux_push (a, 0, ROW_SIZE) < GST_FLOW_FLUSHING);
  EXPECT_MESSAGES (&run, "the segment is in bytes");
  mux_close (&run);
}

GST_END_TEST;

static const struct
{
  const gchar *element, *properties, *error;
} settings[] = {
  {"robocachemcapsink", "", "location is not set"},
  {"robocachemcapsink", "location=x.mcap fragment-duration=1", "needs the number of a fragment in location"},
  {"robocachemcapsink", "location=/dev/null/x layout=rosbag2", "cannot make the folder /dev/null/x"},
  {MUX, "attachments=/nowhere/robot.urdf", "attachments: "},
};

GST_START_TEST (test_settings)
{
  MuxRun run;

  mux_open (&run, settings[__i__].element, settings[__i__].properties);
  fail_unless (gst_element_set_state (run.mux, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE);
  EXPECT_MESSAGES (&run, settings[__i__].error);
  mux_close (&run);
}

GST_END_TEST;

/* ---- sizes ---- */

/* Caps that alternate use two channels, however often they do: the messages of each count on. */
GST_START_TEST (test_alternating_caps)
{
  MuxSource *a;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN);
  a = mux_add (&run, TRUE);
  mux_play (&run);
  for (guint i = 0; i < 10; i++) {
    mux_begin (a, i % 2 ? TENSORS ("float32", "2") : ROW);
    fail_unless_equals_int (mux_push (a, i, (1 + i % 2) * ROW_SIZE), GST_FLOW_OK);
  }
  mux_end (&run);
  fail_unless (mux_file_has (&run, "/sink_0#4@"));
  EXPECT_MESSAGES (&run, "");
  mux_close (&run);
}

GST_END_TEST;

GST_START_TEST (test_large_message)
{
  MuxSource *a;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN " max-message-bytes=1000");
  a = mux_add (&run, FALSE);
  mux_play (&run);
  mux_begin (a, TENSORS ("float32", "1000"));
  fail_unless_equals_int (mux_push (a, 0, 4000), GST_FLOW_ERROR);
  EXPECT_MESSAGES (&run, "bytes is larger than max-message-bytes=1000");
  mux_close (&run);
}

GST_END_TEST;

#define GRAY(width) "video/x-raw, format=(string)GRAY8, width=(int)" #width ", height=(int)8192, framerate=(fraction)30/1"

static const struct
{
  guint64 memory;               /* that is left */
  gboolean is_blocked;          /* until memory is short */
  const gchar *caps, *properties;
  guint n_memories;             /* of a buffer; 0: one */
} shortages[] = {
  {16 << 20, FALSE, GRAY (8192), ""}, {100 << 20, FALSE, GRAY (8192), ""}, {180 << 20, FALSE, GRAY (8192), ""},
  {220 << 20, FALSE, GRAY (8192), "compression=zstd"}, {220 << 20, FALSE, GRAY (8192), "compression=lz4"}, {100 << 20, FALSE, GRAY (8186), ""},
  {350 << 20, TRUE, GRAY (8192), "max-queue-size=10000000000"},

  {16 << 20, FALSE, GRAY (8192), "", 2}, {16 << 20, FALSE, "image/jpeg", "", 2}, {16 << 20, FALSE, TENSORS ("float32", "16777216"), "", 2},
  {16 << 20, FALSE, "video/x-h264, stream-format=(string)byte-stream, alignment=(string)au", "", 2},
  {16 << 20, FALSE, "application/x-pointcloud, fields=(string)\"x,y,z,i\", type=(string)float32, framerate=(fraction)30/1", "", 2},
};

static GstBuffer *
buffer_of_memories (guint n, gsize bytes)
{
  GstBuffer *buffer = gst_buffer_new ();

  for (guint i = 0; i < n; i++)
    gst_buffer_append_memory (buffer, gst_allocator_alloc (NULL, bytes / n, NULL));
  for (guint i = 0; i < n; i++) {
    GstMapInfo map;

    fail_unless (gst_buffer_map_range (buffer, i, 1, &map, GST_MAP_WRITE));
    memset (map.data, 0, map.size);
    gst_buffer_unmap (buffer, &map);
  }
  GST_BUFFER_PTS (buffer) = 0;
  return buffer;
}

/* Frames of 64 MiB: one error, which names their bytes, or all are recorded. */
GST_START_TEST (test_short_memory)
{
  GstBuffer *frame = buffer_of_memories (MAX (shortages[__i__].n_memories, 1), 64 << 20);
  gchar *properties = g_strconcat (ORIGIN " ", shortages[__i__].properties, NULL), *messages = NULL;
  MuxSource *a;
  rlim_t before;
  MuxRun run;

  if (skip_without_memory_limit ("short_memory")) {
    gst_buffer_unref (frame);
    g_free (properties);
    return;
  }
  mux_open (&run, MUX, properties);
  gst_pad_set_chain_function (run.sink, forget);
  a = mux_add (&run, TRUE);
  mux_play (&run);
  mux_begin (a, shortages[__i__].caps);
  set_blocked (&run, shortages[__i__].is_blocked);
  before = limit_memory (shortages[__i__].memory);
  for (guint i = 0; i < 10; i++)
    if (gst_pad_push (a->pad, gst_buffer_ref (frame)) != GST_FLOW_OK)
      break;
  set_blocked (&run, FALSE);
  gst_pad_push_event (a->pad, gst_event_new_eos ());
  do {
    g_free (messages);
    g_usleep (1000);
    messages = mux_messages (&run);
  } while (!*messages && !g_atomic_int_get (&run.has_eos));
  restore_memory (before);
  fail_unless (strstr (messages, "no memory ") && strstr (messages, "bytes"), "%s", messages);
  mux_close (&run);
  g_free (messages);
  g_free (properties);
  gst_buffer_unref (frame);
}

GST_END_TEST;

/* ---- events ---- */

/* Beside rows: gaps, tags, custom events, other caps and flushes, in their places, whether the source is live or not. */
GST_START_TEST (test_events)
{
  MuxSource *a;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN);
  a = mux_add (&run, __i__);
  mux_play (&run);
  mux_begin (a, ROW);
  mux_push (a, 0, ROW_SIZE);
  gst_pad_push_event (a->pad, gst_event_new_gap (10 * MS, 10 * MS));
  gst_pad_push_event (a->pad, gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "test", NULL)));
  gst_pad_push_event (a->pad, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty ("mark")));
  mux_push (a, 20, ROW_SIZE);
  mux_begin (a, TENSORS ("float32", "2"));
  mux_push (a, 30, 2 * ROW_SIZE);
  mux_end (&run);
  fail_unless (mux_file_has (&run, "/sink_0#0@0/0 gap(/sink_0 )@"));
  fail_unless (mux_file_has (&run, "tags(/sink_0 taglist, title=(string)test;)@"));
  fail_unless (mux_file_has (&run, "custom(/sink_0 mark;)@"));
  fail_unless (mux_file_has (&run, "/sink_0#1@") && mux_file_has (&run, "caps(/sink_0 other/tensors"));
  /* a channel of its own, whose messages count from 0 */
  fail_unless (mux_file_has (&run, __i__ ? "/sink_0#0@0/30 eos" : "/sink_0#0@30/30 eos"));
  EXPECT_MESSAGES (&run, "");
  mux_close (&run);
}

GST_END_TEST;

GST_START_TEST (test_flush)
{
  GstSegment segment;
  MuxSource *a;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN);
  a = mux_add (&run, FALSE);
  mux_play (&run);
  mux_begin (a, ROW);
  mux_push (a, 0, ROW_SIZE);
  gst_pad_push_event (a->pad, gst_event_new_flush_start ());
  gst_pad_push_event (a->pad, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (a->pad, gst_event_new_segment (&segment));
  mux_push (a, 50, ROW_SIZE);
  mux_end (&run);
  fail_unless (mux_file_has (&run, "/sink_0#0@0/0 flush(/sink_0 )@0 segment("));
  fail_unless (mux_file_has (&run, "/sink_0#1@50/50 eos"));
  mux_close (&run);
}

GST_END_TEST;

/* ---- clocks ---- */

static const struct
{
  const gchar *properties;
  gboolean is_live;
  const gchar *clock;           /* NULL: an error */
} clocks[] = {
  {"", FALSE, "running"}, {"", TRUE, "system"}, {"time-origin=5000000", TRUE, "property"}, {"clock=running", TRUE, "running"},
  {"clock=system", FALSE, "system"}, {"clock=reference", FALSE, NULL},
};

GST_START_TEST (test_clocks)
{
  MuxSource *a;
  MuxRun run;

  mux_open (&run, MUX, clocks[__i__].properties);
  a = mux_add (&run, clocks[__i__].is_live);
  mux_play (&run);
  mux_begin (a, ROW);
  if (!clocks[__i__].clock) {
    fail_unless_equals_int (mux_push (a, 0, ROW_SIZE), GST_FLOW_ERROR);
    EXPECT_MESSAGES (&run, "has no reference timestamp meta");
  } else {
    gchar *words = g_strdup_printf ("[recording %s]", clocks[__i__].clock);

    fail_unless_equals_int (mux_push (a, 0, ROW_SIZE), GST_FLOW_OK);
    mux_end (&run);
    fail_unless (mux_file_has (&run, words), "no %s", words);
    g_free (words);
  }
  mux_close (&run);
}

GST_END_TEST;

/* A stream that is not live is first, and one that is live decides. */
GST_START_TEST (test_mixed_clocks)
{
  MuxSource *a, *b;
  MuxRun run;

  mux_open (&run, MUX, "");
  a = mux_add (&run, FALSE);
  b = mux_add (&run, TRUE);
  mux_play (&run);
  mux_begin (b, ROW);
  mux_begin (a, ROW);
  mux_push (a, 0, ROW_SIZE);
  mux_push (b, 0, ROW_SIZE);
  mux_end (&run);
  fail_unless (mux_file_has (&run, "[recording system]"));
  mux_close (&run);
}

GST_END_TEST;

/* ---- restarts ---- */

/* Each life writes a file of its own; READY before EOS ends one of the sink in order. */
GST_START_TEST (test_restart)
{
  gchar *folder = g_dir_make_tmp ("restart-XXXXXX", NULL);
  gchar *properties = g_strdup_printf (ORIGIN " sync-interval=0 location=%s/%%d.mcap", folder);
  MuxSource *a;
  MuxRun run;

  mux_open (&run, "robocachemcapsink", properties);
  a = mux_add (&run, FALSE);
  for (guint life = 0; life < 3; life++) {
    gchar *path = g_strdup_printf ("%s/%u.mcap", folder, life), *bytes, *text;
    gsize size;

    mux_play (&run);
    gst_pad_set_active (a->pad, TRUE);
    mux_begin (a, ROW);
    for (guint i = 0; i <= life; i++)
      fail_unless_equals_int (mux_push (a, i, ROW_SIZE), GST_FLOW_OK);
    gst_element_set_state (run.mux, GST_STATE_NULL);
    gst_pad_set_active (a->pad, FALSE);
    fail_unless (g_file_get_contents (path, &bytes, &size, NULL));
    text = describe_file ((const guint8 *) bytes, size);
    fail_unless (g_str_has_prefix (text, "[recording property] | /sink_0#0@0/0") && g_str_has_suffix (text, "| [statistics]"), "%s", text);
    fail_unless_equals_int (strstr (text, "/sink_0#2@2/2") != NULL, life == 2);
    fail_unless (memcmp (bytes + size - 8, "\x89MCAP0\r\n", 8) == 0);
    g_free (path);
    g_free (bytes);
    g_free (text);
  }
  EXPECT_MESSAGES (&run, "");
  mux_close (&run);
  for (guint life = 0; life < 3; life++) {
    gchar *path = g_strdup_printf ("%s/%u.mcap", folder, life);

    g_unlink (path);
    g_free (path);
  }
  g_rmdir (folder);
  g_free (properties);
  g_free (folder);
}

GST_END_TEST;

CHECK_MAIN (contract, NULL, NULL, ONCE (test_pads), ONCE (test_release), EACH (refusals, test_refusals), ONCE (test_segment_of_bytes),
    EACH (settings, test_settings), ONCE (test_alternating_caps),
    ONCE (test_large_message), EACH (shortages, test_short_memory), TIMES (2, test_events), ONCE (test_flush), EACH (clocks, test_clocks), ONCE (test_mixed_clocks),
    ONCE (test_restart))
