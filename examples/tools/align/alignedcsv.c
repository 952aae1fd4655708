/* robocache: aligned samples of recordings as lines of CSV
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "align.h"

#include <math.h>
#include <string.h>

#include "examples/tools/program.h"
#include "examples/tools/recordings/recordings.h"
#include "examples/tools/sampletensor.h"

#define ALIGNED 0

static const Recording *
recording_of (const AlignedCsv *csv, guint i)
{
  return g_ptr_array_index (csv->recordings, i);
}

/* ---- names ---- */

static void
write_name (FILE *file, const gchar *name)
{
  fputc (',', file);
  if (!strpbrk (name, ",\"\n")) {
    fputs (name, file);
    return;
  }
  fputc ('"', file);
  for (; *name; name++)
    fprintf (file, *name == '"' ? "\"\"" : "%c", *name);
  fputc ('"', file);
}

static GHashTable *
count_names (const AlignedCsv *csv)
{
  GHashTable *uses = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < csv->recordings->len; i++) {
    for (guint c = 0; c < recording_of (csv, i)->n_channels; c++) {
      gchar *name = recording_channel_name (recording_of (csv, i), c, FALSE);

      g_hash_table_insert (uses, name, GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (uses, name)) + 1));
    }
  }
  return uses;
}

/* A name that two channels have is written with the recording's in front. */
static void
write_channel_name (const AlignedCsv *csv, guint i, guint c, GHashTable *uses)
{
  gchar *name = recording_channel_name (recording_of (csv, i), c, FALSE);

  if (GPOINTER_TO_UINT (g_hash_table_lookup (uses, name)) > 1) {
    g_free (name);
    name = recording_channel_name (recording_of (csv, i), c, TRUE);
  }
  write_name (csv->file, name);
  g_free (name);
}

static void
write_status_names (const AlignedCsv *csv, const gchar *label)
{
  static const gchar *const columns[] = { "status", "age_ns" };

  for (guint c = 0; c < G_N_ELEMENTS (columns); c++) {
    gchar *name = g_strdup_printf ("%s.%s", label, columns[c]);

    write_name (csv->file, name);
    g_free (name);
  }
}

void
aligned_csv_write_header (const AlignedCsv *csv)
{
  GHashTable *uses = count_names (csv);

  fprintf (csv->file, "# origin_ns=%" G_GINT64_FORMAT ": tick_ns counts from this time on the recordings' clock\ntick_ns", csv->origin);
  for (guint i = 0; i < csv->recordings->len; i++) {
    for (guint c = 0; c < recording_of (csv, i)->n_channels; c++)
      write_channel_name (csv, i, c, uses);
  }
  for (guint i = 0; csv->has_status && i < csv->recordings->len; i++)
    write_status_names (csv, recording_of (csv, i)->label);
  fputc ('\n', csv->file);
  g_hash_table_unref (uses);
}

/* ---- samples ---- */

/* A line of the sample's info: times on its timeline. */
typedef struct
{
  gint64 tick, before, after, status;
} StreamInfo;

static void
write_value (FILE *file, gfloat value)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE] = "nan";

  if (!isnan (value))
    g_ascii_formatd (text, sizeof (text), "%.9g", value);
  fprintf (file, ",%s", text);
}

/* Whether the row of the tick is a copy of the one after it. is_nearest: rows of the stream are copies of the nearest one. */
static gboolean
is_of_row_after (const StreamInfo *stream, gboolean is_nearest)
{
  return is_nearest && stream->status == ALIGNED && stream->after != G_MININT64 && stream->after - stream->tick < stream->tick - stream->before;
}

static void
write_status (FILE *file, const StreamInfo *stream, gboolean is_nearest)
{
  fprintf (file, ",%" G_GINT64_FORMAT, stream->status);
  if (stream->before == G_MININT64)
    fputs (",nan", file);
  else
    fprintf (file, ",%" G_GINT64_FORMAT, stream->tick - (is_of_row_after (stream, is_nearest) ? stream->after : stream->before));
}

/* The words of a field of the sample's caps, none where it has no such field; free with g_strfreev. */
static gchar **
split_field (GstSample *sample, const gchar *field)
{
  const gchar *text = gst_structure_get_string (gst_caps_get_structure (gst_sample_get_caps (sample), 0), field);

  return g_strsplit (text ? text : "", ",", -1);
}

/* Caps tell which rows are copies of the nearest one: with channels that are all held they are not, whatever was set. */
static void
write_statuses (const AlignedCsv *csv, GstSample *sample, const StreamInfo *streams)
{
  gchar **names = split_field (sample, "streams"), **nearest = split_field (sample, "nearest");
  const guint n_names = g_strv_length (names);

  for (guint i = 0; i < csv->recordings->len; i++)
    write_status (csv->file, &streams[i], i < n_names && g_strv_contains ((const gchar * const *) nearest, names[i]));
  g_strfreev (nearest);
  g_strfreev (names);
}

/* The info of the sample's streams, valid as long as the sample; NULL and an error: it is not of these recordings. */
static const StreamInfo *
read_info (const AlignedCsv *csv, GstSample *sample, GError **error)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (gst_sample_get_buffer (sample), "RobocacheSampleMeta");
  const GValue *info = meta ? gst_structure_get_value (gst_custom_meta_get_structure (meta), "info") : NULL;
  const StreamInfo *streams = NULL;
  gsize size = 0;

  if (info)
    streams = g_bytes_get_data (g_value_get_boxed (info), &size);
  if (streams && size == csv->recordings->len * sizeof (StreamInfo))
    return streams;
  FAULT (error, "a sample without the times of %u streams", csv->recordings->len);
  return NULL;
}

gboolean
aligned_csv_note_status (const AlignedCsv *csv, GstSample *sample, gboolean *is_aligned, GError **error)
{
  const StreamInfo *streams = read_info (csv, sample, error);

  for (guint i = 0; streams && i < csv->recordings->len; i++)
    *is_aligned |= streams[i].status == ALIGNED;
  return streams != NULL;
}

gboolean
aligned_csv_write_sample (const AlignedCsv *csv, GstSample *sample, gboolean *is_aligned, GError **error)
{
  const StreamInfo *streams = read_info (csv, sample, error);
  const guint n_channels = recordings_n_channels (csv->recordings);
  SampleTensor row;

  if (!streams)
    return FALSE;
  if (!sample_tensor_map_floats (&row, sample, 0, n_channels, error))
    return FALSE;
  fprintf (csv->file, "%" G_GUINT64_FORMAT, GST_BUFFER_PTS (gst_sample_get_buffer (sample)));
  for (guint c = 0; c < n_channels; c++)
    write_value (csv->file, sample_tensor_floats (&row)[c]);
  for (guint i = 0; i < csv->recordings->len; i++)
    *is_aligned |= streams[i].status == ALIGNED;
  if (csv->has_status)
    write_statuses (csv, sample, streams);
  fputc ('\n', csv->file);
  sample_tensor_unmap (&row);
  return TRUE;
}
