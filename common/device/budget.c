/* robocache: memory of this machine, allocations that may fail, and sums of bytes that saturate
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "budget.h"

#include <gst/gst.h>

#include <sys/resource.h>
#include <unistd.h>

#define MIN_CHECKED (1 << 20)   /* bytes; GLib needs less at any time */

static guint64
limit_of (gint resource)
{
  struct rlimit limit;

  return getrlimit (resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : G_MAXUINT64;
}

guint64
robocache_machine_memory (void)
{
  const guint64 bytes = robocache_bytes_multiply ((guint64) sysconf (_SC_PHYS_PAGES), (guint64) sysconf (_SC_PAGESIZE));

  return MIN (bytes, MIN (limit_of (RLIMIT_AS), limit_of (RLIMIT_DATA)));
}

gboolean
robocache_check_memory (guint64 bytes, const gchar *what, const gchar *advice, GError **error)
{
  const guint64 machine = robocache_machine_memory ();

  if (bytes < machine)
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "%s needs %" G_GUINT64_FORMAT " bytes, and "
      "this machine has %" G_GUINT64_FORMAT ": %s", what, bytes, machine, advice);
  return FALSE;
}

gpointer
robocache_try_malloc (guint64 bytes, const gchar *what, GError **error)
{
  gpointer memory = bytes <= G_MAXSSIZE ? g_try_malloc (MAX (bytes, 1)) : NULL;

  if (memory == NULL)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "no memory for %s: %" G_GUINT64_FORMAT " bytes",
        what, bytes);
  return memory;
}

gboolean
robocache_check_free_memory (guint64 bytes, const gchar *what, GError **error)
{
  gpointer memory;

  if (bytes < MIN_CHECKED)
    return TRUE;
  memory = robocache_try_malloc (bytes, what, error);
  g_free (memory);
  return memory != NULL;
}

gboolean
robocache_check_array (const GArray *array, const gchar *what, GError **error)
{
  const gboolean is_full = (array->len & (array->len - 1)) == 0;

  return !is_full || robocache_check_free_memory (2 * (guint64) array->len * g_array_get_element_size ((GArray *) array), what,
      error);
}
