/* robocache: how exactly a sensor's clock is followed, over rates, delays and time
 *
 * Prints a table in Markdown. Of each setting 200 seeds are run, with a skew of 200 ppm; errors are those of the last
 * row's time, the constant delay aside. "sure" is the uncertainty that the estimate states, and the share of runs within
 * it. A second table has clocks that are slewed, with up to 1 ms of jitter, and all rows of 10 runs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>
#include <stdio.h>

#include "tests/bench/common/table.h"
#include "tests/check/lib/clocksim.h"

#define N_RUNS 200
#define N_SLEWED 10

static const gchar *const delays[] = {
  [SIM_UNIFORM] = "uniform",
  [SIM_EXPONENTIAL] = "exponential",
};

static const gchar *const orders[] = {
  [SIM_IN_ORDER] = "in order",
  [SIM_OVERTAKING] = "overtaking",
  [SIM_BUNCHED] = "in bunches",
};

static const struct
{
  gdouble rate, seconds;
  SimDelays delays;
  SimOrder order;
} settings[] = {
  {10.0, 30.0, SIM_UNIFORM, SIM_IN_ORDER},
  {10.0, 60.0, SIM_UNIFORM, SIM_IN_ORDER},
  {10.0, 120.0, SIM_UNIFORM, SIM_IN_ORDER},
  {10.0, 120.0, SIM_EXPONENTIAL, SIM_IN_ORDER},
  {30.0, 30.0, SIM_UNIFORM, SIM_IN_ORDER},
  {30.0, 60.0, SIM_UNIFORM, SIM_IN_ORDER},
  {100.0, 30.0, SIM_UNIFORM, SIM_IN_ORDER},
  {100.0, 30.0, SIM_UNIFORM, SIM_OVERTAKING},
  {100.0, 30.0, SIM_EXPONENTIAL, SIM_OVERTAKING},
  {100.0, 30.0, SIM_EXPONENTIAL, SIM_BUNCHED},
  {1000.0, 30.0, SIM_UNIFORM, SIM_OVERTAKING},
  {1000.0, 30.0, SIM_EXPONENTIAL, SIM_OVERTAKING},
  {1000.0, 30.0, SIM_UNIFORM, SIM_BUNCHED},
  {1000.0, 30.0, SIM_EXPONENTIAL, SIM_BUNCHED},
  {1000.0, 30.0, SIM_UNIFORM, SIM_IN_ORDER},
};

static void
print_setting (guint i)
{
  gdouble errors[N_RUNS], squares = 0.0, uncertainty = 0.0;
  guint inside = 0, converged = 0;

  for (guint run = 0; run < N_RUNS; run++) {
    const Sim sim = { settings[i].rate, 20.0, settings[i].delays, run % 2 ? 200.0 : -200.0,
      1700000000 * (gint64) GST_SECOND, 3 * (gint64) GST_MSECOND, run + 1, settings[i].order };
    RobocacheClockEstimate e;

    errors[run] = fabs ((gdouble) sim_error_after (&sim, settings[i].seconds, &e)) / 1e6;
    squares += errors[run] * errors[run];
    uncertainty += (gdouble) e.uncertainty_ns / 1e6;
    inside += errors[run] <= (gdouble) e.uncertainty_ns / 1e6;
    converged += e.converged;
  }
  bench_spread (errors, N_RUNS);        /* which sorts */
  printf ("| %g Hz | %s, %s | %g s | %.3f | %.3f | %.3f | %.3f, %.0f %% | %.0f %% |\n", settings[i].rate,
      delays[settings[i].delays], orders[settings[i].order], settings[i].seconds, sqrt (squares / N_RUNS),
      errors[N_RUNS * 95 / 100], errors[N_RUNS - 1], uncertainty / N_RUNS, 100.0 * inside / N_RUNS,
      100.0 * converged / N_RUNS);
}

static const gdouble rates[] = { 1.0, 10.0, 30.0, 50.0, 100.0, 200.0, 1000.0 };

/* Errors and bounds while the clock is slewed. */
static void
print_slewed (gdouble rate, gdouble slew_ppm)
{
  const gdouble seconds = MAX (120.0, 300.0 / rate);
  SimBounds bounds = {.errors = g_new (gdouble, (gsize) (N_SLEWED * seconds * rate)) };

  for (guint run = 0; run < N_SLEWED; run++) {
    const Sim sim = { rate, 1.0, SIM_UNIFORM, run % 2 ? 200.0 : -200.0, 1700000000 * (gint64) GST_SECOND, (gint64) GST_MSECOND, run + 1 };

    sim_follow_slews (&sim, slew_ppm, seconds, &bounds);
  }
  bench_spread (bounds.errors, (guint) bounds.n);       /* which sorts */
  printf ("| %g Hz | %g ppm | %.3f | %.3f | %.3f | %.2f %% |\n", rate, slew_ppm, bounds.errors[bounds.n / 2], bounds.errors[bounds.n * 99 / 100],
      bounds.bounds / (gdouble) bounds.n, 100.0 * (gdouble) bounds.n_inside / (gdouble) bounds.n);
  g_free (bounds.errors);
}

static void
print_cost (gdouble rate)
{
  const Sim sim = { rate, 20.0, SIM_UNIFORM, 200.0, 0, 0, 1, SIM_OVERTAKING };
  const gint64 begin = g_get_monotonic_time ();
  RobocacheClockEstimate e;

  sim_error_after (&sim, 600.0, &e);
  printf ("%g Hz, the simulation included: %.2f us a row\n", rate,
      (gdouble) (g_get_monotonic_time () - begin) / (gdouble) e.pairs);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  printf ("| rate | 20 ms of delay | after | error, RMS (ms) | 95 %% | greatest | sure | converged |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    print_setting (i);
  printf ("\n| rate | slews up to | error, median (ms) | 99 %% | bound, mean | within it |\n|---|---|---|---|---|---|\n");
  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    print_slewed (rates[i], 0.0);
    print_slewed (rates[i], 500.0);
  }
  print_cost (10.0);
  print_cost (1000.0);
  return 0;
}
