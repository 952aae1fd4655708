/* robocache: how a capture application embeds robocachefuse
 *
 * Two sensors whose drivers run in threads of the application, and a camera:
 *
 *   appsrc "joints"  100 Hz, 14 float32 ─┐
 *   appsrc "force"     1 kHz, 6 float32 ─┼─ robocachefuse, 50 Hz ─ appsink
 *   camera                              ─┘
 *
 * Copy from here:
 *   - each row carries the time of its capture, on the pipeline's clock (push_row);
 *   - the appsrc elements are live, and their latency has no upper limit (SENSOR);
 *   - the pipeline computes its latency again after a LATENCY message, or ticks leave before their rows arrive (messages_handle);
 *   - a sample holds one tensor a stream, and a meta with its tick and each row's times and status (show_sample);
 *   - Ctrl-C ends the sensors first, and the pipeline after its last sample (check_end);
 *   - --record writes what the sensors and the camera send into an MCAP file, which survives a crash (RECORDER).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <math.h>
#include <robocache/robocache.h>
#include <signal.h>
#include <stdlib.h>

#include "examples/tools/program.h"
#include "examples/tools/sampletensor.h"
#include "examples/tools/statstable.h"

#define RATE_HZ 50
#define DEFAULT_CAMERA "videotestsrc is-live=true pattern=ball ! video/x-raw,format=RGB,width=640,height=480,framerate=30/1"

/* is-live: rows arrive as time passes. format: buffers carry times. The latencies: a row comes at once, and may wait as long as
 * other streams need. By default appsrc allows no wait, and nothing could be aligned with it. */
#define SENSOR(name, channels, rate, pad) "appsrc name=" name " is-live=true format=time min-latency=0 max-latency=-1 " \
    "caps=\"other/tensors, format=static, num_tensors=1, types=float32, dimensions=(string)" channels ", framerate=" rate "\" " \
    "! tee name=" name "_tee ! fuse." pad " "

/* appsink hands samples on at once, since ticks are paced already. */
#define PIPELINE "robocachefuse name=fuse rate=" G_STRINGIFY (RATE_HZ) "/1 ! appsink name=samples sync=false " \
    SENSOR ("joints", "14", "100/1", "proprio_0") SENSOR ("force", "6", "1000/1", "force_0") "tee name=camera_tee ! fuse.camera_0 "

/* With --record. Live, neither branch of a tee waits, so it needs no queue. */
#define RECORDER "robocachemcapsink name=record sink_0::topic=/joints sink_1::topic=/force sink_2::topic=/camera " \
    "joints_tee. ! record.sink_0 force_tee. ! record.sink_1 camera_tee. ! record.sink_2 "

typedef struct                  /* a driver: a thread that reads its device and pushes rows */
{
  const gchar *name;            /* of the appsrc */
  gint64 period_us;
  guint channels;
  GstElement *appsrc;
  GThread *thread;
} Sensor;
static Sensor sensors[] = { {"joints", 10000, 14}, {"force", 1000, 6} };

typedef struct
{
  GstElement *pipeline, *fuse, *camera, *camera_tee;
  gint n_samples, every, seconds;       /* the options every and seconds; 0 seconds: until Ctrl-C */
} App;

static volatile sig_atomic_t n_interrupts;
static gint is_ending;          /* atomic */

/* ---- sensors ---- */

/* One row, with the running time of its capture. A driver with its device's own timestamps converts those instead; set a
 * constant delay as `offset` of the pad. */
static GstFlowReturn
push_row (const Sensor *sensor)
{
  const GstClockTime now = gst_element_get_current_running_time (sensor->appsrc);
  GstBuffer *buffer;
  gfloat *row;

  if (!GST_CLOCK_TIME_IS_VALID (now))   /* the pipeline does not play yet */
    return GST_FLOW_OK;
  row = g_new (gfloat, sensor->channels);
  for (guint c = 0; c < sensor->channels; c++)  /* in place of reading a device */
    row[c] = (gfloat) sin (2.0 * G_PI * (0.2 + 0.05 * c) * (gdouble) now / GST_SECOND);
  buffer = gst_buffer_new_wrapped (row, sensor->channels * sizeof (gfloat));
  GST_BUFFER_PTS (buffer) = now;
  GST_BUFFER_DURATION (buffer) = (GstClockTime) sensor->period_us * GST_USECOND;
  return gst_app_src_push_buffer (GST_APP_SRC (sensor->appsrc), buffer);
}

/* Ends with the application, or when the pipeline flushes or fails. Queued rows still leave before the end of the stream. */
static gpointer
sensor_thread (gpointer data)
{
  const Sensor *sensor = data;
  gint64 next_us = g_get_monotonic_time ();

  do {
    next_us += sensor->period_us;
    g_usleep ((gulong) MAX (next_us - g_get_monotonic_time (), 0));
  } while (!g_atomic_int_get (&is_ending) && push_row (sensor) == GST_FLOW_OK);
  gst_app_src_end_of_stream (GST_APP_SRC (sensor->appsrc));
  return NULL;
}

/* ---- samples ---- */

/* A stream without caps is not in the sample yet. Row -1 is the one at the tick, the only one unless window is set. */
static void
show_stream (GstSample *sample, const gchar *stream, guint tensor)
{
  static const gchar *const status_names[] = { "aligned", "held", "missing" };
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  RobocacheSampleStatus status = ROBOCACHE_SAMPLE_STATUS_MISSING;
  gint64 tick, before = ROBOCACHE_SAMPLE_NO_TIME;

  robocache_sample_meta_get_status (buffer, stream, -1, &status, NULL);
  printf ("  %s %s", stream, status_names[status]);
  if (robocache_sample_meta_get_times (buffer, stream, -1, &tick, &before, NULL) && before != ROBOCACHE_SAMPLE_NO_TIME)
    printf (" %.2f ms old", (gdouble) (tick - before) / 1e6);
  if (g_str_has_prefix (stream, "proprio"))
    printf (", joint 0 %+.3f", (gdouble) sample_tensor_value (sample, tensor, 0));
}

static void
show_sample (GstSample *sample)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  gchar **streams = robocache_sample_meta_get_streams (buffer);
  gint64 tick = 0;

  robocache_sample_meta_get_tick (buffer, &tick);
  printf ("tick %.3f s:", (gdouble) tick / 1e9);
  for (guint i = 0; streams && streams[i]; i++) /* in the order of the tensors */
    show_stream (sample, streams[i], i);
  putchar ('\n');
  g_strfreev (streams);
}

/* Record the sample here, or hand it to another thread. */
static gboolean
handle_sample (GstSample *sample, gpointer data)
{
  App *app = data;

  if (app->n_samples++ % app->every == 0)
    show_sample (sample);
  return TRUE;
}

/* ---- the end ---- */

static void
count_interrupt (int unused)
{
  n_interrupts = n_interrupts + 1;
}

/* In a thread of its own, so that a camera that hangs does not block a second Ctrl-C. */
static void
end_camera (GstElement *camera, gpointer unused)
{
  gst_element_send_event (camera, gst_event_new_eos ());
}

/* Ctrl-C, or the time is over: ends all streams, and the loop after the last sample. The second Ctrl-C ends it at once. */
static gboolean
check_end (gpointer data)
{
  App *app = data;
  const gint64 now = (gint64) gst_element_get_current_running_time (app->pipeline);     /* -1: does not play yet */
  const gboolean is_over = n_interrupts > 0 || (app->seconds > 0 && now >= app->seconds * (gint64) GST_SECOND);

  if (is_over && g_atomic_int_compare_and_exchange (&is_ending, FALSE, TRUE))
    gst_element_call_async (app->camera, end_camera, NULL, NULL);
  return n_interrupts < 2;
}

/* ---- the pipeline ---- */

static gboolean
add_camera (App *app, const gchar *description)
{
  /* the queue decouples the camera from slow ticks, and lets the description end with caps */
  g_autofree gchar *with_queue = g_strconcat (description, " ! queue", NULL);
  GError *error = NULL;

  app->camera = gst_parse_bin_from_description_full (with_queue, TRUE, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (app->camera && gst_bin_add (GST_BIN (app->pipeline), app->camera) && gst_element_link (app->camera, app->camera_tee))
    return TRUE;
  fprintf (stderr, "error: camera \"%s\": %s\n", description, error ? error->message : "it does not link: put videoconvert after "
      "it, to get video/x-raw in RGB, BGR, RGBA, NV12, GRAY8 or GRAY16_LE");
  g_clear_error (&error);
  return FALSE;
}

static gboolean
capture (App *app)
{
  static const StatsTableRow rows[] = { {"camera_0", "camera"}, {"proprio_0", "joints"}, {"force_0", "force"} };
  gboolean ok;

  signal (SIGINT, count_interrupt);
  signal (SIGTERM, count_interrupt);
  printf ("capturing; Ctrl-C ends it\n");
  for (guint i = 0; i < G_N_ELEMENTS (sensors); i++) {
    sensors[i].appsrc = gst_bin_get_by_name (GST_BIN (app->pipeline), sensors[i].name);
    sensors[i].thread = g_thread_new (sensors[i].name, sensor_thread, &sensors[i]);
  }
  ok = program_play (app->pipeline, handle_sample, check_end, app);
  g_atomic_int_set (&is_ending, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (sensors); i++) {
    g_thread_join (sensors[i].thread);
    gst_object_unref (sensors[i].appsrc);
  }
  if (ok) {
    printf ("%d samples\n\n", app->n_samples);
    stats_table_print (stdout, app->fuse, rows, G_N_ELEMENTS (rows));
  }
  gst_element_set_state (app->pipeline, GST_STATE_NULL);
  return ok;
}

int
main (int argc, char **argv)
{
  App app = {.every = RATE_HZ / 2 };
  g_autofree gchar *camera = NULL, *record = NULL;
  gboolean overwrite = FALSE;
  const GOptionEntry options[] = {
    {"seconds", 's', 0, G_OPTION_ARG_INT, &app.seconds, "end after this many seconds; 0: run until Ctrl-C (0)", "N"},
    {"camera", 'c', 0, G_OPTION_ARG_STRING, &camera, "source of raw video, like \"v4l2src ! videoconvert\"", "DESCRIPTION"},
    {"record", 'r', 0, G_OPTION_ARG_FILENAME, &record, "record the session in this MCAP file; %t in its name is the time", "FILE"},
    {"overwrite", 0, 0, G_OPTION_ARG_NONE, &overwrite, "replace a recording that exists", NULL},
    {"every", 'e', 0, G_OPTION_ARG_INT, &app.every, "show every Nth sample (25)", "N"},
    {NULL}
  };
  gboolean ok = program_parse_options (argc, argv, options, "Fuses a camera and two sensors, live, and shows the samples.", NULL);

  setvbuf (stdout, NULL, _IOLBF, 0);
  if (ok && (app.seconds < 0 || app.every < 1))
    fprintf (stderr, "error: expected --seconds of 0 or more and --every of 1 or more; see --help\n");
  else if (ok)
    app.pipeline = messages_launch (record ? PIPELINE RECORDER : PIPELINE);
  if (app.pipeline && record)
    gst_child_proxy_set (GST_CHILD_PROXY (app.pipeline), "record::location", record, "record::overwrite", overwrite, NULL);
  app.fuse = app.pipeline ? gst_bin_get_by_name (GST_BIN (app.pipeline), "fuse") : NULL;
  app.camera_tee = app.pipeline ? gst_bin_get_by_name (GST_BIN (app.pipeline), "camera_tee") : NULL;
  ok = app.fuse && add_camera (&app, camera ? camera : DEFAULT_CAMERA) && capture (&app);
  gst_clear_object (&app.fuse);
  gst_clear_object (&app.camera_tee);
  gst_clear_object (&app.pipeline);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
