/* robocache: fills a report from an MCAP recording
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "report.h"

/* The robot whose tool is shown. */
typedef struct
{
  const gchar *urdf;            /* a file; NULL: the first URDF that is attached to the recording, if there is one */
  const gchar *tool;            /* a link; NULL: the only one that no joint follows */
} ReportRobotChoice;

/* NULL and an error: not an MCAP file, or the file or the URDF cannot be read. If the recording is damaged or truncated, the report has a
 * note. */
Report *report_of_recording (const gchar * path, const ReportRobotChoice * choice, GError ** error);
