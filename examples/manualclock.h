/* robocache: a clock that stands still until it is moved to the next time that a thread waits for
 *
 * Each wait ends only by manual_clock_release_next, or when it is unscheduled, even if its time has passed. The clock serves
 * waits of threads alone, none with callbacks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_MANUALCLOCK_H
#define ROBOCACHE_EXAMPLES_MANUALCLOCK_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define EXAMPLES_TYPE_MANUAL_CLOCK (manual_clock_get_type ())
G_DECLARE_FINAL_TYPE (ManualClock, manual_clock, EXAMPLES, MANUAL_CLOCK, GstClock)

/* A clock at time 0. */
ManualClock *manual_clock_new (void);

/* Returns once n threads wait, or after timeout_us. */
void manual_clock_await_threads (ManualClock * clock, guint n, gint64 timeout_us);
/* Moves the clock to the earliest time waited for, unless that has passed, and ends that wait. FALSE: no thread waits. */
gboolean manual_clock_release_next (ManualClock * clock);

G_END_DECLS
#endif
