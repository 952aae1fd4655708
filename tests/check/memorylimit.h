/* robocache: a process whose memory is limited
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMORYLIMIT_H
#define MEMORYLIMIT_H

#include <glib.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* Sanitizers reserve memory as they go. */
#if defined (__SANITIZE_ADDRESS__) || defined (__SANITIZE_THREAD__)
#define HAS_MEMORY_LIMIT FALSE
#else
#define HAS_MEMORY_LIMIT TRUE
#endif

/* Leaves so many bytes to the process beside those that it has. Returns the limit before. */
static inline rlim_t
limit_memory (guint64 more)
{
  unsigned long pages = 0;
  FILE *statm = fopen ("/proc/self/statm", "r");
  struct rlimit limit;
  rlim_t before;

  if (statm == NULL || fscanf (statm, "%lu", &pages) != 1)
    g_error ("no /proc/self/statm");
  fclose (statm);
  getrlimit (RLIMIT_AS, &limit);
  before = limit.rlim_cur;
  limit.rlim_cur = (guint64) pages * (guint64) sysconf (_SC_PAGESIZE) + more;
  setrlimit (RLIMIT_AS, &limit);
  return before;
}

static inline void
restore_memory (rlim_t before)
{
  struct rlimit limit;

  getrlimit (RLIMIT_AS, &limit);
  limit.rlim_cur = before;
  setrlimit (RLIMIT_AS, &limit);
}

#endif
