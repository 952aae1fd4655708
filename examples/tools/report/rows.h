/* robocache: reads the rows of buffers into a stream of a report
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>
#include <gst/gst.h>

#include "common/tensors/tensorbuffer.h"
#include "common/time/rowtimes.h"
#include "kernels/dtype.h"
#include "stream.h"

/* ---- numbers of tensors as doubles ---- */

/* Converts n numbers, which need not be aligned. */
void report_numbers_to_doubles (RcDtype dtype, gconstpointer numbers, gdouble * doubles, gsize n);

/* ---- reads the rows of buffers into a stream of a report ---- */

/* The format from caps. A zeroed struct has no caps yet. */
typedef struct
{
  gboolean has_rows;            /* buffers are tensors of rows; otherwise a buffer is one row without a signal */
  RobocacheTensorsInfo info;
  RobocacheRowLayout layout;
  gdouble *values;              /* [drawn channels] */
} ReportRows;

void report_rows_clear (ReportRows * rows);
/* Reads caps for rows without a stream. FALSE: the caps have no rows. */
gboolean report_rows_set_format (ReportRows * rows, const GstCaps * caps);
/* Like report_rows_set_format, but also sets kind and channel names of the stream. */
void report_rows_set_caps (ReportRows * rows, ReportStream * stream, const GstCaps * caps);
/* The number of rows in a buffer. */
guint64 report_rows_count (const ReportRows * rows);

/* Returns the time of row i of a buffer, or REPORT_NO_TIME. row_times: the buffer's row times, or NULL. */
typedef gint64 (*ReportTimeOfRow) (gpointer user_data, guint64 i, const gint64 * row_times);
/* Called with each row. */
typedef void (*ReportHandleRow) (gpointer user_data, gint64 time_ns, const gdouble * values);

/* FALSE: the buffer does not match its caps; no row was read. */
gboolean report_rows_read (ReportRows * rows, const ReportStream * stream, GstBuffer * buffer, ReportTimeOfRow time_of_row,
    ReportHandleRow handle, gpointer user_data);
