/* robocache: where a robot's tool is, for streams that have its joints
 *
 * Each such stream gets another one: the tool's path, its manipulability, and the distance of the joints from their limits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_ROBOT_H
#define REPORT_ROBOT_H

#include "report.h"

G_BEGIN_DECLS

typedef struct ReportRobot ReportRobot;

/* Of the bytes of a URDF; name stands for the file in errors. tool: a link; NULL: the only one that no joint follows. NULL and an error:
 * it is none, or this build reads none. */
ReportRobot *report_robot_new (const gchar * name, const gchar * bytes, gsize n, const gchar * tool, GError ** error);
/* The same of a file. */
ReportRobot *report_robot_open (const gchar * path, const gchar * tool, GError ** error);
/* robot: or NULL. */
void report_robot_free (ReportRobot * robot);

/* A row of a stream, or the values of a tick of it; values NULL: none. Streams without all joints of the robot are left alone. */
void report_robot_add (ReportRobot * robot, Report * report, const ReportStream * stream, gboolean is_tick, gint64 time_ns,
    const gdouble * values);
/* Where ticks of a stream were moved to the one with its rows: the same of the tool. */
void report_robot_join (const ReportRobot * robot, Report * report, const ReportStream * rows, const ReportStream * ticks);
/* A note where no stream had the joints. */
void report_robot_finish (const ReportRobot * robot, Report * report);

G_END_DECLS
#endif
