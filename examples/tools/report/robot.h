/* robocache: where a robot's tool is, for streams that have its joints
 *
 * For each such stream the report gets another stream: the tool's path, its manipulability, and the distance of the joints from their limits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "report.h"

typedef struct ReportRobot ReportRobot;

/* Makes a robot from the bytes of a URDF; errors contain `name` as the file name. tool: a link; NULL: the only link without a child
 * joint. Returns NULL and an error if the bytes are not a URDF, or this build cannot read URDFs. */
ReportRobot *report_robot_new (const gchar * name, const gchar * bytes, gsize n, const gchar * tool, GError ** error);
/* Like report_robot_new, for a file. */
ReportRobot *report_robot_open (const gchar * path, const gchar * tool, GError ** error);
/* robot may be NULL. */
void report_robot_free (ReportRobot * robot);

/* Adds a row of a stream, or the values of a tick; values NULL: no values. Ignores streams without all joints of the robot. */
void report_robot_add (ReportRobot * robot, Report * report, const ReportStream * stream, gboolean is_tick, gint64 time_ns,
    const gdouble * values);
/* To be called if ticks were moved to the stream with the rows: moves the ticks of the tool, too. */
void report_robot_join (const ReportRobot * robot, Report * report, const ReportStream * rows, const ReportStream * ticks);
/* Adds a note if no stream had the joints. */
void report_robot_finish (const ReportRobot * robot, Report * report);
