/* robocache: the parts of robocachefuse's output that seeks request, with their beginnings and ends
 *
 * A seek with a flush begins its range at once, at running time 0. A seek without a flush begins its range at the running time at which
 * the first stream begins the segment of that seek; until then, earlier ranges continue. A tick is decided when all streams have rows
 * after it, so by then, each stream that begins the segment before the tick is known. Therefore the beginnings of ranges depend on the
 * streams alone, not on the time of the seek.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "state.h"

/* Position of samples at which the segment that a stream awaits starts; if it awaits none, the start of the current range. */
gint64 fuse_ranges_start (const FuseCore * core, const FuseStream * stream, guint32 number);
/* A stream begins the segment that it awaits, at running time begin. number: that of the SEGMENT event, which need not be from a seek. */
void fuse_ranges_begin_stream (FuseCore * core, FuseStream * stream, gint64 begin, guint32 number);
/* Removes ranges that no stream will begin, after a stream stopped waiting for a segment. */
void fuse_ranges_forget_void (FuseCore * core);

typedef enum
{
  FUSE_TICK_IN_RANGE,
  FUSE_TICK_BEYOND_RANGE,       /* no other range follows */
  FUSE_TICK_BEFORE_RANGE,       /* the next range begins later, or its beginning is not known yet */
} FuseTickPlace;

FuseTickPlace fuse_ranges_place (const FuseCore * core, gint64 tick);
/* Known beginning of the range after the range of tick; ROBOCACHE_NO_TIME: unknown. */
gint64 fuse_ranges_next_begin (const FuseCore * core, gint64 tick);
/* Whether SEGMENT_DONE of the current range is due before tick, which belongs to another range. */
gboolean fuse_ranges_owe_done (const FuseCore * core, gint64 tick);
/* Makes the range of tick the current range, before tick is returned to the owner. tick G_MAXINT64: the last range that a stream has begun. */
void fuse_ranges_enter (FuseCore * core, gint64 tick, FuseDeparture * departure);
