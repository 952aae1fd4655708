/* robocache: streams of robocachefuse whose sources announce the origins of their times, on one clock
 *
 * A source that counts times from its first row announces the time of that row. Such a stream is shifted by its origin minus the earliest
 * origin. Streams that ticks wait for have announced their origins before the first tick; from then on the earliest origin does not change.
 * Live, times are those of the pipeline's clock, and no stream is shifted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "state.h"

/* Sets the origin that a stream's source announced. Reports origins that cannot be applied. */
void fuse_core_set_origin (FuseCore * core, FuseStream * stream, gint64 origin, gboolean is_first_row, GQueue * notes);
/* Recomputes the shifts after a stream was added or removed. */
void fuse_core_share_origin (FuseCore * core);
/* Notes that a segment of the stream begins at position start, and the segment of samples at start_of_samples: a seek may begin earlier in
 * the source. */
void fuse_note_start_of_segment (FuseStream * stream, gint64 start, gint64 start_of_samples);
