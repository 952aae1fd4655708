/* robocache: a check of max-gap against the interval of the rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_GAPCHECK_H
#define ROBOCACHE_GAPCHECK_H

#include "history.h"

G_BEGIN_DECLS

/* One stream's. A zeroed struct has checked nothing. */
typedef struct
{
  gboolean is_done;             /* with the settings in force */
} RobocacheGapCheck;

/* A warning that names max-gap and what to set, once enough rows have arrived, or at_end with those that have; free with g_free. NULL:
 * max-gap fits, or it is too early to judge. Checks once until is_done is cleared. */
gchar *robocache_gap_check (RobocacheGapCheck * check, const RobocacheHistory * history, const RcSearch * search, gboolean at_end);

G_END_DECLS
#endif
