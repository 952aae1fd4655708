/* robocache: what long runs judge: that no row is unaccounted for, memory, and whether they passed
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <stdio.h>

#include "tests/check/lib/memorylimit.h"

#define ALLOWED_GROWTH (64 * 1024)

/* Whether every row that an element, or a pad of it, received has one outcome. Prints the counters that do not add up. */
static inline gboolean
rows_balance (gpointer object)
{
  static const gchar *const outcomes[] = { "rows-used", "rows-late", "rows-duplicate", "rows-superseded", "rows-dropped",
    "rows-kept"
  };
  guint64 in = 0, sum = 0;
  GstStructure *stats;

  g_object_get (object, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "rows-in", &in);
  for (guint i = 0; i < G_N_ELEMENTS (outcomes); i++) {
    guint64 n = 0;

    gst_structure_get_uint64 (stats, outcomes[i], &n);
    sum += n;
  }
  if (in != sum) {
    gchar *text = gst_structure_to_string (stats);

    printf ("%s: the counters do not add up: %s\n", GST_OBJECT_NAME (object), text);
    g_free (text);
  }
  gst_structure_free (stats);
  return in == sum;
}

/* Appends how many bytes are in use. */
static inline void
heap_note (GArray *bytes)
{
  const gsize n = heap_in_use ();

  g_array_append_val (bytes, n);
}

/* Bytes more in use at last than after the first third; none that sanitizers count. */
static inline gssize
heap_growth (const GArray *bytes)
{
  const guint n = bytes->len;

  if (!HAS_HEAP_COUNT || n < 3)
    return 0;
  return (gssize) (g_array_index (bytes, gsize, n - 1) - MAX (g_array_index (bytes, gsize, n / 3), g_array_index (bytes, gsize, 1)));
}

G_GNUC_PRINTF (3, 4)
static inline gboolean
verdict (gboolean passed, const gchar *name, const gchar *format, ...)
{
  va_list args;

  printf ("%s %s: ", passed ? "PASS" : "FAIL", name);
  va_start (args, format);
  vprintf (format, args);
  va_end (args);
  putchar ('\n');
  return passed;
}
