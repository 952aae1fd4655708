/* robocache: a sensor's own clock, followed by the times at which its rows arrive
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "clocktrack.h"

#include <math.h>
#include <string.h>

#include "common/time/nanoseconds.h"
#include "delaybound.h"

/* Of each such interval of sensor time the pair with the least delay is kept … */
#define INTERVAL (ROBOCACHE_SECOND / 8)
/* … for so long: crystals wander by some 0.01 ppm a second, so the line bends by 20 us */
#define WINDOW (120 * ROBOCACHE_SECOND)
#define CURVATURE 20e3
/* … but after a silence no fewer than so many are. */
#define MIN_KEPT 256
#define MAX_KEPT 1024

/* A fit takes 0.2 ms: each interval until it has converged, then every second. */
#define INTERVALS_A_FIT 8

/* What is expected of a clock before it is known: a microcontroller's oscillator may be off by thousands of ppm. */
#define USUAL_SKEW 1000e-6
/* And of one that is known, after a jump. */
#define SKEW_WANDER 5e-6

/* Converged: sure of the time of the newest row to within this; and unsure again. */
#define SURE 500e3
#define UNSURE 1000e3
#define MIN_SPAN (5 * ROBOCACHE_SECOND)
#define MIN_INTERVALS 20

/* A clock that is ahead by more than this jumped when so many consecutive pairs agree; at first there may have been a stall. */
#define JUMP_AHEAD (100 * ROBOCACHE_MSECOND)
#define JUMP_AT_FIRST ROBOCACHE_SECOND
/* And one that is behind by this; datagrams overtake each other by less. */
#define JUMP_BACK ROBOCACHE_SECOND
#define N_WITNESSES 3
/* Below the line by more than the greater of these is a shift at once, since no delay is negative; above it, when all
 * pairs of SHIFT_TIME are, which chance would do once in exp (SHIFT_NATS). */
#define MIN_SHIFT 1e6
#define SHIFT_UNCERTAINTIES 4.0
#define SHIFT_TIME (10 * ROBOCACHE_SECOND)
#define SHIFT_NATS 30.0
/* The same of calm delays, which say so sooner: of the last N_CALM intervals, at most MAX_ROUGH differ by more than CALM_CHANGE from the one
 * before. */
#define CALM_CHANGE 1e6
#define N_CALM 32
#define MIN_CALM 8
#define MAX_ROUGH 2
#define CALM_SHIFT_TIME (3 * ROBOCACHE_SECOND / 2)
#define MIN_CALM_SHIFT 12
#define SHIFT_SPREADS 5.0
/* What comes out is compared with calm delays of this time, and of so many intervals. Meanwhile the clock may be slewed, as fast as an
 * operating system does it. */
#define RECENT_TIME (ROBOCACHE_SECOND / 2)
#define MIN_RECENT 4
#define SLEW 500e-6

typedef struct
{
  gint64 sensor;
  guint64 difference;           /* arrival - sensor, modulo 2^64: the clocks may be centuries apart */
} Pair;

struct _RobocacheClockTrack
{
  Pair kept[MAX_KEPT];          /* by increasing sensor time, a ring; the last one's interval is still open */
  guint first, n;
  guint not_fitted;             /* intervals that ended since the last fit */

  /* the estimate: difference = line_difference + slope * (sensor - line_sensor) */
  gint64 line_sensor;
  guint64 line_difference;
  gdouble slope;
  gboolean fitted;              /* the line of delaybound.h, whose x is sensor - fit_origin */
  RobocacheDelayBound line;
  gint64 fit_origin;
  gdouble expected_slope, expected_sigma;
  gdouble uncertainty;          /* ns, at the newest pair */
  gboolean converged;

  /* what comes out: a line from the anchor to slew_end, and from there on the estimate */
  gint64 anchor_sensor, anchor_out, slew_end;
  gdouble slew_slope;           /* of out - sensor */
  gint64 newest;                /* greatest sensor time that went in */

  Pair witnesses[N_WITNESSES];  /* of a jump */
  guint n_witnesses;
  guint64 witness_difference;   /* least of theirs */

  RobocacheClockEvent event;
  guint64 pairs, outliers, jumps, steps;

  /* scratch */
  RobocachePoint points[MAX_KEPT];
  gdouble residuals[MAX_KEPT];
  guint hull[MAX_KEPT];
};

/* ---- integers that wrap around ---- */

static gint64
add (gint64 a, guint64 b)
{
  return (gint64) ((guint64) a + b);
}

static gint64
subtract (gint64 a, gint64 b)
{
  return (gint64) ((guint64) a - (guint64) b);
}

static gint64
times (gdouble slope, gint64 duration)
{
  return (gint64) rint (CLAMP (slope * (gdouble) duration, -0x1p62, 0x1p62));
}

/* ---- pairs ---- */

static Pair *
nth (RobocacheClockTrack *track, guint i)
{
  return &track->kept[(track->first + i) % MAX_KEPT];
}

static Pair *
open_pair (RobocacheClockTrack *track)
{
  return nth (track, track->n - 1);
}

static void
forget_oldest (RobocacheClockTrack *track)
{
  track->first = (track->first + 1) % MAX_KEPT;
  track->n--;
}

static void
append (RobocacheClockTrack *track, Pair pair)
{
  if (track->n == MAX_KEPT)
    forget_oldest (track);
  track->n++;
  *open_pair (track) = pair;
  while (track->n > MIN_KEPT && subtract (pair.sensor, nth (track, 0)->sensor) > (gint64) WINDOW)
    forget_oldest (track);
}

static gint64
interval_of (gint64 sensor)
{
  return sensor >= 0 ? sensor / (gint64) INTERVAL : -1 - (-1 - sensor) / (gint64) INTERVAL;
}

/* TRUE when an interval ended. A pair that is out of order has no information: it was delayed. */
static gboolean
keep (RobocacheClockTrack *track, Pair pair)
{
  Pair *open = track->n > 0 ? open_pair (track) : NULL;

  if (open == NULL || interval_of (pair.sensor) > interval_of (open->sensor)) {
    append (track, pair);
    return TRUE;
  }
  if (interval_of (pair.sensor) == interval_of (open->sensor)
      && (gint64) (pair.difference - open->difference) < times (track->slope, subtract (pair.sensor, open->sensor))
      && (track->n < 2 || pair.sensor > nth (track, track->n - 2)->sensor))
    *open = pair;
  return FALSE;
}

/* ---- the estimate ---- */

static guint64
estimated_difference (const RobocacheClockTrack *track, gint64 sensor)
{
  return track->line_difference + (guint64) times (track->slope, subtract (sensor, track->line_sensor));
}

static gint64
estimate (const RobocacheClockTrack *track, gint64 sensor)
{
  return add (sensor, estimated_difference (track, sensor));
}

static gint64
smooth (const RobocacheClockTrack *track, gint64 sensor)
{
  const gint64 since = subtract (sensor, track->anchor_sensor);
  const gdouble slope = since < 0 ? track->slope : track->slew_slope;

  if (subtract (sensor, track->slew_end) >= 0)
    return estimate (track, sensor);
  return add (add (track->anchor_out, (guint64) since), (guint64) times (slope, since));
}

/* How fast an estimate is approached: while it is coarse by nine tenths, so that rows stay in order; later the error is
 * spread over a second, at 1 ms a second at most. */
static const struct
{
  gdouble greatest, seconds;
} approach[] = {
  [FALSE] = {0.9, 0.0},
  [TRUE] = {1e-3, 1.0},
};

/* From out at the newest sensor time, towards the estimate. */
static void
slew_from (RobocacheClockTrack *track, gint64 out)
{
  const gdouble error = (gdouble) subtract (estimate (track, track->newest), out);
  const gdouble greatest = approach[track->converged].greatest, seconds = approach[track->converged].seconds;
  gdouble rate = greatest;

  if (seconds > 0.0)
    rate = fmin (greatest, fabs (error) / (seconds * ROBOCACHE_SECOND));
  track->anchor_sensor = track->newest;
  track->anchor_out = out;
  track->slew_end = track->newest;
  track->slew_slope = track->slope + copysign (rate, error);
  if (error != 0.0)
    track->slew_end = add (track->newest, (guint64) times (fabs (error) / rate, 1));
}

static void
set_line (RobocacheClockTrack *track, gint64 sensor, guint64 difference, gdouble slope)
{
  track->line_sensor = sensor;
  track->line_difference = difference;
  track->slope = slope;
}

/* Points from the oldest pair on, times as differences from it. */
static void
make_points (RobocacheClockTrack *track)
{
  const Pair origin = *nth (track, 0);

  for (guint i = 0; i < track->n; i++) {
    const Pair *pair = nth (track, i);

    track->points[i].x = (gdouble) subtract (pair->sensor, origin.sensor);
    track->points[i].y = (gdouble) (gint64) (pair->difference - origin.difference);
  }
  track->fit_origin = origin.sensor;
}

static void
fit (RobocacheClockTrack *track)
{
  const Pair origin = *nth (track, 0);
  gdouble y;

  track->not_fitted = 0;
  make_points (track);
  track->fitted = track->n >= ROBOCACHE_DELAY_BOUND_MIN_POINTS;
  if (!track->fitted) {
    y = robocache_delay_bound_touch (track->points, track->n, track->expected_slope);
    set_line (track, origin.sensor, origin.difference + (guint64) times (y, 1), track->expected_slope);
    track->uncertainty = -1.0;
    return;
  }
  robocache_delay_bound_fit (&track->line, track->points, track->n, track->expected_slope, track->expected_sigma,
      track->residuals, track->hull);
  y = robocache_delay_bound_at (&track->line, 0.0);
  set_line (track, origin.sensor, origin.difference + (guint64) times (y, 1), track->line.slope);
  track->uncertainty = 2.0 * robocache_delay_bound_sigma (&track->line, track->points[track->n - 1].x) + CURVATURE;
}

static gdouble
uncertainty_at (const RobocacheClockTrack *track, gint64 sensor)
{
  return 2.0 * robocache_delay_bound_sigma (&track->line, (gdouble) subtract (sensor, track->fit_origin)) + CURVATURE;
}

/* ---- calm delays: those that differ little from interval to interval, so that a slew or a small step can be seen ---- */

static gboolean
is_calm (RobocacheClockTrack *track)
{
  const guint n = MIN (track->n, N_CALM);
  guint n_rough = 0;

  for (guint i = track->n - n + 1; i < track->n; i++) {
    const Pair *before = nth (track, i - 1), *pair = nth (track, i);
    const gdouble change = (gdouble) (gint64) (pair->difference - before->difference);

    n_rough += fabs (change) > CALM_CHANGE + SLEW * (gdouble) subtract (pair->sensor, before->sensor);
  }
  return n >= MIN_CALM && n_rough <= MAX_ROUGH;
}

/* The least delays of late, counted from what comes out. */
typedef struct
{
  gdouble least, spread;        /* ns */
  gdouble span;                 /* ns of sensor time */
} Recent;

static Recent
look_at_recent (RobocacheClockTrack *track)
{
  const gint64 newest = open_pair (track)->sensor;
  Recent recent = {.least = HUGE_VAL };
  gdouble greatest = -HUGE_VAL;
  guint m = 0;

  while (m < track->n && (m < MIN_RECENT || subtract (newest, nth (track, track->n - 1 - m)->sensor) < (gint64) RECENT_TIME)) {
    const Pair *pair = nth (track, track->n - 1 - m);
    const gdouble delay = (gdouble) subtract (add (pair->sensor, pair->difference), smooth (track, pair->sensor));

    recent.span = (gdouble) subtract (newest, pair->sensor);
    recent.least = fmin (recent.least, delay);
    /* more rows of the open interval may come */
    if (m > 0)
      greatest = fmax (greatest, delay);
    m++;
  }
  recent.spread = fmax (greatest - recent.least, 0.0);
  return recent;
}

/* How far what comes out may be from the time of capture: the uncertainty of the line, and with calm delays how far what comes out is from
 * them, and what a slew changes meanwhile. -1: unknown. */
static gdouble
bound (RobocacheClockTrack *track)
{
  Recent recent;

  if (track->uncertainty < 0.0)
    return -1.0;
  if (!is_calm (track))
    return track->uncertainty;
  recent = look_at_recent (track);
  return track->uncertainty + fabs (recent.least) + recent.spread + SLEW * recent.span;
}

static gboolean
is_unsure (RobocacheClockTrack *track)
{
  Recent recent;

  if (!(track->uncertainty >= 0.0 && track->uncertainty <= UNSURE))
    return TRUE;
  if (!is_calm (track))
    return FALSE;
  recent = look_at_recent (track);
  return track->uncertainty + fabs (recent.least) - recent.spread > UNSURE;
}

/* error: of what comes out, which follows the estimate. */
static void
judge (RobocacheClockTrack *track, gint64 error)
{
  const gboolean enough = track->fitted && track->n >= MIN_INTERVALS
      && track->points[track->n - 1].x >= (gdouble) MIN_SPAN && fabs ((gdouble) error) <= SURE;

  if (!track->converged && enough && track->uncertainty <= SURE) {
    track->converged = TRUE;
    track->event = ROBOCACHE_CLOCK_CONVERGED;
  } else if (track->converged && is_unsure (track)) {
    track->converged = FALSE;
    track->event = ROBOCACHE_CLOCK_UNSURE;
  }
}

static void
update (RobocacheClockTrack *track)
{
  const gint64 out = smooth (track, track->newest);

  fit (track);
  judge (track, subtract (out, estimate (track, track->newest)));
  slew_from (track, out);
}

/* ---- jumps and steps ---- */

/* The skew is that of before, unless the clock is slewed; everything else is not known any more. */
static void
start_anew (RobocacheClockTrack *track, RobocacheClockEvent event)
{
  if (track->fitted) {
    track->expected_slope = track->slope;
    track->expected_sigma = fmin (sqrt (track->line.slope_variance) + (event == ROBOCACHE_CLOCK_STEPPED && is_calm (track) ? SLEW : SKEW_WANDER), USUAL_SKEW);
  }
  track->fitted = FALSE;
  track->uncertainty = -1.0;
  if (track->converged)
    track->event = event;
  track->converged = FALSE;
}

/* A delay makes a pair look late, however great; but sensor time that goes back was set back. */
static gboolean
looks_like_a_jump (const RobocacheClockTrack *track, const Pair *pair, gint64 above)
{
  const gint64 ahead = track->converged ? JUMP_AHEAD : JUMP_AT_FIRST, back = JUMP_BACK;

  return above < -ahead || (above > back && subtract (pair->sensor, track->newest) < -back);
}

static gint64
witnessed (const RobocacheClockTrack *track, gint64 sensor)
{
  return add (sensor, track->witness_difference);
}

/* The clock jumped, if the next pairs agree. */
static void
take_witness (RobocacheClockTrack *track, const Pair *pair)
{
  const gint64 off = (gint64) (pair->difference - track->witness_difference);

  if (track->n_witnesses > 0 && (off > (gint64) JUMP_AT_FIRST || off < -(gint64) JUMP_AT_FIRST)) {
    track->outliers += track->n_witnesses;
    track->n_witnesses = 0;
  }
  if (track->n_witnesses == 0 || off < 0)
    track->witness_difference = pair->difference;
  track->witnesses[track->n_witnesses++] = *pair;
  if (track->n_witnesses < N_WITNESSES)
    return;

  track->jumps++;
  start_anew (track, ROBOCACHE_CLOCK_JUMPED);
  track->n = 0;
  for (guint i = 0; i < N_WITNESSES; i++)
    keep (track, track->witnesses[i]);
  track->n_witnesses = 0;
  track->newest = pair->sensor;
  fit (track);
  slew_from (track, witnessed (track, pair->sensor));
}

/* A pair far below the line: the estimate starts with it. */
static void
shift_down (RobocacheClockTrack *track, const Pair *pair)
{
  const gint64 out = smooth (track, track->newest);

  track->steps++;
  start_anew (track, ROBOCACHE_CLOCK_STEPPED);
  track->n = 0;
  keep (track, *pair);
  fit (track);
  slew_from (track, out);
}

/* Intervals, counted back from the newest, that make up a time, at least `least`; 0 when there are too few. */
static guint
recent_intervals (RobocacheClockTrack *track, gint64 time, guint least)
{
  const gint64 newest = open_pair (track)->sensor;
  guint m = 1;

  while (m < track->n && (m < least || subtract (newest, nth (track, track->n - m)->sensor) < time))
    m++;
  return m >= least && m < track->n ? m : 0;
}

/* Least and greatest height of recent pairs above the line. */
static void
recent_heights (RobocacheClockTrack *track, guint n_recent, gdouble *least, gdouble *greatest)
{
  *least = HUGE_VAL;
  *greatest = -HUGE_VAL;
  for (guint i = track->n - n_recent; i < track->n; i++) {
    const Pair *pair = nth (track, i);
    const gdouble height = (gdouble) (gint64) (pair->difference - estimated_difference (track, pair->sensor));

    *least = fmin (*least, height);
    *greatest = fmax (*greatest, height);
  }
}

/* Whether all of m recent pairs are above the line: calm ones by much more than they differ, others by more than chance would do. */
static gboolean
are_above (RobocacheClockTrack *track, guint m, gboolean calm)
{
  gdouble least, greatest;

  if (m == 0)
    return FALSE;
  recent_heights (track, m, &least, &greatest);
  if (least < fmax (MIN_SHIFT, SHIFT_UNCERTAINTIES * track->uncertainty))
    return FALSE;
  return calm ? least >= SHIFT_SPREADS * (greatest - least) : least * track->line.density * m / track->n >= SHIFT_NATS;
}

/* The newer half of the pairs above the line is kept, since the older may have been high by chance. */
static gboolean
shift_up (RobocacheClockTrack *track)
{
  guint m;

  if (!track->fitted)
    return FALSE;
  m = is_calm (track) ? recent_intervals (track, CALM_SHIFT_TIME, MIN_CALM_SHIFT) : 0;
  if (!are_above (track, m, TRUE)) {
    m = recent_intervals (track, SHIFT_TIME, MIN_INTERVALS);
    if (!are_above (track, m, FALSE))
      return FALSE;
  }
  track->steps++;
  start_anew (track, ROBOCACHE_CLOCK_STEPPED);
  while (track->n > m / 2)
    forget_oldest (track);
  return TRUE;
}

/* ---- pairs in, times out ---- */

static void
start (RobocacheClockTrack *track, const Pair *pair)
{
  track->newest = pair->sensor;
  keep (track, *pair);
  fit (track);
  slew_from (track, estimate (track, pair->sensor));
}

static void
take_pair (RobocacheClockTrack *track, const Pair *pair, gint64 above)
{
  gboolean shifted = FALSE;

  track->outliers += track->n_witnesses;
  track->n_witnesses = 0;
  if (track->converged && above < 0
      && -(gdouble) above > fmax (MIN_SHIFT, SHIFT_UNCERTAINTIES * uncertainty_at (track, pair->sensor))) {
    shift_down (track, pair);
  } else {
    if (keep (track, *pair)) {
      track->not_fitted++;
      shifted = shift_up (track);
    }
    if (shifted || track->not_fitted >= (track->converged ? INTERVALS_A_FIT : 1) || (!track->converged && above < 0))
      update (track);
  }
  if (subtract (pair->sensor, track->newest) > 0)
    track->newest = pair->sensor;
}

gint64
robocache_clock_track_add (RobocacheClockTrack *track, gint64 sensor_ns, gint64 arrival_ns)
{
  const Pair pair = { sensor_ns, (guint64) arrival_ns - (guint64) sensor_ns };
  gint64 above;

  track->pairs++;
  if (track->n == 0) {
    start (track, &pair);
    return robocache_clock_track_map (track, sensor_ns);
  }
  above = (gint64) (pair.difference - estimated_difference (track, sensor_ns));
  if (looks_like_a_jump (track, &pair, above))
    take_witness (track, &pair);
  else
    take_pair (track, &pair, above);
  return robocache_clock_track_map (track, sensor_ns);
}

gint64
robocache_clock_track_map (const RobocacheClockTrack *track, gint64 sensor_ns)
{
  return track->n_witnesses > 0 ? witnessed (track, sensor_ns) : smooth (track, sensor_ns);
}

RobocacheClockEvent
robocache_clock_track_take_event (RobocacheClockTrack *track)
{
  const RobocacheClockEvent event = track->event;

  track->event = ROBOCACHE_CLOCK_NO_EVENT;
  return event;
}

/* ---- life ---- */

RobocacheClockTrack *
robocache_clock_track_new (void)
{
  RobocacheClockTrack *track = g_new (RobocacheClockTrack, 1);

  robocache_clock_track_reset (track);
  return track;
}

void
robocache_clock_track_free (RobocacheClockTrack *track)
{
  g_free (track);
}

void
robocache_clock_track_reset (RobocacheClockTrack *track)
{
  memset (track, 0, sizeof (*track));
  track->expected_sigma = USUAL_SKEW;
  track->uncertainty = -1.0;
}

/* ---- reports ---- */

void
robocache_clock_track_get (RobocacheClockTrack *track, RobocacheClockEstimate *e)
{
  e->offset_ns = track->n > 0 ? (gint64) estimated_difference (track, track->newest) : 0;
  e->skew_ppm = (1.0 / (1.0 + track->slope) - 1.0) * 1e6;
  e->uncertainty_ns = (gint64) rint (fmin (bound (track), 0x1p62));
  e->converged = track->converged;
  e->pairs = track->pairs;
  e->outliers = track->outliers;
  e->jumps = track->jumps;
  e->steps = track->steps;
}
