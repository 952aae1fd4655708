/* robocache: a live robocachefuse with a thread a sensor, and when each row went in and each sample came out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/pipelines/live.h"

#include <string.h>

#include "tests/bench/pipelines/device.h"

#define FRAME_BYTES (640 * 480 * 3)
#define SYSTEM_CAPS "other/tensors"

#define ROWS(n, rate) "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, " \
    "dimensions=(string)" #n ", framerate=(fraction)" #rate "/1"
#define SENSOR(name, width, rate) {.pad = name,.caps = ROWS (width, rate),.channels = width,.period_ns = 1e9 / rate, \
    .jitter_ns = 0.1e9 / rate}
#define CAMERA {.pad = "camera_0",.frame_bytes = FRAME_BYTES,.period_ns = 1e9 / 100,.jitter_ns = 0.1e9 / 100, \
    .caps = "video/x-raw, format=(string)RGB, width=(int)640, height=(int)480, framerate=(fraction)100/1"}

static const LineStream streams[] = { SENSOR ("proprio_0", 14, 100), SENSOR ("force_0", 6, 1000), CAMERA };

/* ---- stages, as the element logs them ---- */

/* Of the tick that is under way: decided by a stream's thread, or several, the others by the source pad's. */
static struct
{
  gint64 ready;                 /* atomic: when a pad last had what the next tick needs */
  gint64 decided, woken, made;
} stages;

static gint64
now (void)
{
  return (gint64) line_now ();
}

static void
note_stage (GstDebugCategory *category, GstDebugLevel level, const gchar *file, const gchar *function, gint line,
    GObject *object, GstDebugMessage *message, gpointer data)
{
  const gint64 t = now ();
  const gchar *text;

  if (level != GST_LEVEL_TRACE || !g_str_equal (gst_debug_category_get_name (category), "robocachefuse"))
    return;
  text = gst_debug_message_get (message);
  if (g_str_has_suffix (text, "ready")) {
    __atomic_store_n (&stages.ready, t, __ATOMIC_RELAXED);
  } else if (g_str_has_suffix (text, "due")) {
    stages.woken = t;
    stages.decided = __atomic_load_n (&stages.ready, __ATOMIC_RELAXED);
  } else if (g_str_has_suffix (text, "made")) {
    stages.made = t;
  }
}

void
live_init (void)
{
  gst_debug_remove_log_function (NULL);
  gst_debug_add_log_function (note_stage, NULL, NULL);
}

/* ---- rows in, samples out ---- */

static void
give (gpointer data, guint stream, guint64 row)
{
  LiveRun *run = data;

  g_array_index (run->given[stream], gint64, row) = now ();
}

static void
keep_bytes (LiveSample *sample, GstBuffer *buffer)
{
  for (guint i = 0; i < gst_buffer_n_memory (buffer) && i < LIVE_MAX_TENSORS; i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);
    GstMapInfo map;

    if (!gst_memory_map (memory, &map, GST_MAP_READ))
      line_fail ("tensor %u of a sample cannot be mapped", i);
    memcpy (sample->bytes[i], map.data, map.size == FRAME_BYTES ? sizeof (gint64) : MIN (map.size, LIVE_COMPARED));
    gst_memory_unmap (memory, &map);
  }
}

static gboolean
is_whole (GstBuffer *buffer)
{
  const GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "RobocacheSampleMeta");
  gboolean whole = TRUE;
  const gint64 *info;
  GBytes *bytes;
  gsize size;

  if (meta == NULL || !gst_structure_get (gst_custom_meta_get_structure ((GstCustomMeta *) meta), "info", G_TYPE_BYTES, &bytes,
          NULL))
    line_fail ("a sample has no info");
  info = g_bytes_get_data (bytes, &size);
  /* of each stream: tick, time of the row at or before it, of the row after it, status */
  for (gsize i = 0; i < size / sizeof (*info); i += 4)
    whole = whole && info[i + 3] == 0 && (info[i + 1] == info[i] || info[i + 2] != G_MININT64);
  g_bytes_unref (bytes);
  return whole;
}

static void
take (gpointer data, GstBuffer *buffer, GstClockTimeDiff lag)
{
  LiveRun *run = data;
  const gint64 pushed = now ();
  const guint64 tick = GST_BUFFER_PTS (buffer) / LIVE_TICK_NS;
  LiveSample *sample = tick < run->n_ticks ? &run->samples[tick] : NULL;

  if (run->work->on_device && run->spec.live)
    line_wait_for_device (buffer);
  if (sample) {
    *sample = (LiveSample) {.decided = stages.decided,.woken = stages.woken,.made = stages.made,.pushed = pushed,.complete = now (),
      .n_tensors = gst_buffer_n_memory (buffer),.is_whole = is_whole (buffer)};
    keep_bytes (sample, buffer);
  }
  gst_buffer_unref (buffer);
}

/* ---- runs ---- */

void
live_run_open (LiveRun *run, const LiveWork *work, guint ticks, gboolean live)
{
  *run = (LiveRun) {.work = work,.n_ticks = ticks};
  run->spec = (LineSpec) {.element = "robocachefuse",.settings = {"rate", "100/1", "backend", live ? work->backend : "cpu",
        "busy-wait", work->is_awake ? "20000000" : "0"},
    .n_streams = work->camera ? 3 : 2,.live = live,.give = give,.take = take,.data = run};
  if (!live || !work->on_device)
    run->spec.end_caps = SYSTEM_CAPS;
  for (guint i = 0; i < run->spec.n_streams; i++) {
    LineStream *stream = &run->spec.streams[i];

    *stream = streams[i];
    stream->n = (guint64) ((gdouble) (ticks + 2) * LIVE_TICK_NS / stream->period_ns);
    run->given[i] = g_array_sized_new (FALSE, TRUE, sizeof (gint64), (guint) stream->n);
    g_array_set_size (run->given[i], (guint) stream->n);
  }
  run->samples = g_new0 (LiveSample, ticks);
  gst_debug_set_threshold_for_name ("robocachefuse", live ? GST_LEVEL_TRACE : GST_LEVEL_NONE);
  line_run (&run->spec);
}

void
live_run_close (LiveRun *run)
{
  for (guint i = 0; i < run->spec.n_streams; i++)
    g_array_unref (run->given[i]);
  g_free (run->samples);
}

gint64
live_completed_at (const LiveRun *run, guint tick, guint64 *next)
{
  gint64 t = 0;

  for (guint i = 0; i < run->spec.n_streams; i++) {
    while (line_row_time (&run->spec.streams[i], next[i]) < (gint64) (tick * LIVE_TICK_NS))
      next[i]++;
    t = MAX (t, g_array_index (run->given[i], gint64, next[i]));
  }
  return t;
}
