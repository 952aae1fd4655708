/* robocache: the ticks of the last second of a robocachefuse, from the metas of its samples
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

typedef struct _RobocacheRecentTicks RobocacheRecentTicks;

/* Looks at each sample that leaves the element from now on. */
RobocacheRecentTicks *robocache_recent_ticks_new (GstElement * fuse);
void robocache_recent_ticks_free (RobocacheRecentTicks * ticks);

/* Durations of the ticks of a time, in ns. */
typedef struct
{
  guint n;                      /* 0: no tick; then all others are 0 */
  gint64 p50, p99, max;
  gint64 newest;                /* duration of the last tick; the smallest int64: unknown */
  gint status;                  /* status of the stream at the last tick, see robocache.h; -1: no tick */
} RobocacheTickDurations;

/* Sets n, p50, p99 and max from an array of gint64, and frees it. The others stay. */
void robocache_tick_durations_summarize (GArray * durations, RobocacheTickDurations * result);

/* Live: from ticks to their samples. From any thread, as the one below. */
void robocache_recent_ticks_get_lag (RobocacheRecentTicks * ticks, RobocacheTickDurations * lag);
/* Ages of a stream's rows at the ticks where it is not missing. is_nearest: the row after a tick is used where it is nearer, and has age 0. */
void robocache_recent_ticks_get_age (RobocacheRecentTicks * ticks, const gchar * stream, gboolean is_nearest, RobocacheTickDurations * age);
