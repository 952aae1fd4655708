/* robocache: what the benchmarks of the kernels measure, from a file
 *
 * A key that was taken is removed, so that what is left of a group is what nobody knows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/kernels/configurations.h"

#include <stdio.h>
#include <string.h>

#include "kernels/voxel_plan.h"

/* A group that is being read. The first error stays. */
typedef struct
{
  GKeyFile *file;
  const gchar *group;
  GError *error;
} Reader;

static void
refuse (Reader *reader, const gchar *key, const gchar *value, const gchar *expected)
{
  if (reader->error == NULL)
    g_set_error (&reader->error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE, "[%s] %s is %s, expected %s",
        reader->group, key, value != NULL ? value : "absent", expected);
}

/* ---- names ---- */

typedef const gchar *(*NameOf) (gint i);        /* NULL past the last one */

static const gchar *
name_in (const gchar *const *names, gint i)
{
  return i < (gint) g_strv_length ((gchar **) names) ? names[i] : NULL;
}

static const gchar *
name_of_size (gint i)
{
  static const gchar *const names[] = { "small", "medium", "large", NULL };

  return name_in (names, i);
}

enum
{ KIND_ALIGNMENT, KIND_VOXELS };

static const gchar *
name_of_kind (gint i)
{
  static const gchar *const names[] = { "alignment", "voxels", NULL };

  return name_in (names, i);
}

static const gchar *
name_of_interpolation (gint i)
{
  static const gchar *const names[] = { "linear", "nearest", "previous", "cubic", "hermite", "mean", NULL };

  return name_in (names, i);
}

static const gchar *
name_of_dtype (gint i)
{
  return rc_dtype_name ((RcDtype) i);
}

static const gchar *
name_of_mode (gint i)
{
  return i <= RC_VOXEL_FIRST ? rc_voxel_mode_name ((RcVoxelMode) i) : NULL;
}

static const gchar *
name_of_output (gint i)
{
  return i <= RC_VOXEL_RANK ? rc_voxel_output_name ((RcVoxelOutput) i) : NULL;
}

const gchar *
bench_interpolation_name (RcInterpolation interpolation)
{
  return name_of_interpolation ((gint) interpolation);
}

gboolean
bench_is_size (const gchar *name)
{
  gint i = 0;

  while (name_of_size (i) != NULL && !g_str_equal (name, name_of_size (i)))
    i++;
  return name_of_size (i) != NULL;
}

/* ---- keys ---- */

/* NULL: it is not there. */
static gchar *
take (Reader *reader, const gchar *key)
{
  gchar *value = g_key_file_get_value (reader->file, reader->group, key, NULL);

  g_key_file_remove_key (reader->file, reader->group, key, NULL);
  return value;
}

/* otherwise < 0: it has to be there. */
static gint64
take_integer (Reader *reader, const gchar *key, gint64 otherwise)
{
  gchar *value = take (reader, key);
  gint64 n = otherwise;

  if (value == NULL ? otherwise < 0 : !g_ascii_string_to_signed (value, 10, 1, G_MAXINT32, &n, NULL))
    refuse (reader, key, value, "a whole number above 0");
  g_free (value);
  return n;
}

static gdouble
take_number (Reader *reader, const gchar *key, gdouble otherwise)
{
  gchar *value = take (reader, key), *end = NULL;
  const gdouble x = value != NULL ? g_ascii_strtod (value, &end) : otherwise;

  if (value != NULL && (*end != '\0' || !(x > 0)))
    refuse (reader, key, value, "a number above 0");
  g_free (value);
  return x;
}

static gboolean
take_flag (Reader *reader, const gchar *key)
{
  gchar *value = take (reader, key);
  const gboolean flag = g_strcmp0 (value, "true") == 0;

  if (value != NULL && !flag)
    refuse (reader, key, value, "true, or no such line");
  g_free (value);
  return flag;
}

static void
refuse_choice (Reader *reader, const gchar *key, const gchar *value, NameOf name_of)
{
  GString *expected = g_string_new (name_of (0));

  for (gint i = 1; name_of (i) != NULL; i++)
    g_string_append_printf (expected, ", %s", name_of (i));
  refuse (reader, key, value, expected->str);
  g_string_free (expected, TRUE);
}

/* The number of a name. otherwise < 0: it has to be there. */
static gint
take_choice (Reader *reader, const gchar *key, NameOf name_of, gint otherwise)
{
  gchar *value = take (reader, key);
  gint i = 0;

  while (value != NULL && name_of (i) != NULL && !g_str_equal (value, name_of (i)))
    i++;
  if (value == NULL)
    i = otherwise;
  if (i < 0 || name_of (i) == NULL) {
    refuse_choice (reader, key, value, name_of);
    i = 0;
  }
  g_free (value);
  return i;
}

/* rows x channels, or several that are alike. */
static gboolean
add_streams (const gchar *part, BenchAlignment *alignment)
{
  BenchStream stream;
  gint64 n = 1;
  gint begin = 0, end = 0;

  if (sscanf (part, "%" G_GINT64_FORMAT " of %n", &n, &begin) != 1 || begin == 0)
    n = 1;
  if (sscanf (part + begin, "%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT " %n", &stream.rows, &stream.channels, &end) != 2
      || part[begin + end] != '\0' || stream.rows < 1 || stream.channels < 1)
    return FALSE;
  if (n < 1 || n > BENCH_MAX_STREAMS - alignment->n_streams)
    return FALSE;
  while (n-- > 0)
    alignment->streams[alignment->n_streams++] = stream;
  return TRUE;
}

static void
take_streams (Reader *reader, BenchAlignment *alignment)
{
  gchar *value = take (reader, "streams");
  gchar **parts = g_strsplit (value != NULL ? value : "", "+", -1);
  gint i = 0;

  while (parts[i] != NULL && add_streams (parts[i], alignment))
    i++;
  if (i == 0 || parts[i] != NULL)
    refuse (reader, "streams", value, "up to " G_STRINGIFY (BENCH_MAX_STREAMS) " of rows x channels, such as 500x14 + 8 of "
        "100x6");
  g_strfreev (parts);
  g_free (value);
}

static void
take_points (Reader *reader, BenchVoxels *voxels)
{
  gchar *value = take (reader, "points");
  gchar **parts = g_strsplit (value != NULL ? value : "", "+", -1);
  gint i = 0;

  while (parts[i] != NULL && i < BENCH_MAX_CHUNKS
      && g_ascii_string_to_signed (g_strstrip (parts[i]), 10, 1, G_MAXINT32, &voxels->chunks[i], NULL))
    voxels->points += voxels->chunks[i++];
  if (i == 0 || parts[i] != NULL)
    refuse (reader, "points", value, "a whole number above 0, or up to " G_STRINGIFY (BENCH_MAX_CHUNKS) " with + between "
        "them");
  voxels->n_chunks = i;
  g_strfreev (parts);
  g_free (value);
}

/* Whether there are images and no points. */
static gboolean
take_image (Reader *reader, BenchVoxels *voxels)
{
  gchar *value = take (reader, "image");
  gint end = 0;

  if (value == NULL)
    return FALSE;
  if (sscanf (value, "%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "%n", &voxels->width, &voxels->height, &end) != 2
      || value[end] != '\0' || voxels->width < 1 || voxels->height < 1)
    refuse (reader, "image", value, "width x height, such as 640x480");
  voxels->points = voxels->width * voxels->height;
  voxels->chunks[0] = voxels->height;
  voxels->n_chunks = 1;
  g_free (value);
  return TRUE;
}

/* ---- works ---- */

static BenchAlignment
take_alignment (Reader *reader, const BenchWork *work)
{
  BenchAlignment alignment = {.work = *work };

  alignment.batch = take_integer (reader, "batch", -1);
  alignment.ticks = take_integer (reader, "ticks", -1);
  take_streams (reader, &alignment);
  alignment.in = (RcDtype) take_choice (reader, "in", name_of_dtype, -1);
  alignment.out = (RcDtype) take_choice (reader, "out", name_of_dtype, (gint) alignment.in);
  alignment.interpolation = (RcInterpolation) take_choice (reader, "interpolation", name_of_interpolation, RC_LINEAR);
  alignment.quaternions = take_integer (reader, "quaternions", 0);
  alignment.live = take_flag (reader, "live");
  if (alignment.live && (alignment.batch != 1 || alignment.ticks != 1))
    refuse (reader, "live", "true", "batch = 1 and ticks = 1 with it");
  for (gint i = 0; i < alignment.n_streams; i++) {
    if (4 * alignment.quaternions > alignment.streams[i].channels)
      refuse (reader, "quaternions", "too many", "four channels for each, of every stream");
  }
  return alignment;
}

/* What others could be set beside, and grids that are kept, are of plain points. */
static void
check_voxels (Reader *reader, const BenchVoxels *voxels)
{
  const gboolean is_plain = voxels->width == 0 && voxels->n_chunks == 1 && voxels->in == RC_FLOAT32
      && voxels->feature_in == RC_FLOAT32 && voxels->window == 0;

  if (!is_plain && !voxels->work.alone)
    refuse (reader, "alone", NULL, "true, since nothing is set beside such a work");
  if (!is_plain && voxels->kept)
    refuse (reader, "kept", "true", "float32 points in one chunk, and no window, with it");
  if (voxels->window > 0 && voxels->n_chunks > 1)
    refuse (reader, "window", "there", "clouds in one chunk with it");
  if (voxels->ranges_whole && voxels->n_chunks == 1)
    refuse (reader, "ranges_whole", "true", "several chunks with it");
  if (voxels->distorts && voxels->width == 0)
    refuse (reader, "distortion", "true", "an image with it");
}

static BenchVoxels
take_voxels (Reader *reader, const BenchWork *work)
{
  BenchVoxels voxels = {.work = *work };

  voxels.clouds = take_integer (reader, "clouds", -1);
  if (!take_image (reader, &voxels))
    take_points (reader, &voxels);
  voxels.distorts = take_flag (reader, "distortion");
  voxels.in = (RcDtype) take_choice (reader, "in", name_of_dtype, RC_FLOAT32);
  voxels.feature_in = (RcDtype) take_choice (reader, "feature_in", name_of_dtype, (gint) voxels.in);
  voxels.axis = take_integer (reader, "axis", -1);
  voxels.features = take_integer (reader, "features", 0);
  voxels.feature_range = take_number (reader, "feature_range", 0);
  voxels.ranges_whole = take_flag (reader, "ranges_whole");
  voxels.mode = (RcVoxelMode) take_choice (reader, "mode", name_of_mode, -1);
  voxels.output = (RcVoxelOutput) take_choice (reader, "output", name_of_output, -1);
  voxels.type = (RcDtype) take_choice (reader, "type", name_of_dtype, RC_UINT8);
  voxels.side = take_number (reader, "side", 1);
  voxels.room = take_flag (reader, "room");
  voxels.voxel_m = take_number (reader, "voxel_m", 1.0 / (gdouble) MAX (voxels.axis, 1));
  voxels.max_points = take_integer (reader, "max_points", 0);
  voxels.kept = take_flag (reader, "kept");
  voxels.window = take_integer (reader, "window", 0);
  check_voxels (reader, &voxels);
  return voxels;
}

static void
refuse_what_is_left (Reader *reader)
{
  gchar **left = g_key_file_get_keys (reader->file, reader->group, NULL, NULL);

  if (left != NULL && left[0] != NULL)
    refuse (reader, left[0], "there", "only keys that the head of the file explains");
  g_strfreev (left);
}

static gboolean
wants (const BenchWish *wish, const BenchWork *work)
{
  gboolean is_named = wish->only == NULL;

  for (gchar **part = wish->only; !is_named && *part != NULL; part++)
    is_named = strstr (work->name, *part) != NULL;
  return is_named && (wish->size == NULL || g_str_equal (wish->size, work->size))
      && (work->wanted_us > 0 || !wish->wanted);
}

static void
take_work (Reader *reader, const BenchWish *wish, BenchConfigurations *configurations)
{
  const gint kind = take_choice (reader, "kind", name_of_kind, -1);
  BenchWork work = {.name = g_strdup (reader->group) };
  BenchAlignment alignment;
  BenchVoxels voxels;

  work.size = name_of_size (take_choice (reader, "size", name_of_size, -1));
  work.wanted_us = take_number (reader, "wanted_us", 0);
  work.alone = take_flag (reader, "alone");
  work.least_items = take_integer (reader, "least_items", 0);
  work.most_items = take_integer (reader, "most_items", 0);
  work.most_items_there = take_integer (reader, "most_items_there", work.most_items);
  work.energy_items = take_integer (reader, "energy_items", 0);
  if ((work.least_items > 0) != (work.most_items > 0))
    refuse (reader, "most_items", work.most_items > 0 ? "there" : NULL, "least_items and most_items, or neither");
  if (kind == KIND_ALIGNMENT)
    alignment = take_alignment (reader, &work);
  else
    voxels = take_voxels (reader, &work);
  refuse_what_is_left (reader);
  if (reader->error != NULL || !wants (wish, &work))
    g_free (work.name);
  else if (kind == KIND_ALIGNMENT)
    g_array_append_val (configurations->alignments, alignment);
  else
    g_array_append_val (configurations->voxels, voxels);
}

/* ---- the file ---- */

/* Both kinds begin with it. */
static void
clear_work (gpointer work)
{
  g_free (((BenchWork *) work)->name);
}

static GArray *
new_works (guint size)
{
  GArray *works = g_array_new (FALSE, FALSE, size);

  g_array_set_clear_func (works, clear_work);
  return works;
}

gchar *
bench_beside_the_program (const gchar *file)
{
  gchar *program = g_file_read_link ("/proc/self/exe", NULL);
  gchar *folder = g_path_get_dirname (program != NULL ? program : "");
  gchar *beside = g_build_filename (folder, file, NULL);

  g_free (folder);
  g_free (program);
  return beside;
}

BenchConfigurations *
bench_configurations_read (const gchar *path, const BenchWish *wish, GError **error)
{
  Reader reader = {.file = g_key_file_new () };
  BenchConfigurations *configurations = g_new0 (BenchConfigurations, 1);
  gchar **groups = NULL;

  configurations->alignments = new_works (sizeof (BenchAlignment));
  configurations->voxels = new_works (sizeof (BenchVoxels));
  if (g_key_file_load_from_file (reader.file, path, G_KEY_FILE_NONE, &reader.error))
    groups = g_key_file_get_groups (reader.file, NULL);
  for (gsize i = 0; groups != NULL && groups[i] != NULL && reader.error == NULL; i++) {
    reader.group = groups[i];
    take_work (&reader, wish, configurations);
  }
  g_strfreev (groups);
  g_key_file_free (reader.file);
  if (reader.error == NULL)
    return configurations;
  g_propagate_prefixed_error (error, reader.error, "%s: ", path);
  bench_configurations_free (configurations);
  return NULL;
}

void
bench_configurations_free (BenchConfigurations *configurations)
{
  g_array_free (configurations->alignments, TRUE);
  g_array_free (configurations->voxels, TRUE);
  g_free (configurations);
}
