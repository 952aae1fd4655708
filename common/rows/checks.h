/* robocache: checks of rows: gaps, values that are no numbers, and quaternions
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "history.h"
#include "kernels/dtype.h"
#include <glib.h>

/* ---- a check of max-gap against the interval of the rows ---- */

/* The check of one stream. A zeroed struct is an unfinished check. */
typedef struct
{
  gboolean is_done;             /* done with the current settings */
} RobocacheGapCheck;

/* Returns a warning that names max-gap and the value to set, once enough rows have arrived, or at_end with the rows so far; free with
 * g_free. NULL: max-gap is suitable, or it is too early to decide. Checks only once, unless is_done is cleared. */
gchar *robocache_gap_check (RobocacheGapCheck * check, const RobocacheHistory * history, const RcSearch * search, gboolean at_end);

/* ---- rows with NaN, counted for each channel ---- */

/* The check of one stream. A zeroed struct is a valid empty check. */
typedef struct
{
  guint64 *counts;              /* [n_channels] number of NaN; NULL: no NaN so far */
  guint64 n_channels;
  gboolean is_reported;
} RobocacheNanCheck;

void robocache_nan_check_clear (RobocacheNanCheck * check);

/* Whether a row of `channels` elements in host memory has NaN. FALSE for integers. */
gboolean robocache_row_has_nan (RcDtype dtype, guint64 channels, const guint8 * row);

/* Counts the NaN of n_rows rows. TRUE: the rows have NaN. */
gboolean robocache_nan_check_rows (RobocacheNanCheck * check, RcDtype dtype, guint64 channels, const guint8 * rows, guint64 n_rows);

/* Returns, once, a warning that names the channels with NaN; free with g_free. are_dropped: rows with NaN are dropped. NULL: no warning. */
gchar *robocache_nan_check_take_warning (RobocacheNanCheck * check, gboolean are_dropped);

/* ---- checks for quaternions that are not rotations: rows whose length is not 1, and means of scattered quaternions ---- */

/* A row at a tick is copied unchanged; between rows, quaternions are normalised, and a quaternion of length 0 becomes NaN. So the length
 * reveals a wrong channel list, or a sensor without data. The length of rows in device memory is not checked. */

/* Quaternions with one kind of fault. */
typedef struct
{
  guint64 n;
  gint32 channel;               /* first channel and length of the first such quaternion */
  gdouble length;
  gboolean is_reported;
} RobocacheOddQuaternions;

/* Faults of one stream. A zeroed struct is a valid empty check. */
typedef struct
{
  RobocacheOddQuaternions not_unit;     /* length differs from 1 by more than 1 %, but is not 0; NaN does not count */
  RobocacheOddQuaternions zero;
  guint64 n_scattered;          /* number of ticks with scattered quaternions */
  gboolean scattered_is_reported;
} RobocacheQuaternionCheck;

/* Checks n quaternions, given by their first channels, in n_rows rows of `channels` elements in host memory. */
void robocache_quaternion_check_rows (RobocacheQuaternionCheck * check, const gint32 * quaternions, gint64 n, RcDtype dtype,
    guint64 channels, const guint8 * rows, guint64 n_rows);
/* Counts n ticks that are missing because their quaternions have no mean. */
void robocache_quaternion_check_scattered (RobocacheQuaternionCheck * check, guint64 n);
/* Adds the faults of a later check to sum. */
void robocache_quaternion_check_add (RobocacheQuaternionCheck * sum, const RobocacheQuaternionCheck * check);
/* Returns a warning about a fault that was not reported yet; free with g_free. NULL: no such fault. */
gchar *robocache_quaternion_check_take_warning (RobocacheQuaternionCheck * check);
