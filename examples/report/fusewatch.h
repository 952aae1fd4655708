/* robocache: fills a report from a robocachefuse that runs
 *
 * It sees the rows that arrive at the sink pads and the samples that leave, whatever the pipeline around is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_FUSEWATCH_H
#define REPORT_FUSEWATCH_H

#include <gst/gst.h>

#include "report.h"
#include "robot.h"

G_BEGIN_DECLS

typedef struct _ReportFuseWatch ReportFuseWatch;

/* Watches a fuse from READY on; the report must outlive it, and nothing else may use it until it is finished. robot: whose tool is shown
 * for streams with its joints, must outlive it, too; NULL: none. */
ReportFuseWatch *report_fuse_watch_new (Report * report, GstElement * fuse, ReportRobot * robot);
/* Adds the account of rows, once no data flow any more, and frees the watch. */
void report_fuse_watch_finish (ReportFuseWatch * watch);

G_END_DECLS
#endif
