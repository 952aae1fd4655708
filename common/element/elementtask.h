/* robocache: a task of an element, with STREAM_STATUS messages about its thread
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* Makes a task, not started yet, that repeatedly calls step with data, with the lock held. Posts the CREATE message, and ENTER and LEAVE
 * from the
 * thread, so applications can give it a priority. The element must live until the task is joined. */
GstTask *robocache_element_task_new (GstElement * element, GRecMutex * lock, GstTaskFunction step, gpointer data);
