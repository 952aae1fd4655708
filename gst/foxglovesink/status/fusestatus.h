/* robocache: the state of a robocachefuse, as viewers see it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/ros/cdr.h"

typedef struct _RobocacheFuseStatus RobocacheFuseStatus;

/* Looks at the element's samples from now on. */
RobocacheFuseStatus *robocache_fuse_status_new (GstElement * fuse);
void robocache_fuse_status_free (RobocacheFuseStatus * status);

/* Reads the property stats. */
void robocache_fuse_status_read (RobocacheFuseStatus * status, gint64 now_us);
/* Append, after a reading, one object for the element, or one for each of its streams. */
void robocache_fuse_status_append (const RobocacheFuseStatus * status, GString * json);
void robocache_fuse_status_append_streams (const RobocacheFuseStatus * status, GString * json);
/* Appends an object for each thing that is wrong with a stream. Unless the element is_alone, texts begin with its name. */
void robocache_fuse_status_append_findings (const RobocacheFuseStatus * status, gboolean is_alone, GString * json);

/* Writes the element and its streams as items of a diagnostic_msgs/DiagnosticArray. Returns the number of items. */
guint robocache_fuse_status_write (const RobocacheFuseStatus * status, RobocacheCdrWriter * writer);
