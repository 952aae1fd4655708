/* robocache: what a file becomes, for tests in Python
 *
 *   parsetool csv FILE [key=value]...      names of the channels, then a line for each row: its time in ns, and its values
 *   parsetool pcd|ply|las FILE             caps and number of points in a line for each cloud, then its bytes
 *
 * Keys are delimiter, channels, time-column, time-unit, time-format and leap-seconds. Faults are lines on standard error, and exit status 1.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gst/parse/points/cloudreader.h"
#include "gst/parse/records/recordreader.h"

static int
print_rows (const RobocacheRecordSpec *spec, GstBuffer *bytes)
{
  GError *error = NULL;
  RobocacheRecordReader *reader = robocache_record_reader_new (spec, &error);
  RobocacheReadResult result = ROBOCACHE_READ_MORE;
  gboolean has_names = FALSE, has_fault = reader == NULL;

  if (reader) {
    robocache_record_reader_push (reader, bytes, NULL);
    robocache_record_reader_end (reader);
  }
  while (reader && (result == ROBOCACHE_READ_RECORD || !has_names)) {
    RobocacheRecord record;
    GError *fault = NULL;

    result = robocache_record_reader_next (reader, &record, &fault);
    if (!has_names) {
      const gchar *names = robocache_record_reader_channel_names (reader);

      printf ("%s\n", names ? names : "");
      has_names = TRUE;
    }
    if (fault) {
      fprintf (stderr, "%s\n", fault->message);
      has_fault = TRUE;
      g_error_free (fault);
      result = result == ROBOCACHE_READ_MALFORMED ? ROBOCACHE_READ_RECORD : result;
      continue;
    }
    if (result == ROBOCACHE_READ_HEADER) {
      result = ROBOCACHE_READ_RECORD;
      continue;
    }
    if (result != ROBOCACHE_READ_RECORD)
      break;
    printf ("%" G_GINT64_FORMAT, record.time_ns);
    for (guint i = 0; i < robocache_record_reader_n_channels (reader); i++) {
      if (isnan (record.values[i]))
        printf (" nan");
      else
        printf (" %.9g", record.values[i]);
    }
    printf ("\n");
  }
  if (error)
    fprintf (stderr, "%s\n", error->message);
  g_clear_error (&error);
  g_clear_pointer (&reader, robocache_record_reader_free);
  return has_fault;
}

static int
print_clouds (RobocacheInputFormat format, GstBuffer *bytes)
{
  const RobocacheCloudSpec spec = {.format = format };
  RobocacheCloudReader *reader = robocache_cloud_reader_new (&spec, NULL);
  RobocacheReadResult result;
  int status = 0;

  robocache_cloud_reader_push (reader, bytes, NULL);
  robocache_cloud_reader_end (reader);
  do {
    RobocacheCloudRecord cloud = { 0 };
    GError *fault = NULL;

    result = robocache_cloud_reader_next (reader, &cloud, &fault);
    if (result == ROBOCACHE_READ_RECORD) {
      gchar *caps = gst_caps_to_string (cloud.caps);
      GstMapInfo map;

      printf ("%" G_GUINT64_FORMAT " %s\n", cloud.n_points, caps);
      if (gst_buffer_map (cloud.buffer, &map, GST_MAP_READ)) {
        fwrite (map.data, 1, map.size, stdout);
        gst_buffer_unmap (cloud.buffer, &map);
      }
      gst_buffer_unref (cloud.buffer);
      g_free (caps);
    } else if (fault) {
      fprintf (stderr, "%s\n", fault->message);
      status = 1;
    }
    g_clear_error (&fault);
  } while (result != ROBOCACHE_READ_MORE && result != ROBOCACHE_READ_REFUSED);
  robocache_cloud_reader_free (reader);
  return status;
}

/* The value of "key=value"; NULL: another key. */
static const gchar *
value_of (const gchar *argument, const gchar *key)
{
  return g_str_has_prefix (argument, key) && argument[strlen (key)] == '=' ? argument + strlen (key) + 1 : NULL;
}

int
main (int argc, char **argv)
{
  static const gchar *const names[] = { "csv", "pcd", "ply", "las" };
  static const RobocacheInputFormat formats[] = { ROBOCACHE_INPUT_CSV, ROBOCACHE_INPUT_PCD, ROBOCACHE_INPUT_PLY, ROBOCACHE_INPUT_LAS };
  RobocacheRecordSpec spec = {.format = ROBOCACHE_INPUT_CSV,.time = {.unit = ROBOCACHE_TIME_UNIT_AUTO,.leap_seconds = -1,.arrival_column = -1},
    .n_ahead = ROBOCACHE_LINES_AHEAD
  };
  guint format = 0;
  gchar *content;
  gsize n;

  gst_init (NULL, NULL);
  while (argc > 2 && format < G_N_ELEMENTS (names) && !g_str_equal (argv[1], names[format]))
    format++;
  if (argc < 3 || format == G_N_ELEMENTS (names) || !g_file_get_contents (argv[2], &content, &n, NULL)) {
    fprintf (stderr, "usage: parsetool csv|pcd|ply|las FILE [key=value]...\n");
    return 2;
  }
  for (int i = 3; i < argc; i++) {
    const gchar *unit = value_of (argv[i], "time-unit"), *leap = value_of (argv[i], "leap-seconds");

    spec.delimiter = value_of (argv[i], "delimiter") ? value_of (argv[i], "delimiter") : spec.delimiter;
    spec.channels = value_of (argv[i], "channels") ? value_of (argv[i], "channels") : spec.channels;
    spec.time.columns = value_of (argv[i], "time-column") ? value_of (argv[i], "time-column") : spec.time.columns;
    spec.time.format = value_of (argv[i], "time-format") ? value_of (argv[i], "time-format") : spec.time.format;
    spec.time.leap_seconds = leap ? atoi (leap) : spec.time.leap_seconds;
    if (unit)
      robocache_time_unit_by_name (unit, &spec.time.unit);
  }
  return format == 0 ? print_rows (&spec, gst_buffer_new_wrapped (content, n)) : print_clouds (formats[format], gst_buffer_new_wrapped (content, n));
}
