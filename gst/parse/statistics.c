/* robocache: statistics of robocacheparse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "statistics.h"

#include "common/rows/reports.h"

GstStructure *
robocache_parse_statistics_to_structure (const RobocacheParseStatistics *s)
{
  GstStructure *structure = gst_structure_new ("robocacheparse", "rows", G_TYPE_UINT64, s->rows, "clouds", G_TYPE_UINT64,
      s->clouds, "points", G_TYPE_UINT64, s->points, "malformed", G_TYPE_UINT64, s->malformed, "before-origin", G_TYPE_UINT64,
      s->before_origin, "backwards", G_TYPE_UINT64, s->backwards, "equal-times", G_TYPE_UINT64, s->equal_times, "empty-fields", G_TYPE_UINT64, s->empty_fields, "incomplete",
      G_TYPE_UINT64, s->incomplete, "steps-back", G_TYPE_UINT64, s->steps_back, "comments", G_TYPE_UINT64, s->comments, "skipped", G_TYPE_UINT64, s->skipped, "delay-max", G_TYPE_INT64, s->delay_max_ns, NULL);

  if (s->column_groups)
    gst_structure_set (structure, "column-groups", G_TYPE_STRING, s->column_groups, NULL);
  if (s->tracks_clock)
    robocache_clock_estimate_to_structure (&s->clock, structure);
  return structure;
}
