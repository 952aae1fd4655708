/* robocache: what may happen to a live pipeline, and how it is taken back
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "disturbances.h"

#include "tests/check/lib/randomproperties.h"

#define MAX_LEAD (3600 * GST_SECOND)    /* of a pad, unless it is told otherwise */

/* Rows that are ahead by more, but not far, are disorder: those after them are late for as long. */
#define MAX_DISORDER (GST_SECOND / 2)

/* A span of any order of magnitude, from a millisecond on. */
static GstClockTime
some_span (GRand *rand, GstClockTime most)
{
  GstClockTime span = most;

  while (span / 4 > GST_MSECOND && g_rand_int_range (rand, 0, 12) > 0)
    span /= 4;
  return MAX (span - (GstClockTime) (g_rand_double (rand) * 0.75 * (gdouble) span), GST_MSECOND);
}

G_GNUC_PRINTF (2, 3)
static void
describe (Disturbance *disturbance, const gchar *format, ...)
{
  va_list args;

  va_start (args, format);
  g_vsnprintf (disturbance->detail, sizeof (disturbance->detail), format, args);
  va_end (args);
}

/* Lets time pass while nothing flows; on a test clock, any. */
static void
wait_idly (Rig *rig, GstClockTime time)
{
  if (rig->is_wall)
    g_usleep (MIN (time, GST_SECOND) / GST_USECOND);
  else
    rig_leap (rig, rig->has_own_time ? MIN (time, GST_SECOND) : time);
}

/* ---- state ---- */

static void
go_through (Rig *rig, Disturbance *disturbance, GstState state)
{
  const GstClockTime time = some_span (disturbance->rand, 100 * DAY);

  describe (disturbance, "for %.3f s", (gdouble) time / 1e9);
  rig_set_state (rig, state);
  wait_idly (rig, time);
  rig_set_state (rig, GST_STATE_PLAYING);
}

static void
pause_for_a_while (Rig *rig, Disturbance *disturbance)
{
  go_through (rig, disturbance, GST_STATE_PAUSED);
}

static void
go_to_ready (Rig *rig, Disturbance *disturbance)
{
  go_through (rig, disturbance, GST_STATE_READY);
}

static void
go_to_null (Rig *rig, Disturbance *disturbance)
{
  go_through (rig, disturbance, GST_STATE_NULL);
}

/* ---- time ---- */

static void
move_base_time (Rig *rig, Disturbance *disturbance)
{
  const GstClockTime base_time = disturbance->time = gst_element_get_base_time (rig->pipeline);
  const GstClockTime by = some_span (disturbance->rand, 100 * DAY);
  const gboolean forwards = g_rand_boolean (disturbance->rand);

  describe (disturbance, "running time %s %.3f s", forwards ? "forwards by" : "back by at most", (gdouble) by / 1e9);
  rig_set_base_time (rig, forwards ? base_time - by : base_time + MIN (by, rig_now (rig)));
}

static void
move_base_time_back (Rig *rig, Disturbance *disturbance)
{
  rig_set_base_time (rig, disturbance->time);
}

static void
clear_start_time (Rig *rig, Disturbance *disturbance)
{
  gst_element_set_start_time (rig->pipeline, GST_CLOCK_TIME_NONE);
  disturbance->time = gst_element_get_base_time (rig->pipeline);
  pause_for_a_while (rig, disturbance);
  if (g_rand_boolean (disturbance->rand))
    rig_set_base_time (rig, disturbance->time - some_span (disturbance->rand, DAY));
}

static void
restore_start_time (Rig *rig, Disturbance *disturbance)
{
  gst_element_set_start_time (rig->pipeline, 0);
  pause_for_a_while (rig, disturbance);
}

/* Elements get it in PLAYING, with a base time that it has passed, or from PAUSED on. */
static void
exchange_clocks (Rig *rig, Disturbance *disturbance)
{
  const gboolean pauses = g_rand_boolean (disturbance->rand);

  describe (disturbance, pauses ? "in PAUSED" : "in PLAYING");
  if (pauses)
    rig_set_state (rig, GST_STATE_PAUSED);
  rig_exchange_clocks (rig);
  if (pauses) {
    rig_set_state (rig, GST_STATE_PLAYING);
    return;
  }
  rig_set_base_time (rig, gst_clock_get_time (rig->clock) - some_span (disturbance->rand, DAY));
  gst_element_set_clock (rig->pipeline, rig->clock);
}

static void
set_clock (Rig *rig, Disturbance *disturbance)
{
  const GstClockTime by = some_span (disturbance->rand, 100 * DAY);

  describe (disturbance, "forwards by %.3f s", (gdouble) by / 1e9);
  rig_leap (rig, by);
}

/* ---- rows ---- */

static Sensor *
some_sensor (Rig *rig, GRand *rand)
{
  Sensor *sensor;

  do
    sensor = &rig->sensors[g_rand_int_range (rand, 0, (gint) rig->n_sensors)];
  while (sensor->source);
  return sensor;
}

static void
choose_sensor (Rig *rig, Disturbance *disturbance)
{
  disturbance->sensor = some_sensor (rig, disturbance->rand);
  describe (disturbance, "%s", disturbance->sensor->name);
}

static void
restore_rows (Rig *rig, Disturbance *disturbance)
{
  for (guint i = 0; i < rig->n_sensors; i++) {
    Sensor *sensor = &rig->sensors[i];

    g_mutex_lock (&rig->lock);
    sensor->is_silent = sensor->repeats = sensor->has_no_times = FALSE;
    sensor->shift = sensor->disorder = 0;
    g_clear_pointer (&sensor->wild, g_rand_free);
    g_mutex_unlock (&rig->lock);
    if (sensor->app)
      sensor_release (sensor);
  }
}

static void
make_wild (Rig *rig, Disturbance *disturbance)
{
  choose_sensor (rig, disturbance);
  g_mutex_lock (&rig->lock);
  disturbance->sensor->wild = g_rand_new_with_seed (g_rand_int (disturbance->rand));
  g_mutex_unlock (&rig->lock);
}

static void
shift_rows (Rig *rig, Disturbance *disturbance)
{
  GstClockTime by = some_span (disturbance->rand, 100 * DAY);

  if (by > MAX_DISORDER && by < FAR)
    by = FAR;
  disturbance->sensor = some_sensor (rig, disturbance->rand);
  g_mutex_lock (&rig->lock);
  disturbance->sensor->shift = g_rand_boolean (disturbance->rand) ? (gint64) by : -(gint64) by;
  describe (disturbance, "%s by %.3f s", disturbance->sensor->name, (gdouble) disturbance->sensor->shift / 1e9);
  g_mutex_unlock (&rig->lock);
}

static void
silence (Rig *rig, Disturbance *disturbance)
{
  const gboolean all = g_rand_boolean (disturbance->rand);
  const GstClockTime time = some_span (disturbance->rand, DAY);

  disturbance->sensor = some_sensor (rig, disturbance->rand);
  g_mutex_lock (&rig->lock);
  for (guint i = 0; i < rig->n_sensors; i++)
    rig->sensors[i].is_silent = all || disturbance->sensor == &rig->sensors[i];
  g_mutex_unlock (&rig->lock);
  describe (disturbance, "%s for %.3f s", all ? "all" : disturbance->sensor->name, (gdouble) time / 1e9);
  if (all)
    wait_idly (rig, time);
}

static void
hold_rows_back (Rig *rig, Disturbance *disturbance)
{
  choose_sensor (rig, disturbance);
  g_mutex_lock (&rig->lock);
  disturbance->sensor->holds_back = TRUE;
  g_mutex_unlock (&rig->lock);
}

/* Rows without times that come twice as often as their caps say run ahead by more than disorder may. */
static void
spoil_rows (Rig *rig, Disturbance *disturbance)
{
  Sensor *sensor;

  choose_sensor (rig, disturbance);
  sensor = disturbance->sensor;
  g_mutex_lock (&rig->lock);
  sensor->disorder = g_rand_boolean (disturbance->rand) ? (gint64) some_span (disturbance->rand, MAX_DISORDER) : 0;
  sensor->repeats = g_rand_boolean (disturbance->rand);
  sensor->has_no_times = g_rand_boolean (disturbance->rand) && !sensor->repeats;
  describe (disturbance, "%s%s%s%s", sensor->name, sensor->disorder > 0 ? ", out of order" : "", sensor->repeats ? ", twice" : "",
      sensor->has_no_times ? ", without times" : "");
  g_mutex_unlock (&rig->lock);
}

static GstClockTime
any_time (GRand *rand)
{
  return (GstClockTime) random_integer (rand, 0, -1);
}

/* From anywhere, and short or so long that they are further ahead than rows may be; those between must be believed. */
static void
send_gaps (Rig *rig, Disturbance *disturbance)
{
  GRand *rand = disturbance->rand;

  choose_sensor (rig, disturbance);
  for (guint i = 0; i < 10; i++) {
    const GstClockTime now = rig_now (rig);
    GstClockTime start = g_rand_boolean (rand) ? any_time (rand) & G_MAXINT64 : now;
    GstClockTime duration = g_rand_boolean (rand) ? any_time (rand) : some_span (rand, GST_SECOND / 2);

    if (start > now && start < now + FAR)
      start = now;
    if (duration > GST_SECOND / 2 && duration < 2 * MAX_LEAD)
      duration = GST_SECOND / 2;
    gst_pad_send_event (disturbance->sensor->to, gst_event_new_gap (start, duration));
    rig_advance (rig, 2 * STEP);
  }
}

/* ---- streams ---- */

static void
flush (Rig *rig, Disturbance *disturbance)
{
  const gboolean all = g_rand_boolean (disturbance->rand), reset = g_rand_boolean (disturbance->rand);

  disturbance->sensor = some_sensor (rig, disturbance->rand);
  describe (disturbance, "%s", all ? "all" : disturbance->sensor->name);
  rig_flush (rig, all ? NULL : disturbance->sensor, reset);
}

static void
seek (Rig *rig, Disturbance *disturbance)
{
  const gboolean done = gst_element_send_event (rig->fuse, gst_event_new_seek (1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
      GST_SEEK_TYPE_SET, (gint64) some_span (disturbance->rand, DAY), GST_SEEK_TYPE_NONE, 0));

  describe (disturbance, done ? "done" : "refused");
}

static void
end_stream (Rig *rig, Disturbance *disturbance)
{
  choose_sensor (rig, disturbance);
  g_mutex_lock (&rig->lock);
  disturbance->sensor->is_silent = TRUE;
  g_mutex_unlock (&rig->lock);
  rig_advance (rig, 5 * STEP);
  gst_pad_send_event (disturbance->sensor->to, gst_event_new_eos ());
}

/* Where all streams ended the element did: only a flush, or READY, makes it go on. */
static void
restart_stream (Rig *rig, Disturbance *disturbance)
{
  const gboolean ended = disturbance->sensor == &rig->sensors[0] || rig->n_sensors == 1;
  GstSegment segment;

  if (ended && g_rand_boolean (disturbance->rand)) {
    restore_rows (rig, disturbance);
    rig_flush (rig, NULL, TRUE);
    return;
  }
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_send_event (disturbance->sensor->to, gst_event_new_stream_start ("again"));
  gst_pad_send_event (disturbance->sensor->to, gst_event_new_caps (disturbance->sensor->caps));
  gst_pad_send_event (disturbance->sensor->to, gst_event_new_segment (&segment));
  restore_rows (rig, disturbance);
  if (ended) {
    rig_set_state (rig, GST_STATE_READY);
    rig_set_state (rig, GST_STATE_PLAYING);
  }
}

static void
change_caps (Rig *rig, Disturbance *disturbance)
{
  GstCaps *caps;

  choose_sensor (rig, disturbance);
  caps = gst_caps_copy (disturbance->sensor->caps);
  if (g_rand_boolean (disturbance->rand))
    gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, g_rand_int_range (disturbance->rand, 0, 1000), 1, NULL);
  else if (disturbance->sensor->is_camera)
    gst_caps_set_simple (caps, "width", G_TYPE_INT, 16, "height", G_TYPE_INT, 4, NULL);
  else
    gst_caps_set_simple (caps, "dimensions", G_TYPE_STRING, "2:2", NULL);
  sensor_push_caps (disturbance->sensor, caps);
  gst_caps_unref (caps);
}

static void
restore_caps (Rig *rig, Disturbance *disturbance)
{
  sensor_push_caps (disturbance->sensor, disturbance->sensor->caps);
}

/* ---- pads ---- */

static void
unplug (Rig *rig, Disturbance *disturbance)
{
  choose_sensor (rig, disturbance);
  sensor_unplug (disturbance->sensor);
}

static void
plug_in (Rig *rig, Disturbance *disturbance)
{
  sensor_plug_in (disturbance->sensor);
}

static void
replug_twice (Rig *rig, Disturbance *disturbance)
{
  unplug (rig, disturbance);
  plug_in (rig, disturbance);
  sensor_unplug (disturbance->sensor);
  plug_in (rig, disturbance);
}

static void
unlink_sensor (Rig *rig, Disturbance *disturbance)
{
  choose_sensor (rig, disturbance);
  gst_element_set_locked_state (disturbance->sensor->branch, TRUE);
  gst_element_set_state (disturbance->sensor->branch, GST_STATE_READY);
  gst_pad_unlink (disturbance->sensor->from, disturbance->sensor->to);
}

static void
link_sensor (Rig *rig, Disturbance *disturbance)
{
  gst_pad_link (disturbance->sensor->from, disturbance->sensor->to);
  gst_element_set_locked_state (disturbance->sensor->branch, FALSE);
  gst_element_sync_state_with_parent (disturbance->sensor->branch);
}

/* ---- downstream ---- */

static void
slow_down (Rig *rig, Disturbance *disturbance)
{
  const gint ms = g_rand_int_range (disturbance->rand, 1, 30);

  describe (disturbance, "%d ms a sample", ms);
  g_atomic_int_set (&rig->sink_delay_us, ms * 1000);
}

static void
speed_up (Rig *rig, Disturbance *disturbance)
{
  g_atomic_int_set (&rig->sink_delay_us, 0);
  while (g_atomic_int_get (&rig->is_delayed))
    g_usleep (1000);
}

static GstPadProbeReturn
stand_still (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_OK;
}

static void
block (Rig *rig, Disturbance *disturbance)
{
  GstPad *pad = gst_element_get_static_pad (rig->sink, "sink");

  disturbance->probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, stand_still, NULL, NULL);
  gst_object_unref (pad);
}

static void
unblock (Rig *rig, Disturbance *disturbance)
{
  GstPad *pad = gst_element_get_static_pad (rig->sink, "sink");

  gst_pad_remove_probe (pad, disturbance->probe);
  gst_object_unref (pad);
}

/* ---- settings ---- */

static void
set_property (Disturbance *disturbance, GObject *object)
{
  GValue value = G_VALUE_INIT;
  gchar *text;
  guint n;
  GParamSpec **all = g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n);

  disturbance->object = object;
  for (gboolean done = FALSE; !done; g_value_unset (&value)) {
    disturbance->pspec = all[g_rand_int_range (disturbance->rand, 0, (gint) n)];
    if (!g_str_has_prefix (g_type_name (disturbance->pspec->owner_type), "GstRobocache")
        || (disturbance->pspec->flags & (G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY)) != G_PARAM_READWRITE
        || !random_value (disturbance->rand, disturbance->pspec, &value))
      continue;
    text = g_strdup_value_contents (&value);
    describe (disturbance, "%s: %s=%s", GST_OBJECT_NAME (object), disturbance->pspec->name, text);
    g_free (text);
    g_value_init (&disturbance->before, disturbance->pspec->value_type);
    g_object_get_property (object, disturbance->pspec->name, &disturbance->before);
    g_object_set_property (object, disturbance->pspec->name, &value);
    done = TRUE;
  }
  g_free (all);
}

static void
set_of_pad (Rig *rig, Disturbance *disturbance)
{
  set_property (disturbance, G_OBJECT (some_sensor (rig, disturbance->rand)->to));
}

static void
set_of_element (Rig *rig, Disturbance *disturbance)
{
  set_property (disturbance, G_OBJECT (rig->fuse));
}

static void
restore_property (Rig *rig, Disturbance *disturbance)
{
  g_object_set_property (disturbance->object, disturbance->pspec->name, &disturbance->before);
  g_value_unset (&disturbance->before);
}

/* ---- all ---- */

static const DisturbanceKind kinds[] = {
  {"pause", pause_for_a_while, NULL, 0},
  {"READY", go_to_ready, NULL, RESTARTS},
  {"NULL", go_to_null, NULL, RESTARTS},
  {"base time", move_base_time, move_base_time_back, MOVES_TIME},
  {"start time NONE", clear_start_time, restore_start_time, MOVES_TIME},
  {"another clock", exchange_clocks, exchange_clocks, MOVES_TIME},
  {"clock set", set_clock, NULL, MOVES_TIME},
  {"wild times", make_wild, restore_rows, 0},
  {"shifted times", shift_rows, restore_rows, 0},
  {"silence", silence, restore_rows, 0},
  {"burst", hold_rows_back, restore_rows, 0},
  {"disorder", spoil_rows, restore_rows, 0},
  {"GAPs", send_gaps, NULL, 0},
  {"flush", flush, NULL, 0},
  {"seek", seek, NULL, 0},
  {"EOS", end_stream, restart_stream, 0},
  {"caps", change_caps, restore_caps, MAY_FAIL},
  {"unplugged", unplug, plug_in, 0},
  {"replugged twice", replug_twice, NULL, 0},
  {"unlinked", unlink_sensor, link_sensor, 0},
  {"slow sink", slow_down, speed_up, 0},
  {"blocked sink", block, unblock, 0},
  {"setting of a pad", set_of_pad, restore_property, MAY_FAIL},
  {"setting of a pad", set_of_pad, restore_property, MAY_FAIL},
  {"setting of a pad", set_of_pad, restore_property, MAY_FAIL},
  {"setting", set_of_element, restore_property, MAY_FAIL},
};

Disturbance *
disturbance_new (GRand *rand, const Rig *rig)
{
  Disturbance *disturbance = g_new0 (Disturbance, 1);

  do
    disturbance->kind = &kinds[g_rand_int_range (rand, 0, G_N_ELEMENTS (kinds))];
  while (disturbance->kind->flags & MOVES_TIME && rig->has_own_time);
  disturbance->seed = g_rand_int (rand);
  return disturbance;
}

void
disturbance_free (Disturbance *disturbance)
{
  g_clear_pointer (&disturbance->rand, g_rand_free);
  g_free (disturbance);
}

void
disturbance_begin (Disturbance *disturbance, Rig *rig)
{
  g_clear_pointer (&disturbance->rand, g_rand_free);
  disturbance->rand = g_rand_new_with_seed (disturbance->seed);
  disturbance->detail[0] = '\0';
  disturbance->kind->begin (rig, disturbance);
}

void
disturbance_end (Disturbance *disturbance, Rig *rig)
{
  if (disturbance->kind->end)
    disturbance->kind->end (rig, disturbance);
}
