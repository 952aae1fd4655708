/* robocache: events behind caps that are known with the first buffer
 *
 * CAPS go before SEGMENT. Where the first buffer completes them, what comes in between is held.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_HELDEVENTS_H
#define ROBOCACHE_HELDEVENTS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Under the stream lock of a sink pad. A zeroed struct is valid, and holds nothing. */
typedef struct
{
  GQueue events;
  gboolean is_holding;
} RobocacheHeldEvents;

/* Holds the serialized events of the pad from now on. */
void robocache_held_events_begin (RobocacheHeldEvents * held);
/* Each event goes here first. TRUE: it is held, and taken. A flush drops what it makes void, and a new stream all. */
gboolean robocache_held_events_take (RobocacheHeldEvents * held, GstEvent * event);
/* Ends the holding, and gives the events back one by one; NULL: no more. */
GstEvent *robocache_held_events_release (RobocacheHeldEvents * held);
void robocache_held_events_clear (RobocacheHeldEvents * held);

G_END_DECLS
#endif
