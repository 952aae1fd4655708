/* robocache: the running time of a record
 *
 * Converts times of a recording, or of a sensor's own clock, to running time. They count from an origin, or are converted by the estimate
 * of the sensor's clock (clocktrack.h). The estimate uses arrivals, which are in the record or the current time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/time/clocktrack.h"
#include "recordreader.h"

#define ROBOCACHE_NO_ORIGIN G_MININT64

typedef enum
{
  ROBOCACHE_START_ZERO,
  ROBOCACHE_START_KEEP,
  ROBOCACHE_START_OWN
} RobocacheStart;

#define ROBOCACHE_TYPE_START (robocache_start_get_type ())
GType robocache_start_get_type (void);

typedef struct
{
  RobocacheStart start;
  gint64 time_origin;           /* ROBOCACHE_NO_ORIGIN: not set */
  gboolean has_origin;           /* after the first row */
  gint64 origin_ns;             /* time of running time 0 on the file's clock, or with a track on the clock of its arrivals */

  RobocacheClockTrack *track;   /* NULL: the record's times are not converted */
  gboolean arrives_now;         /* with a track: the record has no time of arrival */
  GstClock *clock;              /* clock of current arrivals; NULL before the first */
  gint64 arrival;               /* arrival on this clock */
} RobocacheRecordStamp;

/* The running times of a row. */
typedef struct
{
  gint64 pts;                   /* running time of capture; < 0: before the origin */
  gint64 release;               /* running time of arrival */
} RobocacheRecordTimes;

/* stamp is zeroed, or was initialised before. FALSE and an error: the settings contradict each other. */
gboolean robocache_record_stamp_init (RobocacheRecordStamp * stamp, RobocacheStart start, gint64 time_origin,
    RobocacheClockMode mode, gboolean has_arrivals, GError ** error);
void robocache_record_stamp_clear (RobocacheRecordStamp * stamp);

/* Sets the arrival of the next record to now. FALSE: element has no clock. */
gboolean robocache_record_stamp_arrive (RobocacheRecordStamp * stamp, GstElement * element);

/* Whether the origin is the first row's time, and shared with other streams. */
gboolean robocache_record_stamp_is_from_first_row (const RobocacheRecordStamp * stamp);
/* Whether the origin is unrelated to other streams: the user chose this, or times are those of the pipeline's clock. */
gboolean robocache_record_stamp_is_own (const RobocacheRecordStamp * stamp);

/* FALSE: a time does not fit into int64. */
gboolean robocache_record_stamp_row (RobocacheRecordStamp * stamp, const RobocacheRecord * record,
    RobocacheRecordTimes * times);
