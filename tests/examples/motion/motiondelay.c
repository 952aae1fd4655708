/* robocache: how often unrelated motions give an offset, and how often a true one is within its uncertainty
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>
#include <stdio.h>

#include "examples/tools/motiondelay.h"

#define N_PAIRS 200
#define N_TICKS 2000
#define TICK_S 0.01
#define RANGE 100
#define MIN_CORRELATION 0.5
#define SNR 3.0
#define N_SINES 12

/* Motions of the same kind: sums of sines of random frequencies. */
static const struct
{
  const gchar *name;
  guint n_sines;
  gdouble least_hz, greatest_hz;
  gboolean is_pink;             /* slow sines are stronger, as in a motion by hand */
} kinds[] = {
  {"by hand", N_SINES, 0.1, 2.6, TRUE},
  {"fast", N_SINES, 0.1, 2.6, FALSE},
  {"slow", N_SINES, 0.05, 0.65, FALSE},
  {"of few sines", 4, 0.1, 2.6, FALSE},
};

typedef struct
{
  guint n;
  gdouble hz[N_SINES], amplitude[N_SINES], phase[N_SINES];
} Source;

static Source
make_source (guint kind, GRand *rand)
{
  Source source = {.n = kinds[kind].n_sines };

  for (guint i = 0; i < source.n; i++) {
    source.hz[i] = g_rand_double_range (rand, kinds[kind].least_hz, kinds[kind].greatest_hz);
    source.amplitude[i] = g_rand_double_range (rand, 0.3, 1.3) / (kinds[kind].is_pink ? source.hz[i] : 1.0);
    source.phase[i] = g_rand_double_range (rand, 0.0, 2.0 * G_PI);
  }
  return source;
}

static gdouble
normal (GRand *rand)
{
  return sqrt (-2.0 * log (1.0 - g_rand_double (rand))) * cos (2.0 * G_PI * g_rand_double (rand));
}

/* What a sensor measures of a motion, with noise of an SNR; 0: none. */
static Motion
measure (const Source *source, gdouble delay_s, gdouble snr, GRand *rand)
{
  Motion motion = { 1, N_TICKS, g_new0 (gdouble, N_TICKS) };
  gdouble squares = 0.0;

  for (guint i = 0; i < N_TICKS; i++) {
    for (guint k = 0; k < source->n; k++)
      motion.values[i] += source->amplitude[k] * sin (2.0 * G_PI * source->hz[k] * (i * TICK_S - delay_s) + source->phase[k]);
    squares += motion.values[i] * motion.values[i];
  }
  for (guint i = 0; snr > 0.0 && i < N_TICKS; i++)
    motion.values[i] += normal (rand) * sqrt (squares / N_TICKS) / snr;
  return motion;
}

static gboolean
find (MotionDelay *found, const Motion *first, const Motion *second)
{
  gdouble smooth = 0.0;

  return motion_delay_find (found, first, second, RANGE, &smooth, MIN_CORRELATION) == MOTION_DELAY_OK;
}

static guint
count_false (guint kind)
{
  guint n = 0;

  for (guint pair = 0; pair < N_PAIRS; pair++) {
    GRand *rand = g_rand_new_with_seed (1000 * kind + pair);
    const Source a = make_source (kind, rand), b = make_source (kind, rand);
    Motion first = measure (&a, 0.0, 0.0, rand), second = measure (&b, 0.0, 0.0, rand);
    MotionDelay found;

    n += find (&found, &first, &second);
    g_free (first.values);
    g_free (second.values);
    g_rand_free (rand);
  }
  return n;
}

static guint
count_within (guint kind)
{
  guint n = 0;

  for (guint pair = 0; pair < N_PAIRS; pair++) {
    GRand *rand = g_rand_new_with_seed (5000 + 1000 * kind + pair);
    const Source source = make_source (kind, rand);
    const gdouble delay_s = g_rand_double_range (rand, -0.6, 0.6);
    Motion first = measure (&source, 0.0, SNR, rand), second = measure (&source, delay_s, SNR, rand);
    MotionDelay found;

    n += find (&found, &first, &second) && fabs (found.delay * TICK_S - delay_s) <= found.uncertainty * TICK_S;
    g_free (first.values);
    g_free (second.values);
    g_rand_free (rand);
  }
  return n;
}

static gboolean
report (const gchar *kind, const gchar *what, gboolean ok, guint n)
{
  printf ("%s %s motions: %u of %u %s\n", ok ? "PASS" : "FAIL", kind, n, N_PAIRS, what);
  return ok;
}

int
main (void)
{
  gboolean ok = TRUE;

  for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++) {
    const guint n_false = count_false (kind), n_within = count_within (kind);

    ok &= report (kinds[kind].name, "unrelated pairs give an offset", n_false <= N_PAIRS * 2 / 100, n_false);
    ok &= report (kinds[kind].name, "true delays at SNR 3 are within the uncertainty", n_within >= N_PAIRS * 95 / 100, n_within);
    fflush (stdout);
  }
  return ok ? 0 : 1;
}
