/* robocache: commands of the owner to a core of robocachefuse, beside rows, events and time
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_CONTROL_H
#define FUSE_CONTROL_H

#include "core.h"

G_BEGIN_DECLS

/* Settings that may change while the core runs. */
void fuse_core_set_settings (FuseCore * core, const FuseSettings * settings);
/* Live, ticks leave only between play and pause. */
void fuse_core_play (FuseCore * core, gint64 base_time);
void fuse_core_pause (FuseCore * core, gint64 base_time);
/* Starts the ticks anew. */
void fuse_core_reset_ticks (FuseCore * core);
/* After an error no tick follows, but an end. */
void fuse_core_set_failed (FuseCore * core, gboolean has_failed);
/* After a seek to start: limits ticks to those before end (ROBOCACHE_NO_TIME: unlimited); is_segment: send SEGMENT_DONE at the end. */
void fuse_core_set_range (FuseCore * core, gint64 start, gint64 end, gboolean is_segment);
/* Downstream changed: asks for a new composer. */
void fuse_core_renew (FuseCore * core);

/* Number of streams that may still be added. Not live, the first tick waits for them, and for the caps of declared streams. */
void fuse_core_expect_streams (FuseCore * core, guint n);
/* Whether the first tick waits for streams. Until then the rows of all streams may take FUSE_MAX_EARLY_MIB. */
gboolean fuse_core_awaits_streams (const FuseCore * core);
#define FUSE_MAX_EARLY_MIB 64

/* After fuse_core_insert: FALSE and an error if no rate is set and no stream can be the reference. */
gboolean fuse_core_choose_reference (FuseCore * core, GError ** error);
/* Counts the rows of a buffer that the owner refused. */
void fuse_core_refuse (FuseCore * core, FuseStream * stream);

/* The journal's number for settings that change now, and an entry for it; the first number has no entry. */
gint64 fuse_core_note_settings (FuseCore * core);

G_END_DECLS
#endif
