/* robocache: robocacheresample, its properties except the read-only ones
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/backend/enginechoice.h"
#include "common/element/statsmessages.h"
#include "common/rows/channelroles.h"
#include "format.h"

#define GST_ROBOCACHE_RESAMPLE_PROP_STATS 1     /* handled by the element; the other ids follow */

/* Values as they were set. A running element uses copies of settings and roles. */
typedef struct
{
  GstRobocacheResampleSettings settings;
  RobocacheChannelRoles roles;
  gboolean qos_messages;
  guint64 qos_interval;         /* ns between reports; 0: report each loss */
  RobocacheStatisticsTimer stats_timer;
} GstRobocacheResampleProperties;

void gst_robocache_resample_properties_init (GstRobocacheResampleProperties * properties);
void gst_robocache_resample_properties_clear (GstRobocacheResampleProperties * properties);
void gst_robocache_resample_properties_install (GObjectClass * klass);

/* Called with the element's object lock held; device: for properties of the device. FALSE and an error: the element runs and a channel
 * list is malformed; the property keeps its value. */
gboolean gst_robocache_resample_properties_set (GstRobocacheResampleProperties * properties, RobocacheDevice * device,
    guint id, const GValue * value, gboolean runs, GError ** error);
void gst_robocache_resample_properties_get (GstRobocacheResampleProperties * properties, RobocacheDevice * device,
    guint id, GValue * value);
