/* robocache: a live pipeline of random shape around robocachefuse, and its clock, for tests that disturb it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rig.h"

#include "idle.h"

#include <gst/app/gstappsrc.h>
#include <gst/check/gsttestclock.h>
#include <stdio.h>
#include <unistd.h>

#define START_TIME (2000 * DAY)
#define OTHER_START_TIME (1500 * DAY)
#define JUMP GST_SECOND         /* a sensor follows running time that jumps by more */
#define CPU_US_DISTURBED (5 * 1000)
#define CPU_US_IN_CHECKS (2 * G_USEC_PER_SEC)
#define US_FOR_A_STATE (20 * G_USEC_PER_SEC)
#define US_TO_PAUSE (20 * 1000)
#define MAX_HELD_BACK 4096
#define HANG_SECONDS 120

void
rig_fail (Rig *rig, const gchar *format, ...)
{
  va_list args;

  printf ("  wrong: ");
  va_start (args, format);
  vprintf (format, args);
  va_end (args);
  putchar ('\n');
  fflush (stdout);
  rig->is_bad = TRUE;
}

/* ---- clocks ---- */

static GstClock *
make_clock (gboolean is_wall, GstClockTime time)
{
  GstClock *clock = is_wall ? g_object_new (GST_TYPE_SYSTEM_CLOCK, NULL) : gst_test_clock_new_with_start_time (time);

  if (is_wall) {
    gst_object_ref_sink (clock);
    gst_clock_set_calibration (clock, gst_clock_get_internal_time (clock), time, 1, 1);
  }
  return clock;
}

static void
move_clock (GstClock *clock, GstClockTime by)
{
  GstClockTime internal, external, num, den;

  if (GST_IS_TEST_CLOCK (clock)) {
    gst_test_clock_advance_time (GST_TEST_CLOCK (clock), (GstClockTimeDiff) by);
  } else {
    gst_clock_get_calibration (clock, &internal, &external, &num, &den);
    gst_clock_set_calibration (clock, internal, external + by, num, den);
  }
}

GstClockTime
rig_now (Rig *rig)
{
  const GstClockTime now = gst_clock_get_time (rig->clock), base_time = gst_element_get_base_time (rig->fuse);

  return now > base_time ? now - base_time : 0;
}

/* Wakes threads that wait for a time that has come. */
static gboolean
pump (GstClock *clock)
{
  GstClockID id;
  gboolean any = FALSE;

  while ((id = gst_test_clock_process_next_clock_id (GST_TEST_CLOCK (clock)))) {
    gst_clock_id_unref (id);
    any = TRUE;
  }
  return any;
}

static gboolean
is_idle (Rig *rig)
{
  const gboolean woke_any = pump (rig->clock) | pump (rig->other_clock);

  return !woke_any && others_sleep ();
}

gboolean
rig_await_idle (Rig *rig, gint64 cpu_us)
{
  const gint64 end = cpu_us_of_others () + cpu_us;

  while (!rig->is_wall && !is_idle (rig)) {
    if (cpu_us_of_others () > end)
      return FALSE;
    g_usleep (50);
  }
  return TRUE;
}

static void
await_idle (Rig *rig)
{
  rig_await_idle (rig, rig->is_disturbed ? CPU_US_DISTURBED : CPU_US_IN_CHECKS);
}

void
rig_leap (Rig *rig, GstClockTime time)
{
  move_clock (rig->clock, time);
  await_idle (rig);
}

static void
set_base_time (const GValue *item, gpointer data)
{
  gst_element_set_base_time (g_value_get_object (item), *(GstClockTime *) data);
}

void
rig_set_base_time (Rig *rig, GstClockTime base_time)
{
  GstIterator *all = gst_bin_iterate_recurse (GST_BIN (rig->pipeline));

  gst_element_set_base_time (rig->pipeline, base_time);
  while (gst_iterator_foreach (all, set_base_time, &base_time) == GST_ITERATOR_RESYNC)
    gst_iterator_resync (all);
  gst_iterator_free (all);
}

void
rig_exchange_clocks (Rig *rig)
{
  GstClock *before = rig->clock;

  g_mutex_lock (&rig->lock);
  rig->clock = rig->other_clock;
  rig->other_clock = before;
  g_mutex_unlock (&rig->lock);
  gst_pipeline_use_clock (GST_PIPELINE (rig->pipeline), rig->clock);
}

/* ---- rows ---- */

static GstBuffer *
make_row (const Sensor *sensor)
{
  const gsize size = sensor->is_camera ? 8 * 8 : 4 * sizeof (gfloat);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (buffer, 0, 0, size);
  return buffer;
}

/* Anything but a little ahead. */
static GstClockTime
wild_time (GRand *rand, GstClockTime t)
{
  const guint64 time = (((guint64) g_rand_int (rand) << 32) | g_rand_int (rand)) >> g_rand_int_range (rand, 0, 64);

  return time > t && time < t + FAR ? t + FAR : time;
}

static GstClockTime
time_of_row (Sensor *sensor, GstClockTime t)
{
  gint64 time = (gint64) t + sensor->shift;

  if (sensor->has_no_times)
    return GST_CLOCK_TIME_NONE;
  if (sensor->wild && g_rand_boolean (sensor->wild))
    return wild_time (sensor->wild, t);
  if (sensor->disorder > 0)
    time += (gint64) (g_random_double () * (gdouble) sensor->disorder);
  return (GstClockTime) MAX (time, 0);
}

/* Called with the lock. */
static void
send_row (Sensor *sensor, GstClockTime t)
{
  for (guint i = 0; i <= (guint) sensor->repeats; i++) {
    GstBuffer *row = make_row (sensor);

    GST_BUFFER_PTS (row) = time_of_row (sensor, t);
    if (!sensor->holds_back)
      gst_app_src_push_buffer (GST_APP_SRC (sensor->app), row);
    else if (sensor->held_back.length < MAX_HELD_BACK)
      g_queue_push_tail (&sensor->held_back, row);
    else
      gst_buffer_unref (row);
  }
}

/* Rows up to now, which may be a step ahead. Called with the lock. */
static void
feed (Sensor *sensor, GstClockTime ahead)
{
  const GstClockTime now = rig_now (sensor->rig) + ahead;

  if (sensor->branch == NULL || sensor->app == NULL || !sensor->rig->is_playing)
    return;
  if (!GST_CLOCK_TIME_IS_VALID (sensor->next) || ABS (GST_CLOCK_DIFF (sensor->next, now)) > (GstClockTimeDiff) JUMP)
    sensor->next = now / sensor->period * sensor->period;
  for (; sensor->next <= now; sensor->next += sensor->period) {
    if (!sensor->is_silent)
      send_row (sensor, sensor->next);
  }
}

void
sensor_release (Sensor *sensor)
{
  GstBuffer *row;

  g_mutex_lock (&sensor->rig->lock);
  sensor->holds_back = FALSE;
  while ((row = g_queue_pop_head (&sensor->held_back)))
    gst_app_src_push_buffer (GST_APP_SRC (sensor->app), row);
  g_mutex_unlock (&sensor->rig->lock);
}

static gpointer
feed_on (gpointer data)
{
  Sensor *sensor = data;

  while (!g_atomic_int_get (&sensor->rig->stop)) {
    g_mutex_lock (&sensor->rig->lock);
    feed (sensor, 0);
    g_mutex_unlock (&sensor->rig->lock);
    g_usleep (1000);
  }
  return NULL;
}

static void
feed_all (Rig *rig)
{
  g_mutex_lock (&rig->lock);
  for (guint i = 0; i < rig->n_sensors; i++)
    feed (&rig->sensors[i], STEP);
  g_mutex_unlock (&rig->lock);
}

void
rig_advance (Rig *rig, GstClockTime time)
{
  for (GstClockTime t = 0; t < time; t += STEP) {
    alarm (HANG_SECONDS);
    if (rig->is_wall) {
      g_usleep (STEP / GST_USECOND);
    } else {
      feed_all (rig);           /* before any deadline that passes in this step */
      await_idle (rig);
      move_clock (rig->clock, STEP);
      move_clock (rig->other_clock, STEP);
      await_idle (rig);
    }
    rig_handle_messages (rig);
  }
}

/* ---- sensors ---- */

static void
set_pad (const Sensor *sensor)
{
  g_object_set (sensor->to, "required", sensor->is_required, NULL);
  if (sensor->is_declared)
    g_object_set (sensor->to, "expected-caps", sensor->caps, NULL);
}

void
sensor_push_caps (Sensor *sensor, GstCaps *caps)
{
  gst_app_src_set_caps (GST_APP_SRC (sensor->app), caps);
}

void
sensor_plug_in (Sensor *sensor)
{
  Rig *rig = sensor->rig;
  GstElement *branch = gst_parse_bin_from_description (sensor->source ? sensor->source : sensor->has_queue
      ? "appsrc name=app is-live=true format=time ! queue" : "appsrc name=app is-live=true format=time ! identity silent=true",
      TRUE, NULL);

  sensor->app = sensor->source ? NULL : gst_bin_get_by_name (GST_BIN (branch), "app");
  sensor->from = gst_element_get_static_pad (branch, "src");
  sensor->to = gst_element_request_pad_simple (rig->fuse, sensor->name);
  set_pad (sensor);
  if (sensor->app)
    sensor_push_caps (sensor, sensor->caps);
  gst_bin_add (GST_BIN (rig->pipeline), branch);
  gst_pad_link (sensor->from, sensor->to);
  gst_element_sync_state_with_parent (branch);
  g_mutex_lock (&rig->lock);
  sensor->branch = branch;
  sensor->next = GST_CLOCK_TIME_NONE;
  g_mutex_unlock (&rig->lock);
}

void
sensor_unplug (Sensor *sensor)
{
  Rig *rig = sensor->rig;
  GstElement *branch;

  g_mutex_lock (&rig->lock);
  branch = sensor->branch;
  sensor->branch = NULL;
  g_queue_clear_full (&sensor->held_back, (GDestroyNotify) gst_buffer_unref);
  g_mutex_unlock (&rig->lock);
  gst_element_set_state (branch, GST_STATE_NULL);
  gst_pad_unlink (sensor->from, sensor->to);
  gst_element_release_request_pad (rig->fuse, sensor->to);
  gst_clear_object (&sensor->from);
  gst_clear_object (&sensor->to);
  gst_clear_object (&sensor->app);
  gst_bin_remove (GST_BIN (rig->pipeline), branch);
}

/* ---- what comes out ---- */

static GstPadProbeReturn
note_output (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Rig *rig = data;
  const gint delay_us = g_atomic_int_get (&rig->sink_delay_us);
  GstClockTime tick;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
    g_mutex_lock (&rig->lock);
    if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_SEGMENT) {
      gst_event_copy_segment (GST_PAD_PROBE_INFO_EVENT (info), &rig->segment);
      rig->last_tick = GST_CLOCK_TIME_NONE;
    }
    g_mutex_unlock (&rig->lock);
    return GST_PAD_PROBE_OK;
  }
  g_mutex_lock (&rig->lock);
  tick = gst_segment_to_running_time (&rig->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)));
  if (GST_CLOCK_TIME_IS_VALID (rig->last_tick) && ABS (GST_CLOCK_DIFF (rig->last_tick + rig->tick_period, tick)) > 1)
    rig->n_holes++;
  rig->last_tick = tick;
  rig->n_ticks++;
  g_mutex_unlock (&rig->lock);
  if (delay_us > 0) {
    g_atomic_int_set (&rig->is_delayed, TRUE);
    g_usleep ((gulong) delay_us);
    g_atomic_int_set (&rig->is_delayed, FALSE);
  }
  return GST_PAD_PROBE_OK;
}

void
rig_handle_messages (Rig *rig)
{
  GstBus *bus = GST_ELEMENT_BUS (rig->pipeline);
  GstMessage *message;
  GError *error;

  while ((message = gst_bus_pop (bus))) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      gst_message_parse_error (message, &error, NULL);
      if (rig->n_errors++ == 0)
        rig->error = g_strdup_printf ("%s: %s", GST_MESSAGE_SRC_NAME (message), error->message);
      g_error_free (error);
    } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_LATENCY) {
      gst_bin_recalculate_latency (GST_BIN (rig->pipeline));
    }
    gst_message_unref (message);
  }
}

static void
send_to_sensors (Rig *rig, const Sensor *sensor, GstEvent *event)
{
  for (guint i = 0; i < rig->n_sensors; i++) {
    if (rig->sensors[i].branch && (sensor == NULL || sensor == &rig->sensors[i]))
      gst_element_send_event (rig->sensors[i].branch, gst_event_ref (event));
  }
  gst_event_unref (event);
}

void
rig_flush (Rig *rig, const Sensor *sensor, gboolean reset_time)
{
  send_to_sensors (rig, sensor, gst_event_new_flush_start ());
  rig_advance (rig, STEP);
  send_to_sensors (rig, sensor, gst_event_new_flush_stop (reset_time));
}

/* From GStreamer 1.24 on, a pause interrupts live sources. One that notices it only when PLAYING is back ends its task for good: that
 * is a fault of GstBaseSrc. */
static void
let_sources_pause (Rig *rig)
{
  if (rig->is_wall)
    g_usleep (US_TO_PAUSE);
  else
    rig_await_idle (rig, CPU_US_IN_CHECKS);
}

gboolean
rig_set_state (Rig *rig, GstState state)
{
  const gint64 end = g_get_monotonic_time () + US_FOR_A_STATE;
  GstStateChangeReturn result;

  if (state < GST_STATE_PLAYING) {
    g_mutex_lock (&rig->lock);
    rig->is_playing = FALSE;
    g_mutex_unlock (&rig->lock);
  }
  gst_element_set_state (rig->pipeline, state);
  while ((result = gst_element_get_state (rig->pipeline, NULL, NULL, 0)) == GST_STATE_CHANGE_ASYNC
      && state < GST_STATE_PLAYING && g_get_monotonic_time () < end) {
    if (!rig->is_wall) {
      pump (rig->clock);
      pump (rig->other_clock);
    }
    g_usleep (100);
  }
  if (state == GST_STATE_PAUSED)
    let_sources_pause (rig);
  g_mutex_lock (&rig->lock);
  rig->is_playing = state == GST_STATE_PLAYING;
  if (state < GST_STATE_PAUSED)
    rig->last_tick = GST_CLOCK_TIME_NONE;
  g_mutex_unlock (&rig->lock);
  if (result == GST_STATE_CHANGE_FAILURE || (result == GST_STATE_CHANGE_ASYNC && state < GST_STATE_PAUSED))
    rig_fail (rig, "state %s: %s", gst_element_state_get_name (state), gst_element_state_change_return_get_name (result));
  return result != GST_STATE_CHANGE_FAILURE;
}

/* ---- a random shape ---- */

static void
shape_sensor (Rig *rig, Sensor *sensor, GRand *rand, guint i)
{
  static const gchar *const roles[] = { "proprio", "force", "sink", "camera" };
  static const gint rates[] = { 20, 50, 100, 200 };
  const guint role = (guint) g_rand_int_range (rand, 0, G_N_ELEMENTS (roles));
  const gint rate = rates[g_rand_int_range (rand, 0, G_N_ELEMENTS (rates))];
  gchar *caps;

  sensor->rig = rig;
  g_queue_init (&sensor->held_back);
  g_snprintf (sensor->name, sizeof (sensor->name), "%s_%u", roles[role], i);
  sensor->period = GST_SECOND / (guint) rate;
  sensor->next = GST_CLOCK_TIME_NONE;
  sensor->is_camera = role == 3;
  sensor->has_queue = g_rand_boolean (rand);
  sensor->is_required = g_rand_int_range (rand, 0, 4) == 0;
  sensor->is_declared = g_rand_int_range (rand, 0, 4) == 0;
  if (i > 0 && !sensor->is_camera && g_rand_int_range (rand, 0, 8) == 0) {
    sensor->source = "robocachetestsrc is-live=true rate=100/1 jitter=2000000";
    sensor->period = 10 * GST_MSECOND;
    sensor->is_required = sensor->is_declared = FALSE;
    rig->has_own_time = TRUE;
  }
  caps = sensor->is_camera ? g_strdup_printf ("video/x-raw,format=GRAY8,width=8,height=8,framerate=%d/1", rate)
      : g_strdup_printf ("other/tensors,format=static,num_tensors=1,types=float32,dimensions=(string)4,framerate=%d/1", rate);
  sensor->caps = gst_caps_from_string (caps);
  g_free (caps);
}

static void
shape_ticks (Rig *rig, GRand *rand)
{
  static const gint rates[] = { 25, 50, 100, 250 };
  const Sensor *reference = &rig->sensors[0];

  if (g_rand_int_range (rand, 0, 3) == 0) {
    g_object_set (rig->fuse, "reference-pad", reference->name, NULL);
    rig->tick_period = reference->period;
  } else {
    rig->rate = rates[g_rand_int_range (rand, 0, G_N_ELEMENTS (rates))];
    rig->tick_period = GST_SECOND / (guint) rig->rate;
    g_object_set (rig->fuse, "rate", rig->rate, 1, NULL);
  }
}

static void
describe (Rig *rig, gboolean force_live, guint window)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%s, window %u%s, %s", rig->rate > 0 ? "grid" : "reference", window, force_live ? ", force-live"
      : "", GST_OBJECT_NAME (gst_element_get_factory (rig->sink)));
  g_string_append_printf (text, ", %.0f Hz:", 1e9 / (gdouble) rig->tick_period);
  for (guint i = 0; i < rig->n_sensors; i++) {
    const Sensor *sensor = &rig->sensors[i];

    g_string_append_printf (text, " %s (%.0f Hz%s%s%s%s)", sensor->name, 1e9 / (gdouble) sensor->period, sensor->source
        ? ", testsrc" : "", sensor->has_queue && !sensor->source ? ", queue" : "", sensor->is_required ? ", required" : "",
        sensor->is_declared ? ", declared" : "");
  }
  rig->shape = g_string_free (text, FALSE);
}

static void
add_sink (Rig *rig, GRand *rand)
{
  GstPad *pad;

  if (g_rand_boolean (rand)) {
    rig->sink = gst_element_factory_make ("appsink", NULL);
    g_object_set (rig->sink, "sync", FALSE, "drop", TRUE, "max-buffers", 4, NULL);
  } else {
    rig->sink = gst_element_factory_make ("fakesink", NULL);
    g_object_set (rig->sink, "sync", FALSE, NULL);
  }
  gst_bin_add_many (GST_BIN (rig->pipeline), rig->fuse, rig->sink, NULL);
  gst_element_link (rig->fuse, rig->sink);
  pad = gst_element_get_static_pad (rig->fuse, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note_output, rig, NULL);
  gst_object_unref (pad);
}

Rig *
rig_new (guint32 seed, gboolean is_wall)
{
  GRand *rand = g_rand_new_with_seed (seed);
  Rig *rig = g_new0 (Rig, 1);
  const guint window = g_rand_boolean (rand) ? 1 : (guint) g_rand_int_range (rand, 2, 20);
  const gboolean force_live = g_rand_int_range (rand, 0, 4) == 0;

  g_random_set_seed (seed);
  g_mutex_init (&rig->lock);
  rig->is_wall = is_wall;
  rig->last_tick = GST_CLOCK_TIME_NONE;
  rig->pipeline = gst_pipeline_new (NULL);
  rig->clock = make_clock (is_wall, START_TIME);
  rig->other_clock = make_clock (is_wall, OTHER_START_TIME);
  gst_pipeline_use_clock (GST_PIPELINE (rig->pipeline), rig->clock);
  rig->fuse = gst_element_factory_make_full ("robocachefuse", "force-live", force_live, "window", window, NULL);
  add_sink (rig, rand);
  rig->n_sensors = (guint) g_rand_int_range (rand, 1, MAX_SENSORS + 1);
  for (guint i = 0; i < rig->n_sensors; i++)
    shape_sensor (rig, &rig->sensors[i], rand, i);
  shape_ticks (rig, rand);
  describe (rig, force_live, window);
  for (guint i = 0; i < rig->n_sensors; i++) {
    sensor_plug_in (&rig->sensors[i]);
    if (is_wall)
      rig->sensors[i].thread = g_thread_new ("sensor", feed_on, &rig->sensors[i]);
  }
  g_rand_free (rand);
  return rig;
}

void
rig_free (Rig *rig)
{
  g_atomic_int_set (&rig->stop, TRUE);
  for (guint i = 0; i < rig->n_sensors; i++) {
    if (rig->sensors[i].thread)
      g_thread_join (rig->sensors[i].thread);
    if (rig->sensors[i].branch)
      sensor_unplug (&rig->sensors[i]);
    gst_caps_unref (rig->sensors[i].caps);
  }
  gst_object_unref (rig->pipeline);
  gst_object_unref (rig->clock);
  gst_object_unref (rig->other_clock);
  g_mutex_clear (&rig->lock);
  g_free (rig->shape);
  g_free (rig->error);
  g_free (rig);
}
