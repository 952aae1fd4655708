/* robocache: ends the program when its main thread makes no step, however slow the machine is
 *
 * Time in which a thread of the process waits for a core does not count: the second number of /proc/self/task/N/schedstat has it, in ns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "hang.h"

#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/fuzz/bench.h"

#define LOOK_US (100 * 1000)
#define MAX_LOOK_US (10 * LOOK_US)      /* longer ones: the process was stopped */
#define MAX_US (60 * G_USEC_PER_SEC)    /* that a step may take, with a core for each thread */
#define MAX_WALL_US (600 * G_USEC_PER_SEC)

static gint n_steps;            /* atomic */

void
hang_note_step (void)
{
  g_atomic_int_inc (&n_steps);
}

static gint64
us_waited_by (const gchar *task)
{
  gchar *path = g_strdup_printf ("/proc/self/task/%s/schedstat", task), *text = NULL;
  guint64 ran, waited = 0;

  if (g_file_get_contents (path, &text, NULL, NULL)
      && sscanf (text, "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, &ran, &waited) != 2)
    waited = 0;
  g_free (text);
  g_free (path);
  return (gint64) (waited / 1000);
}

/* For a core; 0 where the kernel does not count it. */
static gint64
us_waited (void)
{
  GDir *tasks = g_dir_open ("/proc/self/task", 0, NULL);
  const gchar *task;
  gint64 sum = 0;

  while (tasks && (task = g_dir_read_name (tasks)))
    sum += us_waited_by (task);
  if (tasks)
    g_dir_close (tasks);
  return sum;
}

/* Of all threads, where gdb is installed. */
static void
print_backtraces (void)
{
  gchar *pid = g_strdup_printf ("%d", (gint) getpid ());
  gchar *command[] = { (gchar *) "gdb", (gchar *) "-p", pid, (gchar *) "-batch", (gchar *) "-ex",
    (gchar *) "thread apply all backtrace 20", NULL
  };

  prctl (PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  g_spawn_sync (NULL, command, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  g_free (pid);
}

static gpointer
look (gpointer data)
{
  gint64 before = g_get_monotonic_time (), waited = us_waited (), own = 0, wall = 0;
  gint step = g_atomic_int_get (&n_steps);

  while (own < MAX_US && wall < MAX_WALL_US) {
    gint64 now, waited_now, passed;

    g_usleep (LOOK_US);
    now = g_get_monotonic_time ();
    waited_now = us_waited ();
    passed = MIN (now - before, MAX_LOOK_US);
    own += MAX (passed - MAX (waited_now - waited, 0), 0);
    wall += passed;
    if (g_atomic_int_get (&n_steps) != step)
      own = wall = 0;
    step = g_atomic_int_get (&n_steps);
    before = now;
    waited = waited_now;
  }
  print_backtraces ();
  fuzz_fail ("it hangs: no step in %.0f s, of which no thread waited for a core in %.0f s", (gdouble) wall / 1e6, (gdouble) own / 1e6);
}

void
hang_watch (void)
{
  g_thread_unref (g_thread_new ("hang", look, NULL));
}
