/* robocache: a live pipeline on a clock that jumps from one thing to do to the next
 *
 * A replay in which nothing waits for real time, and in which nothing depends on how fast the machine is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_REPLAYCLOCK_H
#define ROBOCACHE_EXAMPLES_REPLAYCLOCK_H

#include "manualclock.h"

G_BEGIN_DECLS

typedef struct
{
  ManualClock *clock;
  GstBus *bus;                  /* the pipeline's */
  gint n_waiters;               /* atomic: threads that will wait for the clock again */
} ReplayClock;

/* Puts pipeline, in NULL, on a clock of its own. Its threads that wait are the sources linked to fuse's sink pads, until
 * their end of stream, and fuse's own. */
void replay_clock_init (ReplayClock * replay, GstElement * pipeline, GstElement * fuse);
void replay_clock_clear (ReplayClock * replay);

/* Once every thread waits for the clock, or has done nothing for a while, lets it be the earliest time waited for; or does
 * nothing, when there are messages on the bus. To be called again once these are handled. */
void replay_clock_step (ReplayClock * replay);

G_END_DECLS
#endif
