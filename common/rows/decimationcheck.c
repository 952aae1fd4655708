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
#include "common/tensors/element.h"
#include "common/text/timetext.h"
#include "kernels/floatmode.h"

#define SPAN (5 * ROBOCACHE_SECOND)
#define MAX_ROWS 8192           /* with all channels the check takes about a millisecond */
#define FIRST_ROWS 256
#define MIN_ROWS_PER_TICK 3.0
#define MIN_TICKS 24            /* twice what the filter takes to settle */
#define ROUNDING 1e-5           /* of a channel's greatest magnitude: less than this is no signal */
#define SECTIONS 4
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
  check->skipped = skipped;
}

void
robocache_decimation_check_end (RobocacheDecimationCheck *check)
{
  g_free (check->times);
  g_free (check->values);
  *check = (RobocacheDecimationCheck) { 0 };
}

static gsize
row_bytes (const RobocacheDecimationCheck *check)
{
  return check->n_channels * rc_dtype_size (check->dtype);
}

void
robocache_decimation_check_add (RobocacheDecimationCheck *check, gint64 time, gconstpointer row)
{
  if (!check->is_open || check->is_full || (check->n > 0 && time <= check->times[check->n - 1]))
    return;
  if (check->n == check->capacity) {
    check->capacity = check->capacity > 0 ? 2 * check->capacity : FIRST_ROWS;
    check->times = g_renew (gint64, check->times, check->capacity);
    check->values = g_realloc (check->values, check->capacity * row_bytes (check));
  }
  check->times[check->n] = time;
  memcpy (check->values + check->n * row_bytes (check), row, row_bytes (check));
  check->n++;
  check->is_full = check->n == MAX_ROWS || rc_span (check->times[0], time) >= (guint64) SPAN;
}

/* ---- the filter ---- */

typedef struct
{
  gdouble b0, b1, a1, a2;       /* b2 is b0 */
  gdouble x1, x2, y1, y2;
} Section;

/* corner: in parts of the rate of rows. */
static void
init_sections (Section *sections, gdouble corner)
{
  const gdouble w = TWO_PI * corner;

  for (guint i = 0; i < SECTIONS; i++) {
    const gdouble alpha = sin (w) * cos ((2 * i + 1) * TWO_PI / 32), a0 = 1 + alpha;

    sections[i] = (Section) {.b0 = (1 + cos (w)) / 2 / a0,.b1 = -(1 + cos (w)) / a0,.a1 = -2 * cos (w) / a0,.a2 = (1 - alpha) / a0 };
  }
}

static gdouble
filter (Section *sections, gdouble x)
{
  for (guint i = 0; i < SECTIONS; i++) {
    Section *s = &sections[i];
    const gdouble y = s->b0 * (x + s->x2) + s->b1 * s->x1 - s->a1 * s->y1 - s->a2 * s->y2;

    s->x2 = s->x1;
    s->x1 = x;
    s->y2 = s->y1;
    s->y1 = y;
    x = y;
  }
  return x;
}

/* ---- the variance ---- */

static gdouble
value_of (const RobocacheDecimationCheck *check, gsize row, guint channel)
{
  return robocache_element_read (check->dtype, check->values + row * row_bytes (check) + channel * rc_dtype_size (check->dtype));
}

/* The difference of two consecutive values, without whole turns of an angle. */
static gdouble
step_of (gdouble before, gdouble after)
{
  const gdouble step = after - before;

  if (fabs (step) > MIN_WRAP && fabs (step) < MAX_WRAP)
    return step > 0 ? step - TWO_PI : step + TWO_PI;
  return step;
}

/* The share of a channel's variance above the corner; 0 if it has NaN, is constant, or there are too few rows. */
static gdouble
share_above (const RobocacheDecimationCheck *check, guint channel, gdouble corner)
{
  const gsize settling = (gsize) MIN (SETTLING / corner, (gdouble) check->n / 2);
  gdouble before = value_of (check, 0, channel), x = 0, sum = 0, squares = 0, above = 0, greatest = fabs (before);
  const gdouble n = (gdouble) (check->n - settling);
  Section sections[SECTIONS];

  init_sections (sections, corner);
  for (gsize i = 1; i < check->n; i++) {
    const gdouble value = value_of (check, i, channel);
    gdouble high;

    x += step_of (before, value);
    before = value;
    high = filter (sections, x);
    greatest = MAX (greatest, fabs (value));
    if (i < settling)
      continue;
    sum += x;
    squares += x * x;
    above += high * high;
  }
  if (!(above > n * ROUNDING * ROUNDING * greatest * greatest))
    return 0;
  return above / (squares - sum * sum / n);
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

  text = g_strdup_printf ("%s lies above %.4g Hz, half of the rate of ticks, and is folded below: set interpolation=lowpass, which looks %s ahead, "
      "or interpolation=mean, which looks half a tick ahead", list, 5e8 / (gdouble) search->period_ns, ahead);
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
  for (guint i = 0; i < check->n_channels; i++)
    shares[i] = check->skipped >> i & 1 ? 0 : share_above (check, i, 0.5 / rows_per_tick);
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
  robocache_decimation_check_end (check);
  return warning;
}
