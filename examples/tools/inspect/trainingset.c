/* robocache: what a training set of LeRobot has, by its meta/info.json
 *
 * Source: the sets of LeRobot, versions 2.0 to 3.0.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/ros/encodings/jsontext.h"
#include "examples/tools/program.h"
#include "inspection.h"

#define SET_INFO "meta", "info.json"
#define MAX_AXES 8

gboolean
inspection_is_of_set (const gchar *path)
{
  gchar *info = g_build_filename (path, SET_INFO, NULL);
  const gboolean is_set = g_file_test (info, G_FILE_TEST_IS_REGULAR);

  g_free (info);
  return is_set;
}

/* A member as printable text; "": it is no text. Free with g_free. */
static gchar *
text_of (RobocacheJsonValue value)
{
  GString *text = g_string_new (NULL);
  gchar *shown;

  if (robocache_json_is_string (value))
    robocache_json_get_string (value, text);
  shown = printable (text->str);
  g_string_free (text, TRUE);
  return shown;
}

static gint64
integer_of (RobocacheJsonValue object, const gchar *key)
{
  gint64 number = 0;

  return robocache_json_get_integer (robocache_json_member (object, key), &number) ? number : 0;
}

/* "480x640x3", and how many numbers that are; 0: no shape. */
static gchar *
read_shape (RobocacheJsonValue feature, gint64 *n)
{
  GString *text = g_string_new (NULL);
  RobocacheJsonValue key, value;
  RobocacheJsonWalk walk;
  gint64 size;

  *n = 0;
  robocache_json_walk_init (&walk, robocache_json_member (feature, "shape"));
  for (guint i = 0; i < MAX_AXES && robocache_json_walk_next (&walk, &key, &value); i++) {
    if (!robocache_json_get_integer (value, &size) || size < 0 || size > G_MAXINT || (*n > 0 && size > 0 && *n > G_MAXINT / size))
      continue;
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, text->len > 0 ? "x" : "", size);
    *n = i == 0 ? size : *n * size;
  }
  return g_string_free (text, FALSE);
}

/* A list, or in older versions an object with one: {"motors": […]}. NULL: the channels have no names. */
static gchar **
read_names (RobocacheJsonValue feature)
{
  GPtrArray *names = g_ptr_array_new ();
  RobocacheJsonValue list = robocache_json_member (feature, "names"), key, value;
  RobocacheJsonWalk walk;

  robocache_json_walk_init (&walk, list);
  if (walk.is_object && robocache_json_walk_next (&walk, &key, &value))
    robocache_json_walk_init (&walk, value);
  while (!walk.is_object && robocache_json_walk_next (&walk, &key, &value))
    g_ptr_array_add (names, text_of (value));
  if (names->len == 0) {
    g_ptr_array_unref (names);
    return NULL;
  }
  g_ptr_array_add (names, NULL);
  return (gchar **) g_ptr_array_free (names, FALSE);
}

static void
add_feature (Inspection *inspection, RobocacheJsonValue key, RobocacheJsonValue feature, gdouble fps, gint64 n_frames)
{
  gchar *name = text_of (key), *dtype = text_of (robocache_json_member (feature, "dtype"));
  const gboolean is_picture = g_str_equal (dtype, "video") || g_str_equal (dtype, "image");
  InspectedStream *stream = inspection_add_stream (inspection, name, dtype);
  gint64 n;

  stream->shape = read_shape (feature, &n);
  stream->kind = g_strdup (is_picture ? dtype : "row");
  if (!is_picture) {
    stream->n_channels = (guint) n;
    stream->names = read_names (feature);
    /* a vector may have one name */
    if (stream->names && g_strv_length (stream->names) != stream->n_channels)
      g_clear_pointer (&stream->names, g_strfreev);
    g_free (stream->shape);
    stream->shape = inspection_shape (stream->n_channels, stream->names);
  }
  stream->n = (guint64) MAX (n_frames, 0);
  stream->period = fps > 0.0 ? (gint64) (1e9 / fps + 0.5) : 0;
  g_free (name);
  g_free (dtype);
}

static Inspection *
inspect_info (const gchar *path, RobocacheJsonValue info)
{
  Inspection *inspection = inspection_new (path, "training set of LeRobot");
  gchar *version = text_of (robocache_json_member (info, "codebase_version")), *robot = text_of (robocache_json_member (info, "robot_type"));
  const gint64 n_frames = integer_of (info, "total_frames");
  RobocacheJsonValue key, feature;
  RobocacheJsonWalk walk;
  gdouble fps = 0.0;

  robocache_json_get_number (robocache_json_member (info, "fps"), &fps);
  robocache_json_walk_init (&walk, robocache_json_member (info, "features"));
  while (walk.is_object && robocache_json_walk_next (&walk, &key, &feature))
    add_feature (inspection, key, feature, fps, n_frames);
  g_ptr_array_add (inspection->notes, g_strdup_printf ("%" G_GINT64_FORMAT " episodes, %" G_GINT64_FORMAT " frames, version %s%s%s",
          integer_of (info, "total_episodes"), n_frames, version, *robot ? ", robot " : "", robot));
  g_free (version);
  g_free (robot);
  return inspection;
}

Inspection *
inspection_new_of_set (const gchar *path, GError **error)
{
  gchar *file = g_build_filename (path, SET_INFO, NULL), *text = NULL;
  Inspection *inspection = NULL;
  RobocacheJsonValue info;
  GError *fault = NULL;
  gsize size;

  if (!g_file_get_contents (file, &text, &size, &fault))
    g_propagate_error (error, fault);
  else if (!robocache_json_parse (text, size, &info))
    FAULT (error, "%s is not JSON", file);
  else
    inspection = inspect_info (path, info);
  g_free (text);
  g_free (file);
  return inspection;
}
