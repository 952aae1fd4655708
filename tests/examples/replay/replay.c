/* robocache: live sessions with faults, recorded and replayed bit for bit
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/app/gstappsrc.h>
#include <math.h>
#include <string.h>

#include "session.h"

#define DEFAULT_SECONDS 2.0
#define REAL_SECONDS 1.0
#define BLOCK_PERIOD (5 * GST_MSECOND)

/* ---- what happens in sessions ---- */

/* A stream that is linked while the session runs. */
static void
come_late (Play *play, gdouble progress)
{
  GstElement *source, *tee;

  if (!session_is_due (play, 0, 0.4, progress))
    return;
  source = gst_parse_launch ("robocachetestsrc kind=imu is-live=true rate=200/1 jitter=1000000", NULL);
  tee = gst_element_factory_make ("tee", "late");
  gst_bin_add_many (GST_BIN (play->pipeline), source, tee, NULL);
  fail_unless (gst_element_link_pads (tee, NULL, play->fuse, "sink_0"));
  fail_unless (gst_element_link_pads (tee, NULL, session_element (play, "rec"), "sink_5"));
  fail_unless (gst_element_link (source, tee));
  session_watch_source (play->fuse, session_pad (play, "sink_0"), play);
  gst_element_sync_state_with_parent (tee);
  gst_element_sync_state_with_parent (source);
}

static gboolean
block_is_due (Play *play)
{
  if (session_running_time (play) < play->last_block + BLOCK_PERIOD)
    return FALSE;
  play->last_block = session_running_time (play);
  play->n_blocks++;
  return TRUE;
}

/* Five rows. */
static GstBuffer *
make_block (GstClockTime pts)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 15 * sizeof (gfloat), NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint i = 0; i < 15; i++)
    ((gfloat *) (gpointer) map.data)[i] = (gfloat) (pts % 1000003) * 0.25f + (gfloat) i;
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = 4999999;
  return buffer;
}

static void
push (Play *play, const gchar *source, GstBuffer *buffer)
{
  gst_app_src_push_buffer (GST_APP_SRC (session_element (play, source)), buffer);
}

/* lead: how far the source's clock is ahead of the pipeline's. */
static void
push_block (Play *play, GstClockTime lead)
{
  if (block_is_due (play))
    push (play, "hand", make_block (session_running_time (play) + lead));
}

static void
send_blocks (Play *play, gdouble progress)
{
  push_block (play, 0);
}

/* Times of rows are later than their PTS, and not evenly spaced. Some blocks have no PTS or no duration. */
static void
send_own_times (Play *play, gdouble progress)
{
  gint64 times[5];
  GstBuffer *buffer;

  if (!block_is_due (play))
    return;
  buffer = make_block (session_running_time (play));
  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    times[i] = (gint64) (GST_BUFFER_PTS (buffer) + (3 + i * i) * 500 * GST_USECOND);
  buffer = gst_buffer_append (buffer, gst_buffer_new_memdup (times, sizeof times));
  if (play->n_blocks % 11 == 5)
    GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
  if (play->n_blocks % 13 == 3)
    GST_BUFFER_DURATION (buffer) = GST_CLOCK_TIME_NONE;
  push (play, "hand", buffer);
}

static void
add_reference (GstBuffer *buffer, const gchar *caps, GstClockTime time, GstClockTime duration)
{
  GstCaps *reference = gst_caps_from_string (caps);

  gst_buffer_add_reference_timestamp_meta (buffer, reference, time, duration);
  gst_caps_unref (reference);
}

/* 2024 */
#define UNIX_TIME (G_GUINT64_CONSTANT (1704067200) * GST_SECOND)
#define NTP_TIME (UNIX_TIME + G_GUINT64_CONSTANT (2208988800) * GST_SECOND)

/* Times of PTS are up to 7 ms late. Some blocks have no reference timestamp, some no PTS, and some two references. */
static GstBuffer *
make_referenced_block (Play *play, const gchar *caps, GstClockTime origin)
{
  const GstClockTime now = session_running_time (play);
  GstBuffer *buffer = make_block (now + play->n_blocks % 8 * GST_MSECOND);

  if (play->n_blocks % 11 == 5)
    GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
  if (play->n_blocks % 13 == 3)
    add_reference (buffer, "timestamp/x-camera, device=(string)\"left eye\"", now, GST_CLOCK_TIME_NONE);
  if (play->n_blocks % 17 != 9)
    add_reference (buffer, caps, origin + now, play->n_blocks % 2 ? 4500000 : GST_CLOCK_TIME_NONE);
  return buffer;
}

static void
send_referenced (Play *play, gdouble progress)
{
  if (!block_is_due (play))
    return;
  push (play, "hand", make_referenced_block (play, "timestamp/x-ntp", NTP_TIME));
  push (play, "foot", make_referenced_block (play, "timestamp/x-unix", UNIX_TIME));
}

/* Rows of 100 Hz whose first is at a time. */
static void
write_log (Play *play, const gchar *name, gdouble first)
{
  gchar *path = g_build_filename (play->folder, name, NULL);
  GString *text = g_string_new ("time,arrival,x,y\n");

  for (guint i = 0; i < 100 * play->seconds; i++)
    g_string_append_printf (text, "%.4f,%.4f,%.6f,%u\n", first + i * 0.01, first + i * 0.01 + 0.002, sin (i * 0.1), i % 7);
  fail_unless (g_file_set_contents (path, text->str, (gssize) text->len, NULL));
  g_string_free (text, TRUE);
  g_free (path);
}

static void
write_logs (Play *play)
{
  write_log (play, "early.csv", 1700000000.25);
  write_log (play, "late.csv", 1700000000.5625);
}

/* Its clock is set by 30 s. */
static void
send_blocks_of_jumping_clock (Play *play, gdouble progress)
{
  push_block (play, progress > 0.25 ? 30 * GST_SECOND : 0);
}

/* Alone it is ahead by 8 s, and so are the ticks; then another one comes, which is in time. */
static void
send_blocks_ahead (Play *play, gdouble progress)
{
  if (progress < 0.4)
    push_block (play, 8 * GST_SECOND);
  come_late (play, progress);
}

static void
send_gaps (Play *play, gdouble progress)
{
  GstPad *pad;

  if (!session_is_due (play, play->n_acts, (play->n_acts + 1) * 0.1, progress))
    return;
  pad = gst_element_get_static_pad (session_element (play, "b"), "sink");
  gst_pad_send_event (pad, gst_event_new_gap (session_running_time (play), 20 * GST_MSECOND));
  gst_object_unref (pad);
}

static void
change_settings (Play *play, gdouble progress)
{
  if (session_is_due (play, 0, 0.2, progress))
    g_object_set (session_pad (play, "force_0"), "offset", (gint64) - 7 * (gint64) GST_MSECOND, NULL);
  if (session_is_due (play, 1, 0.35, progress))
    gst_util_set_object_arg (G_OBJECT (play->fuse), "rate", "80/1");
  if (session_is_due (play, 2, 0.5, progress))
    gst_util_set_object_arg (G_OBJECT (session_pad (play, "proprio_0")), "interpolation", "cubic");
  if (session_is_due (play, 3, 0.6, progress))
    g_object_set (play->fuse, "latency", (guint64) 20 * GST_MSECOND, NULL);
  if (session_is_due (play, 4, 0.75, progress))
    g_object_set (session_pad (play, "proprio_0"), "reorder-window", (gint64) 15 * GST_MSECOND, "max-gap", (gint64) 25 * GST_MSECOND, NULL);
  if (session_is_due (play, 5, 0.85, progress))
    gst_util_set_object_arg (G_OBJECT (session_pad (play, "force_0")), "clock-mode", "track");
}

static void
fall_silent (Play *play, gdouble progress)
{
  if (session_is_due (play, 0, 0.4, progress))
    g_object_set (session_element (play, "valve"), "drop", TRUE, NULL);
}

static void
pause_and_play (Play *play, gdouble progress)
{
  if (session_is_due (play, 0, 0.4, progress))
    gst_element_set_state (play->pipeline, GST_STATE_PAUSED);
  else if (session_is_due (play, 1, 0.4, progress))
    gst_element_set_state (play->pipeline, GST_STATE_PLAYING);
}

/* A pad that nothing is linked to. */
static void
expect_stream (Play *play)
{
  GstCaps *caps = gst_caps_from_string ("other/tensors, format=(string)static, num_tensors=(int)1, types=(string)int16, dimensions=(string)2, "
      "framerate=(fraction)0/1");
  gst_object_unref (gst_element_request_pad_simple (play->fuse, "sink_3"));
  g_object_set (session_pad (play, "sink_3"), "expected-caps", caps, NULL);
  gst_caps_unref (caps);
}

static void
expect_another (Play *play, gdouble progress)
{
  if (session_is_due (play, 0, 0.3, progress))
    expect_stream (play);
}

static const Scene scenes[] = {
  {"noise and a camera", "rate=50/1", JOINTS NOISE TEE ("a", "proprio_0", "sink_0")
        WRENCH NOISE "gap=150000000 gap-interval=500000000" TEE ("b", "force_0", "sink_1") CAMERA TEE ("c", "camera_0", "sink_2")},
  {"ticks of a camera", "", JOINTS NOISE TEE ("a", "proprio_0", "sink_0") WRENCH NOISE TEE ("b", "force_0", "sink_1")
        CAMERA TEE ("c", "camera_0", "sink_2")},
  {"a sensor that falls silent", "rate=100/1", JOINTS NOISE "! valve name=valve drop-mode=forward-sticky-events" TEE ("a", "proprio_0", "sink_0")
        WRENCH NOISE TEE ("b", "force_0", "sink_1"), fall_silent},
  {"a sensor that ends", "rate=100/1", JOINTS "num-buffers=60" TEE ("a", "proprio_0", "sink_0") WRENCH NOISE TEE ("b", "force_0", "sink_1")},
  {"a sensor that comes late", "rate=50/1", JOINTS NOISE TEE ("a", "proprio_0", "sink_0"), come_late},
  {"a sensor that never comes", "rate=100/1", JOINTS NOISE TEE ("a", "proprio_0", "sink_0"), expect_another},
  {"a required sensor", "rate=100/1 pads=\"force_0,required=true,hold-limit=10ms\"", JOINTS NOISE TEE ("a", "proprio_0", "sink_0")
        WRENCH "drop=0.4 jitter=2000000 gap=100000000 gap-interval=300000000" TEE ("b", "force_0", "sink_1")},
  {"windows in one tensor", "rate=50/1 window=3 layout=concat info=tensor pads=\"proprio_0,interpolation=hermite,reorder-window=20ms; "
        "force_0,interpolation=mean\"", JOINTS NOISE TEE ("a", "proprio_0", "sink_0") WRENCH NOISE TEE ("b", "force_0", "sink_1")},
  {"clocks that are tracked", "rate=50/1 pads=\"proprio_0,clock-mode=track; sink_0,clock-mode=track\"", JOINTS NOISE
        TEE ("a", "proprio_0", "sink_0") HAND TEE ("h", "sink_0", "sink_1"), send_blocks},
  {"blocks", "rate=50/1", JOINTS NOISE TEE ("a", "proprio_0", "sink_0") HAND TEE ("h", "sink_0", "sink_1"), send_blocks},
  {"blocks with times of their own", "rate=50/1", JOINTS NOISE TEE ("a", "proprio_0", "sink_0") OWN_TIMES TEE ("h", "sink_0", "sink_1"),
        send_own_times},
  {"times of PTS", "rate=50/1 pads=\"sink_0,timestamp-source=pts\"", JOINTS NOISE TEE ("a", "proprio_0", "sink_0")
        HAND TEE ("h", "sink_0", "sink_1"), send_blocks},
  {"times of PTS instead of their own", "rate=50/1 pads=\"sink_0,timestamp-source=pts\"", JOINTS NOISE TEE ("a", "proprio_0", "sink_0")
        OWN_TIMES TEE ("h", "sink_0", "sink_1"), send_own_times},
  {"a clock that is set", "rate=50/1", JOINTS NOISE TEE ("a", "proprio_0", "sink_0") HAND TEE ("h", "sink_0", "sink_1"),
        send_blocks_of_jumping_clock},
  {"ticks that return to the present", "rate=50/1", HAND TEE ("h", "sink_1", "sink_1"), send_blocks_ahead},
  {"gap events", "rate=100/1 pads=\"force_0,interpolation=previous\"", JOINTS NOISE TEE ("a", "proprio_0", "sink_0")
        WRENCH "gap=300000000 gap-interval=500000000" TEE ("b", "force_0", "sink_1"), send_gaps},
  {"settings that change", "rate=50/1", JOINTS NOISE TEE ("a", "proprio_0", "sink_0") WRENCH NOISE TEE ("b", "force_0", "sink_1"),
        change_settings},
  {"a pause", "rate=50/1", JOINTS NOISE TEE ("a", "proprio_0", "sink_0") WRENCH NOISE TEE ("b", "force_0", "sink_1"), pause_and_play},
  {"a flush of one stream", "rate=50/1", JOINTS NOISE TEE ("a", "proprio_0", "sink_0") WRENCH NOISE TEE ("b", "force_0", "sink_1"), session_flush_one},
  {"reference timestamps", "rate=50/1 pads=\"sink_0,timestamp-source=reference; sink_1,timestamp-source=reference,reference-caps=timestamp/x-unix\"",
        JOINTS NOISE TEE ("a", "proprio_0", "sink_0") HAND TEE ("h", "sink_0", "sink_1") APPLICATION ("foot") TEE ("f", "sink_1", "sink_2"),
        send_referenced},
  {"reference timestamps of a known origin", "rate=50/1 pads=\"sink_0,timestamp-source=reference,reference-origin=3913056000000000000; "
        "sink_1,timestamp-source=reference,reference-caps=timestamp/x-unix,clock-mode=track\"", HAND TEE ("h", "sink_0", "sink_1")
        APPLICATION ("foot") TEE ("f", "sink_1", "sink_2"), send_referenced},
  {"reference timestamps that nobody uses", "rate=50/1", HAND TEE ("h", "sink_0", "sink_1") APPLICATION ("foot") TEE ("f", "sink_1", "sink_2"),
        send_referenced},
  {"logs of several origins", "rate=50/1 force-live=true", LOG ("late", "") TEE ("l", "sink_0", "sink_0") LOG ("early", "") TEE ("e", "sink_1", "sink_1"),
        NULL, write_logs},
  {"a log beside a sensor", "rate=50/1", WRENCH NOISE TEE ("b", "force_0", "sink_1") LOG ("late", "") TEE ("l", "sink_0", "sink_0")
        LOG ("early", "") TEE ("e", "sink_1", "sink_2"), NULL, write_logs},
  {"logs that are replayed live", "rate=50/1", LOG ("late", "arrival-column=1") TEE ("l", "sink_0", "sink_0")
        LOG ("early", "arrival-column=1") TEE ("e", "sink_1", "sink_1"), NULL, write_logs},
  {"ticks before rows", "rate=50/1 force-live=true", HAND TEE ("h", "sink_1", "sink_1"), come_late, expect_stream},
};

/* ---- sessions ---- */

static void
check_session (const Scene *scene, gdouble seconds, gboolean on_test_clock)
{
  gchar *said, *expected;
  Play play;

  session_record (&play, scene, seconds, on_test_clock);
  fail_unless (play.n_samples > 0);
  said = replay_file (play.path, NULL, 0);
  expected = g_strdup_printf ("%u samples of /fused ", play.n_samples);
  fail_unless (g_str_has_prefix (said, expected), "%s: %s, not %s", scene->name, said, expected);
  GST_INFO ("%s: %s", scene->name, said);
  if (session_seconds () > 0)
    g_print ("%s: %s", scene->name, said);
  g_free (expected);
  g_free (said);
  session_remove (&play);
}

GST_START_TEST (test_sessions)
{
  check_session (&scenes[__i__], session_has_own_time (&scenes[__i__]) ? REAL_SECONDS : DEFAULT_SECONDS, TRUE);
}
GST_END_TEST;

/* The first scenes, where threads race as they do on a robot. */
#define N_REAL_SCENES 3

GST_START_TEST (test_real_sessions)
{
  check_session (&scenes[__i__], REAL_SECONDS, FALSE);
}
GST_END_TEST;

/* ---- other recordings ---- */

#define ALL_FRAGMENTS "run-*"

/* Settings of the recorder, and what is replayed, in the folder of the recording. Fragments are 3 or more: the slower the machine, the more. */
static const struct
{
  const gchar *scene, *location, *recorder;
  const gchar *inputs[4];
  gint status;
  const gchar *says;
} recordings[] = {
  {"blocks with times of their own", "run.mcap", "keep-buffers=true", {"run.mcap"}, 0, "* samples of /fused over * are the same, replayed in *"},
  {"times of PTS instead of their own", "run.mcap", "keep-buffers=true", {"run.mcap"}, 0, "* samples of /fused over * are the same, replayed in *"},
  {"noise and a camera", "run-%d.mcap", "fragment-duration=500000000", {ALL_FRAGMENTS}, 0,
        "* samples of /fused over * are the same, replayed in *"},
  {"settings that change", "run-%d.mcap", "fragment-duration=700000000 compression=zstd", {ALL_FRAGMENTS}, 0,
        "* samples of /fused over * are the same, replayed in *"},
  {"noise and a camera", "bag", "fragment-duration=500000000 layout=rosbag2", {"bag"}, 0, "* samples of /fused over * are the same, replayed in *"},
  {"a sensor that falls silent", "bag", "layout=rosbag2", {"bag"}, 0, "* samples of /fused over * are the same, replayed in *"},
  {"noise and a camera", "run-%d.mcap", "fragment-duration=500000000", {"run-1.mcap", "run-2.mcap"}, 2, "error: the recording has no settings of the * or lacks "
        "its first fragment"},
  {"noise and a camera", "run-%d.mcap", "fragment-duration=500000000", {"run-1.mcap", "run-0.mcap"}, 2, "error: *the first sample at * entries of the journal before it: fragments are missing or out of order"},
  {"noise and a camera", "run-%d.mcap", "fragment-duration=500000000", {"run-0.mcap", "run-2.mcap"}, 2, "error: * missing*"},
  {"noise and a camera", "run-%d.mcap", "fragment-duration=500000000", {""}, 2, "error: * cannot be replayed as a folder, name its files in their order: "
        "*metadata.yaml: No such file*"},
};

/* FALSE: there is no such file or folder. */
static gboolean
add_input (GPtrArray *argv, const Play *play, const gchar *name)
{
  gchar *path = g_build_filename (play->folder, name, NULL);
  const gboolean exists = g_file_test (path, G_FILE_TEST_EXISTS);

  if (exists)
    g_ptr_array_add (argv, g_steal_pointer (&path));
  g_free (path);
  return exists;
}

static void
add_fragments (GPtrArray *argv, const Play *play)
{
  gboolean exists = TRUE;

  for (guint i = 0; exists; i++) {
    gchar *name = g_strdup_printf ("run-%u.mcap", i);

    exists = add_input (argv, play, name);
    g_free (name);
  }
}

/* The program and its inputs; free with g_strfreev. */
static gchar **
replay_command (const Play *play, const gchar *const *inputs)
{
  GPtrArray *argv = g_ptr_array_new ();

  g_ptr_array_add (argv, g_strdup (g_getenv ("ROBOCACHE_REPLAY")));
  for (guint i = 0; i < G_N_ELEMENTS (recordings[0].inputs) && inputs[i]; i++) {
    if (g_str_equal (inputs[i], ALL_FRAGMENTS))
      add_fragments (argv, play);
    else
      add_input (argv, play, inputs[i]);
  }
  g_ptr_array_add (argv, NULL);
  return (gchar **) g_ptr_array_free (argv, FALSE);
}

static const Scene *
find_scene (const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (scenes); i++)
    if (g_str_equal (scenes[i].name, name))
      return &scenes[i];
  fail ("no scene \"%s\"", name);
  return NULL;
}

GST_START_TEST (test_recordings)
{
  gchar **argv, *said;
  Play play;

  session_record_as (&play, find_scene (recordings[__i__].scene), DEFAULT_SECONDS, TRUE, recordings[__i__].location, recordings[__i__].recorder);
  argv = replay_command (&play, recordings[__i__].inputs);
  said = replay_run (argv, recordings[__i__].status);
  fail_unless (has_line (said, recordings[__i__].says), "no line \"%s\": %s", recordings[__i__].says, said);
  if (recordings[__i__].status == 0) {
    gchar *expected = g_strdup_printf ("%u samples of /fused ", play.n_samples);

    fail_unless (g_str_has_prefix (said, expected), "%s, not %s", said, expected);
    g_free (expected);
  }
  g_free (said);
  g_strfreev (argv);
  session_remove (&play);
}
GST_END_TEST;

CHECK_MAIN (replay, NULL, NULL, EACH (scenes, test_sessions), TIMES (N_REAL_SCENES, test_real_sessions), EACH (recordings, test_recordings))
