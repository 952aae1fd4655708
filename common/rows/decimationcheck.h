/* robocache: a check of the first seconds of rows for frequencies that are too high for the ticks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/time/nanoseconds.h"
#include "kernels/dtype.h"
#include "kernels/interpolation.h"

/* Maximum number of channels that are checked, and the share of the variance above which a channel is reported. */
#define ROBOCACHE_DECIMATION_CHANNELS 16
#define ROBOCACHE_DECIMATION_SHARE 0.01

/* The check of one stream. A zeroed struct checks nothing. */
typedef struct
{
  gboolean is_open;             /* the check accepts rows */
  RcDtype dtype;
  guint n_channels;             /* number of the first channels of a row that are checked */
  gsize row_bytes;              /* bytes of these channels */
  guint32 skipped;              /* bit c: channel c is not checked, because it is held, or belongs to a quaternion, whose sign may change */
  gsize n, capacity;            /* rows */
  gint64 *times;
  guint8 *values;               /* [n, n_channels] */
  gboolean is_full;             /* 5 s of rows, or the maximum number of rows, have arrived */
  gboolean is_done;             /* the rows were checked */
} RobocacheDecimationCheck;

/* Restarts the check for rows of this dtype and number of channels; integers are not checked. */
void robocache_decimation_check_begin (RobocacheDecimationCheck * check, RcDtype dtype, guint64 channels, guint32 skipped);
/* Like robocache_decimation_check_begin, unless rows of this dtype and number of channels are being checked or were checked. */
void robocache_decimation_check_follow (RobocacheDecimationCheck * check, RcDtype dtype, guint64 channels, guint32 skipped);
/* Releases the rows. No further rows are accepted. */
void robocache_decimation_check_end (RobocacheDecimationCheck * check);

/* Adds a row that is later than all earlier rows. */
void robocache_decimation_check_add (RobocacheDecimationCheck * check, gint64 time, gconstpointer row);

/* Notes that no more rows follow, so that the rows so far can be checked. */
void robocache_decimation_check_complete (RobocacheDecimationCheck * check);

/* Sets shares[n_channels]: for each channel, the share of its variance above half the rate of ticks; 0 if the channel has NaN, is constant, or
 * varies only by rounding. FALSE: at most three rows per tick, or rows of less than 24 ticks. */
gboolean robocache_decimation_check_measure (const RobocacheDecimationCheck * check, gint64 period_ns, gdouble * shares);

/* The time by which lowpass would look ahead of a tick, as a text. Free with g_free. */
gchar *robocache_lowpass_ahead_text (const RcSearch * search);

/* Once 5 s of rows, or all rows, have arrived, ends the check and returns a warning that names each reported channel, or NULL. A channel is
 * reported if a tick has more than three rows, and more than 1 % of the channel's variance is above half the rate of ticks: an interpolation
 * of few rows aliases these frequencies. */
gchar *robocache_decimation_check_take_warning (RobocacheDecimationCheck * check, const RcSearch * search);
