/* robocache: the delay between two aligned streams that see the same motion
 *
 * The correlation is worked out at whole ticks and, since the smoothed speeds make its peak broad, a parabola through the
 * three values at the top finds the place between them. How sure that is, the recording itself tells: the peak is found
 * again with a tenth of it left out, for each tenth (the jackknife over blocks).
 *
 * Two motions that have nothing to do with each other correlate too, and the more the slower they are. How much, the recording itself tells as
 * well: by the correlations at delays far beyond the range, at which the second motion is continued from its beginning.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "motiondelay.h"

#include <math.h>

#define N_BLOCKS 10
#define MIN_PAIRS 32

/* Less than this, of the greatest value, is what rounding to float32 may do. */
#define STILL 1e-6

/* From this part of the peak's correlation on, another one is worth a word. */
#define NEARLY_AS_WELL 0.95

/* Delays far beyond the range that are tried, and how much greater than theirs a correlation has to be: as Fisher's z-transform, a normal
 * deviate exceeds it by chance once in as many independent delays as there are. */
#define N_CHANCE_LAGS 150
#define MIN_SMOOTHS 20.0
#define CHANCE 2e-4

/* Factor from the jackknife's standard error to an interval of 95 %: ten blocks, whose errors are not normal. */
#define COVERAGE 4.5

/* Sums over ticks, of which the correlation is made. */
typedef struct
{
  gdouble product, first, second;
  gsize n_pairs;                /* of values, each channel counted */
} Sums;

/* ---- speeds ---- */

static gdouble *
make_kernel (gdouble smooth, gint *reach)
{
  gdouble *kernel, energy = 0.0;

  *reach = (gint) ceil (3.0 * smooth);
  kernel = g_new (gdouble, 2 * *reach + 1);
  for (gint j = -*reach; j <= *reach; j++) {
    kernel[j + *reach] = j * exp (-0.5 * j * j / (smooth * smooth));
    energy += kernel[j + *reach] * kernel[j + *reach];
  }
  for (gint j = 0; j <= 2 * *reach; j++)
    kernel[j] /= sqrt (energy);
  return kernel;
}

/* Where a value within reach is missing, so is the speed. */
static void
convolve (const gdouble *values, gssize n, const gdouble *kernel, gint reach, gdouble *speeds)
{
  for (gssize i = 0; i < n; i++) {
    speeds[i] = i < reach || i + reach >= n ? NAN : 0.0;
    for (gint j = -reach; j <= reach && !isnan (speeds[i]); j++)
      speeds[i] += kernel[j + reach] * values[i + j];
  }
}

/* A steady drift is a speed, too, but has no information about the delay. */
static void
subtract_mean (gdouble *speeds, gsize n)
{
  gdouble sum = 0.0;
  gsize known = 0;

  for (gsize i = 0; i < n; i++) {
    if (!isnan (speeds[i])) {
      sum += speeds[i];
      known++;
    }
  }
  for (gsize i = 0; i < n; i++)
    speeds[i] -= sum / (gdouble) MAX (known, 1);
}

static Motion
speeds_of (const Motion *motion, gdouble smooth)
{
  Motion speeds = { motion->n_channels, motion->n_ticks, g_new (gdouble, motion->n_channels * motion->n_ticks) };
  gint reach;
  gdouble *kernel = make_kernel (smooth, &reach);

  for (guint c = 0; c < motion->n_channels; c++) {
    gdouble *of_channel = speeds.values + c * motion->n_ticks;

    convolve (motion->values + c * motion->n_ticks, (gssize) motion->n_ticks, kernel, reach, of_channel);
    subtract_mean (of_channel, motion->n_ticks);
  }
  g_free (kernel);
  return speeds;
}

static gdouble
greatest (const Motion *motion)
{
  gdouble most = 0.0;

  for (gsize i = 0; i < motion->n_channels * motion->n_ticks; i++)
    most = fmax (most, fabs (motion->values[i]));       /* fmax passes NaN over */
  return most;
}

static gboolean
is_still (const Motion *motion, const Motion *speeds)
{
  return greatest (speeds) <= STILL * greatest (motion);
}

static gsize
count_known (const Motion *speeds)
{
  gsize n = 0;

  for (gsize i = 0; i < speeds->n_channels * speeds->n_ticks; i++)
    n += !isnan (speeds->values[i]);
  return n;
}

/* ---- correlation ---- */

/* Adds ticks begin … end - 1 of the first, beside those lag later of the second. */
static void
add_ticks (Sums *sums, const Motion *first, const Motion *second, gssize lag, gssize begin, gssize end)
{
  begin = MAX (begin, -lag);
  end = MIN (end, (gssize) first->n_ticks - MAX (lag, 0));
  for (guint c = 0; c < first->n_channels; c++) {
    const gdouble *a = first->values + c * first->n_ticks, *b = second->values + c * second->n_ticks;

    for (gssize i = begin; i < end; i++) {
      if (isnan (a[i]) || isnan (b[i + lag]))
        continue;
      sums->product += a[i] * b[i + lag];
      sums->first += a[i] * a[i];
      sums->second += b[i + lag] * b[i + lag];
      sums->n_pairs++;
    }
  }
}

static gdouble
correlation (const Sums *sums)
{
  const gdouble scale = sqrt (sums->first) * sqrt (sums->second);

  return scale > 0.0 ? sums->product / scale : 0.0;
}

/* The top of the parabola through three values a tick apart: its place beside the middle one, and its height. */
static gdouble
parabola_top (const gdouble values[3], gdouble *height)
{
  const gdouble slope = 0.5 * (values[2] - values[0]), curve = values[0] - 2.0 * values[1] + values[2];
  const gdouble place = curve < 0.0 ? -slope / curve : 0.0;

  *height = values[1] + 0.5 * slope * place;
  return place;
}

/* ---- the peak ---- */

/* correlations[lag + range], NaN where too few ticks are left to compare. */
static gdouble *
correlate (const Motion *first, const Motion *second, gssize range)
{
  gdouble *correlations = g_new (gdouble, 2 * range + 1);
  const gsize least = MAX (MIN_PAIRS * first->n_channels, MIN (count_known (first), count_known (second)) / 4);

  for (gssize lag = -range; lag <= range; lag++) {
    Sums sums = { 0 };

    add_ticks (&sums, first, second, lag, 0, (gssize) first->n_ticks);
    correlations[lag + range] = sums.n_pairs >= least ? correlation (&sums) : NAN;
  }
  return correlations;
}

static gboolean
is_top (const gdouble *correlations, gssize n, gssize i)
{
  return i > 0 && i < n - 1 && correlations[i] >= correlations[i - 1] && correlations[i] > correlations[i + 1];
}

static void
find_rival (MotionDelay *found, const gdouble *correlations, gssize range, gssize peak, gdouble apart)
{
  for (gssize i = 0; i <= 2 * range; i++) {
    if (is_top (correlations, 2 * range + 1, i) && fabs ((gdouble) (i - peak)) > apart
        && correlations[i] >= NEARLY_AS_WELL * correlations[peak] && correlations[i] > found->rival_correlation) {
      found->rival = (gdouble) (i - range);
      found->rival_correlation = correlations[i];
    }
  }
}

/* The index of the peak of the correlations; -1: no peak. */
static gssize
find_extremes (MotionDelay *found, const gdouble *correlations, gssize range)
{
  gssize peak = -1;

  for (gssize i = 0; i <= 2 * range; i++) {
    if (isnan (correlations[i]))
      continue;
    if (peak < 0 || correlations[i] > correlations[peak])
      peak = i;
    if (correlations[i] < found->opposite_correlation) {
      found->opposite = (gdouble) (i - range);
      found->opposite_correlation = correlations[i];
    }
  }
  return peak;
}

/* Finds the top between ticks, and how much it moves when a block is left out. */
static void
refine (MotionDelay *found, const Motion *first, const Motion *second, gssize lag)
{
  Sums blocks[3][N_BLOCKS] = { 0 }, all[3] = { 0 };
  const gssize n = (gssize) first->n_ticks;
  gdouble values[3], places[N_BLOCKS], mean = 0.0, spread = 0.0, unused;

  for (gint k = 0; k < 3; k++) {
    for (gint b = 0; b < N_BLOCKS; b++)
      add_ticks (&blocks[k][b], first, second, lag + k - 1, b * n / N_BLOCKS, (b + 1) * n / N_BLOCKS);
    add_ticks (&all[k], first, second, lag + k - 1, 0, n);
    values[k] = correlation (&all[k]);
  }
  found->delay = (gdouble) lag + parabola_top (values, &found->correlation);
  found->n_pairs = all[1].n_pairs / first->n_channels;

  for (gint b = 0; b < N_BLOCKS; b++) {
    for (gint k = 0; k < 3; k++) {
      const Sums rest = {.product = all[k].product - blocks[k][b].product,.first = all[k].first - blocks[k][b].first,
        .second = all[k].second - blocks[k][b].second
      };

      values[k] = correlation (&rest);
    }
    places[b] = parabola_top (values, &unused);
    mean += places[b] / N_BLOCKS;
  }
  for (gint b = 0; b < N_BLOCKS; b++)
    spread += (places[b] - mean) * (places[b] - mean);
  found->uncertainty = COVERAGE * sqrt (spread * (N_BLOCKS - 1) / N_BLOCKS);
}

/* ---- chance ---- */

/* Correlation with the second motion begun anew at its end. */
static gdouble
correlation_around (const Motion *first, const Motion *second, gssize lag)
{
  const gssize n = (gssize) first->n_ticks;
  Sums sums = { 0 };

  add_ticks (&sums, first, second, lag, 0, n);
  add_ticks (&sums, first, second, lag - n, 0, n);
  return correlation (&sums);
}

/* Standard deviation of Fisher's z at delays that are not within `range`; infinite where there are too few. */
static gdouble
spread_of_chance (const Motion *first, const Motion *second, gssize range, gdouble smooth)
{
  const gssize begin = range + (gssize) (4.0 * smooth), end = (gssize) first->n_ticks - begin;
  const gssize step = MAX ((end - begin) / N_CHANCE_LAGS, 1);
  gdouble squares = 0.0;
  guint n = 0;

  for (gssize lag = begin; lag < end; lag += step) {
    const gdouble z = atanh (CLAMP (correlation_around (first, second, lag), -0.999999, 0.999999));

    squares += z * z;
    n++;
  }
  return (gdouble) (n * step) >= MIN_SMOOTHS * smooth ? sqrt (squares / n) : HUGE_VAL;
}

/* Whether a correlation is greater than chance makes it at one of the delays within the range. */
static gboolean
is_beyond_chance (const MotionDelay *found, const Motion *first, const Motion *second, gssize range, gdouble smooth)
{
  const gdouble spread = spread_of_chance (first, second, range, smooth);
  const gdouble n_delays = fmax (2.0 * (gdouble) range / (3.0 * smooth), 1.0);
  /* the normal tail's leading term, as log (2 / p) is large */
  const gdouble least = sqrt (2.0 * log (n_delays / CHANCE));

  return atanh (fmin (found->correlation, 0.999999)) > least * spread;
}

static MotionDelayResult
find_in_speeds (MotionDelay *found, const Motion *first, const Motion *second, gssize range, gdouble smooth,
    gdouble least_correlation)
{
  gdouble *correlations = correlate (first, second, range);
  const gssize peak = find_extremes (found, correlations, range);
  MotionDelayResult result = MOTION_DELAY_NO_OVERLAP;

  if (peak >= 0) {
    found->delay = (gdouble) (peak - range);
    found->correlation = correlations[peak];
    if (correlations[peak] < least_correlation || !is_beyond_chance (found, first, second, range, smooth))
      result = MOTION_DELAY_UNLIKE;
    else if (!is_top (correlations, 2 * range + 1, peak))
      result = MOTION_DELAY_AT_EDGE;
    else
      result = MOTION_DELAY_OK;
  }
  if (result == MOTION_DELAY_OK) {
    find_rival (found, correlations, range, peak, 2.0 * smooth);
    refine (found, first, second, peak - range);
  }
  g_free (correlations);
  return result;
}

static MotionDelayResult
find_smoothed (MotionDelay *found, const Motion *first, const Motion *second, guint range, gdouble smooth, gdouble least_correlation)
{
  const gssize within = (gssize) MIN (range, first->n_ticks);
  Motion speeds[2] = { speeds_of (first, smooth), speeds_of (second, smooth) };
  MotionDelayResult result;

  *found = (MotionDelay) { 0 };
  if (count_known (&speeds[0]) == 0 || count_known (&speeds[1]) == 0)
    result = MOTION_DELAY_NO_OVERLAP;
  else if (is_still (first, &speeds[0]))
    result = MOTION_DELAY_FIRST_IS_STILL;
  else if (is_still (second, &speeds[1]))
    result = MOTION_DELAY_SECOND_IS_STILL;
  else
    result = find_in_speeds (found, &speeds[0], &speeds[1], within, smooth, least_correlation);
  g_free (speeds[0].values);
  g_free (speeds[1].values);
  return result;
}

gboolean
motion_delay_is_sure (const MotionDelay *found, gdouble smooth)
{
  return (gdouble) found->n_pairs >= 30.0 * smooth;
}

MotionDelayResult
motion_delay_find (MotionDelay *found, const Motion *first, const Motion *second, guint range, gdouble *smooth, gdouble least_correlation)
{
  /* standard deviations to try, in ticks: the best one depends on the speed of the motion and on the noise */
  static const gdouble smooths[] = { 3, 6, 12, 24, 48 };
  const gboolean is_given = *smooth > 0.0;
  MotionDelayResult result = MOTION_DELAY_NO_OVERLAP;

  for (guint i = 0; i < (is_given ? 1 : G_N_ELEMENTS (smooths)); i++) {
    const gdouble tried = is_given ? *smooth : smooths[i];
    MotionDelay candidate;
    const MotionDelayResult of_candidate = find_smoothed (&candidate, first, second, range, tried, least_correlation);
    const gboolean is_better = of_candidate == MOTION_DELAY_OK && (result != MOTION_DELAY_OK
        || (candidate.uncertainty < found->uncertainty && motion_delay_is_sure (&candidate, tried)));

    if (i == 0 || is_better) {
      result = of_candidate;
      *found = candidate;
      *smooth = tried;
    }
  }
  return result;
}
