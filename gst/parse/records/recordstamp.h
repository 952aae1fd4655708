/* robocache: the running time of a record
 *
 * The times in a recording, or those of a sensor's own clock, as running time: counted from an origin, or by the
 * estimate of the sensor's clock (clocktrack.h) from the arrivals, which are either in the record or those of now.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_RECORDSTAMP_H
#define ROBOCACHE_RECORDSTAMP_H

#include <gst/gst.h>

#include "common/time/clocktrack.h"
#include "recordreader.h"

G_BEGIN_DECLS

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
  gint64 origin_ns;             /* of the file's clock, or of its arrivals' when that is followed: running time 0 */

  RobocacheClockTrack *track;   /* NULL: the record's times are as they are */
  gboolean arrives_now;         /* with a track: the record has no time of arrival */
  GstClock *clock;              /* of the arrivals of now; NULL before the first */
  gint64 arrival;               /* on that clock */
} RobocacheRecordStamp;

/* Where a row is on our timeline. */
typedef struct
{
  gint64 pts;                   /* running time of capture; < 0: before the origin */
  gint64 release;               /* and of arrival */
} RobocacheRecordTimes;

/* stamp is zero, or was initialised before. FALSE and an error when the settings contradict each other. */
gboolean robocache_record_stamp_init (RobocacheRecordStamp * stamp, RobocacheStart start, gint64 time_origin,
    RobocacheClockMode mode, gboolean has_arrivals, GError ** error);
void robocache_record_stamp_clear (RobocacheRecordStamp * stamp);

/* Sets the arrival of the next record to now. FALSE when element has no clock. */
gboolean robocache_record_stamp_arrive (RobocacheRecordStamp * stamp, GstElement * element);

/* Whether the origin is the first row's time, and to be shared with other streams. */
gboolean robocache_record_stamp_is_from_first_row (const RobocacheRecordStamp * stamp);
/* Whether the origin has no relation to other streams: it is the user's choice, or running time is the pipeline's. */
gboolean robocache_record_stamp_is_own (const RobocacheRecordStamp * stamp);

/* FALSE when a time does not fit into int64. */
gboolean robocache_record_stamp_row (RobocacheRecordStamp * stamp, const RobocacheRecord * record,
    RobocacheRecordTimes * times);

G_END_DECLS
#endif
