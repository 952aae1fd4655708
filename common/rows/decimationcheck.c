/* robocache: a check of the first seconds of rows for what ticks are too slow for
 *
 * A Butterworth high-pass of order 8 at half of the rate of ticks, as four sections after the formulas of R. Bristow-Johnson's Audio
 * EQ Cookbook. Rows are taken as even, which jitter does not change much.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "decimationcheck.h"

#include <math.h>
#include <string.h>

#include "common/rows/history.h"
#include "common/tensors/tensorelements.h"
#include "common/text/timetext.h"
#include "kernels/floatmode.h"

#define SPAN (5 * ROBOCACHE_SECOND)
#define MAX_ROWS 8192           /* with all channels the check takes about a millisecond */
#define FIRST_ROWS 256
#define MIN_ROWS_PER_TICK 3.0
#define MIN_TICKS 24            /* twice what the filter takes to settle */
#define ROUNDING 1e-5           /* of a channel's greatest magnitude: less than this is no signal */
#define SECTIONS 4
#define LANES 4                 /* channels that are filtered at once */
#define SETTLING 6.0            /* periods of the corner that the filter takes */
#define TWO_PI 6.283185307179586
/* A step of about a turn is an angle that wraps. */
#define MIN_WRAP 5.5
#define MAX_WRAP 6.8

void
robocache_decimation_check_begin (RobocacheDecimationCheck *check, RcDtype dtype, guint64 channels, guint32 skipped)
{
  robocache_decimation_check_end (check);
  check->is_open = rc_dtype_is_float (dtype);
  check->dtype = dtype;
  check->n_channels = (guint) MIN (channels, ROBOCACHE_DECIMATION_CHANNELS);
  check->row_bytes = check->n_channels * rc_dtype_size (dtype);
  check->skipped = skipped;
}

void
robocache_decimation_check_follow (RobocacheDecimationCheck *check, RcDtype dtype, guint64 channels, guint32 skipped)
{
  if ((!check->is_open && !check->is_done) || check->dtype != dtype || check->skipped != skipped
      || check->n_channels != MIN (channels, ROBOCACHE_DECIMATION_CHANNELS))
    robocache_decimation_check_begin (check, dtype, channels, skipped);
}

void
robocache_decimation_check_end (RobocacheDecimationCheck *check)
{
  g_free (check->times);
  g_free (check->values);
  *check = (RobocacheDecimationCheck) { 0 };
}

void
robocache_decimation_check_add (RobocacheDecimationCheck *check, gint64 time, gconstpointer row)
{
  if (!check->is_open || check->is_full || (check->n > 0 && time <= check->times[check->n - 1]))
    return;
  if (check->n == check->capacity) {
    check->capacity = check->capacity > 0 ? 2 * check->capacity : FIRST_ROWS;
    check->times = g_renew (gint64, check->times, check->capacity);
    check->values = g_realloc (check->values, check->capacity * check->row_bytes);
  }
  check->times[check->n] = time;
  memcpy (check->values + check->n * check->row_bytes, row, check->row_bytes);
  check->n++;
  check->is_full = check->n == MAX_ROWS || rc_span (check->times[0], time) >= (guint64) SPAN;
}

/* ---- the filter ---- */

typedef gfloat Lanes __attribute__ ((vector_size (LANES * sizeof (gfloat))));

/* In float32: its rounding is far below the share that is too much. */
typedef struct
{
  Lanes a1, a2;                 /* b0, b1, b2 are 1, -2, 1 times the gain */
  Lanes s1, s2;
} Section;

/* corner: in parts of the rate of rows. Returns the gain of all sections. */
static gdouble
init_sections (Section *sections, gdouble corner)
{
  const gdouble w = TWO_PI * corner;
  gdouble gain = 1;

  for (guint i = 0; i < SECTIONS; i++) {
    const gdouble alpha = sin (w) * cos ((2 * i + 1) * TWO_PI / 32), a0 = 1 + alpha;

    gain *= (1 + cos (w)) / 2 / a0;
    sections[i] = (Section) {.a1 = (gfloat) (-2 * cos (w) / a0) - (Lanes) { 0 },.a2 = (gfloat) ((1 - alpha) / a0) - (Lanes) { 0 } };
  }
  return gain;
}

static inline Lanes
filter (Section *sections, Lanes x)
{
  for (guint i = 0; i < SECTIONS; i++) {
    Section *s = &sections[i];
    const Lanes y = x + s->s1;

    s->s1 = s->s2 - (x + x) - s->a1 * y;
    s->s2 = x - s->a2 * y;
    x = y;
  }
  return x;
}

/* ---- the variance ---- */

/* A channel from row `settling` on, as distances from its first row without whole turns. */
typedef struct
{
  gdouble sum, squares;
  gdouble magnitude;            /* greatest one of a value, of all rows */
} Channel;

/* The difference of two consecutive values, without whole turns of an angle. */
static inline gdouble
step_of (gdouble before, gdouble after)
{
  const gdouble step = after - before;

  if (G_UNLIKELY (fabs (step) > MIN_WRAP && fabs (step) < MAX_WRAP))
    return step > 0 ? step - TWO_PI : step + TWO_PI;
  return step;
}

/* values: [n], overwritten; distances: every LANES-th of them. */
static Channel
read_channel (const RobocacheDecimationCheck *check, guint channel, gsize settling, gdouble *values, gfloat *distances)
{
  Channel read = { 0, 0, 0 };
  gdouble before, x = 0;

  robocache_elements_read (check->dtype, check->values + channel * rc_dtype_size (check->dtype), check->row_bytes, check->n, values);
  before = values[0];
  for (gsize i = 0; i < check->n; i++) {
    const gdouble value = values[i], magnitude = fabs (value);

    x += step_of (before, value);
    before = value;
    distances[i * LANES] = (gfloat) x;
    read.magnitude = magnitude > read.magnitude ? magnitude : read.magnitude;
    if (i < settling)
      continue;
    read.sum += x;
    read.squares += x * x;
  }
  return read;
}

/* The sums of squares of what passes the filter, from row `settling` on. */
static void
filter_lanes (const Lanes *distances, gsize n, gsize settling, gdouble corner, gdouble *above)
{
  Section sections[SECTIONS];
  const gdouble gain = init_sections (sections, corner);
  Lanes sum = { 0 };

  for (gsize i = 0; i < settling; i++)
    filter (sections, distances[i]);
  for (gsize i = settling; i < n; i++) {
    const Lanes high = filter (sections, distances[i]);

    sum += high * high;
  }
  for (guint lane = 0; lane < LANES; lane++)
    above[lane] = sum[lane] * gain * gain;
}

/* The share of a channel's variance above the corner, of n rows; 0 if it has NaN, or is constant. */
static gdouble
share_of (const Channel *channel, gdouble above, gdouble n)
{
  if (!(above > n * ROUNDING * ROUNDING * channel->magnitude * channel->magnitude))
    return 0;
  return above / (channel->squares - channel->sum * channel->sum / n);
}

/* shares: of the channels that are not skipped, others 0. */
static void
measure_shares (const RobocacheDecimationCheck *check, gdouble corner, gdouble *shares)
{
  const gsize settling = (gsize) MIN (SETTLING / corner, (gdouble) check->n / 2);
  gdouble *values = g_new (gdouble, check->n);
  Lanes *distances = g_new0 (Lanes, check->n);
  guint channel = 0;

  memset (shares, 0, check->n_channels * sizeof (*shares));
  while (channel < check->n_channels) {
    Channel channels[LANES];
    guint numbers[LANES], n = 0;
    gdouble above[LANES];

    for (; n < LANES && channel < check->n_channels; channel++) {
      if (check->skipped >> channel & 1)
        continue;
      numbers[n] = channel;
      channels[n] = read_channel (check, channel, settling, values, (gfloat *) distances + n);
      n++;
    }
    filter_lanes (distances, check->n, settling, corner, above);
    for (guint i = 0; i < n; i++)
      shares[numbers[i]] = share_of (&channels[i], above[i], (gdouble) (check->n - settling));
  }
  g_free (distances);
  g_free (values);
}

static gboolean
is_interpolated (const RcSearch *search)
{
  return search->interpolation != RC_MEAN && search->interpolation != RC_LOWPASS;
}

gchar *
robocache_lowpass_ahead_text (const RcSearch *search)
{
  RcSearch lowpass = *search;

  lowpass.interpolation = RC_LOWPASS;
  return robocache_duration_to_text (robocache_interpolation_latency (&lowpass, 1, search->period_ns));
}

/* "63 % of the variance of channel 0, 12 % of channel 2" of the shares that are too large. */
static gchar *
list_shares (const gdouble *shares, guint n)
{
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < n; i++) {
    if (shares[i] > ROBOCACHE_DECIMATION_SHARE)
      g_string_append_printf (list, "%s%.0f %% of %schannel %u", list->len > 0 ? ", " : "", MIN (100 * shares[i], 100),
          list->len > 0 ? "" : "the variance of ", i);
  }
  return g_string_free (list, FALSE);
}

static gchar *
describe (const RcSearch *search, const gdouble *shares, guint n)
{
  gchar *list = list_shares (shares, n), *ahead = robocache_lowpass_ahead_text (search), *text;

  text = g_strdup_printf ("%s lies above %.4g Hz, half of the rate of ticks, and is aliased: set interpolation=lowpass, which "
      "looks %s ahead, or interpolation=mean, which looks half a tick ahead", list, 5e8 / (gdouble) search->period_ns, ahead);
  g_free (ahead);
  g_free (list);
  return text;
}

/* Apart from its caller, so that no operation leaves the float mode in between. */
static __attribute__ ((noinline)) gboolean
measure (const RobocacheDecimationCheck *check, gint64 period_ns, gdouble *shares)
{
  const gdouble spacing = (gdouble) rc_span (check->times[0], check->times[check->n - 1]) / (gdouble) (check->n - 1);
  const gdouble rows_per_tick = (gdouble) period_ns / spacing;

  if (rows_per_tick <= MIN_ROWS_PER_TICK || (gdouble) check->n < MIN_TICKS * rows_per_tick)
    return FALSE;
  measure_shares (check, 0.5 / rows_per_tick, shares);
  return TRUE;
}

gboolean
robocache_decimation_check_measure (const RobocacheDecimationCheck *check, gint64 period_ns, gdouble *shares)
{
  gboolean is_measured = FALSE;
  RcFloatMode mode = rc_float_mode_enter ();

  if (check->n > 1 && period_ns > 0)
    is_measured = measure (check, period_ns, shares);
  rc_float_mode_leave (mode);
  return is_measured;
}

void
robocache_decimation_check_complete (RobocacheDecimationCheck *check)
{
  check->is_full |= check->is_open;
}

static gboolean
has_large_share (const gdouble *shares, guint n)
{
  gboolean has = FALSE;

  for (guint i = 0; i < n; i++)
    has |= shares[i] > ROBOCACHE_DECIMATION_SHARE;
  return has;
}

gchar *
robocache_decimation_check_take_warning (RobocacheDecimationCheck *check, const RcSearch *search)
{
  gdouble shares[ROBOCACHE_DECIMATION_CHANNELS];
  gchar *warning = NULL;

  if (!check->is_full)
    return NULL;
  if (is_interpolated (search) && robocache_decimation_check_measure (check, search->period_ns, shares)
      && has_large_share (shares, check->n_channels))
    warning = describe (search, shares, check->n_channels);
  g_clear_pointer (&check->times, g_free);
  g_clear_pointer (&check->values, g_free);
  check->n = check->capacity = 0;
  check->is_open = check->is_full = FALSE;
  check->is_done = TRUE;
  return warning;
}
