/* robocache: a check of the first seconds of rows for frequencies that are too high for the ticks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_DECIMATIONCHECK_H
#define ROBOCACHE_DECIMATIONCHECK_H

#include "common/time/nanoseconds.h"
#include "kernels/dtype.h"
#include "kernels/interpolation.h"

G_BEGIN_DECLS

/* Channels of a row that are looked at, and the share of the variance that is too much. */
#define ROBOCACHE_DECIMATION_CHANNELS 16
#define ROBOCACHE_DECIMATION_SHARE 0.01

/* Of one stream. A zeroed one checks nothing. */
typedef struct
{
  gboolean is_open;             /* the check accepts rows */
  RcDtype dtype;
  guint n_channels;             /* number of the first channels of a row that are checked */
  gsize row_bytes;              /* of those channels */
  guint32 skipped;              /* bit c: channel c is not checked: it is held, or of a quaternion, whose sign may change */
  gsize n, capacity;            /* rows */
  gint64 *times;
  guint8 *values;               /* [n, n_channels] */
  gboolean is_full;             /* 5 s of rows, or the maximum number of rows, have arrived */
  gboolean is_done;             /* those rows were looked at */
} RobocacheDecimationCheck;

/* Restarts the check for rows of this dtype and number of channels; integers are not checked. */
void robocache_decimation_check_begin (RobocacheDecimationCheck * check, RcDtype dtype, guint64 channels, guint32 skipped);
/* The same, unless such rows are checked already, or were. */
void robocache_decimation_check_follow (RobocacheDecimationCheck * check, RcDtype dtype, guint64 channels, guint32 skipped);
/* Releases the rows, and accepts no more. */
void robocache_decimation_check_end (RobocacheDecimationCheck * check);

/* Adds a row that is later than all earlier rows. */
void robocache_decimation_check_add (RobocacheDecimationCheck * check, gint64 time, gconstpointer row);

/* No row comes any more: those that came are all. */
void robocache_decimation_check_complete (RobocacheDecimationCheck * check);

/* The share of each channel's variance above half of the rate of ticks, shares[n_channels]; 0 where it has NaN, is still, or is rounding.
 * FALSE: rows are no more than three a tick, or last less than 24 ticks. */
gboolean robocache_decimation_check_measure (const RobocacheDecimationCheck * check, gint64 period_ns, gdouble * shares);

/* How far lowpass would look ahead of a tick, as a text. Free with g_free. */
gchar *robocache_lowpass_ahead_text (const RcSearch * search);

/* Once 5 s of rows, or all, are there: the text of a warning that names each channel, or NULL, and the check ends. It is one where rows are more
 * than three a tick, and more than 1 % of the variance of a channel lies above half of the rate of ticks, which an interpolation of few rows
 * folds below. */
gchar *robocache_decimation_check_take_warning (RobocacheDecimationCheck * check, const RcSearch * search);

G_END_DECLS
#endif
