/* robocache: quaternions of rows that are no rotations: their length is not 1
 *
 * A row at a tick is copied unchanged; between rows quaternions are normalised, and one of length 0 becomes NaN. So a wrong channel
 * list, or a sensor without data, shows in the length. Rows in device memory are not checked.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_QUATERNIONCHECK_H
#define ROBOCACHE_QUATERNIONCHECK_H

#include <glib.h>

#include "kernels/dtype.h"

G_BEGIN_DECLS

/* Quaternions of one fault. */
typedef struct
{
  guint64 n;
  gint32 channel;               /* of the first one: where it begins, and its length */
  gdouble length;
  gboolean is_reported;
} RobocacheOddQuaternions;

/* Faults of one stream. A zeroed struct is a valid empty check. */
typedef struct
{
  RobocacheOddQuaternions not_unit;     /* by more than 1 %, but not zero; NaN is no fault of length */
  RobocacheOddQuaternions zero;
} RobocacheQuaternionCheck;

/* Checks n quaternions, by their first channels, of n_rows rows of `channels` elements in host memory. */
void robocache_quaternion_check_rows (RobocacheQuaternionCheck * check, const gint32 * quaternions, gint64 n, RcDtype dtype,
    guint64 channels, const guint8 * rows, guint64 n_rows);
/* Adds what was found later. */
void robocache_quaternion_check_add (RobocacheQuaternionCheck * sum, const RobocacheQuaternionCheck * check);
/* A warning about a fault that was not reported yet; free with g_free. NULL: there is none. */
gchar *robocache_quaternion_check_take_warning (RobocacheQuaternionCheck * check);

G_END_DECLS
#endif
