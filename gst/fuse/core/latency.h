/* robocache: how long a tick of robocachefuse waits
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_LATENCY_H
#define FUSE_LATENCY_H

#include "state.h"

G_BEGIN_DECLS

/* Running time by which a live tick must leave, and the first instant whose deadline has not passed now. */
gint64 fuse_deadline (gint64 tick, gint64 latency);
gint64 fuse_earliest_in_time (gint64 now, gint64 latency);

/* Latency of a stream (ns): rows that its interpolation waits for, the reorder window, and a negative offset of up to 10 s: a
 * greater one is between clocks. */
gint64 fuse_latency_of_stream (const FuseStreamSettings * settings, gint64 row_period, gint64 tick_period);

/* Frames of a live camera that may be held while a tick waits for latency ns: those that come meanwhile, and those of a tick
 * of which a mean is taken. */
guint fuse_camera_frames (const FuseStreamSettings * settings, gboolean on_device, gint64 row_period, gint64 tick_period,
    gint64 latency);

/* Whether a measured period of stream is off from what was computed with by more than an eighth, or the period of the ticks is another
 * one. stream NULL: the latter alone. */
gboolean fuse_latency_is_off (FuseCore * core, FuseStream * stream);

G_END_DECLS
#endif
