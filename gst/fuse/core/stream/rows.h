/* robocache: rows of one buffer, as the core of robocachefuse takes them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_ROWS_H
#define FUSE_ROWS_H

#include "common/time/nanoseconds.h"

G_BEGIN_DECLS

/* Times in ns, ROBOCACHE_NO_TIME: none. Nothing is taken over: rows are copied, and buffers that they begin with are referenced. */
typedef struct
{
  const guint8 *data;           /* row i begins at data + i * stride, and has the kept bytes of its format */
  gsize stride;
  guint64 n_rows;
  const gint64 *times;          /* [n_rows] running times; none: outside the segment. NULL: the buffer has no time */
  gint64 reference;             /* time of the first row on the reference's clock */
  gint64 duration;              /* of all rows on that clock */
  gboolean has_start;           /* the buffer has a time: */
  gint64 start;                 /* its running time; none: outside the segment */
  gint64 base_time;             /* of the pipeline, on its clock */
  /* for the journal */
  gboolean ignores_row_times;   /* rows have times of their own, but take them from PTS and duration of the buffer: */
  gint64 buffer_pts, buffer_duration;
} FuseRows;

G_END_DECLS
#endif
