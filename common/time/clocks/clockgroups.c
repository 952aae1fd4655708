/* robocache: groups the topics of a recording by their clocks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "clockgroups.h"

#include <math.h>

#include "clockmap.h"
#include "common/time/nanoseconds.h"
#include "common/time/numberorder.h"
#include "common/time/delaybound.h"

/* Two envelopes are compared in intervals of log time of this length, or of this part of the recording. */
#define MIN_INTERVAL (2 * ROBOCACHE_SECOND)
#define MAX_INTERVALS 64
/* A line is fitted over this time at most, and the next one begins half of it later: crystals wander. Its bend in that time, and delays of
 * whole ns, are of this order. */
#define WINDOW (120 * ROBOCACHE_SECOND)
#define CURVATURE 20e3
/* Expected drift of a crystal; clocks of a simulation run at any speed. */
#define USUAL_DRIFT 1000e-6
#define MAX_DRIFT 3000e-6
/* Uncertainty of a line through too few pairs for a density, besides their spread. */
#define UNFITTED (1 * ROBOCACHE_MSECOND)

static const RobocacheClockPair *
pair_at (const RobocacheClockPiece *piece, guint i)
{
  return &g_array_index (piece->pairs, RobocacheClockPair, i);
}

gboolean
robocache_clock_piece_has_clock (const RobocacheClockPiece *piece)
{
  guint n = MIN (piece->pairs->len, 1);

  for (guint i = 1; i < piece->pairs->len && n < ROBOCACHE_CLOCK_MIN_PAIRS; i++)
    n += pair_at (piece, i)->stamp != pair_at (piece, i - 1)->stamp;
  return n >= ROBOCACHE_CLOCK_MIN_PAIRS;
}

static gint64
median_of (GArray *numbers)
{
  g_array_sort (numbers, robocache_compare_integers);
  return g_array_index (numbers, gint64, numbers->len / 2);
}

/* ---- whether two pieces have one clock ---- */

/* Least difference of the pairs from index *i on whose log times are before `end`; moves *i behind them. FALSE: no such pair. */
static gboolean
least_until (const RobocacheClockPiece *piece, guint *i, gint64 end, gint64 *least)
{
  gboolean has = FALSE;

  for (; *i < piece->pairs->len && pair_at (piece, *i)->log < end; (*i)++) {
    const gint64 difference = pair_at (piece, *i)->log - pair_at (piece, *i)->stamp;

    *least = has ? MIN (*least, difference) : difference;
    has = TRUE;
  }
  return has;
}

/* By the intervals nearest to each other, where two pieces share none. */
static gint64
nearest_difference (const RobocacheClockPiece *a, const RobocacheClockPiece *b)
{
  const gboolean a_is_first = pair_at (a, 0)->log <= pair_at (b, 0)->log;
  const RobocacheClockPair *of_a = pair_at (a, a_is_first ? a->pairs->len - 1 : 0), *of_b = pair_at (b, a_is_first ? 0 : b->pairs->len - 1);

  return (of_a->log - of_a->stamp) - (of_b->log - of_b->stamp);
}

/* Two standard deviations of an envelope in an interval, by how differences of intervals in turn bend: a drift does not count. Of normal numbers with
 * a standard deviation of 1, x - 2y + z has one of 6^0.5; the median of its magnitude is 0.6745 * 6^0.5 = 1.652. */
static gint64
uncertainty_of (const GArray *differences)
{
  GArray *bends = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 uncertainty = 0;

  for (guint i = 2; i < differences->len; i++) {
    const gint64 *d = &g_array_index (differences, gint64, i);
    const gint64 bend = (gint64) fmin (fabs (((gdouble) d[0] - (gdouble) d[-1]) - ((gdouble) d[-1] - (gdouble) d[-2])), 0x1p62);

    g_array_append_val (bends, bend);
  }
  if (bends->len >= ROBOCACHE_CLOCK_MIN_PAIRS)
    uncertainty = (gint64) (2.0 / 1.652 * (gdouble) median_of (bends));
  g_array_unref (bends);
  return uncertainty;
}

/* How much later a's envelope is than b's, by the median of intervals, and the uncertainty of that. Where a has few messages an interval, whose delays
 * vary, its envelope is below the median. b is NULL: the recorder's clock. */
static gint64
difference_of (const RobocacheClockPiece *a, const RobocacheClockPiece *b, gint64 interval, gint64 *uncertainty)
{
  GArray *differences = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 end = pair_at (a, 0)->log, of_a = 0, of_b = 0, difference;
  guint i = 0, k = 0;

  while (i < a->pairs->len) {
    gboolean has_both;

    end = MAX (end, pair_at (a, i)->log) + interval;
    has_both = least_until (a, &i, end, &of_a);
    while (b && k < b->pairs->len && pair_at (b, k)->log < end - interval)
      k++;
    has_both &= !b || least_until (b, &k, end, &of_b);
    difference = of_a - of_b;
    if (has_both)
      g_array_append_val (differences, difference);
  }
  *uncertainty = uncertainty_of (differences);
  difference = differences->len > 0 ? median_of (differences) : nearest_difference (a, b);
  if (*uncertainty > ROBOCACHE_CLOCK_AGREE)
    difference = g_array_index (differences, gint64, differences->len / 10);
  g_array_unref (differences);
  return difference;
}

/* ---- groups ---- */

static void
free_group (gpointer data)
{
  RobocacheClockGroup *group = data;

  g_ptr_array_unref (group->pieces);
  g_array_unref (group->knots);
  g_free (group);
}

static RobocacheClockGroup *
add_group (GPtrArray *groups)
{
  RobocacheClockGroup *group = g_new0 (RobocacheClockGroup, 1);

  group->pieces = g_ptr_array_new ();
  group->knots = g_array_new (FALSE, FALSE, sizeof (RobocacheClockKnot));
  g_ptr_array_add (groups, group);
  return group;
}

static const RobocacheClockPiece *
leader_of (const GPtrArray *groups, guint i)
{
  const RobocacheClockGroup *group = g_ptr_array_index (groups, i);

  return group->is_recorder ? NULL : g_ptr_array_index (group->pieces, 0);
}

/* Adds a piece to the group that is nearest to it, or to a group of its own. */
static void
place_piece (GPtrArray *groups, RobocacheClockPiece *piece, gint64 interval)
{
  gint64 least = G_MAXINT64, least_uncertainty = 0, uncertainty;
  RobocacheClockGroup *group;

  for (guint i = 0; i < groups->len; i++) {
    const gint64 difference = difference_of (piece, leader_of (groups, i), interval, &uncertainty);

    if (ABS (difference) < least) {
      least = ABS (difference);
      least_uncertainty = uncertainty;
      piece->group = i;
    }
  }
  if (least > MAX (ROBOCACHE_CLOCK_AGREE, least_uncertainty) && robocache_clock_piece_has_clock (piece)) {
    piece->group = groups->len;
    add_group (groups);
  }
  group = g_ptr_array_index (groups, piece->group);
  g_ptr_array_add (group->pieces, piece);
  group->n += piece->n;
}

/* ---- lines ---- */

static gint
compare_stamps (gconstpointer a, gconstpointer b)
{
  return robocache_compare_integers (&((const RobocacheClockPair *) a)->stamp, &((const RobocacheClockPair *) b)->stamp);
}

/* Of equal stamps the one with the least delay. */
static GArray *
sorted_pairs (const RobocacheClockGroup *group)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (RobocacheClockPair));
  guint n = 0;

  for (guint i = 0; i < group->pieces->len; i++) {
    const RobocacheClockPiece *piece = g_ptr_array_index (group->pieces, i);

    if (robocache_clock_piece_has_clock (piece))
      g_array_append_vals (all, piece->pairs->data, piece->pairs->len);
  }
  g_array_sort (all, compare_stamps);
  for (guint i = 0; i < all->len; i++) {
    const RobocacheClockPair pair = g_array_index (all, RobocacheClockPair, i);
    RobocacheClockPair *last = n > 0 ? &g_array_index (all, RobocacheClockPair, n - 1) : NULL;

    if (last && last->stamp == pair.stamp)
      last->log = MIN (last->log, pair.log);
    else
      g_array_index (all, RobocacheClockPair, n++) = pair;
  }
  g_array_set_size (all, n);
  return all;
}

/* The points of a fit, as differences from the first pair. */
typedef struct
{
  RobocacheClockPair origin;
  RobocachePoint *points;
  gdouble *residuals;
  guint *hull;
  guint n;
} Window;

static void
add_knot (RobocacheClockGroup *group, const Window *window, gdouble x, gdouble y)
{
  const RobocacheClockKnot knot = { window->origin.stamp + (gint64) rint (x), window->origin.log - window->origin.stamp + (gint64) rint (y) };
  const RobocacheClockKnot *last = group->knots->len > 0 ? &g_array_index (group->knots, RobocacheClockKnot, group->knots->len - 1) : NULL;

  if (!last || (knot.time > last->time && knot.time + knot.shift > last->time + last->shift))
    g_array_append_val (group->knots, knot);
}

/* Least height of points from `begin` to `end`. */
static gdouble
least_height (const Window *window, guint begin, guint end)
{
  gdouble least = HUGE_VAL;

  for (guint i = begin; i < end; i++)
    least = fmin (least, window->points[i].y);
  return least;
}

/* A crystal's drift is near 0; a simulation's is what the first and the last fifth of the points say. */
static void
expect_slope (const Window *window, gdouble *slope, gdouble *sigma)
{
  const guint fifth = MAX (window->n / 5, 1);
  const gdouble length = window->points[window->n - 1].x;

  *slope = length > 0.0 ? (least_height (window, window->n - fifth, window->n) - least_height (window, 0, fifth)) / (0.8 * length) : 0.0;
  *sigma = USUAL_DRIFT;
  if (fabs (*slope) <= MAX_DRIFT || length < (gdouble) ROBOCACHE_SECOND)
    *slope = 0.0;
  else
    *sigma = 0.5 * fabs (*slope);
}

/* Without a density: the lowest line without a slope. */
static void
fit_few (RobocacheClockGroup *group, const Window *window)
{
  gdouble least = least_height (window, 0, window->n), most = least;

  for (guint i = 0; i < window->n; i++)
    most = fmax (most, window->points[i].y);
  add_knot (group, window, 0.0, least);
  group->uncertainty = MAX (group->uncertainty, (gint64) (most - least) + UNFITTED);
}

/* Knots at both ends of a window that is the only one, and otherwise in its middle. */
static void
fit_window (RobocacheClockGroup *group, Window *window, gboolean is_first, gboolean is_last)
{
  const gdouble begin = window->points[0].x, end = window->points[window->n - 1].x;
  const gdouble places[] = { begin, 0.5 * (begin + end), end };
  const gboolean has_knot[] = { is_first, !is_first || !is_last, is_last };
  RobocacheDelayBound line;
  gdouble slope, sigma;

  expect_slope (window, &slope, &sigma);
  robocache_delay_bound_fit (&line, window->points, window->n, slope, sigma, window->residuals, window->hull);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    if (!has_knot[i])
      continue;
    add_knot (group, window, places[i], robocache_delay_bound_at (&line, places[i]));
    group->uncertainty = MAX (group->uncertainty, (gint64) (2.0 * robocache_delay_bound_sigma (&line, places[i]) + CURVATURE));
  }
}

static guint
first_from (const GArray *pairs, gint64 stamp)
{
  guint begin = 0, end = pairs->len;

  while (begin < end) {
    const guint middle = begin + (end - begin) / 2;

    if (g_array_index (pairs, RobocacheClockPair, middle).stamp < stamp)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

static void
fit_pairs (RobocacheClockGroup *group, Window *window, const GArray *pairs, guint begin, guint end)
{
  window->n = end - begin;
  window->origin = g_array_index (pairs, RobocacheClockPair, begin);
  for (guint i = 0; i < window->n; i++) {
    const RobocacheClockPair *pair = &g_array_index (pairs, RobocacheClockPair, begin + i);

    window->points[i].x = (gdouble) (pair->stamp - window->origin.stamp);
    window->points[i].y = (gdouble) ((pair->log - pair->stamp) - (window->origin.log - window->origin.stamp));
  }
  if (window->n >= ROBOCACHE_DELAY_BOUND_MIN_POINTS)
    fit_window (group, window, begin == 0, end == pairs->len);
  else if (pairs->len < ROBOCACHE_DELAY_BOUND_MIN_POINTS)
    fit_few (group, window);
}

/* Fits the envelope in windows that overlap by half. A rest that is shorter than half a window belongs to the last one. */
static void
fit_group (RobocacheClockGroup *group)
{
  GArray *pairs = sorted_pairs (group);
  Window window = {.points = g_new (RobocachePoint, pairs->len),.residuals = g_new (gdouble, pairs->len),.hull = g_new (guint, pairs->len) };
  const gint64 first = g_array_index (pairs, RobocacheClockPair, 0).stamp, last = g_array_index (pairs, RobocacheClockPair, pairs->len - 1).stamp;
  gint64 at = first;
  guint end;

  do {
    const gboolean is_last = last - at <= WINDOW + WINDOW / 2;

    end = is_last ? pairs->len : first_from (pairs, at + WINDOW);
    fit_pairs (group, &window, pairs, first_from (pairs, at), end);
    at += WINDOW / 2;
    /* where stamps jump, no window is in between */
    if (end < pairs->len)
      at = MAX (at, g_array_index (pairs, RobocacheClockPair, first_from (pairs, at)).stamp - WINDOW);
  } while (end < pairs->len);
  /* all windows of a sparse clock may have too few */
  if (group->knots->len == 0)
    fit_pairs (group, &window, pairs, 0, pairs->len);
  g_free (window.points);
  g_free (window.residuals);
  g_free (window.hull);
  g_array_unref (pairs);
}

/* Slope of the line from its first knot to its last one. */
static gdouble
drift_of (const GArray *knots)
{
  const RobocacheClockKnot *a = &g_array_index (knots, RobocacheClockKnot, 0), *b = &g_array_index (knots, RobocacheClockKnot, knots->len - 1);
  const gdouble slope = knots->len > 1 ? ((gdouble) b->shift - (gdouble) a->shift) / ((gdouble) b->time - (gdouble) a->time) : 0.0;

  return (1.0 / (1.0 + slope) - 1.0) * 1e6;
}

gint64
robocache_clock_piece_delay (const RobocacheClockPiece *piece, const GArray *knots, const GArray *recorder)
{
  GArray *delays = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 least;

  for (guint i = 0; i < piece->pairs->len; i++) {
    const RobocacheClockPair *pair = pair_at (piece, i);
    const gint64 delay = robocache_clock_line_at (recorder, pair->log) - robocache_clock_line_at (knots, pair->stamp);

    g_array_append_val (delays, delay);
  }
  /* a single pair may be before the line of all */
  g_array_sort (delays, robocache_compare_integers);
  least = g_array_index (delays, gint64, delays->len / 10);
  g_array_unref (delays);
  return least;
}

/* Least delay of a piece's messages above a line, and their number. */
typedef struct
{
  gint64 delay;
  guint64 n;
} Delay;

/* The first field is compared. */
static gint64
weighted_median_of (GArray *delays)
{
  guint64 n = 0, n_before = 0;
  guint i = 0;

  for (guint k = 0; k < delays->len; k++)
    n += g_array_index (delays, Delay, k).n;
  g_array_sort (delays, robocache_compare_integers);
  while (i + 1 < delays->len && 2 * (n_before + g_array_index (delays, Delay, i).n) <= n)
    n_before += g_array_index (delays, Delay, i++).n;
  return g_array_index (delays, Delay, i).delay;
}

/* How much later than the line the envelopes of most messages are. */
static gint64
spread_of (const RobocacheClockGroup *group)
{
  GArray *delays = g_array_new (FALSE, FALSE, sizeof (Delay));
  gint64 spread;

  for (guint i = 0; i < group->pieces->len; i++) {
    const RobocacheClockPiece *piece = g_ptr_array_index (group->pieces, i);
    const Delay delay = { robocache_clock_piece_delay (piece, group->knots, NULL), piece->n };

    if (robocache_clock_piece_has_clock (piece))
      g_array_append_val (delays, delay);
  }
  spread = weighted_median_of (delays);
  g_array_unref (delays);
  return MAX (spread, 0);
}

static void
finish_group (RobocacheClockGroup *group)
{
  gdouble excess = 0.0;
  gboolean has_clock = FALSE;

  for (guint i = 0; i < group->pieces->len; i++) {
    const RobocacheClockPiece *piece = g_ptr_array_index (group->pieces, i);

    has_clock |= robocache_clock_piece_has_clock (piece);
    excess += piece->excess;
  }
  if (!has_clock)
    return;
  fit_group (group);
  group->drift_ppm = drift_of (group->knots);
  group->excess = (gint64) (excess / (gdouble) MAX (group->n, 1)) + spread_of (group);
}

static gint
by_pairs (gconstpointer a, gconstpointer b)
{
  const RobocacheClockPiece *x = *(RobocacheClockPiece * const *) a, *y = *(RobocacheClockPiece * const *) b;

  return (x->pairs->len < y->pairs->len) - (x->pairs->len > y->pairs->len);
}

GPtrArray *
robocache_clock_groups_find (const GPtrArray *pieces)
{
  GPtrArray *groups = g_ptr_array_new_with_free_func (free_group), *ordered = g_ptr_array_copy ((GPtrArray *) pieces, NULL, NULL);
  gint64 begin = G_MAXINT64, end = G_MININT64, interval;

  add_group (groups)->is_recorder = TRUE;
  for (guint i = 0; i < pieces->len; i++) {
    const RobocacheClockPiece *piece = g_ptr_array_index (pieces, i);

    begin = MIN (begin, pair_at (piece, 0)->log);
    end = MAX (end, pair_at (piece, piece->pairs->len - 1)->log);
  }
  interval = MAX (MIN_INTERVAL, pieces->len > 0 ? (end - begin) / MAX_INTERVALS : 0);
  g_ptr_array_sort (ordered, by_pairs);
  for (guint i = 0; i < ordered->len; i++)
    place_piece (groups, g_ptr_array_index (ordered, i), interval);
  for (guint i = 0; i < groups->len; i++)
    finish_group (g_ptr_array_index (groups, i));
  g_ptr_array_unref (ordered);
  return groups;
}
