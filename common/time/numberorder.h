/* robocache: compares numbers, for functions that sort
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* Ascending order of gint64, for qsort and g_array_sort. */
static inline gint
robocache_compare_integers (gconstpointer a, gconstpointer b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* Like robocache_compare_integers, for gdouble without NaN. */
static inline gint
robocache_compare_doubles (gconstpointer a, gconstpointer b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}
