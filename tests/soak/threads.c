/* robocache: pads that are added, removed, flushed and seeked, properties that are set and statistics that are read,
 * all at once, from threads of their own, while rows flow
 *
 * For ThreadSanitizer, mostly; without it, that nothing hangs, fails or goes uncounted. It lasts for
 * ROBOCACHE_STRESS_SECONDS (2). A thread that sleeps does so to let others run; nothing is waited for by sleeping.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "soak.h"

#define N_SENSORS 5
#define ROUND_US (400 * 1000)   /* then the pipeline is stopped, and begins anew */
#define GRACE_SECONDS 60        /* a run that lasts longer than this beyond its time hangs */

#define CAPS "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, dimensions=(string)4, " \
    "framerate=(fraction)"

typedef struct _Stress Stress;

/* A source pad with a thread that pushes rows, and begins again where it was flushed. The thread has the pad's stream lock
 * while it pushes, and a flush ends with it, as in any source: no row is between FLUSH_STOP and what has to come before. */
typedef struct
{
  Stress *stress;
  GMutex plug;                  /* held while to changes, and by who uses it */
  GMutex flush;                 /* one at a time, as in any source: held from FLUSH_START to FLUSH_STOP */
  GstPad *from, *to;            /* to: NULL while it is unplugged */
  GstElement *fuse;             /* NULL: to is there for good */
  gboolean live;
  gint period_us;
  gint stop;                    /* atomic */
  gboolean begin;               /* stream lock: STREAM_START, CAPS and SEGMENT are due */
  GThread *thread;
} Sensor;

struct _Stress
{
  GstElement *pipeline, *fuse, *resample, *sink;
  Sensor sensors[N_SENSORS];
  gint stop;                    /* atomic */
  gint errors, unbalanced;      /* atomic */
  gint n_flushes, n_plugs, n_settings, n_readings, n_seeks;     /* atomic */
  gint n_samples;               /* atomic */
  gint stalled;                 /* rounds at whose end no sample came */
};

/* ---- rows ---- */

static gboolean
answer_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  const Sensor *sensor = gst_pad_get_element_private (pad);

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, sensor->live, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

static void
flush (Sensor *sensor, GstPad *from, guint32 seqnum)
{
  GstEvent *start = gst_event_new_flush_start (), *stop = gst_event_new_flush_stop (TRUE);

  gst_event_set_seqnum (start, seqnum);
  gst_event_set_seqnum (stop, seqnum);
  g_mutex_lock (&sensor->flush);
  gst_pad_push_event (from, start);
  GST_PAD_STREAM_LOCK (from);
  gst_pad_push_event (from, stop);
  sensor->begin = TRUE;
  GST_PAD_STREAM_UNLOCK (from);
  g_mutex_unlock (&sensor->flush);
}

static gboolean
take_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  Sensor *sensor = gst_pad_get_element_private (pad);

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
    flush (sensor, pad, gst_event_get_seqnum (event));
  gst_event_unref (event);
  return TRUE;
}

static GstClockTime
running_time (GstElement *element)
{
  GstClock *clock = gst_element_get_clock (element);
  GstClockTime now = 0;

  if (clock) {
    now = gst_clock_get_time (clock) - gst_element_get_base_time (element);
    gst_object_unref (clock);
  }
  return now;
}

static void
begin (Sensor *sensor)
{
  gchar *id = g_strdup_printf ("%p", (void *) sensor);
  gchar *text = g_strdup_printf (CAPS "%d/1", 1000000 / sensor->period_us);
  GstCaps *caps = gst_caps_from_string (text);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (sensor->from, gst_event_new_stream_start (id));
  gst_pad_push_event (sensor->from, gst_event_new_caps (caps));
  gst_pad_push_event (sensor->from, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
  g_free (text);
  g_free (id);
}

static gpointer
push_rows (gpointer data)
{
  Sensor *sensor = data;
  GstClockTime t = 0;

  while (!g_atomic_int_get (&sensor->stop)) {
    const gfloat row[4] = { 1, 2, 3, (gfloat) (t % 1000) };
    GstBuffer *buffer = gst_buffer_new_memdup (row, sizeof (row));
    GstFlowReturn flow;

    GST_PAD_STREAM_LOCK (sensor->from);
    if (sensor->begin) {
      begin (sensor);
      sensor->begin = FALSE;
      t = 0;
    }
    if (sensor->live)
      t = running_time (sensor->stress->pipeline);
    GST_BUFFER_PTS (buffer) = t;
    flow = gst_pad_push (sensor->from, buffer);
    GST_PAD_STREAM_UNLOCK (sensor->from);
    if (flow != GST_FLOW_OK)
      g_thread_yield ();        /* to who flushes */
    t += sensor->period_us * GST_USECOND;
    if (sensor->live)
      g_usleep (sensor->period_us);
  }
  return NULL;
}

static void
start_sensor (Sensor *sensor)
{
  sensor->from = gst_pad_new (NULL, GST_PAD_SRC);
  gst_pad_set_element_private (sensor->from, sensor);
  gst_pad_set_query_function (sensor->from, answer_query);
  gst_pad_set_event_function (sensor->from, take_event);
  gst_pad_set_active (sensor->from, TRUE);
  g_atomic_int_set (&sensor->stop, FALSE);
  sensor->begin = TRUE;
  gst_pad_link (sensor->from, sensor->to);
  sensor->thread = g_thread_new ("sensor", push_rows, sensor);
}

/* Its thread may be waiting in the element for others; when its pad is flushing it is not. */
static void
stop_sensor (Sensor *sensor)
{
  g_atomic_int_set (&sensor->stop, TRUE);
  gst_pad_set_active (sensor->to, FALSE);
  g_thread_join (sensor->thread);
  gst_pad_unlink (sensor->from, sensor->to);
  gst_pad_set_active (sensor->from, FALSE);
  gst_clear_object (&sensor->from);
}

static void
plug_in (Sensor *sensor)
{
  static const gchar *const names[] = { "proprio_%u", "force_%u", "sink_%u" };

  sensor->to = gst_element_request_pad_simple (sensor->fuse, names[g_random_int_range (0, G_N_ELEMENTS (names))]);
  start_sensor (sensor);
}

static void
unplug (Sensor *sensor)
{
  stop_sensor (sensor);
  gst_element_release_request_pad (sensor->fuse, sensor->to);
  gst_clear_object (&sensor->to);
}

/* ---- what threads do to them ---- */

static Sensor *
some_sensor (Stress *stress)
{
  return &stress->sensors[g_random_int_range (0, N_SENSORS)];
}

static void
plug_something (Stress *stress)
{
  Sensor *sensor = some_sensor (stress);

  if (!sensor->fuse)
    return;
  g_mutex_lock (&sensor->plug);
  if (sensor->to)
    unplug (sensor);
  else
    plug_in (sensor);
  g_mutex_unlock (&sensor->plug);
  g_atomic_int_inc (&stress->n_plugs);
  g_usleep (2000);
}

static void
flush_something (Stress *stress)
{
  Sensor *sensor = some_sensor (stress);

  g_mutex_lock (&sensor->plug);
  if (sensor->to)
    flush (sensor, sensor->from, gst_util_seqnum_next ());
  g_mutex_unlock (&sensor->plug);
  g_atomic_int_inc (&stress->n_flushes);
  g_usleep (3000);
}

/* Upstream, as an application does. Pads that come or go meanwhile are not asked. */
static void
seek (Stress *stress)
{
  GstPad *src = gst_element_get_static_pad (stress->fuse, "src");

  gst_pad_send_event (src, gst_event_new_seek (1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
          GST_SEEK_TYPE_NONE, 0));
  gst_object_unref (src);
  g_atomic_int_inc (&stress->n_seeks);
  g_usleep (20000);
}

static void
set_something (Stress *stress)
{
  static const gchar *const settings[][2] = {
    {"interpolation", "cubic"}, {"interpolation", "mean"}, {"interpolation", "linear"}, {"offset", "-2000000"},
    {"offset", "1000000"}, {"max-gap", "10000000"}, {"max-gap", "-1"}, {"hold-limit", "0"}, {"required", "true"},
    {"required", "false"}, {"reorder-window", "5000000"}, {"reorder-window", "0"}, {"angles", "1"}, {"angles", ""},
  };
  const guint i = g_random_int_range (0, G_N_ELEMENTS (settings));
  Sensor *sensor = some_sensor (stress);

  g_mutex_lock (&sensor->plug);
  if (sensor->to && sensor->fuse)
    gst_util_set_object_arg (G_OBJECT (sensor->to), settings[i][0], settings[i][1]);
  g_mutex_unlock (&sensor->plug);
  g_object_set (stress->fuse, "latency", (guint64) g_random_int_range (0, 20) * GST_MSECOND, "stats-interval",
      (guint64) g_random_int_range (0, 3) * 10 * GST_MSECOND, "busy-wait", (guint64) g_random_int_range (0, 3) * GST_MSECOND,
      NULL);
  g_object_set (stress->resample, "stats-interval", (guint64) g_random_int_range (0, 3) * 10 * GST_MSECOND, NULL);
  g_atomic_int_inc (&stress->n_settings);
  g_usleep (500);
}

static void
check_balance (Stress *stress, gpointer object)
{
  if (!rows_balance (object))
    g_atomic_int_inc (&stress->unbalanced);
}

static void
read_something (Stress *stress)
{
  GstQuery *query = gst_query_new_latency ();
  Sensor *sensor = some_sensor (stress);
  GstStructure *stats;
  gchar *name = NULL;

  g_mutex_lock (&sensor->plug);
  if (sensor->to && sensor->fuse)
    check_balance (stress, sensor->to);
  g_mutex_unlock (&sensor->plug);
  check_balance (stress, stress->resample);
  g_object_get (stress->fuse, "stats", &stats, "reference-pad", &name, NULL);
  gst_structure_free (stats);
  gst_element_query (stress->fuse, query);
  gst_query_unref (query);
  g_free (name);
  g_atomic_int_inc (&stress->n_readings);
  g_usleep (500);
}

typedef struct
{
  Stress *stress;
  void (*act) (Stress * stress);
} Actor;

static gpointer
act (gpointer data)
{
  const Actor *actor = data;

  while (!g_atomic_int_get (&actor->stress->stop))
    actor->act (actor->stress);
  return NULL;
}

/* ---- a round: a pipeline from its beginning to its end ---- */

static GstBusSyncReply
take_message (GstBus *bus, GstMessage *message, gpointer data)
{
  Stress *stress = data;
  GError *error;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    printf ("an error: %s\n", error->message);
    g_error_free (error);
    g_atomic_int_inc (&stress->errors);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static GstPadProbeReturn
take_sample (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Stress *stress = data;

  g_atomic_int_inc (&stress->n_samples);
  return GST_PAD_PROBE_OK;
}

static void
make_pipeline (Stress *stress)
{
  GstElement *sink = gst_element_factory_make ("fakesink", NULL), *other = gst_element_factory_make ("fakesink", NULL);
  GstBus *bus;
  GstPad *src;

  stress->pipeline = gst_pipeline_new (NULL);
  stress->fuse = gst_element_factory_make ("robocachefuse", NULL);
  stress->resample = gst_element_factory_make ("robocacheresample", NULL);
  g_object_set (stress->fuse, "rate", 200, 1, "window", 2, NULL);
  g_object_set (stress->resample, "rate", 100, 1, NULL);
  g_object_set (sink, "sync", FALSE, "async", FALSE, NULL);
  g_object_set (other, "sync", FALSE, "async", FALSE, NULL);
  gst_bin_add_many (GST_BIN (stress->pipeline), stress->fuse, stress->resample, sink, other, NULL);
  gst_element_link (stress->fuse, sink);
  gst_element_link (stress->resample, other);
  src = gst_element_get_static_pad (stress->fuse, "src");
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER, take_sample, stress, NULL);
  gst_object_unref (src);
  bus = gst_pipeline_get_bus (GST_PIPELINE (stress->pipeline));
  gst_bus_set_sync_handler (bus, take_message, stress, NULL);
  gst_object_unref (bus);
}

static void
make_sensors (Stress *stress, gboolean live)
{
  for (guint i = 0; i < N_SENSORS; i++) {
    Sensor *sensor = &stress->sensors[i];

    memset (sensor, 0, sizeof (*sensor));
    g_mutex_init (&sensor->plug);
    g_mutex_init (&sensor->flush);
    sensor->stress = stress;
    sensor->live = live;
    sensor->period_us = 1000 << (i % 3);
    if (i > 0) {
      sensor->fuse = stress->fuse;
      plug_in (sensor);
    } else {
      sensor->live = TRUE;
      sensor->to = gst_element_get_static_pad (stress->resample, "sink");
      start_sensor (sensor);
    }
  }
}

static void
end_sensors (Stress *stress)
{
  for (guint i = 0; i < N_SENSORS; i++) {
    Sensor *sensor = &stress->sensors[i];

    if (sensor->to && sensor->fuse)
      unplug (sensor);
    else if (sensor->to)
      stop_sensor (sensor);
    gst_clear_object (&sensor->to);
    g_mutex_clear (&sensor->flush);
    g_mutex_clear (&sensor->plug);
  }
}

/* Whatever was flushed and sought, samples go on. */
static void
wait_for_a_sample (Stress *stress)
{
  const gint before = g_atomic_int_get (&stress->n_samples);
  const gint64 end = g_get_monotonic_time () + GRACE_SECONDS / 2 * G_USEC_PER_SEC;
  Sensor *sensor = &stress->sensors[1];

  if (!sensor->to)
    plug_in (sensor);
  while (g_atomic_int_get (&stress->n_samples) == before && g_get_monotonic_time () < end)
    g_usleep (1000);
  stress->stalled += g_atomic_int_get (&stress->n_samples) == before;
}

static void
run_round (Stress *stress, gboolean live)
{
  Actor actors[] = { {stress, plug_something}, {stress, flush_something}, {stress, seek}, {stress, set_something},
  {stress, read_something}
  };
  GThread *threads[G_N_ELEMENTS (actors)];

  make_pipeline (stress);
  gst_element_set_state (stress->pipeline, GST_STATE_PLAYING);
  gst_element_get_state (stress->pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  make_sensors (stress, live);
  g_atomic_int_set (&stress->stop, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (actors); i++)
    threads[i] = g_thread_new ("actor", act, &actors[i]);
  g_usleep (ROUND_US);
  g_atomic_int_set (&stress->stop, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (actors); i++)
    g_thread_join (threads[i]);
  wait_for_a_sample (stress);
  end_sensors (stress);
  gst_element_set_state (stress->pipeline, GST_STATE_NULL);
  gst_object_unref (stress->pipeline);
}

int
main (int argc, char **argv)
{
  const gchar *text = g_getenv ("ROBOCACHE_STRESS_SECONDS");
  const guint seconds = text ? (guint) atoi (text) : 2;
  const guint32 seed = argc > 1 ? (guint32) atoi (argv[1]) : (guint32) g_get_real_time ();
  const gint64 end = g_get_monotonic_time () + (gint64) seconds * G_USEC_PER_SEC;
  Stress stress = { NULL };
  gboolean ok;

  gst_init (&argc, &argv);
  g_random_set_seed (seed);
  printf ("%u s, seed %u\n", seconds, seed);
  fflush (stdout);
  alarm (seconds + GRACE_SECONDS);
  for (guint round = 0; stress.stalled == 0 && g_get_monotonic_time () < end; round++)
    run_round (&stress, round % 2 == 0);

  printf ("%d pads plugged or unplugged, %d flushed, %d seeks, %d settings, %d readings\n", stress.n_plugs,
      stress.n_flushes, stress.n_seeks, stress.n_settings, stress.n_readings);
  ok = verdict (stress.errors == 0, "threads_no_error", "%d errors", stress.errors);
  ok &= verdict (stress.unbalanced == 0, "threads_counters_balance", "%d times they did not", stress.unbalanced);
  ok &= verdict (stress.stalled == 0, "threads_samples_flow", "%d samples, and after the last seek of a round %s",
      stress.n_samples, stress.stalled ? "none" : "some");
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
