/* robocache: a clock that stands where it was set
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_STEPCLOCK_H
#define ROBOCACHE_EXAMPLES_STEPCLOCK_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define STEP_TYPE_CLOCK (step_clock_get_type ())
G_DECLARE_FINAL_TYPE (StepClock, step_clock, STEP, CLOCK, GstClock)

/* note_wait is called by a thread that begins to wait for a later time, without locks. */
StepClock *step_clock_new (GFunc note_wait, gpointer user_data);
/* Not back. */
void step_clock_set_time (StepClock * clock, GstClockTime time);

G_END_DECLS
#endif
