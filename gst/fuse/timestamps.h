/* robocache: a sink pad of robocachefuse: whose clock its times are of
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_FUSE_TIMING_H
#define GST_ROBOCACHE_FUSE_TIMING_H

#include <gst/base/gstaggregator.h>

#include "common/time/clocktrack.h"
#include "common/time/rowtimes.h"

G_BEGIN_DECLS

typedef struct _GstRobocacheFuse GstRobocacheFuse;
typedef struct _GstRobocacheFusePad GstRobocacheFusePad;

typedef enum
{
  GST_ROBOCACHE_FUSE_TIMES_AUTO,        /* row times where there are some, PTS otherwise */
  GST_ROBOCACHE_FUSE_TIMES_PTS,
  GST_ROBOCACHE_FUSE_TIMES_ROW_TIMES,
  GST_ROBOCACHE_FUSE_TIMES_REFERENCE
} GstRobocacheFuseTimestampSource;

typedef enum
{
  GST_ROBOCACHE_FUSE_REFERENCE_OTHER,
  GST_ROBOCACHE_FUSE_REFERENCE_PIPELINE
} GstRobocacheFuseReferenceClock;

/* What the properties say. */
typedef struct
{
  GstRobocacheFuseTimestampSource source;
  GstRobocacheFuseReferenceClock reference_clock;
  gint64 reference_origin;      /* ROBOCACHE_NO_TIME: measured */
  RobocacheClockMode clock_mode;
  GstCaps *reference;           /* NULL: timestamp/x-ntp */
} GstRobocacheFuseTiming;

void gst_robocache_fuse_timing_init (GstRobocacheFuseTiming * timing);
void gst_robocache_fuse_timing_clear (GstRobocacheFuseTiming * timing);
gboolean gst_robocache_fuse_timing_is_equal (const GstRobocacheFuseTiming * a, const GstRobocacheFuseTiming * b);
void gst_robocache_fuse_timing_copy (GstRobocacheFuseTiming * to, const GstRobocacheFuseTiming * from);

/* The properties of a pad, of which first_id is the first; set and get take the difference. */
#define GST_ROBOCACHE_FUSE_N_TIMING_PROPERTIES 5
void gst_robocache_fuse_timing_install_properties (GObjectClass * klass, guint first_id);
void gst_robocache_fuse_timing_set_property (GstRobocacheFuseTiming * timing, guint id, const GValue * value);
void gst_robocache_fuse_timing_get_property (const GstRobocacheFuseTiming * timing, guint id, GValue * value);

/* ---- the rows of a buffer; called with the fuse lock ---- */

typedef enum
{
  GST_ROBOCACHE_FUSE_BUFFER_TIMED,
  GST_ROBOCACHE_FUSE_BUFFER_WITHOUT_TIME,
  GST_ROBOCACHE_FUSE_BUFFER_WITHOUT_REFERENCE
} GstRobocacheFuseBufferTiming;

typedef struct
{
  RobocacheBufferTimes rows;
  gboolean by_reference;        /* rows.pts is the reference time, and counted from origin */
  gint64 origin;
} GstRobocacheFuseBufferTimes;

/* Whether the pad's rows can have the times that its properties ask for: a live source where arrivals are needed, row times
 * in the caps. now is the running time, GST_CLOCK_TIME_NONE where it is unknown. FALSE and an error. */
gboolean gst_robocache_fuse_timing_check (GstRobocacheFusePad * pad, gboolean live, GstClockTime now, GError ** error);

/* Starts on a buffer that has arrived now. */
GstRobocacheFuseBufferTiming gst_robocache_fuse_timing_begin (GstRobocacheFusePad * pad, GstBuffer * buffer,
    const gint64 * row_times, GstClockTime now, GstRobocacheFuseBufferTimes * times);

/* Running time of row i, without the pad's offset. FALSE: outside the segment, or before running time 0. */
gboolean gst_robocache_fuse_timing_nth (const GstRobocacheFusePad * pad, const GstRobocacheFuseBufferTimes * times,
    guint64 i, gint64 * running_time);

/* Running time of an instant of the sensor's timeline, such as the end of a GAP, where that can be told. */
gboolean gst_robocache_fuse_timing_of_gap (const GstRobocacheFusePad * pad, gint64 * running_time);

/* Whether times come out in step with the pipeline's clock, whatever the sensor's does. */
gboolean gst_robocache_fuse_timing_tracks (const GstRobocacheFusePad * pad);

/* Other properties, or a new life: what was estimated and measured is forgotten. */
void gst_robocache_fuse_timing_reset (GstRobocacheFusePad * pad);

/* Of a clock that is tracked. */
guint64 gst_robocache_fuse_timing_jumps (const GstRobocacheFusePad * pad);
/* Adds what is known of the sensor's clock. */
void gst_robocache_fuse_timing_to_structure (const GstRobocacheFusePad * pad, GstStructure * stats);

/* Called without the lock. */
void gst_robocache_fuse_timing_warn_of_reference (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);

G_END_DECLS
#endif
