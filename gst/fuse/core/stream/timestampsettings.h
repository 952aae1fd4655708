/* robocache: settings that select the timestamp of a row and its clock
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/time/clocktrack.h"
#include "common/time/nanoseconds.h"

typedef enum
{
  FUSE_TIMES_AUTO,              /* row times if buffers have them, otherwise PTS */
  FUSE_TIMES_PTS,
  FUSE_TIMES_ROW_TIMES,
  FUSE_TIMES_REFERENCE
} FuseTimestampSource;

typedef enum
{
  FUSE_REFERENCE_OTHER,
  FUSE_REFERENCE_PIPELINE
} FuseReferenceClock;

#define FUSE_USUAL_REFERENCE "timestamp/x-ntp"

typedef struct
{
  FuseTimestampSource source;
  FuseReferenceClock reference_clock;
  gint64 reference_origin;      /* reference time (ns) at running time 0; ROBOCACHE_NO_TIME: measured */
  RobocacheClockMode clock_mode;
  GQuark reference;             /* the reference clock's name; 0: FUSE_USUAL_REFERENCE */
} FuseTimestampSettings;

static inline gboolean
fuse_timestamp_settings_is_equal (const FuseTimestampSettings *a, const FuseTimestampSettings *b)
{
  return a->source == b->source && a->reference_clock == b->reference_clock && a->clock_mode == b->clock_mode
      && a->reference_origin == b->reference_origin && a->reference == b->reference;
}
