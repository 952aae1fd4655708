/* robocache: waits until the pipeline's clock reaches the time of a row, for live sources
 *
 * A streaming thread waits; other threads start, pause and flush it. In PAUSED, it blocks without a clock. A wait that a pause interrupts
 * restarts in PLAYING with the new base time, so a row is never released early.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

typedef struct
{
  GMutex lock;                  /* guards the following fields; while it is held, only the element's object lock may be taken */
  GCond changed;
  GstClockID clock_id;          /* id of the current wait, or NULL */
  gboolean playing;
  gboolean flushing;
} RobocacheSourceWait;

void robocache_source_wait_init (RobocacheSourceWait * wait);
void robocache_source_wait_clear (RobocacheSourceWait * wait);

/* Notes that PLAYING is entered (after the base time is set) or left. */
void robocache_source_wait_set_playing (RobocacheSourceWait * wait, gboolean playing);
/* Sets flushing. While flushing, a wait returns at once, and no wait begins. */
void robocache_source_wait_set_flushing (RobocacheSourceWait * wait, gboolean flushing);

gboolean robocache_source_wait_is_flushing (RobocacheSourceWait * wait);

/* Waits for PLAYING. Returns GST_FLOW_OK in PLAYING, GST_FLOW_FLUSHING if flushed. */
GstFlowReturn robocache_source_wait_for_playing (RobocacheSourceWait * wait);

/* Returns GST_FLOW_OK once element's clock is at running_time or past it, or at once in PLAYING without a clock;
 * GST_FLOW_FLUSHING if flushed. */
GstFlowReturn robocache_source_wait_until (RobocacheSourceWait * wait, GstElement * element, GstClockTime running_time);
