/* robocache: properties about the clock of a stream's timestamps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "gst/fuse/core/stream/timestampsettings.h"

typedef struct
{
  FuseTimestampSettings settings;
  GstCaps *reference;           /* caps of the reference in settings; NULL: FUSE_USUAL_REFERENCE */
} FuseTimestampProperties;

void fuse_timestamp_properties_init (FuseTimestampProperties * properties);
void fuse_timestamp_properties_clear (FuseTimestampProperties * properties);

/* The properties of a pad. first_id is the id of the first; set and get take an id minus first_id. */
#define FUSE_N_TIMESTAMP_PROPERTIES 5
void fuse_timestamp_properties_install (GObjectClass * klass, guint first_id);
void fuse_timestamp_properties_set (FuseTimestampProperties * properties, guint id, const GValue * value);
void fuse_timestamp_properties_get (const FuseTimestampProperties * properties, guint id, GValue * value);
