/* robocache: the memory of a process: its limit, and its size
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/memorylimit.h"

#include <malloc.h>

/* FALSE: statm cannot be read. */
static gboolean
read_sizes (guint64 *size, guint64 *resident)
{
  const guint64 page = (guint64) sysconf (_SC_PAGESIZE);
  FILE *statm = fopen ("/proc/self/statm", "r");
  gboolean ok;

  if (!statm)
    return FALSE;
  ok = fscanf (statm, "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, size, resident) == 2;
  fclose (statm);
  *size *= page;
  *resident *= page;
  return ok;
}

guint64
resident_kib (void)
{
  guint64 size = 0, resident = 0;

  return read_sizes (&size, &resident) ? resident / 1024 : 0;
}

rlim_t
limit_memory (guint64 more)
{
  guint64 size = 0, resident = 0;
  struct rlimit limit;
  rlim_t before;

  if (!read_sizes (&size, &resident))
    g_error ("no /proc/self/statm");
  getrlimit (RLIMIT_AS, &limit);
  before = limit.rlim_cur;
  limit.rlim_cur = size + more;
  setrlimit (RLIMIT_AS, &limit);
  return before;
}

void
restore_memory (rlim_t before)
{
  struct rlimit limit;

  getrlimit (RLIMIT_AS, &limit);
  limit.rlim_cur = before;
  setrlimit (RLIMIT_AS, &limit);
}

gboolean
has_memory_limit (void)
{
#if defined (__SANITIZE_ADDRESS__) || defined (__SANITIZE_THREAD__)
  return FALSE;
#else
  const rlim_t before = limit_memory (1 << 30);
  struct rlimit limit;

  getrlimit (RLIMIT_AS, &limit);
  restore_memory (before);
  return limit.rlim_cur != before;
#endif
}

gboolean
skip_without_memory_limit (const gchar *name)
{
  const gboolean skips = !has_memory_limit ();

  if (skips)
    g_print ("SKIP %s: the memory of a process cannot be limited under a sanitizer or qemu\n", name);
  return skips;
}

gsize
heap_in_use (void)
{
  const struct mallinfo2 info = mallinfo2 ();

  return info.uordblks + info.hblkhd;
}
