/* robocache: what the core expects of a muxer and of a sink: states, events, queries, sequence numbers, buffers that are released
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gstdio.h>

#include "tests/check/lib/recordings/muxrun.h"
#include "tests/check/lib/checks.h"

#define MUX "robocachemcapmux"
#define SINK "robocachemcapsink"
#define ORIGIN "time-origin=0 index-interval=0 chunk-duration=0 "
#define ROW TENSORS ("float32", "1")
#define ROW_SIZE 4
#define PICTURES "videotestsrc num-buffers=30 ! video/x-raw,format=RGB,width=16,height=16,framerate=10/1 ! "
#define APPSRC "appsrc format=time caps=\"" ROW "\" name="

static gchar *folder;

static void
make_folder (void)
{
  folder = g_dir_make_tmp ("pipeline-XXXXXX", NULL);
}

static void
remove_folder (void)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name (dir))) {
    gchar *path = g_build_filename (folder, name, NULL);

    g_unlink (path);
    g_free (path);
  }
  g_dir_close (dir);
  g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
}

/* A pipeline, in whose text FILE is a file. */
static GstElement *
launch (const gchar *text)
{
  gchar **parts = g_strsplit (text, "FILE", -1), *path = g_build_filename (folder, "%d.mcap", NULL), *joined = g_strjoinv (path, parts);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (joined, &error);

  fail_unless (pipeline && !error, "%s", error ? error->message : "");
  g_free (joined);
  g_free (path);
  g_strfreev (parts);
  return pipeline;
}

static void
stop (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

static GstMessage *
wait_for (GstElement *pipeline, GstMessageType type)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, type | GST_MESSAGE_ERROR);

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR && type != GST_MESSAGE_ERROR) {
    GError *error;
    gchar *debug;

    gst_message_parse_error (message, &error, &debug);
    fail ("%s (%s)", error->message, debug);
  }
  gst_object_unref (bus);
  return message;
}

static void
run_to_eos (const gchar *text)
{
  GstElement *pipeline = launch (text);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_message_unref (wait_for (pipeline, GST_MESSAGE_EOS));
  stop (pipeline);
}

static gboolean
has_element (const gchar *name)
{
  GstElementFactory *factory = gst_element_factory_find (name);

  const gboolean has = factory != NULL;

  gst_clear_object (&factory);
  return has;
}

static void
push_row (GstElement *pipeline, const gchar *name, guint ms)
{
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), name);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, ROW_SIZE, NULL);
  GstFlowReturn flow;

  gst_buffer_memset (buffer, 0, 0, ROW_SIZE);
  GST_BUFFER_PTS (buffer) = ms * MS;
  g_signal_emit_by_name (source, "push-buffer", buffer, &flow);
  gst_buffer_unref (buffer);
  gst_object_unref (source);
}

/* ---- a muxer whose downstream is not there yet ---- */

/* Nothing is pushed before the first data, and what finds downstream flushing is pushed later: the file is whole. */
GST_START_TEST (test_flushing)
{
  GstEvent *event;
  MuxSource *a;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN "chunk-size=1024");
  a = mux_add (&run, TRUE);
  gst_pad_set_active (run.sink, FALSE);
  mux_play (&run);
  mux_begin (a, TENSORS ("float32", "100"));
  event = gst_pad_get_sticky_event (run.sink, GST_EVENT_STREAM_START, 0);
  fail_unless (event == NULL);
  if (__i__ == 0) {
    gst_pad_set_active (run.sink, TRUE);
    fail_unless_equals_int (run.file->len, 0);
  }
  for (guint i = 0; i < 10; i++)
    fail_unless_equals_int (mux_push (a, i, 400), GST_FLOW_OK);
  gst_pad_set_active (run.sink, TRUE);
  for (guint i = 10; i < 20; i++)
    fail_unless_equals_int (mux_push (a, i, 400), GST_FLOW_OK);
  mux_end (&run);
  fail_unless (memcmp (run.file->data, "\x89MCAP0\r\n", 8) == 0);
  for (guint i = 0; i < 20; i++) {
    gchar *words = g_strdup_printf ("/sink_0#%u@", i);

    fail_unless (mux_file_has (&run, words), "no %s", words);
    g_free (words);
  }
  EXPECT_MESSAGES (&run, "");
  mux_close (&run);
}

GST_END_TEST;

static const gchar *const split_settings[] = { "async-finalize=true", "async-finalize=false" };

/* The messages of a file, and that it is complete. -1: there is none. */
static gint
count_messages (const gchar *name)
{
  gchar *path = g_build_filename (folder, name, NULL), *bytes = NULL, *words;
  gint n = 0;
  gsize size;

  g_file_get_contents (path, &bytes, &size, NULL);
  g_free (path);
  if (!bytes)
    return -1;
  fail_unless (size > 8 && memcmp (bytes + size - 8, "\x89MCAP0\r\n", 8) == 0);
  words = describe_file ((const guint8 *) bytes, size);
  for (const gchar *at = words; (at = strstr (at, "/sink_0#")); at++)
    n++;
  g_free (words);
  g_free (bytes);
  return n;
}

/* splitmuxsink links a muxer and a sink of their own to each fragment. Until GStreamer 1.26.10 it needs to know the pads. */
GST_START_TEST (test_splitmuxsink)
{
  gchar *text = g_strdup_printf (PICTURES "jpegenc ! s.video splitmuxsink name=s muxer-factory=robocachemcapmux "
      "muxer-pad-map=x-pad-map,video=sink_0 max-size-time=1000000000 location=FILE %s", split_settings[__i__]);
  gint n_messages = 0;

  run_to_eos (text);
  for (guint i = 0; i < 3; i++) {
    gchar *name = g_strdup_printf ("%u.mcap", i);

    n_messages += count_messages (name);
    g_free (name);
  }
  fail_unless_equals_int (n_messages, 30);
  fail_unless_equals_int (count_messages ("3.mcap"), -1);
  g_free (text);
}

GST_END_TEST;

static const struct
{
  const gchar *profile, *needs[2];
} profiles[] = { {"image/jpeg", {"jpegenc", "encodebin"}}, {"video/x-h264,profile=baseline", {"x264enc", "encodebin"}} };

#ifdef __SANITIZE_ADDRESS__
#define LEAKS_ARE_FOUND TRUE
#else
#define LEAKS_ARE_FOUND FALSE
#endif

/* The muxer is found by its caps. */
GST_START_TEST (test_encodebin)
{
  gchar *text;

  if (LEAKS_ARE_FOUND)          /* gst_encoding_profile_find of gstpbutils leaks */
    return;
  for (guint i = 0; i < G_N_ELEMENTS (profiles[__i__].needs); i++)
    if (!has_element (profiles[__i__].needs[i]))
      return;
  text = g_strdup_printf (PICTURES "videoconvert ! encodebin profile=application/x-mcap:%s ! filesink location=FILE", profiles[__i__].profile);
  run_to_eos (text);
  fail_unless_equals_int (count_messages ("%d.mcap"), 30);
  g_free (text);
}

GST_END_TEST;

/* ---- what is released ---- */

static GstElement *asked;

static void
ask_for_statistics (gpointer data)
{
  GstStructure *statistics;

  g_object_get (asked, "stats", &statistics, NULL);
  gst_structure_free (statistics);
  g_free (data);
}

static void
push_watched (MuxSource *source, guint ms)
{
  gpointer data = g_malloc0 (ROW_SIZE);
  GstBuffer *buffer = gst_buffer_new_wrapped_full (0, data, ROW_SIZE, 0, ROW_SIZE, data, ask_for_statistics);

  GST_BUFFER_PTS (buffer) = ms * MS;
  fail_unless_equals_int (gst_pad_push (source->pad, buffer), GST_FLOW_OK);
}

typedef enum
{
  BY_MERGE,
  BY_FLUSH,
  BY_RELEASE,
  BY_READY,
  N_WAYS
} Way;

/* The owner of a buffer may use the element when it gets the buffer back. */
GST_START_TEST (test_released)
{
  MuxSource *a, *b;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN);
  asked = run.mux;
  a = mux_add (&run, FALSE);
  b = mux_add (&run, FALSE);
  mux_play (&run);
  mux_begin (a, ROW);
  mux_begin (b, ROW);
  for (guint i = 0; i < 20; i++)
    push_watched (a, i);
  switch (__i__) {
    case BY_MERGE:
      for (guint i = 0; i < 20; i++)
        push_watched (b, i);
      mux_end (&run);
      break;
    case BY_FLUSH:
      gst_pad_push_event (a->pad, gst_event_new_flush_start ());
      gst_pad_push_event (a->pad, gst_event_new_flush_stop (TRUE));
      break;
    case BY_RELEASE:
      gst_element_release_request_pad (run.mux, a->peer);
      break;
    default:
      gst_element_set_state (run.mux, GST_STATE_READY);
      break;
  }
  mux_close (&run);
}

GST_END_TEST;

/* ---- states of the sink ---- */

#define EXPECT_STATE(element, expected, state) \
  do { \
    fail_unless_equals_int (expected, gst_element_set_state (element, state)); \
  } while (0)

/* Without data it waits for some in PAUSED, and goes back from there. */
GST_START_TEST (test_states_without_data)
{
  GstElement *pipeline = launch (APPSRC "a ! robocachemcapsink name=r location=FILE");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "r");
  GstState state, pending;

  for (guint i = 0; i < 3; i++) {
    EXPECT_STATE (pipeline, GST_STATE_CHANGE_ASYNC, i == 1 ? GST_STATE_PLAYING : GST_STATE_PAUSED);
    fail_unless_equals_int (gst_element_get_state (sink, &state, &pending, 0), GST_STATE_CHANGE_ASYNC);
    fail_unless_equals_int (state, GST_STATE_READY);
    EXPECT_STATE (pipeline, GST_STATE_CHANGE_SUCCESS, GST_STATE_READY);
    EXPECT_STATE (pipeline, GST_STATE_CHANGE_SUCCESS, GST_STATE_NULL);
  }
  gst_object_unref (sink);
  stop (pipeline);
}

GST_END_TEST;

/* Data complete the change, to PAUSED or to PLAYING; EOS is data. */
GST_START_TEST (test_states)
{
  const GstState target = __i__ % 2 ? GST_STATE_PLAYING : GST_STATE_PAUSED;
  GstElement *pipeline = launch (APPSRC "a ! robocachemcapsink name=r location=FILE");
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "a");
  GstFlowReturn flow;

  EXPECT_STATE (pipeline, GST_STATE_CHANGE_ASYNC, target);
  if (__i__ < 2)
    push_row (pipeline, "a", 0);
  else
    g_signal_emit_by_name (source, "end-of-stream", &flow);
  fail_unless_equals_int (gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE), GST_STATE_CHANGE_SUCCESS);
  fail_unless_equals_int (GST_STATE (pipeline), target);
  gst_message_unref (wait_for (pipeline, GST_MESSAGE_ASYNC_DONE));
  EXPECT_STATE (pipeline, GST_STATE_CHANGE_SUCCESS, GST_STATE_PLAYING);
  if (__i__ < 2)
    g_signal_emit_by_name (source, "end-of-stream", &flow);
  gst_message_unref (wait_for (pipeline, GST_MESSAGE_EOS));
  gst_object_unref (source);
  stop (pipeline);
}

GST_END_TEST;

/* A live source has no preroll: PLAYING comes with its data. */
GST_START_TEST (test_live_states)
{
  GstElement *pipeline = launch (APPSRC "a is-live=true ! robocachemcapsink name=r location=FILE");

  EXPECT_STATE (pipeline, GST_STATE_CHANGE_NO_PREROLL, GST_STATE_PAUSED);
  EXPECT_STATE (pipeline, GST_STATE_CHANGE_ASYNC, GST_STATE_PLAYING);
  push_row (pipeline, "a", 0);
  fail_unless_equals_int (gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE), GST_STATE_CHANGE_SUCCESS);
  EXPECT_STATE (pipeline, GST_STATE_CHANGE_NO_PREROLL, GST_STATE_PAUSED);
  EXPECT_STATE (pipeline, GST_STATE_CHANGE_SUCCESS, GST_STATE_PLAYING);
  stop (pipeline);
}

GST_END_TEST;

/* A flushing seek of the pipeline reaches the source, takes the state back, and ends with ASYNC_DONE. */
GST_START_TEST (test_seek)
{
  GstElement *pipeline = launch ("videotestsrc num-buffers=300 ! video/x-raw,format=GRAY8,width=8,height=8,framerate=100/1 ! r.sink_0 "
      "videotestsrc num-buffers=300 ! video/x-raw,format=GRAY8,width=8,height=8,framerate=100/1 ! r.sink_1 "
      "robocachemcapsink name=r location=FILE");
  gint64 duration;

  EXPECT_STATE (pipeline, GST_STATE_CHANGE_ASYNC, GST_STATE_PAUSED);
  gst_message_unref (wait_for (pipeline, GST_MESSAGE_ASYNC_DONE));
  fail_unless (gst_element_query_duration (pipeline, GST_FORMAT_TIME, &duration));
  fail_unless_equals_int64 (duration, 3 * (gint64) GST_SECOND);
  fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 2 * GST_SECOND));
  gst_message_unref (wait_for (pipeline, GST_MESSAGE_ASYNC_DONE));
  EXPECT_STATE (pipeline, GST_STATE_CHANGE_SUCCESS, GST_STATE_PLAYING);
  gst_message_unref (wait_for (pipeline, GST_MESSAGE_EOS));
  stop (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_latency)
{
  GstElement *pipeline = launch (APPSRC "a is-live=true min-latency=20000000 max-latency=-1 ! r.sink_0 " APPSRC "b ! r.sink_1 "
      APPSRC "c is-live=true min-latency=50000000 max-latency=90000000 ! r.sink_2 robocachemcapsink name=r location=FILE");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "r");
  GstQuery *query = gst_query_new_latency ();
  GstClockTime min, max;
  gboolean is_live;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless (gst_element_query (sink, query));
  gst_query_parse_latency (query, &is_live, &min, &max);
  fail_unless (is_live && min == 50 * MS && max == 90 * MS);
  fail_unless (gst_element_send_event (sink, gst_event_new_latency (50 * MS)));
  gst_query_unref (query);
  gst_object_unref (sink);
  stop (pipeline);
}

GST_END_TEST;

/* ---- sequence numbers ---- */

static const gchar *const ends[] = { "robocachemcapmux ! fakesink sync=false", "robocachemcapsink location=FILE" };

/* The EOS of an application is found again in its message. */
GST_START_TEST (test_seqnum)
{
  gchar *text = g_strconcat ("robocachetestsrc is-live=true rate=1000/1 ! ", ends[__i__], NULL);
  GstElement *pipeline = launch (text);
  GstEvent *event = gst_event_new_eos ();
  const guint32 seqnum = gst_event_get_seqnum (event);
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  fail_unless_equals_int (gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE), GST_STATE_CHANGE_SUCCESS);
  gst_element_send_event (pipeline, event);
  message = wait_for (pipeline, GST_MESSAGE_EOS);
  fail_unless_equals_int (gst_message_get_seqnum (message), seqnum);
  gst_message_unref (message);
  stop (pipeline);
  g_free (text);
}

GST_END_TEST;

/* ---- the muxer's thread and buffers ---- */

static GstFlowReturn
note_discont (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  MuxRun *run = gst_pad_get_element_private (pad);

  fail_unless_equals_int (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT), run->file->len == 0);
  return collect (pad, parent, buffer);
}

GST_START_TEST (test_thread)
{
  guint n_statuses[GST_STREAM_STATUS_TYPE_STOP + 1] = { 0 };
  GstMessage *message;
  GstBus *bus;
  MuxSource *a;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN);
  gst_pad_set_chain_function (run.sink, note_discont);
  a = mux_add (&run, FALSE);
  mux_play (&run);
  mux_begin (a, ROW);
  mux_push (a, 0, ROW_SIZE);
  mux_end (&run);
  bus = gst_object_ref (run.bus);
  mux_close (&run);
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_STREAM_STATUS))) {
    GstStreamStatusType type;

    gst_message_parse_stream_status (message, &type, NULL);
    n_statuses[type]++;
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  fail_unless (n_statuses[GST_STREAM_STATUS_TYPE_CREATE] == 1 && n_statuses[GST_STREAM_STATUS_TYPE_ENTER] == 1
      && n_statuses[GST_STREAM_STATUS_TYPE_LEAVE] == 1);
}

GST_END_TEST;

/* ---- tags ---- */

GST_START_TEST (test_tags)
{
  MuxSource *a;
  MuxRun run;

  mux_open (&run, MUX, ORIGIN);
  gst_tag_setter_add_tags (GST_TAG_SETTER (run.mux), GST_TAG_MERGE_APPEND, GST_TAG_TITLE, "pick and place", NULL);
  a = mux_add (&run, FALSE);
  mux_play (&run);
  mux_begin (a, ROW);
  mux_push (a, 0, ROW_SIZE);
  mux_end (&run);
  fail_unless (mux_file_has (&run, "[tags pick and place] "));
  mux_close (&run);
}

GST_END_TEST;

CHECK_MAIN (pipeline, make_folder, remove_folder, TIMES (2, test_flushing), EACH (split_settings, test_splitmuxsink), EACH (profiles, test_encodebin),
    TIMES (N_WAYS, test_released), ONCE (test_states_without_data), TIMES (4, test_states), ONCE (test_live_states), ONCE (test_seek),
    ONCE (test_latency), EACH (ends, test_seqnum), ONCE (test_thread), ONCE (test_tags))
