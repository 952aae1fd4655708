/* robocache: rows and clocks as GStreamer reports them: structures, messages, a property's type
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "reports.h"

#include "common/element/logs.h"
#include "common/element/propertytypes.h"

ROBOCACHE_DEFINE_ENUM (robocache_clock_mode_get_type, "GstRobocacheClockMode",
    {ROBOCACHE_CLOCK_NONE, "The sensor uses the pipeline's clock", "none"},
    {ROBOCACHE_CLOCK_TRACK, "The sensor has its own clock: estimate its offset and skew from arrivals", "track"})

void
robocache_histogram_to_structure (const RobocacheHistogram *histogram, GstStructure *structure, const gchar *name)
{
  const struct
  {
    const gchar *suffix;
    gint64 value;
  } fields[] = {
    {"p50", robocache_histogram_quantile (histogram, 0.5)},
    {"p99", robocache_histogram_quantile (histogram, 0.99)},
    {"max", histogram->max_ns},
  };

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    gchar *field = g_strdup_printf ("%s-%s", name, fields[i].suffix);

    gst_structure_set (structure, field, G_TYPE_INT64, fields[i].value, NULL);
    g_free (field);
  }
}

void
robocache_row_counts_to_structure (const RobocacheRowCounts *counts, guint64 n_kept, GstStructure *structure)
{
  gst_structure_set (structure, "rows-in", G_TYPE_UINT64, counts->in, "rows-used", G_TYPE_UINT64, counts->used,
      "rows-late", G_TYPE_UINT64, counts->late, "rows-late-overtaken", G_TYPE_UINT64, counts->overtaken, "rows-duplicate", G_TYPE_UINT64, counts->duplicate,
      "rows-superseded", G_TYPE_UINT64, counts->superseded,
      "rows-dropped", G_TYPE_UINT64, robocache_row_counts_dropped (counts), "rows-kept", G_TYPE_UINT64, n_kept, NULL);
  for (guint i = 0; i < ROBOCACHE_N_DROP_REASONS; i++)
    gst_structure_set (structure, robocache_drop_reason_field (i), G_TYPE_UINT64, counts->dropped[i], NULL);
}

void
robocache_quaternion_check_to_structure (const RobocacheQuaternionCheck *check, GstStructure *structure)
{
  gst_structure_set (structure, "quaternions-not-unit", G_TYPE_UINT64, check->not_unit.n, "quaternions-zero", G_TYPE_UINT64,
      check->zero.n, "quaternions-scattered", G_TYPE_UINT64, check->n_scattered, NULL);
}

void
robocache_clock_estimate_to_structure (const RobocacheClockEstimate *e, GstStructure *structure)
{
  gst_structure_set (structure, "clock-offset", G_TYPE_INT64, e->offset_ns, "clock-skew-ppm", G_TYPE_DOUBLE,
      e->skew_ppm, "clock-uncertainty", G_TYPE_INT64, e->uncertainty_ns, "clock-converged", G_TYPE_BOOLEAN,
      e->converged, "clock-pairs", G_TYPE_UINT64, e->pairs, "clock-outliers", G_TYPE_UINT64, e->outliers,
      "clock-jumps", G_TYPE_UINT64, e->jumps, "clock-steps", G_TYPE_UINT64, e->steps, NULL);
}

static const struct
{
  const gchar *name, *text;
} events[] = {
  [ROBOCACHE_CLOCK_CONVERGED] = {"converged", "the estimate of the sensor's clock has converged"},
  [ROBOCACHE_CLOCK_JUMPED] = {"jumped", "the sensor's clock jumped; its estimate starts anew"},
  [ROBOCACHE_CLOCK_STEPPED] = {"stepped", "the sensor's clock, or its smallest delay, changed; its estimate starts anew"},
  [ROBOCACHE_CLOCK_UNSURE] = {"unsure", "the estimate of the sensor's clock is uncertain again"},
};

GstMessage *
robocache_clock_event_message (RobocacheClockEvent event, const RobocacheClockEstimate *e, GstElement *element, GstPad *pad)
{
  GstStructure *structure = gst_structure_new ("robocache-clock", "event", G_TYPE_STRING, events[event].name, NULL);

  GST_CAT_INFO_OBJECT (robocache_category_of (element), pad ? (gpointer) pad : element, "%s: offset %" G_GINT64_FORMAT " ns, skew %.3f ppm, "
      "uncertainty %" G_GINT64_FORMAT " ns", events[event].text, e->offset_ns, e->skew_ppm, e->uncertainty_ns);
  if (pad)
    gst_structure_set (structure, "pad", G_TYPE_STRING, GST_OBJECT_NAME (pad), NULL);
  robocache_clock_estimate_to_structure (e, structure);
  return gst_message_new_element (GST_OBJECT (element), structure);
}
