/* robocache: what librobocache-1.0 reads from the meta of a sample
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "robocache/robocache.h"
#include "tests/check/lib/checks.h"

#define NONE ROBOCACHE_SAMPLE_NO_TIME

/* Two rows of three streams. */
static const gint64 info[2][3][4] = {
  {{10, 8, 12, 0}, {10, 9, NONE, 1}, {10, NONE, NONE, 2}},
  {{20, 18, 22, 0}, {20, 9, NONE, 1}, {20, 20, 21, ROBOCACHE_SAMPLE_CORRUPTED}},
};

static const gchar streams[] = "proprio_0,proprio_01,camera_0";

/* A buffer with a meta of these fields; n_bytes of info, -1: no such field. */
static GstBuffer *
sample_new (const gchar *names, gssize n_bytes)
{
  GstBuffer *buffer = gst_buffer_new ();
  GstStructure *structure = gst_custom_meta_get_structure (gst_buffer_add_custom_meta (buffer, ROBOCACHE_SAMPLE_META));
  GBytes *bytes = g_bytes_new (info, n_bytes < 0 ? 0 : (gsize) n_bytes);

  gst_structure_set (structure, "tick", G_TYPE_INT64, (gint64) 20, NULL);
  if (names)
    gst_structure_set (structure, "streams", G_TYPE_STRING, names, NULL);
  if (n_bytes >= 0)
    gst_structure_set (structure, "info", G_TYPE_BYTES, bytes, NULL);
  g_bytes_unref (bytes);
  return buffer;
}

static const struct
{
  const gchar *stream;
  gint row;
  gboolean is_found;
  RobocacheSampleStatus status;
  gboolean is_corrupted;
  gint64 tick, before, after;
} rows[] = {
  {"proprio_0", -1, TRUE, ROBOCACHE_SAMPLE_STATUS_ALIGNED, FALSE, 20, 18, 22},
  {"proprio_0", 1, TRUE, ROBOCACHE_SAMPLE_STATUS_ALIGNED, FALSE, 20, 18, 22},
  {"proprio_0", 0, TRUE, ROBOCACHE_SAMPLE_STATUS_ALIGNED, FALSE, 10, 8, 12},
  {"proprio_01", -2, TRUE, ROBOCACHE_SAMPLE_STATUS_HELD, FALSE, 10, 9, NONE},
  {"camera_0", 0, TRUE, ROBOCACHE_SAMPLE_STATUS_MISSING, FALSE, 10, NONE, NONE},
  {"camera_0", -1, TRUE, ROBOCACHE_SAMPLE_STATUS_ALIGNED, TRUE, 20, 20, 21},
  {"camera_0", 2, FALSE},
  {"camera_0", -3, FALSE},
  {"camera_0", G_MININT, FALSE},
  {"camera_0", G_MAXINT, FALSE},
  {"proprio", -1, FALSE},
  {"camera_01", -1, FALSE},
  {"", -1, FALSE},
  {"proprio_0,proprio_01", -1, FALSE},
};

GST_START_TEST (test_row)
{
  GstBuffer *sample = sample_new (streams, sizeof (info));
  RobocacheSampleStatus status = -1;
  gboolean is_corrupted = -1;
  gint64 tick = -1, before = -1, after = -1;

  fail_unless_equals_int (robocache_sample_meta_get_status (sample, rows[__i__].stream, rows[__i__].row, &status,
          &is_corrupted), rows[__i__].is_found);
  fail_unless_equals_int (robocache_sample_meta_get_times (sample, rows[__i__].stream, rows[__i__].row, &tick, &before,
          &after), rows[__i__].is_found);
  if (rows[__i__].is_found) {
    fail_unless_equals_int (status, rows[__i__].status);
    fail_unless_equals_int (is_corrupted, rows[__i__].is_corrupted);
    fail_unless_equals_int64 (tick, rows[__i__].tick);
    fail_unless_equals_int64 (before, rows[__i__].before);
    fail_unless_equals_int64 (after, rows[__i__].after);
    fail_unless (robocache_sample_meta_get_times (sample, rows[__i__].stream, rows[__i__].row, NULL, NULL, NULL));
    fail_unless (robocache_sample_meta_get_status (sample, rows[__i__].stream, rows[__i__].row, &status, NULL));
  } else {
    fail_unless (status == (RobocacheSampleStatus) -1 && is_corrupted == -1 && tick == -1 && before == -1 && after == -1);
  }
  gst_buffer_unref (sample);
}

GST_END_TEST;

GST_START_TEST (test_sample)
{
  GstBuffer *sample = sample_new (streams, sizeof (info));
  gchar **names = robocache_sample_meta_get_streams (sample), *joined = g_strjoinv (",", names);
  gint64 tick = 0;

  fail_unless_equals_string (joined, streams);
  fail_unless (robocache_sample_meta_get_tick (sample, &tick));
  fail_unless_equals_int64 (tick, 20);
  fail_unless_equals_int (robocache_sample_meta_get_n_rows (sample), 2);
  g_free (joined);
  g_strfreev (names);
  gst_buffer_unref (sample);
}

GST_END_TEST;

/* Metas that robocachefuse does not make. */
static const struct
{
  const gchar *names;
  gssize n_bytes;
} unusable[] = {
  {NULL, sizeof (info)}, {"", sizeof (info)}, {streams, -1}, {streams, 0}, {streams, sizeof (info) - 1},
  {streams, sizeof (info) / 4}, {"a,b,c,d", sizeof (info)},
};

static void
assert_no_rows (GstBuffer *buffer)
{
  RobocacheSampleStatus status;

  fail_unless (robocache_sample_meta_get_streams (buffer) == NULL);
  fail_unless_equals_int (robocache_sample_meta_get_n_rows (buffer), 0);
  fail_if (robocache_sample_meta_get_status (buffer, "proprio_0", -1, &status, NULL));
  fail_if (robocache_sample_meta_get_times (buffer, "proprio_0", -1, NULL, NULL, NULL));
}

GST_START_TEST (test_unusable)
{
  GstBuffer *sample = sample_new (unusable[__i__].names, unusable[__i__].n_bytes);

  assert_no_rows (sample);
  gst_buffer_unref (sample);
}

GST_END_TEST;

GST_START_TEST (test_no_meta)
{
  GstBuffer *buffer = gst_buffer_new ();
  gint64 tick;

  assert_no_rows (buffer);
  fail_if (robocache_sample_meta_get_tick (buffer, &tick));
  gst_buffer_unref (buffer);
}

GST_END_TEST;

CHECK_MAIN (librobocache, robocache_sample_meta_register, NULL, ONCE (test_sample); EACH (rows, test_row);
    EACH (unusable, test_unusable); ONCE (test_no_meta))
