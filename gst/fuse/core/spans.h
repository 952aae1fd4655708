/* robocache: checks of recordings in robocachefuse: the times of their first and last rows
 *
 * Not live; allow-gaps turns all of it off. What is found depends on the rows and not on the order of threads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_SPANS_H
#define FUSE_SPANS_H

#include "state.h"

G_BEGIN_DECLS

/* Before a tick is made. FALSE and an error: the first row of a stream is more than a day from it. */
gboolean fuse_check_first_rows (const FuseCore * core, gint64 tick, GError ** error);
/* FALSE and an error: nothing but missing rows would fill an hour, or nothing but held ones a year. all_are_missing: at tick, where
 * no stream is aligned; their statuses are certain to stay until then. */
gboolean fuse_check_gap (const FuseCore * core, gint64 tick, gint64 until, gboolean all_are_missing, GError ** error);
/* Adds a warning of each stream that ended before tick, and before another began. */
void fuse_collect_separate_streams (const FuseCore * core, gint64 tick, GQueue * notes);

G_END_DECLS
#endif
