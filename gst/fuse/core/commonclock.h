/* robocache: streams of robocachefuse whose sources announce the origins of their times, on one clock
 *
 * A source that counts times from its first row announces what that row's time is. Such a stream is shifted by its origin less the
 * earliest one. Streams that ticks wait for have announced their origins before the first tick; from then on the earliest one stays.
 * Live, times are those of the pipeline's clock, and nothing is shifted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_COMMONCLOCK_H
#define FUSE_COMMONCLOCK_H

#include "state.h"

G_BEGIN_DECLS

/* A stream's source announced an origin. Reports origins that cannot be followed. */
void fuse_core_set_origin (FuseCore * core, FuseStream * stream, gint64 origin, gboolean is_first_row, GQueue * notes);
/* Recomputes the shifts after a stream was added or removed. */
void fuse_core_share_origin (FuseCore * core);
/* A segment of the stream begins at position start: a seek may have begun earlier in the source than in the samples. */
void fuse_core_note_start_of_segment (FuseCore * core, FuseStream * stream, gint64 start);

G_END_DECLS
#endif
