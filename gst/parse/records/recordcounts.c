/* robocache: what became of the records of a stream
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recordcounts.h"

void
robocache_record_counts_to_structure (const RobocacheRecordCounts *counts, GstStructure *structure)
{
  gst_structure_set (structure, "rows", G_TYPE_UINT64, counts->rows, "clouds", G_TYPE_UINT64,
      counts->clouds, "points", G_TYPE_UINT64, counts->points, "malformed", G_TYPE_UINT64, counts->malformed,
      "before-origin", G_TYPE_UINT64, counts->before_origin, "backwards", G_TYPE_UINT64, counts->backwards, "empty-fields",
      G_TYPE_UINT64, counts->empty_fields, "comments", G_TYPE_UINT64, counts->comments, "skipped", G_TYPE_UINT64,
      counts->skipped, "delay-max", G_TYPE_INT64, counts->delay_max_ns, NULL);
}
