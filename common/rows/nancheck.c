/* robocache: rows with NaN, counted for each channel
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "checks.h"

#include <string.h>

/* Channels that a warning names. */
#define MAX_NAMED 8

/* Bits of infinity without the sign: greater ones are NaN. */
#define INFINITY_OF_FLOAT16 0x7c00
#define INFINITY_OF_BFLOAT16 0x7f80
#define INFINITY_OF_FLOAT32 0x7f800000
#define INFINITY_OF_FLOAT64 G_GINT64_CONSTANT (0x7ff0000000000000)

void
robocache_nan_check_clear (RobocacheNanCheck *check)
{
  g_free (check->counts);
  *check = (RobocacheNanCheck) { 0 };
}

#define VECTOR_BYTES 16

/* For each width of elements: of wide vectors the last one may overlap the one before it, so that no element is left over. */
#define DEFINE_HAS_NAN(type, name) \
static gboolean \
name (const guint8 *row, guint64 n, type infinity) \
{ \
  typedef type Vector __attribute__ ((vector_size (VECTOR_BYTES))); \
  const type mask = (type) ((G_GUINT64_CONSTANT (1) << (8 * sizeof (type) - 1)) - 1); \
  const gsize bytes = n * sizeof (type); \
  Vector found = { 0 }, bits; \
  gint64 halves[2]; \
 \
  for (gsize at = 0; at < bytes; at += VECTOR_BYTES) { \
    if (bytes >= VECTOR_BYTES) { \
      memcpy (&bits, row + MIN (at, bytes - VECTOR_BYTES), VECTOR_BYTES); \
    } else { \
      bits = (Vector) { 0 }; \
      memcpy (&bits, row, bytes); \
    } \
    found |= (bits & mask) > infinity; \
  } \
  memcpy (halves, &found, sizeof halves); \
  return (halves[0] | halves[1]) != 0; \
}

DEFINE_HAS_NAN (gint16, has_nan_16)
DEFINE_HAS_NAN (gint32, has_nan_32)
DEFINE_HAS_NAN (gint64, has_nan_64)

gboolean
robocache_row_has_nan (RcDtype dtype, guint64 channels, const guint8 *row)
{
  switch (dtype) {
    case RC_FLOAT16:
      return has_nan_16 (row, channels, INFINITY_OF_FLOAT16);
    case RC_BFLOAT16:
      return has_nan_16 (row, channels, INFINITY_OF_BFLOAT16);
    case RC_FLOAT32:
      return has_nan_32 (row, channels, INFINITY_OF_FLOAT32);
    case RC_FLOAT64:
      return has_nan_64 (row, channels, INFINITY_OF_FLOAT64);
    default:
      return FALSE;
  }
}

static void
count_row (RobocacheNanCheck *check, RcDtype dtype, guint64 channels, const guint8 *row)
{
  for (guint64 c = 0; c < channels; c++)
    check->counts[c] += robocache_row_has_nan (dtype, 1, row + c * rc_dtype_size (dtype));
}

gboolean
robocache_nan_check_rows (RobocacheNanCheck *check, RcDtype dtype, guint64 channels, const guint8 *rows, guint64 n_rows)
{
  if (!robocache_row_has_nan (dtype, channels * n_rows, rows))
    return FALSE;
  if (check->n_channels < channels) {
    check->counts = g_renew (guint64, check->counts, channels);
    memset (check->counts + check->n_channels, 0, (channels - check->n_channels) * sizeof (guint64));
    check->n_channels = channels;
  }
  for (guint64 i = 0; i < n_rows; i++)
    count_row (check, dtype, channels, rows + i * channels * rc_dtype_size (dtype));
  return TRUE;
}

/* "0, 3 and 5 others" */
static gchar *
list_channels (const RobocacheNanCheck *check)
{
  GString *list = g_string_new (NULL);
  guint64 n = 0;

  for (guint64 c = 0; c < check->n_channels; c++) {
    if (check->counts[c] > 0 && n++ < MAX_NAMED)
      g_string_append_printf (list, "%s%" G_GUINT64_FORMAT, n > 1 ? ", " : "", c);
  }
  if (n > MAX_NAMED)
    g_string_append_printf (list, " and %" G_GUINT64_FORMAT " others", n - MAX_NAMED);
  return g_string_free (list, FALSE);
}

gchar *
robocache_nan_check_take_warning (RobocacheNanCheck *check, gboolean are_dropped)
{
  gchar *channels, *text;

  if (check->counts == NULL || check->is_reported)
    return NULL;
  check->is_reported = TRUE;
  channels = list_channels (check);
  text = g_strdup_printf (are_dropped ? "rows have NaN in channels %s, so they are ignored (nan=missing); further rows are counted "
      "in stats "
      "(nan-values, rows-dropped-nan)" : "rows have NaN in channels %s, which is passed on as a value: set nan=missing to ignore "
      "such rows; further rows are counted in stats (nan-values)", channels);
  g_free (channels);
  return text;
}
