/* robocache: what a reader of files of points says of bytes, however they are cut
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/points/cloudharness.h"

static void
say_cloud (GString *said, RobocacheCloudRecord *cloud)
{
  gchar *caps = gst_caps_to_string (cloud->caps);
  GstMapInfo map;

  g_string_append_printf (said, "%" G_GUINT64_FORMAT " n=%" G_GUINT64_FORMAT " %s ", cloud->number, cloud->n_points,
      caps + strlen ("application/x-pointcloud, "));
  fail_unless (gst_buffer_map (cloud->buffer, &map, GST_MAP_READ));
  for (gsize i = 0; i < map.size; i++) {
    g_string_append_c (said, "0123456789abcdef"[map.data[i] >> 4]);
    g_string_append_c (said, "0123456789abcdef"[map.data[i] & 15]);
  }
  g_string_append_c (said, '\n');
  gst_buffer_unmap (cloud->buffer, &map);
  gst_buffer_unref (cloud->buffer);
  g_free (caps);
}

void
say_all (GString *said, RobocacheCloudReader *reader)
{
  RobocacheReadResult result;

  do {
    RobocacheCloudRecord cloud = { 0 };
    GError *error = NULL;

    result = robocache_cloud_reader_next (reader, &cloud, &error);
    fail_unless ((error != NULL) == (result == ROBOCACHE_READ_MALFORMED || result == ROBOCACHE_READ_REFUSED));
    if (result == ROBOCACHE_READ_RECORD)
      say_cloud (said, &cloud);
    else if (error)
      g_string_append_printf (said, "malformed %s\n", error->message);
    g_clear_error (&error);
    if (result == ROBOCACHE_READ_REFUSED)
      break;
  } while (result != ROBOCACHE_READ_MORE);
}

RobocacheCloudReader *
open_reader (const RobocacheCloudSpec *spec)
{
  GError *error = NULL;
  RobocacheCloudReader *reader = robocache_cloud_reader_new (spec, &error);

  fail_unless (reader != NULL, "%s", error ? error->message : "");
  return reader;
}

gchar *
read_cut (const RobocacheCloudSpec *spec, const guint8 *bytes, gsize n, gsize first, gsize piece)
{
  RobocacheCloudReader *reader = open_reader (spec);
  GString *said = g_string_new (NULL);

  for (gsize at = 0; at < n;) {
    const gsize size = MIN (at == 0 ? first : piece, n - at);

    fail_unless (robocache_cloud_reader_push (reader, gst_buffer_new_memdup (bytes + at, size), NULL));
    say_all (said, reader);
    at += size;
  }
  robocache_cloud_reader_end (reader);
  say_all (said, reader);
  robocache_cloud_reader_free (reader);
  return g_string_free (said, FALSE);
}

gchar *
read_cut_in_steps (const RobocacheCloudSpec *spec, const guint8 *bytes, gsize n, gsize step)
{
  gchar *whole = read_cut (spec, bytes, n, n, n);

  for (gsize cut = 0; cut < n; cut += step) {
    gchar *said = read_cut (spec, bytes, n, cut > 0 ? cut : 1, cut > 0 ? n : 1);

    fail_unless_equals_string (said, whole);
    g_free (said);
  }
  return whole;
}

gchar *
read_whole (const RobocacheCloudSpec *spec, const GByteArray *file)
{
  return read_cut (spec, file->data, file->len, file->len, file->len);
}

void
expect (const RobocacheCloudSpec *spec, const guint8 *bytes, gsize n, const gchar *expected)
{
  gchar *said = read_cut_in_steps (spec, bytes, n, 1);

  fail_unless_equals_string (said, expected);
  g_free (said);
}

void
expect_text (const gchar *text, const gchar *expected)
{
  expect (&pcd, (const guint8 *) text, strlen (text), expected);
}

void
expect_begin (const guint8 *bytes, gsize n, const gchar *begin, gboolean says_one_line)
{
  gchar *said = read_cut_in_steps (&pcd, bytes, n, 1);

  fail_unless (g_str_has_prefix (said, begin), "\"%s\" does not begin with \"%s\"", said, begin);
  fail_unless (!says_one_line || strchr (said, '\n')[1] == '\0', "more than one line: %s", said);
  g_free (said);
}

void
expect_pieces (const GByteArray *file, const gsize *pieces, guint n_pieces, const gchar *expected)
{
  for (guint i = 0; i < n_pieces; i++) {
    gchar *said = read_cut (&pcd, file->data, file->len, pieces[i], pieces[i]);

    fail_unless_equals_string (said, expected);
    g_free (said);
  }
}
