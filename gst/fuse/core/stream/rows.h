/* robocache: rows of one buffer, as input of the core of robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/time/nanoseconds.h"

/* Times are in ns; ROBOCACHE_NO_TIME: unknown. The caller keeps ownership: the core copies rows, and takes references to the buffers that
 * they point to. */
typedef struct
{
  const guint8 *data;           /* row i begins at data + i * stride, and has the kept bytes of its format */
  gsize stride;
  guint64 n_rows;
  const gint64 *times;          /* [n_rows] running times; ROBOCACHE_NO_TIME: outside the segment. NULL: the buffer has no time */
  gboolean has_earlier;         /* a row is before the segment, whose start is at running time */
  gint64 begin;
  gint64 reference;             /* time of the first row on the reference's clock */
  gint64 duration;              /* duration of all rows on the reference's clock */
  gboolean has_start;           /* the buffer has a time: */
  gint64 start;                 /* running time of the buffer; ROBOCACHE_NO_TIME: outside the segment */
  gint64 base_time;             /* base time of the pipeline, on its clock */
  /* for the journal */
  gboolean ignores_row_times;   /* rows use PTS and duration of the buffer instead of their own times: */
  gint64 buffer_pts, buffer_duration;
} FuseRows;
