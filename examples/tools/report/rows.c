/* robocache: reads the rows of buffers into a stream of a report
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rows.h"

#include "common/channels/channelkinds.h"

void
report_rows_clear (ReportRows *rows)
{
  g_free (rows->values);
  *rows = (ReportRows) { 0 };
}

static gchar *
describe_caps (const GstStructure *structure)
{
  const gchar *format = gst_structure_get_string (structure, "format"), *fields = gst_structure_get_string (structure, "fields");
  const gchar *media = gst_structure_get_name (structure);
  gint width, height;

  if (g_str_equal (media, "application/x-pointcloud") && fields)
    return g_strdup_printf ("point clouds of %s", fields);
  if (!gst_structure_get_int (structure, "width", &width) || !gst_structure_get_int (structure, "height", &height))
    return g_strdup (media);
  return g_strdup_printf ("%s %s%s%d × %d", media, format ? format : "", format ? ", " : "", width, height);
}

static gchar **
read_names (const GstStructure *structure, guint64 n)
{
  const gchar *list = gst_structure_get_string (structure, "channels");
  gchar **names = list ? g_strsplit (list, ",", -1) : NULL;

  for (guint i = 0; names && names[i]; i++)
    g_strstrip (names[i]);
  if (names && g_strv_length (names) != n)
    g_clear_pointer (&names, g_strfreev);
  return names;
}

static guint32
unfiltered_channels (const GstStructure *structure, guint64 n)
{
  const gchar *text = gst_structure_get_string (structure, ROBOCACHE_KINDS_FIELD);
  RobocacheKinds kinds = { 0 };
  guint32 bits = 0;

  if (text && robocache_kinds_parse (&kinds, text, n, gst_structure_get_string (structure, "channels"), NULL))
    bits = robocache_kinds_unfiltered (&kinds);
  robocache_kinds_clear (&kinds);
  return bits;
}

/* What channels are, behind how many there are. */
static void
add_kinds (ReportStream *stream, const GstStructure *structure)
{
  const gchar *kinds = gst_structure_get_string (structure, ROBOCACHE_KINDS_FIELD);
  gchar *longer = kinds ? g_strdup_printf ("%s: %s", stream->kind, kinds) : NULL;

  if (longer == NULL)
    return;
  g_free (stream->kind);
  stream->kind = longer;
}

gboolean
report_rows_set_format (ReportRows *rows, const GstCaps *caps)
{
  rows->has_rows = robocache_tensors_info_from_caps (&rows->info, caps, NULL)
      && robocache_row_layout_from_info (&rows->layout, &rows->info, NULL) && rows->layout.channels <= G_MAXINT;
  return rows->has_rows;
}

void
report_rows_set_caps (ReportRows *rows, ReportStream *stream, const GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  const gboolean is_new = stream->n_channels == 0;
  gchar **names;

  report_rows_clear (rows);
  if (!report_rows_set_format (rows, caps)) {
    g_free (stream->kind);
    stream->kind = describe_caps (structure);
    return;
  }
  names = read_names (structure, rows->layout.channels);
  if (is_new)
    stream->unfiltered = unfiltered_channels (structure, rows->layout.channels);
  report_stream_set_channels (stream, rc_dtype_name (rows->layout.dtype), (guint) rows->layout.channels,
      (const gchar * const *) names);
  if (is_new)
    add_kinds (stream, structure);
  rows->values = g_new (gdouble, stream->n_drawn);
  g_strfreev (names);
}

guint64
report_rows_count (const ReportRows *rows)
{
  return rows->has_rows ? rows->layout.n_rows : 1;
}

/* New caps may have fewer channels than the first ones. */
static const gdouble *
read_values (ReportRows *rows, const ReportStream *stream, const guint8 *data, guint64 i)
{
  const gsize row_bytes = (gsize) rows->layout.channels * rc_dtype_size (rows->layout.dtype);

  if (rows->layout.channels != stream->n_channels)
    return NULL;
  report_numbers_to_doubles (rows->layout.dtype, data + i * row_bytes, rows->values, stream->n_drawn);
  return rows->values;
}

gboolean
report_rows_read (ReportRows *rows, const ReportStream *stream, GstBuffer *buffer, ReportTimeOfRow time_of_row,
    ReportHandleRow handle, gpointer user_data)
{
  RobocacheTensorsMap map;
  const gint64 *times;

  if (!rows->has_rows) {
    handle (user_data, time_of_row (user_data, 0, NULL), NULL);
    return TRUE;
  }
  if (!robocache_tensors_map (&map, buffer, &rows->info, GST_MAP_READ, NULL))
    return FALSE;
  times = rows->layout.has_times ? map.data[1] : NULL;
  for (guint64 i = 0; i < rows->layout.n_rows; i++)
    handle (user_data, time_of_row (user_data, i, times), read_values (rows, stream, map.data[0], i));
  robocache_tensors_unmap (&map);
  return TRUE;
}
