/* robocache: rows of quantities that messages may leave out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "quantitystream.h"

#include <math.h>
#include <string.h>

#include "rowcaps.h"

RobocacheQuantityStream *
robocache_quantity_stream_new (const gchar *key, const gchar *role, guint n_quantities)
{
  RobocacheQuantityStream *stream = g_new0 (RobocacheQuantityStream, 1);

  stream->key = g_utf8_make_valid (key, -1);
  stream->role = role;
  stream->n_quantities = n_quantities;
  return stream;
}

void
robocache_quantity_stream_free (RobocacheQuantityStream *stream)
{
  for (guint q = 0; q < stream->n_quantities; q++)
    g_strfreev (stream->names[q]);
  robocache_row_message_clear (&stream->noted);
  gst_clear_caps (&stream->caps);
  g_free (stream->key);
  g_free (stream);
}

void
robocache_quantity_stream_set_names (RobocacheQuantityStream *stream, guint quantity, gchar **names)
{
  stream->names[quantity] = names;
  stream->n_names[quantity] = g_strv_length (names);
}

gboolean
robocache_quantity_stream_restore (RobocacheQuantityStream *stream, const GstCaps *caps, RobocacheRowMessageKind kind)
{
  RobocacheTensorInfo row;
  GstCaps *one = robocache_row_caps_of_one_row (caps, 0, &row);
  gchar **names = one ? robocache_row_caps_names (one, row.dims[0]) : NULL;

  if (names)
    robocache_row_message_init (&stream->noted, (const gchar * const *) names, (guint) row.dims[0], robocache_row_caps_role (one),
        row.dtype);
  g_strfreev (names);
  if (stream->noted.kind == kind) {
    stream->caps = one;
    return TRUE;
  }
  robocache_row_message_clear (&stream->noted);
  gst_clear_caps (&one);
  return FALSE;
}

/* ---- rows ---- */

static void
make_caps (RobocacheQuantityStream *stream)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint q = 0; q < stream->n_quantities; q++) {
    for (guint i = 0; i < stream->n_names[q] && stream->has[q]; i++)
      g_ptr_array_add (names, stream->names[q][i]);
  }
  stream->n_channels = names->len;
  stream->caps = robocache_row_caps_new ((const gchar * const *) names->pdata, names->len, RC_FLOAT64, stream->role, NULL);
  g_ptr_array_unref (names);
}

/* Quantities that are new make new caps. */
static void
update_caps (RobocacheQuantityStream *stream, const gdouble *const numbers[ROBOCACHE_MAX_QUANTITIES])
{
  for (guint q = 0; q < stream->n_quantities; q++) {
    if (!numbers[q] || stream->has[q] || stream->n_names[q] == 0)
      continue;
    stream->has[q] = TRUE;
    gst_clear_caps (&stream->caps);
  }
  if (!stream->caps)
    make_caps (stream);
}

/* The numbers of a quantity that messages of the stream may have; NaN if this message lacks it. */
static void
copy_quantity (gdouble *to, const gdouble *numbers, guint n)
{
  for (guint i = 0; i < n; i++)
    to[i] = numbers ? numbers[i] : NAN;
}

static void
write_row (const RobocacheQuantityStream *stream, const gdouble *const numbers[ROBOCACHE_MAX_QUANTITIES], gdouble *to)
{
  for (guint q = 0; q < stream->n_quantities; q++) {
    if (!stream->has[q])
      continue;
    copy_quantity (to, numbers[q], stream->n_names[q]);
    to += stream->n_names[q];
  }
}

static void
write_noted_row (RobocacheQuantityStream *stream, const gdouble *const numbers[ROBOCACHE_MAX_QUANTITIES], gpointer to)
{
  guint first = 0;

  for (guint q = 0; q < stream->n_quantities; q++) {
    copy_quantity (stream->noted.numbers + first, numbers[q], stream->n_names[q]);
    first += stream->n_names[q];
  }
  robocache_row_message_read (&stream->noted, to);
}

void
robocache_quantity_stream_add (RobocacheQuantityStream *stream, RobocacheStreamReader *reader,
    const gdouble *const numbers[ROBOCACHE_MAX_QUANTITIES])
{
  if (stream->noted.kind != ROBOCACHE_ROW_MESSAGE_NONE) {
    write_noted_row (stream, numbers, robocache_stream_reader_add_row (reader, stream->key, stream->caps,
            stream->noted.n * rc_dtype_size (stream->noted.dtype)));
    return;
  }
  update_caps (stream, numbers);
  if (stream->n_channels > 0)
    write_row (stream, numbers, robocache_stream_reader_add_row (reader, stream->key, stream->caps,
            stream->n_channels * sizeof (gdouble)));
}
