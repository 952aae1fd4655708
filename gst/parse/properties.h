/* robocache: properties of robocacheparse, as settings that the element copies when it starts
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "inputformat.h"
#include "gst/parse/records/recordstamp.h"

/* The end of a point file, and of a cloud whose length is not in the file. */
typedef enum
{
  ROBOCACHE_CLOUD_END_AUTO,
  ROBOCACHE_CLOUD_END_BUFFER,
  ROBOCACHE_CLOUD_END_STREAM
} RobocacheCloudEnd;

typedef struct
{
  RobocacheInputFormat format;
  gchar *delimiter, *channels, *kinds, *layout;
  gchar *time_column;           /* one or two, names or numbers; "": guessed */
  gchar *time_format;           /* "": not set */
  gint leap_seconds;            /* -1: by the table */
  gint arrival_column;          /* -1: not replayed live */
  RobocacheTimeUnit time_unit;
  RobocacheStart start;
  gint64 time_origin;           /* ns; ROBOCACHE_NO_ORIGIN: not set */
  RobocacheClockMode clock_mode;
  gint max_errors;              /* -1: no limit */
  guint64 points_per_cloud;     /* 0: not set */
  guint64 max_cloud_bytes;
  RobocacheCloudEnd cloud_end;
  gint rate[2];                 /* clouds a second; 0/1: not set */
  guint64 stats_interval;       /* ns; 0: off. The only setting that may change while data flows. */
} RobocacheParseSettings;

#define ROBOCACHE_PARSE_PROP_STATS 1

/* Installs the properties: ROBOCACHE_PARSE_PROP_STATS, and those that are fields of the settings. */
void robocache_parse_properties_install (GObjectClass * klass);

/* The defaults. Settings own their strings. */
void robocache_parse_settings_init (RobocacheParseSettings * settings);
void robocache_parse_settings_clear (RobocacheParseSettings * settings);
/* Copies settings to uninitialised memory. */
void robocache_parse_settings_copy (RobocacheParseSettings * settings, const RobocacheParseSettings * from);
/* The field of property id, for robocache_setting_set and _get. */
gpointer robocache_parse_settings_field (RobocacheParseSettings * settings, guint id);
