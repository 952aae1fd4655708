/* robocache: memory of this machine, allocations that may fail, and sums of bytes that saturate
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* Memory of the machine in bytes, or less if the limits of the process (RLIMIT_AS, RLIMIT_DATA) are lower. */
guint64 robocache_machine_memory (void);

/* a * b, or G_MAXUINT64 on overflow. */
static inline guint64
robocache_bytes_multiply (guint64 a, guint64 b)
{
  guint64 product;

  return __builtin_mul_overflow (a, b, &product) ? G_MAXUINT64 : product;
}

/* a + b, or G_MAXUINT64 on overflow. */
static inline guint64
robocache_bytes_add (guint64 a, guint64 b)
{
  guint64 sum;

  return __builtin_add_overflow (a, b, &sum) ? G_MAXUINT64 : sum;
}

/* FALSE and GST_RESOURCE_ERROR_NO_SPACE_LEFT: bytes is not less than the memory of the machine. The error names `what`, both sizes and
 * `advice`, which is the remedy. */
gboolean robocache_check_memory (guint64 bytes, const gchar * what, const gchar * advice, GError ** error);

/* Allocates bytes, for sizes that a stream determines; free with g_free. NULL and GST_RESOURCE_ERROR_NO_SPACE_LEFT, which names `what`
 * and the size: no memory. */
gpointer robocache_try_malloc (guint64 bytes, const gchar * what, GError ** error);

/* Whether so many bytes are free now; call it before GStreamer allocates them as system memory, which aborts if they are not free. FALSE
 * and an error as above. */
gboolean robocache_check_free_memory (guint64 bytes, const gchar * what, GError ** error);

/* Whether one more item fits into an array of items whose size is a power of 2, before it is appended: otherwise GLib would abort. */
gboolean robocache_check_array (const GArray * array, const gchar * what, GError ** error);

/* Returns memory for at least n items: the same memory, or a replacement with at least twice *capacity, which is updated. NULL: no
 * memory, and the old memory is kept. */
static inline gpointer
robocache_try_grow (gpointer memory, gsize *capacity, gsize n, gsize item_bytes)
{
  const gsize grown = MAX (n, 2 * *capacity);

  if (n <= *capacity)
    return memory;
  memory = g_try_realloc_n (memory, grown, item_bytes);
  if (memory)
    *capacity = grown;
  return memory;
}
