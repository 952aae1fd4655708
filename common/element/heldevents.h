/* robocache: events that wait for caps which are known only with the first buffer
 *
 * CAPS must precede SEGMENT. If the first buffer completes the caps, events before it are held.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* Used under the stream lock of a sink pad. A zeroed struct is valid and empty. */
typedef struct
{
  GQueue events;
  gboolean is_holding;
} RobocacheHeldEvents;

/* Holds the serialized events of the pad from now on. */
void robocache_held_events_begin (RobocacheHeldEvents * held);
/* Call this for each event first. TRUE: the event is held (taken). A flush drops the events that it invalidates, and a new stream drops all. */
gboolean robocache_held_events_take (RobocacheHeldEvents * held, GstEvent * event);
/* Ends the holding, and returns the events one by one; NULL: no more. */
GstEvent *robocache_held_events_release (RobocacheHeldEvents * held);
void robocache_held_events_clear (RobocacheHeldEvents * held);
