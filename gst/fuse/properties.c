/* robocache: robocachefuse, its properties
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "properties.h"

#include "common/element/propertytypes.h"
#include "common/tensors/tensorcaps.h"
#include "gst/fuse/core/control.h"
#include "gst/fuse/pads/padsettings.h"
#include "reports.h"
#include "settingsevent.h"
#include "sources.h"

#define DEFAULT_WINDOW 1
#define MAX_WINDOW 4096
#define DEFAULT_LAYOUT FUSE_LAYOUT_TENSORS
#define DEFAULT_INFO FUSE_INFO_NONE
#define DEFAULT_QOS_MESSAGES TRUE
#define DEFAULT_QOS_INTERVAL GST_SECOND
#define DEFAULT_LATENCY (5 * GST_MSECOND)

enum
{
  PROP_0,
  PROP_RATE,
  PROP_REFERENCE_PAD,
  PROP_PADS,
  PROP_ALLOW_GAPS,
  PROP_WINDOW,
  PROP_LAYOUT,
  PROP_INFO,
  PROP_TYPE,
  PROP_TENSOR_META,
  PROP_LATENCY,
  PROP_MIN_UPSTREAM_LATENCY,
  PROP_FORCE_LIVE,
  PROP_STATS,
  PROP_STATS_INTERVAL,
  PROP_QOS_MESSAGES,
  PROP_QOS_INTERVAL,
  PROP_BUSY_WAIT,
  PROP_DEVICE
};

/* Where properties that are a plain field lie. */
static const gsize fields[] = {
  [PROP_RATE] = G_STRUCT_OFFSET (GstRobocacheFuse, settings.rate),
  [PROP_REFERENCE_PAD] = G_STRUCT_OFFSET (GstRobocacheFuse, settings.reference),
  [PROP_PADS] = G_STRUCT_OFFSET (GstRobocacheFuse, pads_text),
  [PROP_ALLOW_GAPS] = G_STRUCT_OFFSET (GstRobocacheFuse, settings.allow_gaps),
  [PROP_WINDOW] = G_STRUCT_OFFSET (GstRobocacheFuse, settings.output.window),
  [PROP_LAYOUT] = G_STRUCT_OFFSET (GstRobocacheFuse, settings.output.layout),
  [PROP_INFO] = G_STRUCT_OFFSET (GstRobocacheFuse, settings.output.info),
  [PROP_TYPE] = G_STRUCT_OFFSET (GstRobocacheFuse, settings.output.dtype),
  [PROP_TENSOR_META] = G_STRUCT_OFFSET (GstRobocacheFuse, settings.output.has_tensor_meta),
  [PROP_LATENCY] = G_STRUCT_OFFSET (GstRobocacheFuse, settings.latency),
  [PROP_MIN_UPSTREAM_LATENCY] = G_STRUCT_OFFSET (GstRobocacheFuse, settings.min_upstream_latency),
  [PROP_FORCE_LIVE] = G_STRUCT_OFFSET (GstRobocacheFuse, settings.force_live),
  [PROP_QOS_MESSAGES] = G_STRUCT_OFFSET (GstRobocacheFuse, settings.reports_losses),
  [PROP_QOS_INTERVAL] = G_STRUCT_OFFSET (GstRobocacheFuse, settings.loss_interval),
  [PROP_BUSY_WAIT] = G_STRUCT_OFFSET (GstRobocacheFuse, busy_wait),
};

/* An empty name counts as unset. Called with the object lock. */
static void
set_setting (GstRobocacheFuse *fuse, guint prop_id, const GValue *value)
{
  robocache_setting_set (G_STRUCT_MEMBER_P (fuse, fields[prop_id]), value);
  if (fuse->settings.reference && fuse->settings.reference[0] == '\0')
    g_clear_pointer (&fuse->settings.reference, g_free);
}

void
gst_robocache_fuse_set_property (GObject *object, guint prop_id, const GValue *value, GParamSpec *pspec)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (object);

  FUSE_LOCK (fuse);
  GST_OBJECT_LOCK (fuse);
  if (prop_id == PROP_STATS_INTERVAL)
    fuse->stats_timer.interval = g_value_get_uint64 (value);
  else if (prop_id >= PROP_DEVICE)
    robocache_device_set_property (fuse->device, prop_id - PROP_DEVICE, value);
  else
    set_setting (fuse, prop_id, value);
  GST_OBJECT_UNLOCK (fuse);
  gst_robocache_fuse_note_settings (fuse);
  fuse_core_set_settings (fuse->core, &fuse->settings); /* they change with the lock alone */
  FUSE_UNLOCK (fuse);
  if (prop_id == PROP_PADS)
    gst_robocache_fuse_set_pad_settings (fuse, g_value_get_string (value));
  robocache_warn_of_late_setting (fuse, pspec);
  if (prop_id == PROP_LATENCY || prop_id == PROP_MIN_UPSTREAM_LATENCY)
    gst_robocache_fuse_update_latency (fuse);
}

void
gst_robocache_fuse_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (object);
  FuseElementStatistics *statistics = NULL;

  if (prop_id == PROP_STATS || prop_id == PROP_STATS_INTERVAL) {
    FUSE_LOCK (fuse);
    if (prop_id == PROP_STATS)
      statistics = gst_robocache_fuse_copy_statistics (fuse);
    else
      g_value_set_uint64 (value, fuse->stats_timer.interval);
    FUSE_UNLOCK (fuse);
    if (statistics)
      g_value_take_boxed (value, gst_robocache_fuse_statistics_to_structure (fuse, statistics));
    return;
  }
  GST_OBJECT_LOCK (fuse);
  if (prop_id >= PROP_DEVICE)
    robocache_device_get_property (fuse->device, prop_id - PROP_DEVICE, value);
  else
    robocache_setting_get (G_STRUCT_MEMBER_P (fuse, fields[prop_id]), value);
  GST_OBJECT_UNLOCK (fuse);
}

#define TYPE_LAYOUT (layout_get_type ())
static ROBOCACHE_DEFINE_ENUM (layout_get_type, "GstRobocacheFuseLayout",
    {FUSE_LAYOUT_TENSORS, "One tensor per stream", "tensors"},
    {FUSE_LAYOUT_CONCAT, "One float32 tensor of all streams except cameras", "concat"})

#define TYPE_INFO (info_get_type ())
static ROBOCACHE_DEFINE_ENUM (info_get_type, "GstRobocacheFuseInfo",
    {FUSE_INFO_NONE, "In the meta of the buffer only", "none"},
    {FUSE_INFO_TENSOR, "Also in the last tensor, of int64: for each stream, the tick, the times of the rows before and after it, "
        "and the status", "tensor"})

void
gst_robocache_fuse_install_properties (GObjectClass *object_class)
{
  const GParamFlags ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  g_object_class_install_property (object_class, PROP_RATE, gst_param_spec_fraction ("rate", "Rate",
          "Ticks per second, on a grid that begins at running time 0 (0/1 = ticks are the rows of reference-pad). When rate "
          "changes while running, ticks continue on the new grid", 0, 1, 1000000000, 1, 0, 1, playing));
  g_object_class_install_property (object_class, PROP_REFERENCE_PAD, g_param_spec_string ("reference-pad",
          "Reference pad", "Sink pad whose rows are the ticks (NULL with rate=0/1 = the camera pad with the lowest number)",
          NULL, ready));
  g_object_class_install_property (object_class, PROP_PADS, g_param_spec_string ("pads", "Pads",
          "Settings of sink pads, present and future, like \"proprio_0,interpolation=cubic,max-gap=100ms; "
          "force_0,required=true\"; a duration may have a unit (s, ms, us, ns). Unless the pipeline is live, the first tick waits "
          "for these pads", NULL, ready));
  g_object_class_install_property (object_class, PROP_ALLOW_GAPS, g_param_spec_boolean ("allow-gaps", "Allow gaps",
          "Not live: accept first rows more than a day apart, and more than an hour without a row", FALSE, ready));
  g_object_class_install_property (object_class, PROP_WINDOW, g_param_spec_uint ("window", "Window",
          "Number of ticks in each sample, the oldest first", 1, MAX_WINDOW, DEFAULT_WINDOW, ready));
  g_object_class_install_property (object_class, PROP_LAYOUT, g_param_spec_enum ("layout", "Layout",
          "How the streams of a sample become tensors", TYPE_LAYOUT, DEFAULT_LAYOUT, ready));
  g_object_class_install_property (object_class, PROP_INFO, g_param_spec_enum ("info", "Info",
          "Where to put the times and statuses of a sample's rows", TYPE_INFO, DEFAULT_INFO, ready));
  g_object_class_install_property (object_class, PROP_TYPE, g_param_spec_enum ("type", "Type",
          "Element type of all tensors except frames (auto = the input's type for floats, float32 for integers)",
          ROBOCACHE_TYPE_DTYPE, ROBOCACHE_DTYPE_AUTO, ready));
  g_object_class_install_property (object_class, PROP_TENSOR_META, g_param_spec_boolean ("tensor-meta", "Tensor meta",
          "Also describe the tensors in the tensor meta of gstreamer-analytics-1.0, with pad names as ids (GStreamer 1.26 and later)",
          FALSE, ready | GST_PARAM_CONDITIONALLY_AVAILABLE));
  g_object_class_install_property (object_class, PROP_LATENCY, g_param_spec_uint64 ("latency", "Latency",
          "Live: additional time that ticks wait for rows, for jitter and transport (ns)", 0, G_MAXINT64, DEFAULT_LATENCY,
          playing));
  g_object_class_install_property (object_class, PROP_MIN_UPSTREAM_LATENCY, g_param_spec_uint64 ("min-upstream-latency",
          "Minimum upstream latency", "Live: assume at least this latency of sources, so that slower sources can be linked later "
          "(ns)",
          0, G_MAXINT64, 0, playing));
  g_object_class_install_property (object_class, PROP_FORCE_LIVE, g_param_spec_boolean ("force-live", "Force live",
          "Run live even without live sources: ticks start at PLAYING, once a pad has caps or expected-caps", FALSE,
          G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (object_class, PROP_STATS, g_param_spec_boxed ("stats", "Statistics",
          "Ticks, their lateness, and rows of every pad since the element started", GST_TYPE_STRUCTURE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (object_class, PROP_STATS_INTERVAL, g_param_spec_uint64 ("stats-interval",
          "Statistics interval", "Interval between element messages with stats (ns of running time, 0 = off)", 0, G_MAXUINT64,
          0, playing));
  g_object_class_install_property (object_class, PROP_QOS_MESSAGES, g_param_spec_boolean ("qos-messages", "QoS messages",
          "Post QoS messages about late or dropped rows and dropped ticks", DEFAULT_QOS_MESSAGES, playing));
  g_object_class_install_property (object_class, PROP_QOS_INTERVAL, g_param_spec_uint64 ("qos-interval", "QoS interval",
          "Minimum interval between QoS messages of a pad; a message reports all losses since the last one (ns, 0 = a message for "
          "each loss)", 0,
          G_MAXUINT64, DEFAULT_QOS_INTERVAL, playing));
  g_object_class_install_property (object_class, PROP_BUSY_WAIT, g_param_spec_uint64 ("busy-wait", "Busy wait",
          "Live: busy-wait this long after each sample (ns). Samples leave tens of microseconds earlier, at the cost of up to one CPU",
          0, G_MAXUINT64, 0, playing));
  robocache_device_install_properties (object_class, PROP_DEVICE);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_DTYPE, 0);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_BACKEND, 0);
  gst_type_mark_as_plugin_api (TYPE_LAYOUT, 0);
  gst_type_mark_as_plugin_api (TYPE_INFO, 0);
}

void
gst_robocache_fuse_init_properties (GstRobocacheFuse *fuse)
{
  fuse->settings = (FuseSettings) {
    .rate.den = 1,.latency = DEFAULT_LATENCY,.reports_losses = DEFAULT_QOS_MESSAGES,.loss_interval = DEFAULT_QOS_INTERVAL,
    .output = {.window = DEFAULT_WINDOW,.layout = DEFAULT_LAYOUT,.info = DEFAULT_INFO,.dtype = ROBOCACHE_DTYPE_AUTO}
  };
  fuse->device = g_new0 (RobocacheDevice, 1);
  robocache_device_init (fuse->device, GST_ELEMENT (fuse), RC_MAX_PRIORITY);  /* its ticks have deadlines */
}

void
gst_robocache_fuse_clear_properties (GstRobocacheFuse *fuse)
{
  robocache_device_finalize (fuse->device);
  g_clear_pointer (&fuse->device, g_free);
  g_clear_pointer (&fuse->settings.reference, g_free);
}
