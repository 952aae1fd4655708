/* robocache: the time that a tick of robocachefuse may wait, as pure functions
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_LATENCY_H
#define FUSE_LATENCY_H

#include "stream.h"

G_BEGIN_DECLS

/* Running time by which a live tick must leave, and the first instant whose deadline has not passed now. */
GstClockTime fuse_deadline (gint64 tick, GstClockTime latency);
gint64 fuse_earliest_in_time (GstClockTime now, GstClockTime latency);

/* Latency of a stream (ns): rows that its interpolation waits for, the reorder window, and a negative offset of up to 10 s: a
 * greater one is between clocks. */
gint64 fuse_latency_of_stream (const FuseStreamSettings * settings, gint64 row_period, gint64 tick_period);

/* Frames of a live camera that may be held while a tick waits for latency ns: those that come meanwhile, and those of a tick
 * of which a mean is taken. */
guint fuse_camera_frames (const FuseStreamSettings * settings, gboolean on_device, gint64 row_period, gint64 tick_period,
    GstClockTime latency);

/* Answers of all sources to LATENCY queries. */
typedef struct
{
  gboolean live;                /* any of them is */
  GstClockTime min, max;        /* of the live ones */
  GstPad *demanding;            /* not references: whose source needs most */
  GstPad *short_of_buffers;     /* whose source can hold back least */
} FuseSources;

void fuse_sources_init (FuseSources * sources);
void fuse_sources_add (FuseSources * sources, GstPad * pad, gboolean live, GstClockTime min, GstClockTime max);
/* Whether one source can hold back data for as long as another needs. */
gboolean fuse_sources_agree (const FuseSources * sources);

G_END_DECLS
#endif
