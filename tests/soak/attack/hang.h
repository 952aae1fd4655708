/* robocache: ends the program when its main thread makes no step, however slow the machine is
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Once: starts the thread that looks. */
void hang_watch (void);
/* The main thread has made a step. */
void hang_note_step (void);
