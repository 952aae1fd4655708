/* robocache: checks of recordings in robocachefuse: the times of their first and last rows
 *
 * These checks are for cores that are not live; allow-gaps disables them. Their results depend on the rows, not on the order of threads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "state.h"

/* Call this before a tick is made. FALSE and an error: the first row of a stream is more than a day from the tick. */
gboolean fuse_check_first_rows (const FuseCore * core, gint64 tick, GError ** error);
/* Call this if no stream is aligned at tick, and no status changes until `until`. FALSE and an error: from tick to until, all rows are missing
 * for more than an hour, or none is aligned for more than a year. all_are_missing: all rows are missing at tick. */
gboolean fuse_check_gap (const FuseCore * core, gint64 tick, gint64 until, gboolean all_are_missing, GError ** error);
/* Adds a warning about each stream that ended before tick, and before another stream began. */
void fuse_collect_separate_streams (const FuseCore * core, gint64 tick, GQueue * notes);
