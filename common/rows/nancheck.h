/* robocache: rows with NaN, counted for each channel
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_NANCHECK_H
#define ROBOCACHE_NANCHECK_H

#include <glib.h>

#include "kernels/dtype.h"

G_BEGIN_DECLS

/* Of one stream. A zeroed struct is a valid empty check. */
typedef struct
{
  guint64 *counts;              /* [n_channels] values that are NaN; NULL: none was */
  guint64 n_channels;
  gboolean is_reported;
} RobocacheNanCheck;

void robocache_nan_check_clear (RobocacheNanCheck * check);

/* Whether a row of `channels` elements in host memory has NaN; of integers none has. */
gboolean robocache_row_has_nan (RcDtype dtype, guint64 channels, const guint8 * row);

/* Counts those of n_rows rows. TRUE: there are some. */
gboolean robocache_nan_check_rows (RobocacheNanCheck * check, RcDtype dtype, guint64 channels, const guint8 * rows, guint64 n_rows);

/* Once: a warning that names channels with NaN; free with g_free. are_dropped: such rows are no value. NULL: there is none. */
gchar *robocache_nan_check_take_warning (RobocacheNanCheck * check, gboolean are_dropped);

G_END_DECLS
#endif
