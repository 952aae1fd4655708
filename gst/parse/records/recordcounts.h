/* robocache: what became of the records of a stream
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_RECORDCOUNTS_H
#define ROBOCACHE_RECORDCOUNTS_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 rows, clouds, points, malformed, before_origin, backwards, empty_fields, comments, skipped;
  gint64 delay_max_ns;          /* greatest arrival - capture */
} RobocacheRecordCounts;

/* Adds a field for each: uint64, and delay-max int64. */
void robocache_record_counts_to_structure (const RobocacheRecordCounts * counts, GstStructure * structure);

G_END_DECLS
#endif
