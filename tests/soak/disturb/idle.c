/* robocache: whether other threads of this process have work, however fast the machine is
 *
 * A thread that has work runs, or Linux lists it as able to run; how long it waits for a core does not matter. Its state is the
 * letter behind its name in /proc/self/task/N/stat.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE             /* RUSAGE_THREAD */
#endif
#include "idle.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static gboolean
sleeps (int tasks, const gchar *tid)
{
  gchar path[64], text[256], *state;
  gssize n;
  int file;

  g_snprintf (path, sizeof (path), "%s/stat", tid);
  file = openat (tasks, path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return FALSE;
  n = read (file, text, sizeof (text) - 1);
  close (file);
  text[MAX (n, 0)] = '\0';
  state = strrchr (text, ')');
  return state && state[1] == ' ' && state[2] == 'S';
}

static gboolean
all_sleep_but (glong self)
{
  gboolean all = TRUE;
  DIR *tasks = opendir ("/proc/self/task");
  const struct dirent *entry;

  if (tasks == NULL)
    g_error ("/proc/self/task cannot be read");
  while (all && (entry = readdir (tasks))) {
    if (g_ascii_isdigit (entry->d_name[0]) && g_ascii_strtoll (entry->d_name, NULL, 10) != self)
      all = sleeps (dirfd (tasks), entry->d_name);
  }
  closedir (tasks);
  return all;
}

static glong
times_others_slept (void)
{
  struct rusage all, own;

  getrusage (RUSAGE_SELF, &all);
  getrusage (RUSAGE_THREAD, &own);
  return all.ru_nvcsw - own.ru_nvcsw;
}

/* Threads are looked at one after the other. A thread that worked when the first one was looked at either still works when its
 * turn comes, or went to sleep meanwhile, which is counted. */
gboolean
others_sleep (void)
{
  const glong before = times_others_slept ();

  return all_sleep_but (syscall (SYS_gettid)) && times_others_slept () == before;
}

static gint64
cpu_us (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);
  return (gint64) t.tv_sec * G_USEC_PER_SEC + t.tv_nsec / 1000;
}

gint64
cpu_us_of_others (void)
{
  return cpu_us (CLOCK_PROCESS_CPUTIME_ID) - cpu_us (CLOCK_THREAD_CPUTIME_ID);
}
