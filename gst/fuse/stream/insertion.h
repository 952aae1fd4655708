/* robocache: the rows of a buffer into a stream of robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_INSERTION_H
#define FUSE_INSERTION_H

#include "stream.h"

G_BEGIN_DECLS

/* Causes for a warning, and what the journal needs. */
typedef struct
{
  gboolean without_time;        /* the first buffer that was dropped without a time */
  gboolean without_reference;
  gboolean jumped;              /* the sensor's clock has */
  gint64 far;                   /* how far ahead of running time rows are that are too far from it; 0: none, or it was reported */
  /* of which no user is warned: */
  guint64 n_outside;            /* rows that are outside the segment */
  gboolean ignores_row_times;   /* rows have times of their own, but took them from PTS and duration of the buffer: */
  GstClockTime pts, duration;
} FuseOddities;

/* Inserts the rows of a buffer. From a live sensor a bounded number is kept, and rows are expected near the
 * running time now, where that is known. FALSE and an error when the buffer differs from its caps. */
gboolean fuse_stream_insert (FuseStream * stream, GstBuffer * buffer, gboolean live, GstClockTime now,
    FuseOddities * oddities, GError ** error);
/* System memory that rows of a format may take while they wait for ticks: of a camera its frames, and two on their way. */
guint64 fuse_stream_held_bytes (const FuseStream * stream, const FuseFormat * format);
/* Waits for GPU work on the buffer that fuse_stream_insert would wait for. Called without a lock. */
void fuse_stream_wait_for_device (const FuseFormat * format, GstBuffer * buffer);

G_END_DECLS
#endif
