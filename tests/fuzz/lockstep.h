/* robocache: the thread of an element's pad, run in step with the fuzzer's
 *
 * robocachefuse makes its ticks in a thread. For an input to mean the same each time, the fuzzer waits after each step
 * until that thread waits for something. It learns so by standing before gst_pad_start_task, g_cond_wait and the like.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* The calling thread leads from now on. When it comes to wait itself while the other one does, unblock is called,
 * without the mutex, so that something goes on. */
void lockstep_begin (void (*unblock) (gpointer data), gpointer data);
void lockstep_end (void);
/* Returns when the other thread waits, or there is none. */
void lockstep_settle (void);
