/* robocache: questions to a core of robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_STATUS_H
#define FUSE_STATUS_H

#include "core.h"

G_BEGIN_DECLS

const FuseSettings *fuse_core_settings (const FuseCore * core);
gboolean fuse_core_has_failed (const FuseCore * core);
gboolean fuse_core_is_live (const FuseCore * core);
gboolean fuse_core_is_playing (const FuseCore * core);
/* The last running time of fuse_core_set_time; ROBOCACHE_NO_TIME while no tick depends on time. */
gint64 fuse_core_now (const FuseCore * core);
/* Whether the owner composes the last decision. */
gboolean fuse_core_is_composing (const FuseCore * core);

/* Whether a waiting owner must ask for a decision, and whether blocked sources may continue. Both calls clear the answer. */
gboolean fuse_core_clear_wakeup (FuseCore * core);
gboolean fuse_core_clear_progress (FuseCore * core);
/* Not live: whether the source of stream must block, to keep recordings of different rates together and early rows within memory.
 * is_waiting: it blocks now. */
gboolean fuse_core_is_ahead (const FuseCore * core, const FuseStream * stream, gboolean is_waiting);

/* ---- statistics ---- */

/* Statistics of ticks. The other two functions add to sum: those of all present streams, and of removed ones. */
const FuseTickStatistics *fuse_core_tick_statistics (const FuseCore * core);
void fuse_core_add_statistics (const FuseCore * core, FuseStatistics * sum);
void fuse_core_add_removed_statistics (const FuseCore * core, FuseStatistics * sum);
/* Adds due reports of lost rows and clocks; all: those that are not due yet, too. */
void fuse_core_collect_notes (FuseCore * core, gboolean all, GQueue * notes);

/* ---- journal ---- */

gboolean fuse_core_has_settings (const FuseCore * core);
/* Names of the journal's streams, joined by commas. The core owns the text. */
const gchar *fuse_core_journal_names (FuseCore * core);

G_END_DECLS
#endif
