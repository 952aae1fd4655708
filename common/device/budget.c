/* robocache: memory of this machine, and sums of bytes that saturate
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "budget.h"

#include <unistd.h>

guint64
robocache_machine_memory (void)
{
  return robocache_bytes_multiply ((guint64) sysconf (_SC_PHYS_PAGES), (guint64) sysconf (_SC_PAGESIZE));
}

guint64
robocache_bytes_multiply (guint64 a, guint64 b)
{
  guint64 product;

  return __builtin_mul_overflow (a, b, &product) ? G_MAXUINT64 : product;
}

guint64
robocache_bytes_add (guint64 a, guint64 b)
{
  guint64 sum;

  return __builtin_add_overflow (a, b, &sum) ? G_MAXUINT64 : sum;
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
