/* robocache: a task that an element owns, and whose thread it reports with STREAM_STATUS messages
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "elementtask.h"

static void
post_status (GstElement *element, GstTask *task, GstStreamStatusType type)
{
  GstMessage *message = gst_message_new_stream_status (GST_OBJECT (element), type, element);
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_TASK);
  g_value_set_object (&value, task);
  gst_message_set_stream_status_object (message, &value);
  g_value_unset (&value);
  gst_element_post_message (element, message);
}

static void
enter_thread (GstTask *task, GThread *thread, gpointer element)
{
  post_status (element, task, GST_STREAM_STATUS_TYPE_ENTER);
}

static void
leave_thread (GstTask *task, GThread *thread, gpointer element)
{
  post_status (element, task, GST_STREAM_STATUS_TYPE_LEAVE);
}

GstTask *
robocache_element_task_new (GstElement *element, GRecMutex *lock, GstTaskFunction step, gpointer data)
{
  GstTask *task = gst_task_new (step, data, NULL);

  gst_task_set_lock (task, lock);
  gst_task_set_enter_callback (task, enter_thread, element, NULL);
  gst_task_set_leave_callback (task, leave_thread, element, NULL);
  post_status (element, task, GST_STREAM_STATUS_TYPE_CREATE);
  return task;
}
