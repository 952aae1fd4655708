/* robocache: the meta of a sample, as applications read it
 *
 * Metas may come from another process, so nothing in them is trusted: a wrong type or size reads as no meta.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "robocache/robocache.h"

#include <string.h>

/* Numbers of a row in info. */
enum
{
  INFO_TICK,
  INFO_BEFORE,
  INFO_AFTER,
  INFO_STATUS,
  N_INFO
};

typedef struct
{
  const gchar *streams;
  guint n_streams, n_rows;
  const gint64 *info;           /* [n_rows][n_streams][N_INFO] */
} SampleMeta;

void
robocache_sample_meta_register (void)
{
  static const gchar *tags[] = { NULL };
  static gsize is_registered = 0;

  if (!g_once_init_enter (&is_registered))
    return;
  if (gst_meta_get_info (ROBOCACHE_SAMPLE_META) == NULL)
    gst_meta_register_custom (ROBOCACHE_SAMPLE_META, tags, NULL, NULL, NULL);
  g_once_init_leave (&is_registered, 1);
}

static const GstStructure *
structure_of (GstBuffer *sample)
{
  GstCustomMeta *meta = gst_meta_get_info (ROBOCACHE_SAMPLE_META) ? gst_buffer_get_custom_meta (sample, ROBOCACHE_SAMPLE_META) : NULL;

  return meta ? gst_custom_meta_get_structure (meta) : NULL;
}

static guint
count_streams (const gchar *streams)
{
  guint n = *streams != '\0';

  for (; *streams; streams++)
    n += *streams == ',';
  return n;
}

static gboolean
read_info (SampleMeta *meta, const GValue *value)
{
  const gsize row_bytes = meta->n_streams * N_INFO * sizeof (gint64);
  gsize size;

  if (!value || !G_VALUE_HOLDS (value, G_TYPE_BYTES) || !g_value_get_boxed (value) || row_bytes == 0)
    return FALSE;
  meta->info = g_bytes_get_data (g_value_get_boxed (value), &size);
  meta->n_rows = (guint) MIN (size / row_bytes, G_MAXINT);
  return meta->n_rows > 0 && size % row_bytes == 0;
}

static gboolean
read_meta (GstBuffer *sample, SampleMeta *meta)
{
  const GstStructure *structure = structure_of (sample);

  meta->streams = structure ? gst_structure_get_string (structure, "streams") : NULL;
  if (!meta->streams)
    return FALSE;
  meta->n_streams = count_streams (meta->streams);
  return read_info (meta, gst_structure_get_value (structure, "info"));
}

/* The index of a name in a list with commas; or -1. */
static gint
find_stream (const gchar *streams, const gchar *name)
{
  const gsize length = strlen (name);

  for (gint i = 0; streams; i++) {
    const gchar *end = strchr (streams, ',');

    if ((end ? (gsize) (end - streams) : strlen (streams)) == length && memcmp (streams, name, length) == 0)
      return i;
    streams = end ? end + 1 : NULL;
  }
  return -1;
}

/* The N_INFO numbers of a stream's row; or NULL. */
static const gint64 *
find_row (GstBuffer *sample, const gchar *stream, gint row)
{
  SampleMeta meta;
  gint i;

  if (!read_meta (sample, &meta))
    return NULL;
  i = find_stream (meta.streams, stream);
  if (row < 0)
    row += (gint) meta.n_rows;
  if (i < 0 || row < 0 || (guint) row >= meta.n_rows)
    return NULL;
  return meta.info + ((gsize) row * meta.n_streams + (gsize) i) * N_INFO;
}

gboolean
robocache_sample_meta_get_tick (GstBuffer *sample, gint64 *tick)
{
  const GstStructure *structure;

  g_return_val_if_fail (GST_IS_BUFFER (sample) && tick != NULL, FALSE);

  structure = structure_of (sample);
  return structure && gst_structure_get_int64 (structure, "tick", tick);
}

gchar **
robocache_sample_meta_get_streams (GstBuffer *sample)
{
  SampleMeta meta;

  g_return_val_if_fail (GST_IS_BUFFER (sample), NULL);

  return read_meta (sample, &meta) ? g_strsplit (meta.streams, ",", -1) : NULL;
}

guint
robocache_sample_meta_get_n_rows (GstBuffer *sample)
{
  SampleMeta meta;

  g_return_val_if_fail (GST_IS_BUFFER (sample), 0);

  return read_meta (sample, &meta) ? meta.n_rows : 0;
}

gboolean
robocache_sample_meta_get_status (GstBuffer *sample, const gchar *stream, gint row, RobocacheSampleStatus *status,
    gboolean *is_corrupted)
{
  const gint64 *info;

  g_return_val_if_fail (GST_IS_BUFFER (sample) && stream != NULL && status != NULL, FALSE);

  info = find_row (sample, stream, row);
  if (!info)
    return FALSE;
  *status = (RobocacheSampleStatus) (info[INFO_STATUS] & ~ROBOCACHE_SAMPLE_CORRUPTED);
  if (is_corrupted)
    *is_corrupted = (info[INFO_STATUS] & ROBOCACHE_SAMPLE_CORRUPTED) != 0;
  return TRUE;
}

static void
put (gint64 *to, gint64 value)
{
  if (to)
    *to = value;
}

gboolean
robocache_sample_meta_get_times (GstBuffer *sample, const gchar *stream, gint row, gint64 *tick, gint64 *before,
    gint64 *after)
{
  const gint64 *info;

  g_return_val_if_fail (GST_IS_BUFFER (sample) && stream != NULL, FALSE);

  info = find_row (sample, stream, row);
  if (!info)
    return FALSE;
  put (tick, info[INFO_TICK]);
  put (before, info[INFO_BEFORE]);
  put (after, info[INFO_AFTER]);
  return TRUE;
}
