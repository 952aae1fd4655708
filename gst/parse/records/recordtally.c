/* robocache: what became of the records of a stream
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recordtally.h"

void
robocache_record_tally_to_structure (const RobocacheRecordTally *tally, GstStructure *structure)
{
  gst_structure_set (structure, "rows", G_TYPE_UINT64, tally->rows, "clouds", G_TYPE_UINT64,
      tally->clouds, "points", G_TYPE_UINT64, tally->points, "malformed", G_TYPE_UINT64, tally->malformed,
      "before-origin", G_TYPE_UINT64, tally->before_origin, "backwards", G_TYPE_UINT64, tally->backwards, "empty-fields",
      G_TYPE_UINT64, tally->empty_fields, "comments", G_TYPE_UINT64, tally->comments, "skipped", G_TYPE_UINT64,
      tally->skipped, "delay-max", G_TYPE_INT64, tally->delay_max_ns, NULL);
}
