/* robocache: the delay between two aligned streams that see the same motion
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_MOTIONDELAY_H
#define ROBOCACHE_EXAMPLES_MOTIONDELAY_H

#include <glib.h>

G_BEGIN_DECLS

/* What a stream saw, a value a tick. */
typedef struct
{
  guint n_channels;
  gsize n_ticks;
  gdouble *values;              /* [n_channels][n_ticks]; NaN where there is none */
} Motion;

typedef enum
{
  MOTION_DELAY_OK,
  MOTION_DELAY_NO_OVERLAP,      /* not enough ticks at which both have values, for any delay within the range */
  MOTION_DELAY_FIRST_IS_STILL,
  MOTION_DELAY_SECOND_IS_STILL,
  MOTION_DELAY_UNLIKE,          /* correlation says how much they have in common */
  MOTION_DELAY_AT_EDGE          /* the correlation still rises at the end of the range: at delay */
} MotionDelayResult;

/* Delays are in ticks; a positive one says that the second is behind the first. */
typedef struct
{
  gdouble delay;
  gdouble uncertainty;          /* standard error */
  gdouble correlation;          /* of the speeds, at delay */
  gdouble rival, rival_correlation;     /* another delay that fits nearly as well; correlation 0: there is none */
  gdouble opposite, opposite_correlation;       /* where they are most opposed; correlation below 0 */
  gsize n_pairs;                /* ticks that were compared at delay */
} MotionDelay;

/* Finds the delay of at most range ticks at which the second looks most like the first. Both have the same size, channel
 * c of the one is compared with channel c of the other; a channel weighs as much as it moves. What is compared is the
 * speed: values are convolved with the derivative of a Gaussian of `smooth` ticks (standard deviation), which no constant
 * passes, and noise from tick to tick hardly. Correlations below least_correlation do not count. */
MotionDelayResult motion_delay_find (MotionDelay * found, const Motion * first, const Motion * second, guint range,
    gdouble smooth, gdouble least_correlation);

G_END_DECLS
#endif
