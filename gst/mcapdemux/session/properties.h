/* robocache: properties of robocachemcapdemux and robocachebagsrc
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "sampletime.h"

typedef struct
{
  gchar *topics, *joints, *fields, *clocks;
  gint time_source;             /* RobocacheMcapTimeSource */
  gint start;                   /* RobocacheMcapStart */
  gint64 time_origin;           /* ROBOCACHE_MCAP_NO_ORIGIN: not set */
  guint64 max_transport;        /* ns */
  guint block_rows;
  guint64 max_message_bytes;
  guint64 stats_interval;       /* ns; not copied at start */
  gchar *location, *msg_path;   /* only of robocachebagsrc */
} RobocacheMcapDemuxSettings;

/* The id of the property that is not a setting. */
enum
{ ROBOCACHE_MCAP_DEMUX_PROP_STATS = 1 };

/* The first installs the properties of both elements, the second adds those of robocachebagsrc. */
void robocache_mcap_demux_properties_install (GObjectClass * klass);
void robocache_bag_src_properties_install (GObjectClass * klass);

void robocache_mcap_demux_settings_init (RobocacheMcapDemuxSettings * settings);
void robocache_mcap_demux_settings_copy (RobocacheMcapDemuxSettings * settings, const RobocacheMcapDemuxSettings * from);
void robocache_mcap_demux_settings_clear (RobocacheMcapDemuxSettings * settings);
/* The field of a property, for robocache_setting_set and _get. */
gpointer robocache_mcap_demux_settings_field (RobocacheMcapDemuxSettings * settings, guint id);
