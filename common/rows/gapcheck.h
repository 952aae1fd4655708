/* robocache: a check of max-gap against the interval of the rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_GAPCHECK_H
#define ROBOCACHE_GAPCHECK_H

#include "history.h"

G_BEGIN_DECLS

/* The check of one stream. A zeroed struct is an unfinished check. */
typedef struct
{
  gboolean is_done;             /* done with the current settings */
} RobocacheGapCheck;

/* Returns a warning that names max-gap and the value to set, once enough rows have arrived, or at_end with the rows so far; free with
 * g_free. NULL: max-gap is suitable, or it is too early to decide. Checks once until is_done is cleared. */
gchar *robocache_gap_check (RobocacheGapCheck * check, const RobocacheHistory * history, const RcSearch * search, gboolean at_end);

G_END_DECLS
#endif
