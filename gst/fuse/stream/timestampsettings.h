/* robocache: properties about the clock of a stream's timestamps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_TIMESTAMPSETTINGS_H
#define FUSE_TIMESTAMPSETTINGS_H

#include <gst/gst.h>

#include "common/time/clocktrack.h"

G_BEGIN_DECLS

typedef enum
{
  FUSE_TIMES_AUTO,              /* row times where there are some, PTS otherwise */
  FUSE_TIMES_PTS,
  FUSE_TIMES_ROW_TIMES,
  FUSE_TIMES_REFERENCE
} FuseTimestampSource;

typedef enum
{
  FUSE_REFERENCE_OTHER,
  FUSE_REFERENCE_PIPELINE
} FuseReferenceClock;

typedef struct
{
  FuseTimestampSource source;
  FuseReferenceClock reference_clock;
  gint64 reference_origin;      /* reference time (ns) of running time 0; ROBOCACHE_NO_TIME: measured */
  RobocacheClockMode clock_mode;
  GstCaps *reference;           /* NULL: timestamp/x-ntp */
} FuseTimestampSettings;

#define FUSE_DEFAULT_REFERENCE "timestamp/x-ntp"

void fuse_timestamp_settings_init (FuseTimestampSettings * settings);
void fuse_timestamp_settings_clear (FuseTimestampSettings * settings);
gboolean fuse_timestamp_settings_is_equal (const FuseTimestampSettings * a, const FuseTimestampSettings * b);
void fuse_timestamp_settings_copy (FuseTimestampSettings * to, const FuseTimestampSettings * from);

/* The properties of a pad, of which first_id is the first; set and get take the difference. */
#define FUSE_N_TIMESTAMP_PROPERTIES 5
void fuse_timestamp_settings_install (GObjectClass * klass, guint first_id);
void fuse_timestamp_settings_set (FuseTimestampSettings * settings, guint id, const GValue * value);
void fuse_timestamp_settings_get (const FuseTimestampSettings * settings, guint id, GValue * value);

G_END_DECLS
#endif
