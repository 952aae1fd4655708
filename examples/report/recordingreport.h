/* robocache: fills a report from an MCAP recording
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_RECORDINGREPORT_H
#define REPORT_RECORDINGREPORT_H

#include "report.h"

G_BEGIN_DECLS

/* NULL and an error: no MCAP file, or it cannot be read. What is damaged or cut is a note of the report. */
Report *report_of_recording (const gchar * path, GError ** error);

G_END_DECLS
#endif
