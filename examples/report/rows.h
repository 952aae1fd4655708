/* robocache: reads the rows of buffers into a stream of a report
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H

#include <gst/gst.h>

#include "common/tensors/tensorbuffer.h"
#include "common/time/rowtimes.h"
#include "stream.h"

G_BEGIN_DECLS

/* What caps say. A zeroed struct has no caps yet. */
typedef struct
{
  gboolean has_rows;            /* tensors of rows; else a buffer is one row without a signal */
  RobocacheTensorsInfo info;
  RobocacheRowLayout layout;
  gdouble *values;              /* [channels that are drawn] */
} ReportRows;

void report_rows_clear (ReportRows * rows);
/* Also names kind and channels of the stream. */
void report_rows_set_caps (ReportRows * rows, ReportStream * stream, const GstCaps * caps);
/* The rows that a buffer has. */
guint64 report_rows_count (const ReportRows * rows);

/* The time of row i of a buffer, or REPORT_NO_TIME. row_times: the buffer's own, or NULL. */
typedef gint64 (*ReportTimeOfRow) (gpointer user_data, guint64 i, const gint64 * row_times);
/* Called with each row. */
typedef void (*ReportHandleRow) (gpointer user_data, gint64 time_ns, const gdouble * values);

/* FALSE: the buffer is not what its caps say, and has no rows. */
gboolean report_rows_read (ReportRows * rows, const ReportStream * stream, GstBuffer * buffer, ReportTimeOfRow time_of_row,
    ReportHandleRow handle, gpointer user_data);

G_END_DECLS
#endif
