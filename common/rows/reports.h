/* robocache: reports about rows and clocks for GStreamer: structures, messages, a property type
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/time/clocktrack.h"
#include "histogram.h"
#include "checks.h"
#include "rowcounts.h"

#define ROBOCACHE_TYPE_CLOCK_MODE (robocache_clock_mode_get_type ())
GType robocache_clock_mode_get_type (void);     /* values are RobocacheClockMode */

/* Adds NAME-p50, NAME-p99 and NAME-max (int64 ns) to structure. */
void robocache_histogram_to_structure (const RobocacheHistogram * histogram, GstStructure * structure,
    const gchar * name);

/* Adds rows-in, rows-used, rows-late, rows-duplicate, rows-superseded, rows-dropped, rows-dropped-REASON for each reason,
 * and rows-kept (uint64). */
void robocache_row_counts_to_structure (const RobocacheRowCounts * counts, guint64 n_kept, GstStructure * structure);
/* Sets quaternions-not-unit, quaternions-zero and quaternions-scattered. */
void robocache_quaternion_check_to_structure (const RobocacheQuaternionCheck * check, GstStructure * structure);
/* Adds clock-offset, clock-uncertainty (int64), clock-skew-ppm (double), clock-converged (boolean), clock-pairs,
 * clock-outliers, clock-jumps and clock-steps (uint64). */
void robocache_clock_estimate_to_structure (const RobocacheClockEstimate * estimate, GstStructure * structure);
/* Makes an element message "robocache-clock" with the fields above, `event` (converged, jumped, stepped or unsure) and, if any, `pad`;
 * also logs it. */
GstMessage *robocache_clock_event_message (RobocacheClockEvent event, const RobocacheClockEstimate * estimate, GstElement * element,
    GstPad * pad);
