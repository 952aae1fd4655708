/* robocache: records the input and output of a robocachefuse, for a report
 *
 * The recording is a file without a name, which the system deletes when the program ends in any way.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "recordingreport.h"

typedef struct
{
  gint descriptor;              /* descriptor of the recording; -1: none */
  GstElement *pipeline, *fuse;
  GPtrArray *pads;              /* names of sink pads */
  gint has_ended;               /* atomic: the recording is complete */
} ReportSession;

/* Whether this build can make a report. */
gboolean report_session_is_possible (void);

/* Adds a recorder to a pipeline in state NULL; all pads of fuse must be linked. FALSE and an error on failure. Clear the session in both
 * cases. */
gboolean report_session_begin (ReportSession * session, GstElement * pipeline, GstElement * fuse, GError ** error);

/* Waits until the recording is complete, and reads it. Streams have the names of pads, in the order of the pads, and the fuse's account
 * of their rows; times are running times. NULL and an error on failure. */
Report *report_session_finish (ReportSession * session, const gchar * title, const ReportRobotChoice * choice, GError ** error);

/* The pipeline must be in state NULL, or must have ended. */
void report_session_clear (ReportSession * session);
