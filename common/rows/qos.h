/* robocache: QoS messages about rows and ticks that were dropped
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "rowcounts.h"

/* The source of a message, and the segment for its running time. */
typedef struct
{
  GstObject *source;            /* the pad or the element that posts the message */
  const GstSegment *segment;
  gboolean live;
} RobocacheQosPlace;

/* A message about rows: jitter is the greatest lateness; processed and dropped (GST_FORMAT_DEFAULT) count rows since the element was
 * started. The proportion is 1, since a slower source would not have avoided the loss. */
GstMessage *robocache_qos_of_rows (const RobocacheQosPlace * place, const RobocacheLoss * loss, GstClockTime duration,
    const RobocacheRowCounts * counts);

/* A message about a tick: jitter is the time from the tick to the decision; processed and dropped (GST_FORMAT_BUFFERS) count ticks. */
GstMessage *robocache_qos_of_tick (const RobocacheQosPlace * place, gint64 tick, GstClockTime duration, gint64 jitter,
    guint64 ticks_out, guint64 ticks_dropped);
