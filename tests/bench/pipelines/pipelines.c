/* robocache: what a tick and a row cost, how exact a sample is, and how long after its tick it comes out
 *
 *   bench-pipelines [--runs N] [--cpu N] [--only WORKLOAD] [--csv FILE] [--smoke]
 *
 * Pushes buffers from one thread a stream straight into the element, all threads on one CPU, and prints a table:
 * medians of the runs (seven), with the least and the greatest, and the limit of each figure. Times are CPU time of the
 * whole process, so they hold what it takes to make and push the rows, and to let go of what comes out. Status 1 when a
 * figure is above its limit; with --csv the table is written there, too, and says which, and the status is 0. --smoke: one short run, one line a figure, in which only the figures that are no timings
 * have to keep their limit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>

#include "tests/bench/common/spread.h"
#include "tests/bench/pipelines/line.h"
#include "tests/bench/pipelines/workloads.h"

#define MAX_RUNS 99

static gint n_runs = 7;
static gint cpu = -1;
static gchar *only = NULL, *csv = NULL;
static gboolean smoke = FALSE;

static const GOptionEntry options[] = {
  {"runs", 'n', 0, G_OPTION_ARG_INT, &n_runs, "Runs of each workload", "N"},
  {"cpu", 'c', 0, G_OPTION_ARG_INT, &cpu, "The CPU to run on (default: the one it starts on)", "N"},
  {"only", 'o', 0, G_OPTION_ARG_STRING, &only, "One workload: fuse-camera, fuse-1khz, resample-down, resample-up, sine "
        "or live", "WORKLOAD"},
  {"csv", 0, 0, G_OPTION_ARG_FILENAME, &csv, "Write the table there, too", "FILE"},
  {"smoke", 0, 0, G_OPTION_ARG_NONE, &smoke, "One short run, to see that it works", NULL},
  {NULL}
};

/* values of a figure in all runs */
typedef gdouble Values[MAX_FIGURES][MAX_RUNS];

static void
pin (void)
{
  cpu_set_t set;

  if (cpu < 0)
    cpu = sched_getcpu ();
  CPU_ZERO (&set);
  CPU_SET (cpu, &set);
  if (sched_setaffinity (0, sizeof (set), &set) != 0)
    line_fail ("cannot run on CPU %d", cpu);
}

static gboolean
is_asked_for (const Workload *workload)
{
  return only == NULL || g_str_equal (only, workload->name);
}

static void
measure_all (const Effort *effort, Values *values)
{
  for (gint run = 0; run < n_runs; run++) {
    for (guint w = 0; w < n_workloads; w++) {
      gdouble figures[MAX_FIGURES] = { 0 };

      if (!is_asked_for (&workloads[w]))
        continue;
      workloads[w].measure (effort, figures);
      for (guint f = 0; f < workloads[w].n_figures; f++)
        values[w][f][run] = figures[f];
    }
  }
  for (guint w = 0; w < n_workloads; w++) {
    for (guint f = 0; f < workloads[w].n_figures; f++)
      bench_spread (values[w][f], n_runs);      /* which sorts */
  }
}

static gboolean
is_kept (const Figure *figure, const gdouble *sorted)
{
  return sorted[n_runs / 2] <= figure->at_most;
}

static void
print_row (const Figure *figure, const gdouble *sorted)
{
  gchar limit[32] = "";

  if (isfinite (figure->at_most))
    g_snprintf (limit, sizeof (limit), "%g", figure->at_most);
  printf ("| %s | %s | %.3g | %.3g | %.3g | %s | %s |\n", figure->work, figure->unit, sorted[n_runs / 2], sorted[0],
      sorted[n_runs - 1], limit, !isfinite (figure->at_most) ? "" : is_kept (figure, sorted) ? "pass" : "FAIL");
}

static void
print_case (const Figure *figure, const gdouble *sorted)
{
  if (figure->exact && !is_kept (figure, sorted))
    printf ("FAIL %s: %.3g, expected at most %g\n", figure->work, sorted[0], figure->at_most);
  else
    printf ("PASS %s: %.3g %s\n", figure->work, sorted[0], figure->unit);
}

/* The table, for the pages about performance. */
static void
write_csv (Values *values)
{
  FILE *file = fopen (csv, "w");

  if (file == NULL)
    line_fail ("%s cannot be written", csv);
  fprintf (file, "work,unit,median,least,greatest,wanted,met,checked\n");
  for (guint w = 0; w < n_workloads; w++) {
    for (guint f = 0; is_asked_for (&workloads[w]) && f < workloads[w].n_figures; f++) {
      const Figure *figure = &workloads[w].figures[f];
      const gdouble *sorted = values[w][f];

      fprintf (file, "\"%s\",%s,%g,%g,%g,", figure->work, figure->unit, sorted[n_runs / 2], sorted[0], sorted[n_runs - 1]);
      if (isfinite (figure->at_most))
        fprintf (file, "%g,%s,yes\n", figure->at_most, is_kept (figure, sorted) ? "yes" : "no");
      else
        fprintf (file, ",,yes\n");
    }
  }
  if (fclose (file) != 0)
    line_fail ("%s cannot be written", csv);
}

/* Whether all figures that have to are within their limits. */
static gboolean
report (Values *values)
{
  gboolean kept = TRUE;

  if (!smoke)
    printf ("Medians of %d runs on CPU %d.\n\n| work | unit | median | least | greatest | at most | |\n"
        "|---|---|---|---|---|---|---|\n", n_runs, cpu);
  for (guint w = 0; w < n_workloads; w++) {
    for (guint f = 0; is_asked_for (&workloads[w]) && f < workloads[w].n_figures; f++) {
      const Figure *figure = &workloads[w].figures[f];

      kept &= (smoke && !figure->exact) || is_kept (figure, values[w][f]);
      (smoke ? print_case : print_row) (figure, values[w][f]);
    }
  }
  return kept;
}

int
main (int argc, char **argv)
{
  static const Effort whole = { 60, 4 }, short_one = { 2, 1 };
  GOptionContext *context = g_option_context_new ("- costs, errors and lags of the elements");
  GError *error = NULL;
  Values *values;
  gboolean kept, any = FALSE;

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error))
    line_fail ("%s", error->message);
  g_option_context_free (context);
  if (smoke)
    n_runs = 1;
  if (n_runs < 1 || n_runs > MAX_RUNS)
    line_fail ("--runs is %d, expected 1 to %d", n_runs, MAX_RUNS);
  for (guint w = 0; w < n_workloads; w++)
    any |= is_asked_for (&workloads[w]);
  if (!any)
    line_fail ("--only is %s, which is no workload (--help has their names)", only);
  if (gst_plugin_load_file (ROBOCACHE_PLUGIN, &error) == NULL)
    line_fail ("%s", error->message);
  pin ();

  values = g_new0 (Values, n_workloads);
  measure_all (smoke ? &short_one : &whole, values);
  kept = report (values);
  if (csv != NULL)
    write_csv (values);
  g_free (values);
  return kept || csv != NULL ? 0 : 1;
}
