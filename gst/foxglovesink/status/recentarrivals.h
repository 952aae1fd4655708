/* robocache: when the rows of a pad of robocachefuse arrived in the last second, relative to their timestamps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "recentticks.h"

typedef struct _RobocacheRecentArrivals RobocacheRecentArrivals;

/* Looks at each buffer that arrives at the pad from now on. */
RobocacheRecentArrivals *robocache_recent_arrivals_new (GstPad * pad);
void robocache_recent_arrivals_free (RobocacheRecentArrivals * arrivals);

/* From the PTS of a buffer, in running time, to its arrival. The offset of the pad is not in it. delay->n is 0 if the source is not live. */
void robocache_recent_arrivals_get (RobocacheRecentArrivals * arrivals, RobocacheTickDurations * delay);
