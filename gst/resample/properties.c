/* robocache: robocacheresample, its properties, apart from those that are read only
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "properties.h"

#include "common/element/propertytypes.h"
#include "common/rows/history.h"

#define DEFAULT_QOS_INTERVAL GST_SECOND

enum
{
  PROP_RATE = GST_ROBOCACHE_RESAMPLE_PROP_STATS + 1,
  PROP_INTERPOLATION,
  PROP_MAX_GAP,
  PROP_GAP_POLICY,
  PROP_REORDER_WINDOW,
  PROP_TYPE,
  PROP_STATS_INTERVAL,
  PROP_QOS_MESSAGES,
  PROP_QOS_INTERVAL,
  PROP_CUTOFF,
  PROP_LOBES,
  PROP_ROLES,
  PROP_DEVICE = PROP_ROLES + ROBOCACHE_N_ROLES
};

static ROBOCACHE_DEFINE_ENUM (gap_policy_get_type, "GstRobocacheResampleGapPolicy",
    {GST_ROBOCACHE_GAP_DROP, "Send a GAP event instead of a row, and set DISCONT on the next buffer", "drop"},
    {GST_ROBOCACHE_GAP_NAN, "A row of NaN, or of 0 for integers", "nan"},
    {GST_ROBOCACHE_GAP_HOLD, "The row before the gap", "hold"})

/* Offsets of properties that are a plain field. */
static const gsize fields[] = {
  [PROP_RATE] = G_STRUCT_OFFSET (GstRobocacheResampleProperties, settings.rate),
  [PROP_INTERPOLATION] = G_STRUCT_OFFSET (GstRobocacheResampleProperties, settings.interpolation),
  [PROP_MAX_GAP] = G_STRUCT_OFFSET (GstRobocacheResampleProperties, settings.max_gap),
  [PROP_GAP_POLICY] = G_STRUCT_OFFSET (GstRobocacheResampleProperties, settings.gap_policy),
  [PROP_REORDER_WINDOW] = G_STRUCT_OFFSET (GstRobocacheResampleProperties, settings.reorder_window),
  [PROP_TYPE] = G_STRUCT_OFFSET (GstRobocacheResampleProperties, settings.dtype),
  [PROP_STATS_INTERVAL] = G_STRUCT_OFFSET (GstRobocacheResampleProperties, stats_timer.interval),
  [PROP_QOS_MESSAGES] = G_STRUCT_OFFSET (GstRobocacheResampleProperties, qos_messages),
  [PROP_QOS_INTERVAL] = G_STRUCT_OFFSET (GstRobocacheResampleProperties, qos_interval),
  [PROP_CUTOFF] = G_STRUCT_OFFSET (GstRobocacheResampleProperties, settings.cutoff),
  [PROP_LOBES] = G_STRUCT_OFFSET (GstRobocacheResampleProperties, settings.lobes),
};

void
gst_robocache_resample_properties_init (GstRobocacheResampleProperties *properties)
{
  properties->settings.rate[1] = 1;
  properties->settings.interpolation = RC_LINEAR;
  properties->settings.max_gap = RC_GAP_AUTO;
  properties->settings.lobes = RC_DEFAULT_LOBES;
  properties->settings.gap_policy = GST_ROBOCACHE_GAP_DROP;
  properties->settings.dtype = ROBOCACHE_DTYPE_AUTO;
  properties->qos_messages = TRUE;
  properties->qos_interval = DEFAULT_QOS_INTERVAL;
  robocache_statistics_timer_reset (&properties->stats_timer);
}

void
gst_robocache_resample_properties_clear (GstRobocacheResampleProperties *properties)
{
  robocache_channel_roles_clear (&properties->roles);
}

void
gst_robocache_resample_properties_install (GObjectClass *klass)
{
  const GParamFlags always = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS, ready = always | GST_PARAM_MUTABLE_READY;
  const GParamFlags playing = always | GST_PARAM_MUTABLE_PLAYING;

  g_object_class_install_property (klass, PROP_RATE, gst_param_spec_fraction ("rate", "Rate",
          "Ticks per second, on a grid that begins at running time 0 (0/1 = the framerate of downstream, or of the input if "
          "downstream has none)",
          0, 1, GST_ROBOCACHE_MAX_TICK_RATE, 1, 0, 1, playing));
  g_object_class_install_property (klass, PROP_INTERPOLATION, g_param_spec_enum ("interpolation", "Interpolation",
          "How to compute the row of a tick from the rows around it", ROBOCACHE_TYPE_INTERPOLATION, RC_LINEAR, ready));
  g_object_class_install_property (klass, PROP_MAX_GAP, g_param_spec_int64 ("max-gap", "Maximum gap",
          "Maximum gap to interpolate across (ns, -1 = no limit, -2 = automatic: 8 row periods, at least 20 ms and at most 1 s, but never "
          "less than 2 row periods)", RC_GAP_AUTO, G_MAXINT64, RC_GAP_AUTO, ready));
  g_object_class_install_property (klass, PROP_GAP_POLICY, g_param_spec_enum ("gap-policy", "Gap policy",
          "Output for ticks in a gap", gap_policy_get_type (), GST_ROBOCACHE_GAP_DROP, ready));
  g_object_class_install_property (klass, PROP_REORDER_WINDOW, g_param_spec_int64 ("reorder-window", "Reorder window",
          "Accept rows up to this much older than the newest row (ns)", 0, ROBOCACHE_MAX_REORDER_WINDOW, 0, ready));
  g_object_class_install_property (klass, PROP_TYPE, g_param_spec_enum ("type", "Type",
          "Element type of the output (auto = the input's type for floats, float32 for integers)",
          ROBOCACHE_TYPE_DTYPE, ROBOCACHE_DTYPE_AUTO, ready));
  g_object_class_install_property (klass, PROP_STATS_INTERVAL, g_param_spec_uint64 ("stats-interval",
          "Statistics interval", "Interval between element messages with stats (ns of running time, 0 = off)", 0,
          G_MAXUINT64, 0, playing));
  g_object_class_install_property (klass, PROP_QOS_MESSAGES, g_param_spec_boolean ("qos-messages", "QoS messages",
          "Post QoS messages about late or dropped rows and dropped ticks", TRUE, playing));
  g_object_class_install_property (klass, PROP_QOS_INTERVAL, g_param_spec_uint64 ("qos-interval", "QoS interval",
          "Minimum interval between QoS messages; a message reports all losses since the last one (ns, 0 = a message for each loss)",
          0,
          G_MAXUINT64, DEFAULT_QOS_INTERVAL, playing));
  robocache_lowpass_install_properties (klass, PROP_CUTOFF, PROP_LOBES, ready);
  robocache_channel_roles_install_properties (klass, PROP_ROLES);
  robocache_device_install_properties (klass, PROP_DEVICE);
  robocache_device_install_batch_properties (klass, PROP_DEVICE);
  gst_type_mark_as_plugin_api (gap_policy_get_type (), 0);
}

gboolean
gst_robocache_resample_properties_set (GstRobocacheResampleProperties *properties, RobocacheDevice *device, guint id,
    const GValue *value, gboolean runs, GError **error)
{
  if (id >= PROP_DEVICE) {
    robocache_device_set_property (device, id - PROP_DEVICE, value);
  } else if (id >= PROP_ROLES) {
    if (runs && !robocache_channel_roles_check (id - PROP_ROLES, value, error))
      return FALSE;
    robocache_channel_roles_set_property (&properties->roles, id - PROP_ROLES, value);
  } else {
    robocache_setting_set (G_STRUCT_MEMBER_P (properties, fields[id]), value);
  }
  if (id == PROP_STATS_INTERVAL)
    robocache_statistics_timer_reset (&properties->stats_timer);
  return TRUE;
}

void
gst_robocache_resample_properties_get (GstRobocacheResampleProperties *properties, RobocacheDevice *device, guint id,
    GValue *value)
{
  if (id >= PROP_DEVICE)
    robocache_device_get_property (device, id - PROP_DEVICE, value);
  else if (id >= PROP_ROLES)
    robocache_channel_roles_get_property (&properties->roles, id - PROP_ROLES, value);
  else
    robocache_setting_get (G_STRUCT_MEMBER_P (properties, fields[id]), value);
}
