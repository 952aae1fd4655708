/* robocache: properties of robocacheparse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "properties.h"

#include "common/element/properties.h"

#define DEFAULT_MAX_ERRORS 10

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
  PROP_STATS_INTERVAL,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

#define SETTING(field) G_STRUCT_OFFSET (RobocacheParseSettings, field)

static const glong fields[N_PROPS] = {
  [PROP_FORMAT] = SETTING (format),
  [PROP_DELIMITER] = SETTING (delimiter),
  [PROP_TIME_COLUMN] = SETTING (time_column),
  [PROP_TIME_UNIT] = SETTING (time_unit),
  [PROP_CHANNELS] = SETTING (channels),
  [PROP_LAYOUT] = SETTING (layout),
  [PROP_START] = SETTING (start),
  [PROP_TIME_ORIGIN] = SETTING (time_origin),
  [PROP_ARRIVAL_COLUMN] = SETTING (arrival_column),
  [PROP_CLOCK_MODE] = SETTING (clock_mode),
  [PROP_MAX_ERRORS] = SETTING (max_errors),
  [PROP_RATE] = SETTING (rate),
  [PROP_CLOUD_END] = SETTING (cloud_end),
  [PROP_POINTS_PER_CLOUD] = SETTING (points_per_cloud),
  [PROP_STATS_INTERVAL] = SETTING (stats_interval),
};

static ROBOCACHE_DEFINE_ENUM (cloud_end_get_type, "GstRobocacheParseCloudEnd",
    {ROBOCACHE_CLOUD_END_AUTO, "With the buffer where upstream has frames, with the stream where it is a file", "auto"},
    {ROBOCACHE_CLOUD_END_BUFFER, "A buffer is a file", "buffer"},
    {ROBOCACHE_CLOUD_END_STREAM, "The stream is a file", "stream"})

void
robocache_parse_properties_install (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  properties[PROP_FORMAT] = g_param_spec_enum ("format", "Format", "Format of the input", ROBOCACHE_TYPE_INPUT_FORMAT,
      ROBOCACHE_INPUT_CSV, flags);
  properties[PROP_DELIMITER] = g_param_spec_string ("delimiter", "Delimiter",
      "Delimiter of the fields of a line: one character, or tab, or space (any run of blanks)", ",", flags);
  properties[PROP_TIME_COLUMN] = g_param_spec_uint ("time-column", "Time column",
      "Column of the time of capture, counted from 0", 0, G_MAXINT, 0, flags);
  properties[PROP_TIME_UNIT] = g_param_spec_enum ("time-unit", "Time unit", "Unit of the time and arrival columns",
      ROBOCACHE_TYPE_TIME_UNIT, ROBOCACHE_TIME_UNIT_S, flags);
  properties[PROP_CHANNELS] = g_param_spec_string ("channels", "Channels",
      "Columns that are data: names of the header, numbers and ranges like 1-6,9; empty: all but the time and arrival "
      "columns; of points the names of layout's numbers", "", flags);
  properties[PROP_LAYOUT] = g_param_spec_string ("layout", "Layout",
      "A binary record or a point as a struct string of Python, like <q6f", "", flags);
  properties[PROP_START] = g_param_spec_enum ("start", "Start", "Time of the file's clock that is running time 0",
      ROBOCACHE_TYPE_START, ROBOCACHE_START_ZERO, flags);
  properties[PROP_TIME_ORIGIN] = g_param_spec_int64 ("time-origin", "Time origin",
      "Time of the file's clock that is running time 0 (ns), wins over start; files that are aligned share one; "
      "the least int64: not set", G_MININT64, G_MAXINT64, ROBOCACHE_NO_ORIGIN, flags);
  properties[PROP_ARRIVAL_COLUMN] = g_param_spec_int ("arrival-column", "Arrival column",
      "Column of the time of arrival, at which each row is sent: replays the recording live; -1: none", -1, G_MAXINT,
      -1, flags);
  properties[PROP_CLOCK_MODE] = g_param_spec_enum ("clock-mode", "Clock mode",
      "Clock of the times of capture; arrivals are those of arrival-column, or else of the pipeline's clock",
      ROBOCACHE_TYPE_CLOCK_MODE, ROBOCACHE_CLOCK_NONE, flags);
  properties[PROP_MAX_ERRORS] = g_param_spec_int ("max-errors", "Max errors",
      "Malformed records in a row that are dropped; one more is an error; -1: no limit", -1, G_MAXINT,
      DEFAULT_MAX_ERRORS, flags);
  properties[PROP_RATE] = gst_param_spec_fraction ("rate", "Rate",
      "Clouds a second, for clouds without a time: cloud k is at k / rate; 0/1: the framerate of the input's caps, "
      "if there is one", 0, 1, G_MAXINT, 1, 0, 1, flags);
  properties[PROP_CLOUD_END] = g_param_spec_enum ("cloud-end", "Cloud end",
      "End of a file of points, and with it of a cloud", cloud_end_get_type (), ROBOCACHE_CLOUD_END_AUTO, flags);
  properties[PROP_POINTS_PER_CLOUD] = g_param_spec_uint64 ("points-per-cloud", "Points per cloud",
      "Points after which a cloud ends in a stream of kitti, nuscenes or points; 0: with the file", 0, G_MAXINT64, 0,
      flags);
  properties[PROP_STATS] = g_param_spec_boxed ("stats", "Statistics", "Rows or clouds sent, and records dropped by reason",
      GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_STATS_INTERVAL] = g_param_spec_uint64 ("stats-interval", "Statistics interval",
      "Running time between two element messages with the statistics (ns); 0: none", 0, G_MAXINT64, 0,
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
  g_object_class_install_properties (klass, N_PROPS, properties);

  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_INPUT_FORMAT, 0);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_TIME_UNIT, 0);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_START, 0);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_CLOCK_MODE, 0);
  gst_type_mark_as_plugin_api (cloud_end_get_type (), 0);
}

void
robocache_parse_settings_init (RobocacheParseSettings *settings)
{
  *settings = (RobocacheParseSettings) {.delimiter = g_strdup (","),.channels = g_strdup (""),.layout = g_strdup (""),
    .time_origin = ROBOCACHE_NO_ORIGIN,.arrival_column = -1,.max_errors = DEFAULT_MAX_ERRORS,.rate = {0, 1}
  };
}

void
robocache_parse_settings_clear (RobocacheParseSettings *settings)
{
  g_free (settings->delimiter);
  g_free (settings->channels);
  g_free (settings->layout);
}

void
robocache_parse_settings_copy (RobocacheParseSettings *copy, const RobocacheParseSettings *settings)
{
  *copy = *settings;
  copy->delimiter = g_strdup (settings->delimiter);
  copy->channels = g_strdup (settings->channels);
  copy->layout = g_strdup (settings->layout);
}

gpointer
robocache_parse_settings_field (RobocacheParseSettings *settings, guint id)
{
  return G_STRUCT_MEMBER_P (settings, fields[id]);
}
