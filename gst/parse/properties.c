/* robocache: properties of robocacheparse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "properties.h"

#include "common/rows/reports.h"
#include "common/element/propertytypes.h"

#define DEFAULT_MAX_ERRORS 10
#define DEFAULT_MAX_CLOUD_BYTES (G_GUINT64_CONSTANT (1) << 30)

enum
{
  PROP_STATS = ROBOCACHE_PARSE_PROP_STATS,
  PROP_FORMAT,
  PROP_DELIMITER,
  PROP_TIME_COLUMN,
  PROP_TIME_UNIT,
  PROP_CHANNELS,
  PROP_LAYOUT,
  PROP_START,
  PROP_TIME_ORIGIN,
  PROP_ARRIVAL_COLUMN,
  PROP_CLOCK_MODE,
  PROP_MAX_ERRORS,
  PROP_RATE,
  PROP_CLOUD_END,
  PROP_POINTS_PER_CLOUD,
  PROP_MAX_CLOUD_BYTES,
  PROP_STATS_INTERVAL,
  PROP_KINDS,
  PROP_TIME_FORMAT,
  PROP_LEAP_SECONDS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

#define SETTING(field) G_STRUCT_OFFSET (RobocacheParseSettings, field)

static const glong fields[N_PROPS] = {
  [PROP_FORMAT] = SETTING (format),
  [PROP_DELIMITER] = SETTING (delimiter),
  [PROP_TIME_COLUMN] = SETTING (time_column),
  [PROP_TIME_UNIT] = SETTING (time_unit),
  [PROP_TIME_FORMAT] = SETTING (time_format),
  [PROP_LEAP_SECONDS] = SETTING (leap_seconds),
  [PROP_CHANNELS] = SETTING (channels),
  [PROP_KINDS] = SETTING (kinds),
  [PROP_LAYOUT] = SETTING (layout),
  [PROP_START] = SETTING (start),
  [PROP_TIME_ORIGIN] = SETTING (time_origin),
  [PROP_ARRIVAL_COLUMN] = SETTING (arrival_column),
  [PROP_CLOCK_MODE] = SETTING (clock_mode),
  [PROP_MAX_ERRORS] = SETTING (max_errors),
  [PROP_RATE] = SETTING (rate),
  [PROP_CLOUD_END] = SETTING (cloud_end),
  [PROP_POINTS_PER_CLOUD] = SETTING (points_per_cloud),
  [PROP_MAX_CLOUD_BYTES] = SETTING (max_cloud_bytes),
  [PROP_STATS_INTERVAL] = SETTING (stats_interval),
};

static const glong strings[] = { SETTING (delimiter), SETTING (time_column), SETTING (time_format), SETTING (channels), SETTING (kinds), SETTING (layout) };

static ROBOCACHE_DEFINE_ENUM (time_unit_get_type, "RobocacheTimeUnit",
    {ROBOCACHE_TIME_UNIT_S, "Seconds", "s"},
    {ROBOCACHE_TIME_UNIT_MS, "Milliseconds", "ms"},
    {ROBOCACHE_TIME_UNIT_US, "Microseconds", "us"},
    {ROBOCACHE_TIME_UNIT_NS, "Nanoseconds", "ns"},
    {ROBOCACHE_TIME_UNIT_AUTO, "The first that exists: the unit in the name of the time column, like stamp_ns; for a file, the "
        "unit that fits its time steps; seconds", "auto"})
static ROBOCACHE_DEFINE_ENUM (cloud_end_get_type, "GstRobocacheParseCloudEnd",
    {ROBOCACHE_CLOUD_END_AUTO, "At the end of the buffer if upstream has times or a framerate, at the end of the stream if "
        "upstream knows its length", "auto"},
    {ROBOCACHE_CLOUD_END_BUFFER, "Each buffer is one file", "buffer"},
    {ROBOCACHE_CLOUD_END_STREAM, "The stream is one file", "stream"})

static void
make_cloud_specs (GParamFlags flags)
{
  properties[PROP_RATE] = gst_param_spec_fraction ("rate", "Rate",
      "Clouds per second, for clouds without a time: cloud k is at k / rate (0/1 = the framerate of the input's caps, if any)",
      0, 1, G_MAXINT, 1, 0, 1, flags);
  properties[PROP_CLOUD_END] = g_param_spec_enum ("cloud-end", "Cloud end",
      "What ends a point file, and with it the cloud", cloud_end_get_type (), ROBOCACHE_CLOUD_END_AUTO, flags);
  properties[PROP_POINTS_PER_CLOUD] = g_param_spec_uint64 ("points-per-cloud", "Points per cloud",
      "Points per cloud with format=kitti, nuscenes or points (0 = all points of the file)", 0, G_MAXINT64, 0,
      flags);
  properties[PROP_MAX_CLOUD_BYTES] = g_param_spec_uint64 ("max-cloud-bytes", "Max cloud bytes",
      "Maximum size of a cloud (bytes); a larger one is an error", 1, G_MAXUINT64, DEFAULT_MAX_CLOUD_BYTES,
      flags);
}

void
robocache_parse_properties_install (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  properties[PROP_FORMAT] = g_param_spec_enum ("format", "Format", "Format of the input", ROBOCACHE_TYPE_INPUT_FORMAT,
      ROBOCACHE_INPUT_CSV, flags);
  properties[PROP_DELIMITER] = g_param_spec_string ("delimiter", "Delimiter",
      "Delimiter of the fields of a line: one character, \"tab\", \"space\" (any run of blanks) or \"auto\" (finds comma, semicolon, tab or blanks)", "auto", flags);
  properties[PROP_TIME_COLUMN] = g_param_spec_string ("time-column", "Time column",
      "Column of the time of capture: a name, or a number from 0; two columns make one time, like \"sec,nanosec\", \"date,time\" "
      "or \"week,tow\" (empty = found by names and values)", "", flags);
  properties[PROP_TIME_UNIT] = g_param_spec_enum ("time-unit", "Time unit", "Unit of the time and arrival columns",
      time_unit_get_type (), ROBOCACHE_TIME_UNIT_AUTO, flags);
  properties[PROP_TIME_FORMAT] = g_param_spec_string ("time-format", "Time format",
      "Format of dates, as for strptime, like \"%d.%m.%Y %H:%M:%S\"; %S and %f accept decimals (empty = ISO 8601)", "", flags);
  properties[PROP_LEAP_SECONDS] = g_param_spec_int ("leap-seconds", "Leap seconds",
      "Leap seconds by which GPS time is ahead of UTC (-1 = those at the time of the row, 18 since 2017)", -1, 1000, -1, flags);
  properties[PROP_CHANNELS] = g_param_spec_string ("channels", "Channels",
      "Columns to send: names in the header, numbers and ranges like 1-6,9 (empty = all except the time and arrival columns). With "
      "format=points: names for the numbers in layout", "", flags);
  properties[PROP_KINDS] = g_param_spec_string ("kinds", "Kinds",
      "Kinds of the columns that are sent, like \"real*3,quaternion,hold\" (empty = by their names, ignore = all are real)", "",
      flags);
  properties[PROP_LAYOUT] = g_param_spec_string ("layout", "Layout",
      "Format of a binary record or point, as for Python's struct, like <q6f", "", flags);
  properties[PROP_START] = g_param_spec_enum ("start", "Start", "Time of the file's clock at running time 0",
      ROBOCACHE_TYPE_START, ROBOCACHE_START_ZERO, flags);
  properties[PROP_TIME_ORIGIN] = g_param_spec_int64 ("time-origin", "Time origin",
      "Time of the file's clock at running time 0 (ns); overrides the property start (the smallest int64 = not set)",
      G_MININT64, G_MAXINT64, ROBOCACHE_NO_ORIGIN, flags);
  properties[PROP_ARRIVAL_COLUMN] = g_param_spec_int ("arrival-column", "Arrival column",
      "Column of the time of arrival. If set, the recording is replayed live, each row at this time (-1 = no replay)", -1, G_MAXINT,
      -1, flags);
  properties[PROP_CLOCK_MODE] = g_param_spec_enum ("clock-mode", "Clock mode",
      "Clock of the times of capture. Times of arrival come from arrival-column or, if it is not set, from the pipeline's clock",
      ROBOCACHE_TYPE_CLOCK_MODE, ROBOCACHE_CLOCK_NONE, flags);
  properties[PROP_MAX_ERRORS] = g_param_spec_int ("max-errors", "Max errors",
      "Maximum number of consecutive malformed records; one more is an error (-1 = no limit)", -1, G_MAXINT,
      DEFAULT_MAX_ERRORS, flags);
  make_cloud_specs (flags);
  properties[PROP_STATS] = g_param_spec_boxed ("stats", "Statistics", "Rows or clouds sent, and dropped records by reason",
      GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_STATS_INTERVAL] = g_param_spec_uint64 ("stats-interval", "Statistics interval",
      "Interval between element messages with stats (ns of running time, 0 = off)", 0, G_MAXINT64, 0,
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
  g_object_class_install_properties (klass, N_PROPS, properties);

  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_INPUT_FORMAT, 0);
  gst_type_mark_as_plugin_api (time_unit_get_type (), 0);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_START, 0);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_CLOCK_MODE, 0);
  gst_type_mark_as_plugin_api (cloud_end_get_type (), 0);
}

void
robocache_parse_settings_init (RobocacheParseSettings *settings)
{
  robocache_settings_init (settings, properties, fields, N_PROPS);
}

void
robocache_parse_settings_clear (RobocacheParseSettings *settings)
{
  robocache_settings_clear_strings (settings, strings, G_N_ELEMENTS (strings));
}

void
robocache_parse_settings_copy (RobocacheParseSettings *settings, const RobocacheParseSettings *from)
{
  *settings = *from;
  robocache_settings_copy_strings (settings, strings, G_N_ELEMENTS (strings));
}

gpointer
robocache_parse_settings_field (RobocacheParseSettings *settings, guint id)
{
  return G_STRUCT_MEMBER_P (settings, fields[id]);
}
