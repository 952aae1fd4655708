/* robocache: questions to a core of robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "core.h"

const FuseSettings *fuse_core_settings (const FuseCore * core);
gboolean fuse_core_has_failed (const FuseCore * core);
gboolean fuse_core_is_live (const FuseCore * core);
gboolean fuse_core_is_playing (const FuseCore * core);
/* The last running time of fuse_core_set_time; ROBOCACHE_NO_TIME while no tick depends on time. */
gint64 fuse_core_now (const FuseCore * core);
/* Live: time from the deadline of a tick to its decision; not live: 0. */
gint64 fuse_core_lateness (const FuseCore * core, const FuseDeparture * departure);
/* The spacing of rows (ns) to which a live stream may be thinned: half a period of the ticks; 0: its rows must not be dropped. */
gint64 fuse_core_thinned_spacing (const FuseCore * core, const FuseStream * stream);
/* Whether the owner is composing the last decision. */
gboolean fuse_core_is_composing (const FuseCore * core);

/* Whether a waiting owner must ask for a decision, and whether blocked sources may continue. Both calls clear the answer. */
gboolean fuse_core_clear_wakeup (FuseCore * core);
gboolean fuse_core_clear_progress (FuseCore * core);
/* Not live: whether the source of stream must wait, so that recordings of different rates stay together and early rows fit into memory.
 * is_waiting: it is waiting now. */
gboolean fuse_core_is_ahead (const FuseCore * core, const FuseStream * stream, gboolean is_waiting);

/* ---- statistics ---- */

/* Statistics of ticks. The next two functions add the statistics of all present streams, or of all removed streams, to sum. */
const FuseTickStatistics *fuse_core_tick_statistics (const FuseCore * core);
void fuse_core_add_statistics (const FuseCore * core, FuseStatistics * sum);
void fuse_core_add_removed_statistics (const FuseCore * core, FuseStatistics * sum);
/* Adds the due reports of lost rows and of clocks; all: also reports that are not due yet. */
void fuse_core_collect_notes (FuseCore * core, gboolean all, GQueue * notes);

/* ---- journal ---- */

gboolean fuse_core_has_settings (const FuseCore * core);
/* Names of the journal's streams, joined by commas. The core owns the text. */
const gchar *fuse_core_journal_names (FuseCore * core);
