/* robocache: commands of the owner to a core of robocachefuse, beside rows, events and time
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "core.h"

/* Settings that may change while the core runs. */
void fuse_core_set_settings (FuseCore * core, const FuseSettings * settings);
/* Live, ticks leave only between play and pause. */
void fuse_core_play (FuseCore * core, gint64 base_time);
void fuse_core_pause (FuseCore * core, gint64 base_time);
/* Restarts the ticks. */
void fuse_core_reset_ticks (FuseCore * core);
/* After an error, no tick follows, only the end. */
void fuse_core_set_failed (FuseCore * core, gboolean has_failed);
/* After a seek with a flush: limits ticks to the range, which has begun. */
void fuse_core_set_range (FuseCore * core, const FuseRange * range);
/* After a seek without a flush: the range begins with the segments that streams await since FUSE_EVENT_SEEK. */
void fuse_core_add_range (FuseCore * core, const FuseRange * range);
/* Requests a new composer, because downstream changed. */
void fuse_core_renew (FuseCore * core);

/* Number of streams that may still be added. Not live, the first tick waits for them, and for the caps of declared streams. */
void fuse_core_expect_streams (FuseCore * core, guint n);
/* Whether the first tick waits for streams that are not known yet, so that a seek would not reach them. */
gboolean fuse_core_awaits_new_streams (const FuseCore * core);
/* Whether the first tick waits for streams. Until then the rows of all streams may take FUSE_MAX_EARLY_MIB. */
gboolean fuse_core_awaits_streams (const FuseCore * core);
#define FUSE_MAX_EARLY_MIB 64

/* After fuse_core_insert: FALSE and an error: no rate is set, and no stream can be the reference. */
gboolean fuse_core_choose_reference (FuseCore * core, GError ** error);
/* Counts the rows of a buffer that the owner refused: ROBOCACHE_DROPPED_REFUSED or ROBOCACHE_DROPPED_MALFORMED. */
void fuse_core_refuse (FuseCore * core, FuseStream * stream, RobocacheDropReason reason);
/* Counts the rows of n buffers that the owner dropped unprocessed, as overflow. A replay ends here. */
void fuse_core_drop_unread (FuseCore * core, FuseStream * stream, guint n);

/* Returns the journal's number for settings that change now, and adds an entry for it; the first number has no entry. */
gint64 fuse_core_note_settings (FuseCore * core);
