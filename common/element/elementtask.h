/* robocache: a task of an element, with STREAM_STATUS messages about its thread
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ELEMENTTASK_H
#define ROBOCACHE_ELEMENTTASK_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Makes a task, not started yet, that repeatedly calls step with data, with the lock held. Posts the CREATE message, and ENTER and LEAVE
 * from the
 * thread, so applications can give it a priority. The element must live until the task is joined. */
GstTask *robocache_element_task_new (GstElement * element, GRecMutex * lock, GstTaskFunction step, gpointer data);

G_END_DECLS
#endif
