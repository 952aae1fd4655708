/* robocache: how a capture application embeds robocachefuse
 *
 * Two sensors whose drivers run in threads of the application, and a camera:
 *
 *   appsrc "joints"  100 Hz, 14 float32 ─┐
 *   appsrc "force"     1 kHz, 6 float32 ─┼─ robocachefuse, 50 Hz ─ appsink
 *   camera                              ─┘
 *
 * What to take from here:
 *   - each row carries the time at which it was captured, on the pipeline's clock (push_row);
 *   - the appsrc elements are live, and say so (make_sensor);
 *   - a LATENCY message is answered by working it out anew, or ticks leave before their rows arrive (handle_message);
 *   - a sample holds one tensor a stream, and a meta with its tick, and for each row its times and status (handle_sample);
 *   - Ctrl-C ends the sensors first, and the pipeline when its last sample is out (begin_shutdown).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib-unix.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "messages.h"
#include "sampletensor.h"
#include "statstable.h"

#define RATE_HZ 50

#define DEFAULT_CAMERA "videotestsrc is-live=true pattern=ball " \
    "! video/x-raw,format=RGB,width=640,height=480,framerate=30/1"

/* The row of info, in the meta of a sample, that belongs to a stream. */
typedef struct
{
  gint64 tick, before, after;   /* running times; G_MININT64: there is no such row */
  gint64 status;                /* 0 aligned, 1 held, 2 missing */
} RowInfo;

static const gchar *const status_names[] = { "aligned", "held", "missing" };

/* A driver: a thread that reads its device and pushes what it read. */
typedef struct
{
  const gchar *name;            /* of the appsrc */
  const gchar *pad;             /* of robocachefuse */
  gint rate_hz;
  guint channels;

  GstElement *appsrc;
  GThread *thread;
  GMutex lock;
  GCond wake;
  gboolean stop;                /* lock */
} Sensor;

typedef struct
{
  GMainLoop *loop;
  GstElement *pipeline, *camera, *fuse;
  Sensor sensors[2];
  gboolean started, shutting_down, failed;
  guint every;                  /* of so many samples, one is shown */
  guint seconds;                /* of capture; 0: until it is ended */
  guint timeout;                /* a source, while these run; or 0 */
  guint64 n_samples;            /* streaming thread of appsink until EOS */
} App;

/* ---- sensors ---- */

/* In place of reading a device. */
static void
read_device (const Sensor *sensor, GstClockTime time, gfloat *row)
{
  for (guint c = 0; c < sensor->channels; c++)
    row[c] = (gfloat) sin (2.0 * G_PI * (0.2 + 0.05 * c) * (gdouble) time / GST_SECOND);
}

/* One row, stamped with the running time at which it was captured. A driver that has its device's own time stamps would
 * convert those; a constant delay is better left to the `offset` of the pad. */
static GstFlowReturn
push_row (const Sensor *sensor)
{
  const GstClockTime now = gst_element_get_current_running_time (sensor->appsrc);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, sensor->channels * sizeof (gfloat), NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  read_device (sensor, now, (gfloat *) map.data);
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = now;
  GST_BUFFER_DURATION (buffer) = GST_SECOND / sensor->rate_hz;
  return gst_app_src_push_buffer (GST_APP_SRC (sensor->appsrc), buffer);
}

static gpointer
sensor_thread (gpointer data)
{
  Sensor *sensor = data;
  gint64 next_us = g_get_monotonic_time ();
  GstFlowReturn flow = GST_FLOW_OK;

  g_mutex_lock (&sensor->lock);
  while (!sensor->stop && flow == GST_FLOW_OK) {
    next_us += G_USEC_PER_SEC / sensor->rate_hz;
    while (!sensor->stop && g_cond_wait_until (&sensor->wake, &sensor->lock, next_us));
    if (!sensor->stop) {
      g_mutex_unlock (&sensor->lock);
      flow = push_row (sensor); /* not OK: the pipeline is flushing or has failed */
      g_mutex_lock (&sensor->lock);
    }
  }
  g_mutex_unlock (&sensor->lock);
  return NULL;
}

static void
start_sensor (Sensor *sensor)
{
  sensor->thread = g_thread_new (sensor->name, sensor_thread, sensor);
}

/* Rows that are queued still go out before the end of the stream, which comes for a sensor that never ran, too. */
static void
stop_sensor (Sensor *sensor)
{
  g_mutex_lock (&sensor->lock);
  sensor->stop = TRUE;
  g_cond_broadcast (&sensor->wake);
  g_mutex_unlock (&sensor->lock);
  g_clear_pointer (&sensor->thread, g_thread_join);
  gst_app_src_end_of_stream (GST_APP_SRC (sensor->appsrc));
}

/* Caps say what a row is; is-live that rows cannot be had faster than time passes; format that buffers carry times. The
 * latencies say that a row comes at once, and may wait for as long as the other streams need: appsrc alone would say that
 * it has no room to wait, and nothing could be aligned with it. */
static gboolean
make_sensor (App *app, Sensor *sensor)
{
  GstCaps *caps = gst_caps_new_simple ("other/tensors", "format", G_TYPE_STRING, "static", "num_tensors", G_TYPE_INT, 1,
      "types", G_TYPE_STRING, "float32", "framerate", GST_TYPE_FRACTION, sensor->rate_hz, 1, NULL);
  gchar *dimensions = g_strdup_printf ("%u", sensor->channels);

  g_mutex_init (&sensor->lock);
  g_cond_init (&sensor->wake);
  gst_caps_set_simple (caps, "dimensions", G_TYPE_STRING, dimensions, NULL);
  sensor->appsrc = gst_element_factory_make ("appsrc", sensor->name);
  g_object_set (sensor->appsrc, "caps", caps, "is-live", TRUE, "format", GST_FORMAT_TIME, "do-timestamp", FALSE,
      "min-latency", G_GINT64_CONSTANT (0), "max-latency", G_GINT64_CONSTANT (-1), NULL);
  gst_caps_unref (caps);
  g_free (dimensions);

  gst_bin_add (GST_BIN (app->pipeline), sensor->appsrc);
  return gst_element_link_pads (sensor->appsrc, "src", app->fuse, sensor->pad);
}

static void
clear_sensor (Sensor *sensor)
{
  g_mutex_clear (&sensor->lock);
  g_cond_clear (&sensor->wake);
}

/* ---- samples ---- */

static void
show_row (const gchar *stream, const RowInfo *info)
{
  printf ("  %s %s", stream, status_names[CLAMP (info->status, 0, 2)]);
  if (info->before != G_MININT64)
    printf (" %.2f ms old", (gdouble) (info->tick - info->before) / 1e6);
}

static void
show_sample (GstSample *sample)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "RobocacheSampleMeta");
  const GstStructure *fields = gst_custom_meta_get_structure (meta);
  gchar **streams = g_strsplit (gst_structure_get_string (fields, "streams"), ",", -1);
  const GValue *info = gst_structure_get_value (fields, "info");
  const RowInfo *rows = g_bytes_get_data (g_value_get_boxed (info), NULL);
  gint64 tick;

  /* streams and tensors are in the same order; a stream that has not begun has none */
  gst_structure_get_int64 (fields, "tick", &tick);
  printf ("tick %.3f s:", (gdouble) tick / 1e9);
  for (guint i = 0; streams[i]; i++) {
    show_row (streams[i], &rows[i]);
    if (g_str_has_prefix (streams[i], "proprio"))
      printf (", joint 0 %+.3f", (gdouble) sample_tensor_value (sample, i, 0));
  }
  putchar ('\n');
  g_strfreev (streams);
}

/* In appsink's streaming thread. Recording, or handing on to another thread, would be done here. */
static GstFlowReturn
handle_sample (GstAppSink *sink, gpointer data)
{
  App *app = data;
  GstSample *sample = gst_app_sink_pull_sample (sink);

  if (!sample)
    return GST_FLOW_EOS;
  if (app->n_samples++ % app->every == 0)
    show_sample (sample);
  gst_sample_unref (sample);
  return GST_FLOW_OK;
}

/* ---- shutdown ---- */

/* A source takes the event between two frames. Called in a thread of its own, so that waiting for a camera that hangs
 * does not keep the application from answering a second Ctrl-C. */
static void
end_camera (GstElement *camera, gpointer unused)
{
  gst_element_send_event (camera, gst_event_new_eos ());
}

/* The end of every stream; when it has come through, the bus says EOS and the loop ends. */
static gboolean
begin_shutdown (gpointer data)
{
  App *app = data;

  if (app->shutting_down) {     /* asked for again: at once */
    g_main_loop_quit (app->loop);
    return G_SOURCE_CONTINUE;
  }
  app->shutting_down = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (app->sensors); i++)
    stop_sensor (&app->sensors[i]);
  gst_element_call_async (app->camera, end_camera, NULL, NULL);
  return G_SOURCE_CONTINUE;
}

/* Once: it may take longer than that until all streams have come to their end. */
static gboolean
end_capture (gpointer data)
{
  App *app = data;

  app->timeout = 0;
  if (!app->shutting_down)
    begin_shutdown (app);
  return G_SOURCE_REMOVE;
}

/* ---- messages ---- */

static void
handle_state (App *app, GstMessage *message)
{
  GstState state;

  if (GST_MESSAGE_SRC (message) != GST_OBJECT (app->pipeline))
    return;
  gst_message_parse_state_changed (message, NULL, &state, NULL);
  if (state != GST_STATE_PLAYING || app->started)
    return;
  app->started = TRUE;          /* now there is a running time */
  if (app->shutting_down)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (app->sensors); i++)
    start_sensor (&app->sensors[i]);
  if (app->seconds > 0)
    app->timeout = g_timeout_add (1000 * app->seconds, end_capture, app);
}

/* With stats-interval set, robocachefuse tells from time to time how it goes. */
static void
handle_element_message (GstMessage *message)
{
  const GstStructure *stats = gst_message_get_structure (message);

  if (gst_structure_has_name (stats, "robocachefuse"))
    printf ("stats: %" G_GINT64_FORMAT " ticks out, late by up to %.2f ms\n", stats_get (stats, "ticks-out"),
        (gdouble) stats_get (stats, "lateness-max") / 1e6);
}

static gboolean
handle_message (GstBus *bus, GstMessage *message, gpointer data)
{
  App *app = data;
  gchar *line = message_to_line (message, NULL, NULL);

  if (line && !app->failed)
    fprintf (stderr, "%s\n", line);
  g_free (line);

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
      app->failed = TRUE;
      g_main_loop_quit (app->loop);
      break;
    case GST_MESSAGE_EOS:
      g_main_loop_quit (app->loop);
      break;
    case GST_MESSAGE_LATENCY:
      gst_bin_recalculate_latency (GST_BIN (app->pipeline));
      break;
    case GST_MESSAGE_STATE_CHANGED:
      handle_state (app, message);
      break;
    case GST_MESSAGE_ELEMENT:
      handle_element_message (message);
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

/* ---- the pipeline ---- */

static gboolean
make_sink (App *app)
{
  GstElement *sink = gst_element_factory_make ("appsink", NULL);
  GstAppSinkCallbacks callbacks = {.new_sample = handle_sample };

  /* ticks are already paced, and a sample is worth more than its place in time */
  g_object_set (sink, "sync", FALSE, NULL);
  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &callbacks, app, NULL);
  gst_bin_add (GST_BIN (app->pipeline), sink);
  return gst_element_link (app->fuse, sink);
}

static gboolean
make_camera (App *app, const gchar *description, GError **error)
{
  /* the queue lets a slow tick not hold up the camera, and the description end with caps */
  gchar *with_queue = g_strconcat (description, " ! queue", NULL);

  app->camera = gst_parse_bin_from_description_full (with_queue, TRUE, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  g_free (with_queue);
  if (!app->camera)
    return FALSE;
  gst_bin_add (GST_BIN (app->pipeline), app->camera);
  return gst_element_link_pads (app->camera, "src", app->fuse, "camera_0");
}

static gboolean
make_pipeline (App *app, const gchar *camera)
{
  GError *error = NULL;
  gboolean ok;

  app->pipeline = gst_pipeline_new ("capture");
  app->fuse = gst_element_factory_make ("robocachefuse", "fuse");
  if (!app->fuse) {
    fprintf (stderr, "error: no element robocachefuse; is GST_PLUGIN_PATH_1_0 set? (. examples/env.sh)\n");
    return FALSE;
  }
  g_object_set (app->fuse, "rate", RATE_HZ, 1, "stats-interval", GST_SECOND, NULL);
  gst_bin_add (GST_BIN (app->pipeline), app->fuse);

  ok = make_sink (app) && make_camera (app, camera, &error);
  for (guint i = 0; ok && i < G_N_ELEMENTS (app->sensors); i++)
    ok = make_sensor (app, &app->sensors[i]);
  if (error)
    fprintf (stderr, "error: camera \"%s\": %s\n", camera, error->message);
  else if (!ok)
    fprintf (stderr, "error: the pipeline cannot be linked; the camera \"%s\" must send video/x-raw in RGB, BGR, RGBA, "
        "GRAY8 or GRAY16_LE\n", camera);
  g_clear_error (&error);
  return ok;
}

static void
run (App *app)
{
  GstBus *bus = gst_element_get_bus (app->pipeline);
  const guint on_bus = gst_bus_add_watch (bus, handle_message, app);
  const guint on_interrupt = g_unix_signal_add (SIGINT, begin_shutdown, app);
  const guint on_terminate = g_unix_signal_add (SIGTERM, begin_shutdown, app);

  printf ("capturing; Ctrl-C ends it\n");
  gst_element_set_state (app->pipeline, GST_STATE_PLAYING);
  g_main_loop_run (app->loop);

  for (guint i = 0; i < G_N_ELEMENTS (app->sensors); i++)
    stop_sensor (&app->sensors[i]);
  if (!app->failed) {
    static const StatsTableRow rows[] = {
      {(gchar *) "camera_0", (gchar *) "camera"},
      {(gchar *) "proprio_0", (gchar *) "joints"},
      {(gchar *) "force_0", (gchar *) "force"},
    };

    printf ("%" G_GUINT64_FORMAT " samples\n\n", app->n_samples);
    stats_table_print (stdout, app->fuse, rows, G_N_ELEMENTS (rows));
  }
  gst_element_set_state (app->pipeline, GST_STATE_NULL);
  g_source_remove (on_bus);
  g_source_remove (on_interrupt);
  g_source_remove (on_terminate);
  g_clear_handle_id (&app->timeout, g_source_remove);
  gst_object_unref (bus);
}

int
main (int argc, char **argv)
{
  gint seconds = 0, every = RATE_HZ / 2;
  gchar *camera = NULL;
  const GOptionEntry options[] = {
    {"seconds", 's', 0, G_OPTION_ARG_INT, &seconds, "end after so long from the first row on; 0: with Ctrl-C (0)", "N"},
    {"camera", 'c', 0, G_OPTION_ARG_STRING, &camera, "elements that send raw video, like \"v4l2src ! videoconvert\"",
        "DESCRIPTION"},
    {"every", 'e', 0, G_OPTION_ARG_INT, &every, "show one of so many samples (25)", "N"},
    {NULL}
  };
  App app = {.sensors = {
          {.name = "joints",.pad = "proprio_0",.rate_hz = 100,.channels = 14},
          {.name = "force",.pad = "force_0",.rate_hz = 1000,.channels = 6},
      }
  };
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;
  gboolean ok;

  setvbuf (stdout, NULL, _IOLBF, 0);
  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  ok = g_option_context_parse (context, &argc, &argv, &error);
  g_option_context_free (context);
  if (!ok || argc > 1 || seconds < 0 || every < 1) {
    fprintf (stderr, "error: %s\n", error ? error->message : "expected no arguments, --seconds of 0 or more and "
        "--every of 1 or more; see --help");
    g_clear_error (&error);
    g_free (camera);
    return EXIT_FAILURE;
  }

  app.every = (guint) every;
  app.seconds = (guint) seconds;
  app.loop = g_main_loop_new (NULL, FALSE);
  ok = make_pipeline (&app, camera ? camera : DEFAULT_CAMERA);
  if (ok)
    run (&app);
  gst_clear_object (&app.pipeline);
  for (guint i = 0; i < G_N_ELEMENTS (app.sensors); i++)
    clear_sensor (&app.sensors[i]);
  g_main_loop_unref (app.loop);
  g_free (camera);
  return ok && !app.failed ? EXIT_SUCCESS : EXIT_FAILURE;
}
