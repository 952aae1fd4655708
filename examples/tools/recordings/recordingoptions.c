/* robocache: the options of a recording: their names, placeholders and help
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recording.h"

#include "common/text/settingtext.h"
#include "common/text/timetext.h"
#include "examples/tools/program.h"

const RecordingOptionInfo recording_options[RECORDING_N_OPTIONS] = {
  [RECORDING_CHANNELS] = {"channels", FALSE, "LIST", "columns to align: names or numbers (all but the time)"},
  [RECORDING_DELIMITER] = {"delimiter", TRUE, "CHAR", "delimiter of the fields: a character, tab, space or auto (auto)"},
  [RECORDING_TIME_COLUMN] = {"time-column", TRUE, "N|NAME",
  "column of the time, or two of them, like sec,nanosec (by names and values, printed)"},
  [RECORDING_TIME_UNIT] = {"time-unit", TRUE, "UNIT", "unit of the times: s, ms, us or ns (guessed and printed)"},
  [RECORDING_TIME_FORMAT] = {"time-format", TRUE, "FORMAT", "format of dates, like \"%d.%m.%Y %H:%M:%S\", as of strptime (ISO 8601)"},
  [RECORDING_LEAP_SECONDS] = {"leap-seconds", TRUE, "N", "leap seconds by which GPS time is ahead of UTC (those of their time, "
      "printed)"},
  [RECORDING_ARRIVAL_COLUMN] = {"arrival-column", TRUE, "N|NAME",
      "column of the time of arrival, which is not aligned (none)"},
  [RECORDING_TIME_SOURCE] = {"time-source", TRUE, "auto|stamp|log", "times of a bag: auto (stamps, with all clocks put on one "
      "timeline), stamp (stamps as they are) or log (auto)"},
  [RECORDING_TOPICS] = {"topics", FALSE, "LIST", "topics of a bag to align, names or globs (all that are rows of numbers)"},
  [RECORDING_FIELDS] = {"fields", FALSE, "LIST", "numeric fields to read from types of a bag without their own decoder, like "
      "pose.* (all)"},
  [RECORDING_JOINTS] = {"joints", FALSE, "LIST", "joints of a bag: a stream for each group, like shoulder,elbow;gripper (all)"},
  [RECORDING_MSG_PATH] = {"msg-path", FALSE, "FOLDERS", "folders with the definitions of types that a bag does not define (none)"},
  [RECORDING_MAX_MESSAGE_BYTES] = {"max-message-bytes", TRUE, "N", "skip messages and chunks of a bag that are larger, unpacked, as damaged (256 MiB, "
      "and no more than 32 MiB and 1.5 times the file)"},
  [RECORDING_INTERPOLATION] = {"interpolation", TRUE, "HOW",
      "linear, nearest, previous, cubic, hermite, mean or lowpass (linear)"},
  [RECORDING_QUATERNIONS] = {"quaternions", FALSE, "LIST",
      "first channel of each quaternion, name or number (guessed and printed; empty: none)"},
  [RECORDING_ANGLES] = {"angles", FALSE, "LIST", "channels in radians, names or numbers, interpolated along the shorter arc"},
  [RECORDING_VELOCITIES] = {"velocities", FALSE, "LIST",
      "for hermite: channels with the rates of change of channels 0, 1, ..., names or numbers"},
  [RECORDING_KINDS] = {"kinds", TRUE, "KINDS",
      "kinds of the channels, like real*3,quaternion,hold, or ignore: all are real (by types and names, printed)"},
  [RECORDING_OFFSET] = {"offset", FALSE, "TIME", "added to the times of the file, like -20ms (0)"},
  [RECORDING_MAX_GAP] = {"max-gap", TRUE, "TIME",
      "maximum gap to interpolate across (-2: 8 row periods, limited to 20ms to 1s, but at least 2 row periods; -1: no limit)"},
  [RECORDING_HOLD_LIMIT] = {"hold-limit", TRUE, "TIME",
      "maximum age of a repeated row (200ms; -1: no limit)"},
  [RECORDING_REORDER_WINDOW] = {"reorder-window", TRUE, "TIME",
      "accept rows up to this much out of order (as much as the file needs)"},
  [RECORDING_REQUIRED] = {"required", TRUE, NULL, "drop ticks at which this file has no row"},
  [RECORDING_CUTOFF] = {"cutoff", TRUE, "HZ", "frequency that lowpass halves (0.4 times the rate of ticks or rows)"},
  [RECORDING_LOBES] = {"lobes", TRUE, "N", "lobes of lowpass, 2 to 8: it looks N / (2 cutoff) ahead of each tick (4)"},
};

RecordingOption
recording_option_by_name (const gchar *name)
{
  RecordingOption option = 0;

  while (option < RECORDING_N_OPTIONS && !g_str_equal (recording_options[option].name, name))
    option++;
  return option;
}

gboolean
recording_set_property (gpointer object, const gchar *title, RecordingOption option, const gchar *text, GError **error)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (object), recording_options[option].name);
  GValue value = G_VALUE_INIT;
  GError *fault = NULL;
  gint64 ns;

  if (G_IS_PARAM_SPEC_INT64 (pspec) && robocache_duration_from_text (text, &ns) && !recording_parse_duration (text, &ns)) {
    USAGE_FAULT (error, "%s: %s=%s: expected a time with a unit, like %sms", title, pspec->name, text, text);
    return FALSE;
  }
  if (!robocache_setting_from_text (pspec, text, &value, &fault)) {
    USAGE_FAULT (error, "%s: %s", title, fault->message);
    g_error_free (fault);
    return FALSE;
  }
  g_object_set_property (object, pspec->name, &value);
  g_value_unset (&value);
  return TRUE;
}
