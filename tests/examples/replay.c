/* robocache: live sessions with faults, recorded and replayed bit for bit; and recordings that were tampered with
 *
 * Sessions are on a test clock, which goes to what is waited for next, and on the system's clock where a source keeps no time.
 * ROBOCACHE_REPLAY is the program.
 * ROBOCACHE_SESSION_SECONDS makes all sessions last that long on the system's clock, ROBOCACHE_SESSION_SEED is the seed of their noise,
 * and ROBOCACHE_SESSION_KEEP keeps the recordings.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gstdio.h>
#include <gst/app/gstappsrc.h>
#include <gst/check/gsttestclock.h>
#include <math.h>
#include <string.h>

#include "common/mcap/read/definitions.h"
#include "common/mcap/read/stream.h"
#include "common/mcap/writer.h"
#include "tests/check/suite.h"

#define DEFAULT_SECONDS 2.0
#define TAMPERED_SECONDS 0.7
#define REAL_SECONDS 1.0
#define POLL (5 * GST_MSECOND)
/* How long threads may take until they wait for a test clock again, and how often they are counted meanwhile: some may end. */
#define PATIENCE_MS 20
#define N_PATIENCE 5
#define BLOCK_PERIOD (5 * GST_MSECOND)

/* 0: as long as the test says. */
static gdouble
session_seconds (void)
{
  const gchar *seconds = g_getenv ("ROBOCACHE_SESSION_SECONDS");

  return seconds ? g_ascii_strtod (seconds, NULL) : 0.0;
}

static gint64
session_seed (void)
{
  const gchar *seed = g_getenv ("ROBOCACHE_SESSION_SEED");

  return seed ? g_ascii_strtoll (seed, NULL, 10) : 1;
}

/* ---- sessions ---- */

typedef struct _Play Play;

typedef struct
{
  const gchar *name;
  const gchar *fuse;            /* properties */
  const gchar *sources;         /* SEED and FOLDER are replaced */
  void (*act) (Play * play, gdouble progress);  /* called again and again, from 0 to 1; may be NULL */
  void (*prepare) (Play * play);        /* before PLAYING; may be NULL */
} Scene;

struct _Play
{
  const Scene *scene;
  GstElement *pipeline, *fuse;
  gchar *folder;
  gchar *path;                  /* what the recorder writes */
  guint n_acts;                 /* of this scene so far */
  guint n_samples;              /* atomic */
  gdouble seconds;
  GstTestClock *clock;          /* NULL: the system's */
  gint n_sources;               /* atomic: that wait for it */
  GstClockTime last_block;
  guint n_blocks;
};

/* A source that goes to the pad of the fuse and to the recorder. */
#define TEE(name, pad, sink) " ! tee name=" name " " name ". ! fuse." pad " " name ". ! rec." sink " "
#define JOINTS "robocachetestsrc kind=proprio is-live=true rate=100/1 seed=SEED "
#define WRENCH "robocachetestsrc kind=force is-live=true rate=400/1 seed=SEED "
#define CAMERA "videotestsrc is-live=true pattern=ball ! video/x-raw,format=RGB,width=62,height=20,framerate=30/1 "
#define NOISE "jitter=4000000 drop=0.05 disorder=0.03 "
#define APPLICATION(name) "appsrc name=" name " is-live=true format=time min-latency=0 max-latency=-1 caps=\"other/tensors, " \
    "format=(string)static, num_tensors=(int)1, types=(string)float32, dimensions=(string)3:5, framerate=(fraction)0/1\" "
#define HAND APPLICATION ("hand")
/* Blocks whose rows have times of their own. */
#define OWN_TIMES "appsrc name=hand is-live=true format=time min-latency=0 max-latency=-1 caps=\"other/tensors, format=(string)static, " \
    "num_tensors=(int)2, types=(string)\\\"float32,int64\\\", dimensions=(string)\\\"3:5,5\\\", framerate=(fraction)0/1\" "
#define LOG(name, more) "filesrc location=FOLDER/" name ".csv ! robocacheparse time-column=0 start=zero " more " "

/* ---- what happens in sessions ---- */

static GstElement *
element_of (Play *play, const gchar *name)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (play->pipeline), name);

  fail_unless (element != NULL, "%s", name);
  gst_object_unref (element);
  return element;
}

/* Whether it is time for act number n, which begins at a part of the session. */
static gboolean
is_due (Play *play, guint n, gdouble at, gdouble progress)
{
  if (play->n_acts != n || progress < at)
    return FALSE;
  play->n_acts++;
  return TRUE;
}

static GstClockTime
running_time (Play *play)
{
  GstClock *clock = gst_element_get_clock (play->pipeline);
  const GstClockTime now = clock ? gst_clock_get_time (clock) - gst_element_get_base_time (play->pipeline) : 0;

  gst_clear_object (&clock);
  return now;
}

static GstPad *
pad_of (Play *play, const gchar *name)
{
  GstPad *pad = gst_element_get_static_pad (play->fuse, name);

  fail_unless (pad != NULL);
  gst_object_unref (pad);
  return pad;
}

static GstPadProbeReturn
note_end (GstPad *pad, GstPadProbeInfo *info, gpointer play)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    g_atomic_int_add (&((Play *) play)->n_sources, -1);
  return GST_PAD_PROBE_OK;
}

static gboolean
watch_source (GstElement *fuse, GstPad *pad, gpointer play)
{
  if (!gst_pad_is_linked (pad))
    return TRUE;
  g_atomic_int_inc (&((Play *) play)->n_sources);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note_end, play, NULL);
  return TRUE;
}

/* A stream that is linked while the session runs. */
static void
come_late (Play *play, gdouble progress)
{
  GstElement *source, *tee;

  if (!is_due (play, 0, 0.4, progress))
    return;
  source = gst_parse_launch ("robocachetestsrc kind=imu is-live=true rate=200/1 jitter=1000000", NULL);
  tee = gst_element_factory_make ("tee", "late");
  gst_bin_add_many (GST_BIN (play->pipeline), source, tee, NULL);
  fail_unless (gst_element_link_pads (tee, NULL, play->fuse, "sink_0"));
  fail_unless (gst_element_link_pads (tee, NULL, element_of (play, "rec"), "sink_5"));
  fail_unless (gst_element_link (source, tee));
  watch_source (play->fuse, pad_of (play, "sink_0"), play);
  gst_element_sync_state_with_parent (tee);
  gst_element_sync_state_with_parent (source);
}

static gboolean
block_is_due (Play *play)
{
  if (running_time (play) < play->last_block + BLOCK_PERIOD)
    return FALSE;
  play->last_block = running_time (play);
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
  gst_app_src_push_buffer (GST_APP_SRC (element_of (play, source)), buffer);
}

/* Of a clock that is ahead of the pipeline's. */
static void
push_block (Play *play, GstClockTime lead)
{
  if (block_is_due (play))
    push (play, "hand", make_block (running_time (play) + lead));
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
  buffer = make_block (running_time (play));
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
  const GstClockTime now = running_time (play);
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

  if (!is_due (play, play->n_acts, (play->n_acts + 1) * 0.1, progress))
    return;
  pad = gst_element_get_static_pad (element_of (play, "b"), "sink");
  gst_pad_send_event (pad, gst_event_new_gap (running_time (play), 20 * GST_MSECOND));
  gst_object_unref (pad);
}

static void
change_settings (Play *play, gdouble progress)
{
  if (is_due (play, 0, 0.2, progress))
    g_object_set (pad_of (play, "force_0"), "offset", (gint64) - 7 * (gint64) GST_MSECOND, NULL);
  if (is_due (play, 1, 0.35, progress))
    gst_util_set_object_arg (G_OBJECT (play->fuse), "rate", "80/1");
  if (is_due (play, 2, 0.5, progress))
    gst_util_set_object_arg (G_OBJECT (pad_of (play, "proprio_0")), "interpolation", "cubic");
  if (is_due (play, 3, 0.6, progress))
    g_object_set (play->fuse, "latency", (guint64) 20 * GST_MSECOND, NULL);
  if (is_due (play, 4, 0.75, progress))
    g_object_set (pad_of (play, "proprio_0"), "reorder-window", (gint64) 15 * GST_MSECOND, "max-gap", (gint64) 25 * GST_MSECOND, NULL);
  if (is_due (play, 5, 0.85, progress))
    gst_util_set_object_arg (G_OBJECT (pad_of (play, "force_0")), "clock-mode", "track");
}

static void
fall_silent (Play *play, gdouble progress)
{
  if (is_due (play, 0, 0.4, progress))
    g_object_set (element_of (play, "valve"), "drop", TRUE, NULL);
}

static void
pause_and_play (Play *play, gdouble progress)
{
  if (is_due (play, 0, 0.4, progress))
    gst_element_set_state (play->pipeline, GST_STATE_PAUSED);
  else if (is_due (play, 1, 0.4, progress))
    gst_element_set_state (play->pipeline, GST_STATE_PLAYING);
}

/* The pad of its source is blocked: a flush takes the segment with it. */
static GstPadProbeReturn
flush (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstPad *tee = gst_pad_get_peer (pad);
  GstEvent *segment = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);

  gst_pad_send_event (tee, gst_event_new_flush_start ());
  gst_pad_send_event (tee, gst_event_new_flush_stop (FALSE));
  gst_pad_send_event (tee, segment);
  gst_object_unref (tee);
  return GST_PAD_PROBE_REMOVE;
}

static void
flush_one (Play *play, gdouble progress)
{
  GstPad *sink, *source;

  if (!is_due (play, 0, 0.5, progress))
    return;
  sink = gst_element_get_static_pad (element_of (play, "b"), "sink");
  source = gst_pad_get_peer (sink);
  gst_pad_add_probe (source, GST_PAD_PROBE_TYPE_BUFFER, flush, NULL, NULL);
  gst_object_unref (source);
  gst_object_unref (sink);
}

/* A pad that nothing is linked to. */
static void
expect_stream (Play *play)
{
  GstCaps *caps = gst_caps_from_string ("other/tensors, format=(string)static, num_tensors=(int)1, types=(string)int16, dimensions=(string)2, "
      "framerate=(fraction)0/1");
  gst_object_unref (gst_element_request_pad_simple (play->fuse, "sink_3"));
  g_object_set (pad_of (play, "sink_3"), "expected-caps", caps, NULL);
  gst_caps_unref (caps);
}

static void
expect_another (Play *play, gdouble progress)
{
  if (is_due (play, 0, 0.3, progress))
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
  {"a flush of one stream", "rate=50/1", JOINTS NOISE TEE ("a", "proprio_0", "sink_0") WRENCH NOISE TEE ("b", "force_0", "sink_1"), flush_one},
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

/* ---- recording ---- */

/* Takes text. */
static gchar *
replace (gchar *text, const gchar *word, const gchar *by)
{
  gchar **parts = g_strsplit (text, word, -1);
  gchar *replaced = g_strjoinv (by, parts);

  g_strfreev (parts);
  g_free (text);
  return replaced;
}

static gchar *
describe (const Play *play, const gchar *recorder)
{
  gchar *seed = g_strdup_printf ("%" G_GINT64_FORMAT, session_seed ());
  gchar *sources = replace (replace (g_strdup (play->scene->sources), "SEED", seed), "FOLDER", play->folder);
  gchar *text = g_strdup_printf ("robocachemcapsink name=rec location=%s %s sink_9::topic=/fused robocachefuse name=fuse %s fuse.src ! "
      "tee name=out out. ! rec.sink_9 out. ! fakesink name=end async=false sync=false signal-handoffs=true %s", play->path, recorder,
      play->scene->fuse, sources);

  g_free (sources);
  g_free (seed);
  return text;
}

static void
check_message (GstMessage *message)
{
  GError *error;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR)
    return;
  gst_message_parse_error (message, &error, NULL);
  fail ("%s: %s", GST_MESSAGE_SRC_NAME (message), error->message);
}

/* All sources, the recorder's timer, and a fuse that knows its next tick. */
static guint
count_waiters (Play *play)
{
  return (guint) g_atomic_int_get (&play->n_sources) + 1 + (strstr (play->scene->fuse, "rate=") != NULL);
}

/* Sets a test clock to what is waited for next, once all wait. */
static void
step_clock (Play *play)
{
  GstTestClock *clock = play->clock;
  GstClockID next;

  for (guint i = 0; i < N_PATIENCE; i++)
    if (gst_test_clock_timed_wait_for_multiple_pending_ids (clock, count_waiters (play), PATIENCE_MS, NULL))
      break;
  if (!gst_test_clock_peek_next_pending_id (clock, &next))
    return;
  gst_test_clock_set_time (clock, MAX (gst_clock_get_time (GST_CLOCK (clock)), gst_clock_id_get_time (next)));
  gst_clock_id_unref (next);
  next = gst_test_clock_process_next_clock_id (clock);
  if (next)
    gst_clock_id_unref (next);
}

/* A source that is asked for EOS has a lock that it holds while it waits for the clock, which must go on. */
static gpointer
end_streams (gpointer pipeline)
{
  gst_element_send_event (pipeline, gst_event_new_eos ());
  return NULL;
}

/* Plays until a running time is reached, then until all streams have ended. */
static void
run_session (Play *play)
{
  const gdouble length = play->seconds * 1e9;
  GstBus *bus = gst_element_get_bus (play->pipeline);
  GThread *ender = NULL;
  gboolean has_ended = FALSE;

  if (play->scene->prepare)
    play->scene->prepare (play);
  fail_unless (gst_element_set_state (play->pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);
  while (!has_ended) {
    const gboolean steps = play->clock && g_atomic_int_get (&play->n_sources) > 0;      /* the last ticks need no clock */
    GstMessage *message = gst_bus_timed_pop_filtered (bus, steps ? 0 : POLL, GST_MESSAGE_ERROR | GST_MESSAGE_EOS
        | GST_MESSAGE_LATENCY);
    const gdouble progress = (gdouble) running_time (play) / length;

    if (message) {
      check_message (message);
      has_ended = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
      if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_LATENCY)
        gst_bin_recalculate_latency (GST_BIN (play->pipeline));
      gst_message_unref (message);
    }
    if (play->scene->act && !ender)
      play->scene->act (play, progress);
    if (steps && !message)
      step_clock (play);
    if (progress >= 1.0 && !ender)
      ender = g_thread_new ("ender", end_streams, play->pipeline);
  }
  if (ender)
    g_thread_join (ender);
  gst_object_unref (bus);
}

static void
count_sample (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  g_atomic_int_inc (&((Play *) data)->n_samples);
}

/* Sources that keep no time cannot be on a test clock. */
static gboolean
has_own_time (const Scene *scene)
{
  return strstr (scene->sources, "appsrc") || strstr (scene->sources, "filesrc");
}

/* recorder: properties. */
static void
record_as (Play *play, const Scene *scene, gdouble seconds, gboolean on_test_clock, const gchar *location, const gchar *recorder)
{
  GError *error = NULL;
  gchar *text;

  *play = (Play) {.scene = scene,.folder = g_dir_make_tmp ("robocache-replay-XXXXXX", NULL),.seconds = seconds };
  fail_unless (play->folder != NULL);
  play->path = g_build_filename (play->folder, location, NULL);
  text = describe (play, recorder);
  play->pipeline = gst_parse_launch (text, &error);
  fail_unless (play->pipeline && !error, "%s: %s", text, error ? error->message : "");
  play->fuse = element_of (play, "fuse");
  if (session_seconds () > 0)
    play->seconds = session_seconds ();
  else if (on_test_clock && !has_own_time (scene))
    play->clock = GST_TEST_CLOCK (gst_test_clock_new ());
  if (play->clock)
    gst_pipeline_use_clock (GST_PIPELINE (play->pipeline), GST_CLOCK (play->clock));
  gst_element_foreach_sink_pad (play->fuse, watch_source, play);
  g_signal_connect (element_of (play, "end"), "handoff", G_CALLBACK (count_sample), play);
  run_session (play);
  gst_element_set_state (play->pipeline, GST_STATE_NULL);
  gst_object_unref (play->pipeline);
  gst_clear_object (&play->clock);
  g_free (text);
}

static void
record (Play *play, const Scene *scene, gdouble seconds, gboolean on_test_clock)
{
  record_as (play, scene, seconds, on_test_clock, "session.mcap", "");
}

static void
remove_folder (const gchar *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name (dir))) {
    gchar *path = g_build_filename (folder, name, NULL);

    if (g_file_test (path, G_FILE_TEST_IS_DIR))
      remove_folder (path);
    else
      g_remove (path);
    g_free (path);
  }
  g_dir_close (dir);
  g_rmdir (folder);
}

static void
remove_recording (Play *play)
{
  if (!g_getenv ("ROBOCACHE_SESSION_KEEP"))
    remove_folder (play->folder);
  g_free (play->path);
  g_free (play->folder);
}

/* ---- replaying ---- */

/* What the program prints; free with g_free. */
static gchar *
run_replay (gchar **argv, gint expected_status)
{
  gchar *out, *faults, *said;
  GError *error = NULL;
  gint status;

  fail_unless (argv[0] != NULL, "ROBOCACHE_REPLAY is not set");
  fail_unless (g_spawn_sync (NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, &faults, &status, &error), "%s",
      error ? error->message : "");
  said = g_strconcat (out, faults, NULL);
  fail_unless (WIFEXITED (status) && WEXITSTATUS (status) == expected_status, "status %d, not %d: %s (%s)", status, expected_status, said,
      argv[1]);
  g_free (out);
  g_free (faults);
  return said;
}

/* option: or NULL. */
static gchar *
replay (const gchar *path, const gchar *option, gint expected_status)
{
  const gchar *argv[] = { g_getenv ("ROBOCACHE_REPLAY"), path, option, NULL };

  return run_replay ((gchar **) argv, expected_status);
}

static void
check_session (const Scene *scene, gdouble seconds, gboolean on_test_clock)
{
  gchar *said, *expected;
  Play play;

  record (&play, scene, seconds, on_test_clock);
  fail_unless (play.n_samples > 0);
  said = replay (play.path, NULL, 0);
  expected = g_strdup_printf ("%u samples of /fused ", play.n_samples);
  fail_unless (g_str_has_prefix (said, expected), "%s: %s, not %s", scene->name, said, expected);
  GST_INFO ("%s: %s", scene->name, said);
  if (session_seconds () > 0)
    g_print ("%s: %s", scene->name, said);
  g_free (expected);
  g_free (said);
  remove_recording (&play);
}

GST_START_TEST (test_sessions)
{
  check_session (&scenes[__i__], has_own_time (&scenes[__i__]) ? REAL_SECONDS : DEFAULT_SECONDS, TRUE);
}
GST_END_TEST;

/* The first scenes, where threads race as they do on a robot. */
#define N_REAL_SCENES 3

GST_START_TEST (test_real_sessions)
{
  check_session (&scenes[__i__], REAL_SECONDS, FALSE);
}
GST_END_TEST;

/* ---- recordings that were tampered with ---- */

/* What is done to message `sequence` of a topic. */
typedef struct
{
  const gchar *topic;
  guint32 sequence;
  gboolean is_removed;
  gboolean is_renumbered;       /* those after it have no gap */
  gsize from_end;               /* byte that is changed, counted from the end */
} Tampering;

typedef struct
{
  const Tampering *tampering;
  RobocacheMcapDefinitions *definitions;
  RobocacheMcapChunk *chunk;
  RobocacheMcapWriter *writer;
  GString *output;
  guint n_tampered;
} Copy;

static gboolean
write_pieces (gpointer data, const RobocacheMcapBytes *pieces, guint n_pieces, GError **error)
{
  for (guint i = 0; i < n_pieces; i++)
    g_string_append_len (((Copy *) data)->output, (const gchar *) pieces[i].data, (gssize) pieces[i].size);
  return TRUE;
}

static void
copy_message (Copy *copy, const RobocacheMcapMessage *message)
{
  const Tampering *tampering = copy->tampering;
  const gchar *topic = robocache_mcap_definitions_channel (copy->definitions, message->channel_id)->topic;
  guint8 *data = memcpy (g_malloc (message->data.size), message->data.data, message->data.size);
  RobocacheMcapMessage copied = *message;
  const RobocacheMcapBytes piece = { data, message->data.size };
  const gboolean is_of_topic = g_str_equal (topic, tampering->topic);
  const gboolean is_it = is_of_topic && message->sequence == tampering->sequence;

  copy->n_tampered += is_it;
  if (is_it && !tampering->is_removed)
    data[message->data.size - tampering->from_end] ^= 0x40;
  if (is_of_topic && tampering->is_renumbered && message->sequence > tampering->sequence)
    copied.sequence--;
  if (!is_it || !tampering->is_removed)
    robocache_mcap_chunk_add_message (copy->chunk, &copied, &piece, 1);
  g_free (data);
}

static void
copy_record (Copy *copy, const RobocacheMcapStreamRecord *record)
{
  switch (record->opcode) {
    case ROBOCACHE_MCAP_SCHEMA:
      fail_unless (robocache_mcap_definitions_add (copy->definitions, record->opcode, record->content, NULL));
      robocache_mcap_chunk_add_schema (copy->chunk, &record->record.schema);
      break;
    case ROBOCACHE_MCAP_CHANNEL:
      fail_unless (robocache_mcap_definitions_add (copy->definitions, record->opcode, record->content, NULL));
      robocache_mcap_chunk_add_channel (copy->chunk, &record->record.channel);
      break;
    case ROBOCACHE_MCAP_MESSAGE:
      copy_message (copy, &record->record.message);
      break;
    case ROBOCACHE_MCAP_METADATA:
      fail_unless (robocache_mcap_writer_add_metadata (copy->writer, &record->record.metadata, NULL));
      break;
    default:
      break;
  }
}

/* Writes the recording anew, as one chunk. */
static void
tamper (const gchar *path, const Tampering *tampering)
{
  Copy copy = { tampering, robocache_mcap_definitions_new (), robocache_mcap_chunk_new (1 << 20), NULL, g_string_new (NULL), 0 };
  RobocacheMcapStream *stream = robocache_mcap_stream_new ();
  RobocacheMcapStreamRecord record;
  gchar *bytes;
  gsize size;

  fail_unless (g_file_get_contents (path, &bytes, &size, NULL));
  copy.writer = robocache_mcap_writer_new (ROBOCACHE_MCAP_UNCOMPRESSED, write_pieces, &copy);
  fail_unless (robocache_mcap_writer_begin (copy.writer, "ros2", "tests", NULL));
  robocache_mcap_stream_push (stream, (const guint8 *) bytes, size);
  while (robocache_mcap_stream_next (stream, &record, NULL) == ROBOCACHE_MCAP_STREAM_RECORD)
    copy_record (&copy, &record);
  fail_unless (robocache_mcap_writer_add_chunk (copy.writer, copy.chunk, NULL));
  fail_unless (robocache_mcap_writer_finish (copy.writer, NULL));
  fail_unless (copy.n_tampered == 1, "%u messages were tampered with", copy.n_tampered);
  fail_unless (g_file_set_contents (path, copy.output->str, (gssize) copy.output->len, NULL));
  robocache_mcap_stream_free (stream);
  robocache_mcap_writer_free (copy.writer);
  robocache_mcap_chunk_free (copy.chunk);
  robocache_mcap_definitions_free (copy.definitions);
  g_string_free (copy.output, TRUE);
  g_free (bytes);
}

static const Scene plain = { "plain", "rate=50/1", JOINTS TEE ("a", "proprio_0", "sink_0") WRENCH TEE ("b", "force_0", "sink_1") };

static const struct
{
  Tampering tampering;
  gint status;
  const gchar *says[4];         /* globs of lines */
} tampered[] = {
  {{"/sink_0", 40, FALSE, FALSE, 9}, 1, {"difference at tick 0.*, sample *, decided at *", "  proprio_0: channel 13: recorded *, replayed *",
          "    replayed: *, row * at *(row 40 of /sink_0)*"}},
  {{"/sink_1", 100, TRUE, FALSE, 0}, 2, {"error: before tick 0.*: force_0: the recording of /sink_1 has row 101 behind row 99: "
              "1 missing"}},
  {{"/sink_1", 100, TRUE, TRUE, 0}, 1, {"  force_0: it was made of other rows", "    recorded: *", "    replayed: *"}},
  {{"/fused/force_0", 20, FALSE, FALSE, 5}, 1, {"difference at tick *, sample *, decided at *", "* samples before are the same",
          "  force_0: channel 5: recorded *, replayed *", "    replayed: *, row before at *(row *of /sink_1), row after at *"}},
  {{"/fused/tick", 20, TRUE, FALSE, 0}, 2, {"error: *entries of the journal are missing before sample *"}},
};

static gboolean
has_line (const gchar *text, const gchar *glob)
{
  gchar **lines = g_strsplit (text, "\n", -1);
  gboolean has = FALSE;

  for (gchar **line = lines; *line; line++)
    has |= g_pattern_match_simple (glob, *line);
  g_strfreev (lines);
  return has;
}

GST_START_TEST (test_tampered)
{
  gchar *said;
  Play play;

  record (&play, &plain, TAMPERED_SECONDS, TRUE);
  tamper (play.path, &tampered[__i__].tampering);
  said = replay (play.path, NULL, tampered[__i__].status);
  for (guint i = 0; i < G_N_ELEMENTS (tampered[__i__].says) && tampered[__i__].says[i]; i++)
    fail_unless (has_line (said, tampered[__i__].says[i]), "no line \"%s\": %s", tampered[__i__].says[i], said);
  g_free (said);
  remove_recording (&play);
}
GST_END_TEST;

/* ---- recordings that cannot be replayed, or not to their end ---- */

static const struct
{
  Scene scene;
  const gchar *option;
  gint status;
  const gchar *says[2];
} others[] = {
  {{"a flush of all streams", "rate=50/1", WRENCH TEE ("b", "force_0", "sink_1"), flush_one}, NULL, 2,
        {"* samples of /fused over * are the same, replayed in *", "error: what follows is not replayed: *flushed*"}},
  {{"not live", "rate=50/1", "robocachetestsrc kind=force num-buffers=50" TEE ("b", "force_0", "sink_1")}, NULL, 2,
        {"error: the recording has no settings of the robocachefuse that made /fused*"}},
  {{"other samples", "rate=50/1", WRENCH TEE ("b", "force_0", "sink_1")}, "--samples=/none", 2,
        {"error: the recording has no samples of /none*"}},
  {{"a topic that is chosen", "rate=50/1", WRENCH TEE ("b", "force_0", "sink_1")}, "--topic=force_0=/sink_1", 0,
        {"* samples of /fused over * are the same, replayed in *"}},
  {{"a topic that is not there", "rate=50/1", WRENCH TEE ("b", "force_0", "sink_1")}, "--topic=force_0=/none", 2,
        {"error: before tick *: force_0: an event was taken in, but /none ends before"}},
  {{"a topic of no pad", "rate=50/1", WRENCH TEE ("b", "force_0", "sink_1")}, "--topic=/sink_1", 2,
        {"error: --topic=/sink_1: expected PAD=TOPIC, like proprio_0=/joints"}},
};

GST_START_TEST (test_others)
{
  gchar *said;
  Play play;

  record (&play, &others[__i__].scene, TAMPERED_SECONDS, TRUE);
  said = replay (play.path, others[__i__].option, others[__i__].status);
  for (guint i = 0; i < G_N_ELEMENTS (others[__i__].says) && others[__i__].says[i]; i++)
    fail_unless (has_line (said, others[__i__].says[i]), "no line \"%s\": %s", others[__i__].says[i], said);
  g_free (said);
  remove_recording (&play);
}
GST_END_TEST;

/* ---- fragments ---- */

/* Of sessions that are recorded as 3 fragments or more: what is replayed, in the folder of the recording. */
static const struct
{
  guint scene;
  const gchar *location, *recorder;
  const gchar *inputs[8];       /* those that are there */
  gint status;
  const gchar *says;
} fragments[] = {
  {0, "run-%d.mcap", "fragment-duration=500000000", {"run-0.mcap", "run-1.mcap", "run-2.mcap", "run-3.mcap", "run-4.mcap", "run-5.mcap"}, 0,
        "* samples of /fused over * are the same, replayed in *"},
  {13, "run-%d.mcap", "fragment-duration=700000000 compression=zstd", {"run-0.mcap", "run-1.mcap", "run-2.mcap", "run-3.mcap"}, 0,
        "* samples of /fused over * are the same, replayed in *"},
  {0, "bag", "fragment-duration=500000000 layout=rosbag2", {"bag"}, 0, "* samples of /fused over * are the same, replayed in *"},
  {2, "bag", "layout=rosbag2", {"bag"}, 0, "* samples of /fused over * are the same, replayed in *"},
  {0, "run-%d.mcap", "fragment-duration=500000000", {"run-1.mcap", "run-2.mcap"}, 2, "error: the recording has no settings of the * or lacks "
        "its first fragment"},
  {0, "run-%d.mcap", "fragment-duration=500000000", {"run-1.mcap", "run-0.mcap"}, 2, "error: *the first sample at * entries of the journal before it: fragments are missing, or not in their order"},
  {0, "run-%d.mcap", "fragment-duration=500000000", {"run-0.mcap", "run-2.mcap"}, 2, "error: * missing*"},
  {0, "run-%d.mcap", "fragment-duration=500000000", {""}, 2, "error: * cannot be replayed as a folder, name its files in their order: "
        "*metadata.yaml: No such file*"},
};

/* Names of files and folders that are there, with the program before; free with g_strfreev. */
static gchar **
replay_command (const Play *play, const gchar *const *inputs)
{
  GPtrArray *argv = g_ptr_array_new ();

  g_ptr_array_add (argv, g_strdup (g_getenv ("ROBOCACHE_REPLAY")));
  for (guint i = 0; i < G_N_ELEMENTS (fragments[0].inputs) && inputs[i]; i++) {
    gchar *path = g_build_filename (play->folder, inputs[i], NULL);

    if (g_file_test (path, G_FILE_TEST_EXISTS))
      g_ptr_array_add (argv, path);
    else
      g_free (path);
  }
  g_ptr_array_add (argv, NULL);
  return (gchar **) g_ptr_array_free (argv, FALSE);
}

GST_START_TEST (test_fragments)
{
  gchar **argv, *said;
  Play play;

  record_as (&play, &scenes[fragments[__i__].scene], DEFAULT_SECONDS, TRUE, fragments[__i__].location, fragments[__i__].recorder);
  argv = replay_command (&play, fragments[__i__].inputs);
  said = run_replay (argv, fragments[__i__].status);
  fail_unless (has_line (said, fragments[__i__].says), "no line \"%s\": %s", fragments[__i__].says, said);
  if (fragments[__i__].status == 0) {
    gchar *expected = g_strdup_printf ("%u samples of /fused ", play.n_samples);

    fail_unless (g_str_has_prefix (said, expected), "%s, not %s", said, expected);
    g_free (expected);
  }
  g_free (said);
  g_strfreev (argv);
  remove_recording (&play);
}
GST_END_TEST;

/* A recording that is cut has the same samples as far as it is whole. */
GST_START_TEST (test_cut)
{
  gchar *bytes, *said;
  gsize size;
  Play play;

  record (&play, &plain, 2 * TAMPERED_SECONDS, TRUE);
  fail_unless (g_file_get_contents (play.path, &bytes, &size, NULL));
  fail_unless (g_file_set_contents (play.path, bytes, (gssize) (size * 3 / 4), NULL));
  said = replay (play.path, NULL, 0);
  fail_unless (has_line (said, "* samples of /fused over * are the same, replayed in *"), "%s", said);
  g_free (said);
  g_free (bytes);
  remove_recording (&play);
}
GST_END_TEST;

GST_START_TEST (test_no_file)
{
  gchar *said = replay ("/nonexistent/session.mcap", NULL, 2);

  fail_unless (has_line (said, "error: /nonexistent/session.mcap: No such file or directory"), "%s", said);
  g_free (said);
}
GST_END_TEST;

static const Test tests[] = {
  CASES (test_sessions, G_N_ELEMENTS (scenes)),
  CASES (test_real_sessions, N_REAL_SCENES),
  CASES (test_tampered, G_N_ELEMENTS (tampered)),
  CASES (test_others, G_N_ELEMENTS (others)),
  CASES (test_fragments, G_N_ELEMENTS (fragments)),
  TEST (test_cut),
  TEST (test_no_file),
};

TESTS_MAIN (replay)
