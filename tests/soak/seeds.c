/* robocache: seeds of a program that does random things, each in a process of its own; what fails is made shorter
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "seeds.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

gboolean
seeds_list_has (const gchar *list, guint i)
{
  gchar **chosen = g_strsplit (list, ",", 0), *text = g_strdup_printf ("%u", i);
  const gboolean has = g_str_equal (list, "all") || g_strv_contains ((const gchar * const *) chosen, text);

  g_strfreev (chosen);
  g_free (text);
  return has;
}

/* chosen: of each list. */
static gchar *
describe (const Seeds *seeds, gint seed, gchar *const *chosen)
{
  GString *text = g_string_new (NULL);

  g_string_printf (text, "--seed=%d %s", seed, seeds->arguments);
  for (guint i = 0; i < seeds->n_lists; i++)
    g_string_append_printf (text, " --%s=%s", seeds->lists[i].name, chosen[i]);
  return g_string_free (text, FALSE);
}

static const gchar *
describe_end (gint status)
{
  if (!WIFSIGNALED (status))
    return "";
  return WTERMSIG (status) == SIGALRM ? "  it hangs\n" : "  it crashed\n";
}

/* Whether a seed passes; output (taken, may be NULL) is what it printed. */
static gboolean
run_process (const Seeds *seeds, gint seed, gchar *const *chosen, gchar **output)
{
  gchar *path = g_file_read_link ("/proc/self/exe", NULL), *text = describe (seeds, seed, chosen);
  gchar *command = g_strdup_printf ("%s %s%s", path, text, seeds->verbose ? " --verbose" : "");
  gchar **arguments = g_strsplit (command, " ", 0), *out = NULL, *err = NULL;
  gint status = -1;

  g_spawn_sync (NULL, arguments, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, &err, &status, NULL);
  if (output)
    *output = status == 0 ? g_strdup (out) : g_strdup_printf ("%s%s%s", out ? out : "", err ? err : "", describe_end (status));
  g_free (out);
  g_free (err);
  g_strfreev (arguments);
  g_free (command);
  g_free (text);
  g_free (path);
  return status == 0;
}

static gboolean
fails (const Seeds *seeds, gint seed, gchar *const *chosen)
{
  for (guint i = 0; i < seeds->n_tries; i++) {
    if (!run_process (seeds, seed, chosen, NULL))
      return TRUE;
  }
  return FALSE;
}

static gchar *
list_of (const gboolean *is_in, guint n)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n; i++) {
    if (is_in[i])
      g_string_append_printf (text, "%s%u", text->len > 0 ? "," : "", i);
  }
  if (text->len == 0)
    g_string_append (text, "none");
  return g_string_free (text, FALSE);
}

/* Leaves out what is not needed to fail. */
static void
shorten (const Seeds *seeds, gint seed, guint list, gchar **chosen)
{
  const guint n = seeds->lists[list].n;
  gboolean *is_in = g_new (gboolean, n);

  for (guint i = 0; i < n; i++)
    is_in[i] = TRUE;
  for (guint i = 0; i < n; i++) {
    is_in[i] = FALSE;
    g_free (chosen[list]);
    chosen[list] = list_of (is_in, n);
    is_in[i] = !fails (seeds, seed, chosen);
  }
  g_free (chosen[list]);
  chosen[list] = list_of (is_in, n);
  g_free (is_in);
}

static gchar **
choose_all (const Seeds *seeds)
{
  gchar **chosen = g_new0 (gchar *, seeds->n_lists + 1);

  for (guint i = 0; i < seeds->n_lists; i++)
    chosen[i] = g_strdup ("all");
  return chosen;
}

static void
minimise (const Seeds *seeds, gint seed)
{
  gchar **chosen = choose_all (seeds), *text, *output = NULL;
  gboolean failed = FALSE;

  for (guint i = 0; i < seeds->n_lists; i++)
    shorten (seeds, seed, i, chosen);
  text = describe (seeds, seed, chosen);
  for (guint i = 0; i < seeds->n_tries && !failed; i++) {
    g_free (output);
    failed = !run_process (seeds, seed, chosen, &output);
  }
  if (failed)
    printf ("smallest list that fails: %s\n%s", text, output);
  else
    printf ("  not each time: %s\n", text);
  g_free (output);
  g_free (text);
  g_strfreev (chosen);
}

static gboolean
run_seed (const Seeds *seeds, gint seed)
{
  gchar **chosen = choose_all (seeds), *output;
  const gboolean ok = run_process (seeds, seed, chosen, &output);

  if (!ok || seeds->verbose)
    printf ("seed %d%s\n%s", seed, ok ? "" : " fails:", output);
  fflush (stdout);
  if (!ok)
    minimise (seeds, seed);
  g_free (output);
  g_strfreev (chosen);
  return ok;
}

guint
seeds_run (Seeds *seeds)
{
  const gint64 end = g_get_monotonic_time () + (gint64) seeds->seconds * G_USEC_PER_SEC;
  guint n_failed = 0;
  gint n = 0;

  do
    n_failed += !run_seed (seeds, seeds->first + n++);
  while (seeds->seconds > 0 ? g_get_monotonic_time () < end : n < seeds->n);
  seeds->n = n;
  return n_failed;
}
