/* robocache: the ticks of the last second of a robocachefuse, from the metas of its samples
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recentticks.h"

#include <string.h>

#include "robocache/robocache.h"

/* Ticks above 1 kHz: the last ones of the second. */
#define MAX_TICKS 1024

/* Numbers of a stream at a tick, as in the info of a sample. */
typedef struct
{
  gint64 tick, before, after, status;
} StreamTick;

typedef struct
{
  gint64 at_us;                 /* monotonic time of the sample */
  gint64 lag;                   /* ns; ROBOCACHE_SAMPLE_NO_TIME: not live */
} Sample;

/* Shared with the probe, which may run in another thread while the ticks are freed. */
typedef struct
{
  GMutex lock;                  /* guards all below */
  gchar *names;                 /* streams, separated by commas; NULL: no sample yet */
  guint n_streams;
  StreamTick *streams;          /* [MAX_TICKS][n_streams] */
  Sample samples[MAX_TICKS];
  guint64 n;                    /* samples since the names are these; the newest is at (n - 1) % MAX_TICKS */
} Ring;

struct _RobocacheRecentTicks
{
  Ring *ring;
  GstPad *pad;
  gulong probe;
};

/* ---- samples ---- */

static void
clear_ring (gpointer data)
{
  Ring *ring = data;

  g_free (ring->names);
  g_free (ring->streams);
  g_mutex_clear (&ring->lock);
}

static void
release_ring (gpointer ring)
{
  g_atomic_rc_box_release_full (ring, clear_ring);
}

/* Called with the lock. */
static void
use_names (Ring *ring, const gchar *names)
{
  if (g_strcmp0 (ring->names, names) == 0)
    return;
  g_free (ring->names);
  ring->names = g_strdup (names);
  ring->n_streams = 1;
  for (; *names; names++)
    ring->n_streams += *names == ',';
  ring->n = 0;
  g_free (ring->streams);
  ring->streams = g_new (StreamTick, (gsize) MAX_TICKS * ring->n_streams);
}

/* now: running time. */
static void
add_sample (Ring *ring, const GstStructure *structure, GstClockTime now)
{
  const gchar *names = gst_structure_get_string (structure, "streams");
  const GValue *info = gst_structure_get_value (structure, "info");
  gint64 tick;
  gconstpointer data;
  gsize size, row;
  guint at;

  if (!names || !info || !G_VALUE_HOLDS (info, G_TYPE_BYTES) || !gst_structure_get_int64 (structure, "tick", &tick))
    return;
  data = g_bytes_get_data (g_value_get_boxed (info), &size);
  g_mutex_lock (&ring->lock);
  use_names (ring, names);
  row = ring->n_streams * sizeof (StreamTick);
  if (size >= row) {
    at = (guint) (ring->n++ % MAX_TICKS);
    ring->samples[at].at_us = g_get_monotonic_time ();
    ring->samples[at].lag = gst_structure_has_field (structure, "decided") ? (gint64) now - tick : ROBOCACHE_SAMPLE_NO_TIME;
    /* the last row of the window is that of the tick */
    memcpy (ring->streams + (gsize) at * ring->n_streams, (const guint8 *) data + (size - row), row);
  }
  g_mutex_unlock (&ring->lock);
}

static GstPadProbeReturn
on_sample (GstPad *pad, GstPadProbeInfo *info, gpointer ring)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (GST_PAD_PROBE_INFO_BUFFER (info), ROBOCACHE_SAMPLE_META);

  if (meta) {
    GstElement *fuse = gst_pad_get_parent_element (pad);

    /* as statistics have it, with the time that the sample took to be made */
    if (fuse)
      add_sample (ring, gst_custom_meta_get_structure (meta), gst_element_get_current_running_time (fuse));
    gst_clear_object (&fuse);
  }
  return GST_PAD_PROBE_OK;
}

RobocacheRecentTicks *
robocache_recent_ticks_new (GstElement *fuse)
{
  RobocacheRecentTicks *ticks = g_new0 (RobocacheRecentTicks, 1);

  ticks->ring = g_atomic_rc_box_new0 (Ring);
  g_mutex_init (&ticks->ring->lock);
  ticks->pad = gst_element_get_static_pad (fuse, "src");
  ticks->probe = gst_pad_add_probe (ticks->pad, GST_PAD_PROBE_TYPE_BUFFER, on_sample, g_atomic_rc_box_acquire (ticks->ring), release_ring);
  return ticks;
}

void
robocache_recent_ticks_free (RobocacheRecentTicks *ticks)
{
  gst_pad_remove_probe (ticks->pad, ticks->probe);
  gst_object_unref (ticks->pad);
  release_ring (ticks->ring);
  g_free (ticks);
}

/* ---- durations ---- */

static gint
compare (gconstpointer a, gconstpointer b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* The smallest value that a share q of all does not exceed. */
static gint64
quantile (const GArray *sorted, gdouble q)
{
  const guint rank = (guint) (q * sorted->len + 0.999999);

  return g_array_index (sorted, gint64, CLAMP (rank, 1, sorted->len) - 1);
}

void
robocache_tick_durations_summarize (GArray *durations, RobocacheTickDurations *result)
{
  result->n = durations->len;
  if (durations->len > 0) {
    g_array_sort (durations, compare);
    result->p50 = quantile (durations, 0.5);
    result->p99 = quantile (durations, 0.99);
    result->max = g_array_index (durations, gint64, durations->len - 1);
  }
  g_array_unref (durations);
}

/* Called with the lock. */
static gint
find_stream (const Ring *ring, const gchar *name)
{
  gchar **names = ring->names ? g_strsplit (ring->names, ",", -1) : NULL;
  gint found = -1;

  for (gint i = 0; names && names[i]; i++)
    if (g_str_equal (names[i], name))
      found = i;
  g_strfreev (names);
  return found;
}

/* How many samples of the last second there are. Called with the lock. */
static guint
count_recent (const Ring *ring)
{
  const guint n_kept = (guint) MIN (ring->n, MAX_TICKS);
  const gint64 since_us = g_get_monotonic_time () - G_USEC_PER_SEC;
  guint n = 0;

  while (n < n_kept && ring->samples[(ring->n - 1 - n) % MAX_TICKS].at_us >= since_us)
    n++;
  return n;
}

void
robocache_recent_ticks_get_lag (RobocacheRecentTicks *ticks, RobocacheTickDurations *lag)
{
  const Ring *ring = ticks->ring;
  GArray *durations = g_array_new (FALSE, FALSE, sizeof (gint64));

  *lag = (RobocacheTickDurations) {.newest = ROBOCACHE_SAMPLE_NO_TIME,.status = -1 };
  g_mutex_lock (&ticks->ring->lock);
  for (guint i = count_recent (ring); i-- > 0;) {
    lag->newest = ring->samples[(ring->n - 1 - i) % MAX_TICKS].lag;
    if (lag->newest != ROBOCACHE_SAMPLE_NO_TIME)
      g_array_append_val (durations, lag->newest);
  }
  g_mutex_unlock (&ticks->ring->lock);
  robocache_tick_durations_summarize (durations, lag);
}

/* ROBOCACHE_SAMPLE_NO_TIME: the stream is missing. */
static gint64
age_of (const StreamTick *at, gboolean is_nearest)
{
  if ((at->status & ~ROBOCACHE_SAMPLE_CORRUPTED) == ROBOCACHE_SAMPLE_STATUS_MISSING)
    return ROBOCACHE_SAMPLE_NO_TIME;
  if (at->before == ROBOCACHE_SAMPLE_NO_TIME)
    return 0;
  if (is_nearest && at->after != ROBOCACHE_SAMPLE_NO_TIME && at->after - at->tick < at->tick - at->before)
    return 0;
  return at->tick - at->before;
}

void
robocache_recent_ticks_get_age (RobocacheRecentTicks *ticks, const gchar *stream, gboolean is_nearest, RobocacheTickDurations *age)
{
  const Ring *ring = ticks->ring;
  GArray *durations = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint column;

  *age = (RobocacheTickDurations) {.newest = ROBOCACHE_SAMPLE_NO_TIME,.status = -1 };
  g_mutex_lock (&ticks->ring->lock);
  column = find_stream (ring, stream);
  for (guint i = column >= 0 ? count_recent (ring) : 0; i-- > 0;) {
    const StreamTick *at = &ring->streams[(ring->n - 1 - i) % MAX_TICKS * ring->n_streams + (guint) column];

    age->newest = age_of (at, is_nearest);
    age->status = (gint) (at->status & ~ROBOCACHE_SAMPLE_CORRUPTED);
    if (age->newest != ROBOCACHE_SAMPLE_NO_TIME)
      g_array_append_val (durations, age->newest);
  }
  g_mutex_unlock (&ticks->ring->lock);
  robocache_tick_durations_summarize (durations, age);
}
