/* robocache: the delay between two aligned streams that see the same motion
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* The motion in a stream: one value per channel and tick. */
typedef struct
{
  guint n_channels;
  gsize n_ticks;
  gdouble *values;              /* [n_channels][n_ticks]; NaN for a tick without a value */
} Motion;

typedef enum
{
  MOTION_DELAY_OK,
  MOTION_DELAY_NO_OVERLAP,      /* too few ticks at which both streams have values, for every delay within the range */
  MOTION_DELAY_FIRST_IS_STILL,
  MOTION_DELAY_SECOND_IS_STILL,
  MOTION_DELAY_UNLIKE,          /* the streams differ, or correlate no more than by chance; correlation is the best one that was found */
  MOTION_DELAY_AT_EDGE          /* the correlation still rises at the end of the range, at `delay` */
} MotionDelayResult;

/* Delays are in ticks; with a positive delay the second stream is later than the first. */
typedef struct
{
  gdouble delay;
  gdouble uncertainty;          /* contains the error in 95 % of recordings */
  gdouble correlation;          /* correlation of the speeds at `delay` */
  gdouble rival, rival_correlation;     /* another delay that fits nearly as well; correlation 0: there is no such delay */
  gdouble opposite, opposite_correlation;       /* the delay with the most negative correlation */
  gsize n_pairs;                /* ticks that were compared at `delay` */
} MotionDelay;

/* Finds the delay of at most range ticks at which the second motion is most similar to the first. Both have the same size; channel c is
 * compared with channel c of the other, and channels that move more have a greater weight. It compares speeds: values are convolved with
 * the derivative of a Gaussian of *smooth ticks (standard deviation), which removes constants and most noise from tick to tick. If *smooth is
 * 0, the smoothing of 3 to 48 ticks with the least uncertainty is taken, and returned in *smooth. Correlations below least_correlation, and
 * those that unrelated motions have by chance, are ignored. */
MotionDelayResult motion_delay_find (MotionDelay * found, const Motion * first, const Motion * second, guint range, gdouble * smooth,
    gdouble least_correlation);

/* Whether the recording is long enough for its uncertainty: a tenth of it is longer than what one speed is made of. */
gboolean motion_delay_is_sure (const MotionDelay * found, gdouble smooth);
