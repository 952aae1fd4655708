/* robocache: how long the ticks of robocachefuse wait for rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "core.h"

/* ---- for the owner ---- */

/* Recomputes the latency. TRUE: it differs from the one that fuse_core_report_latency returned last. */
gboolean fuse_core_update_latency (FuseCore * core);
/* Returns the latency of samples; if the core is not live, the latency that it would have live. live: may be NULL. */
gint64 fuse_core_report_latency (FuseCore * core, gboolean * live);
/* Fixes the latency until the next start, to that of a replayed session; ROBOCACHE_NO_TIME: not live. */
void fuse_core_set_latency (FuseCore * core, gint64 total);
/* After FUSE_EVENT_SOURCE of all streams: decides whether the core is live, and recomputes the latency. */
void fuse_core_update_sources (FuseCore * core);
/* FALSE and an error with the remedy: latencies of live sources contradict each other. */
gboolean fuse_core_check_sources (const FuseCore * core, GError ** error);

/* ---- for the core ---- */

/* The running time by which a live tick must leave, and the earliest tick that can still leave by its deadline. */
gint64 fuse_deadline (gint64 tick, gint64 latency);
gint64 fuse_earliest_in_time (gint64 now, gint64 latency);

/* Whether the latency must be recomputed, because the period of the ticks changed, or the measured period of stream changed by more than an
 * eighth. stream NULL: checks only the ticks. */
gboolean fuse_latency_is_off (FuseCore * core, FuseStream * stream);
