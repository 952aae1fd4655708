/* robocache: the ranges of features of the clouds of a window, each measured once
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_CLOUDRANGES_H
#define ROBOCACHE_CLOUDRANGES_H

#include "cloudwindow.h"

G_BEGIN_DECLS

/* A zeroed struct is valid and empty. */
typedef struct
{
  guint n_slots, n_values;
  guint64 *numbers;             /* [n_slots] of the slot's cloud, from 1 on; 0: free */
  gdouble *values;              /* [n_slots, n_values] */
  gdouble *maxima;            /* [n_values] */
} RobocacheCloudRanges;

/* Measures clouds that are new in the window with `measure`, which gets zeroed values to raise. Returns the maximum of each
 * value over all clouds, valid until the next call. NULL: measure failed. */
const gdouble *robocache_cloud_ranges_update (RobocacheCloudRanges * ranges, const RobocacheCloudWindow * window,
    guint n_values, gboolean (*measure) (gpointer data, const RobocacheCloud * cloud, gdouble * values, GError ** error),
    gpointer data, GError ** error);
void robocache_cloud_ranges_clear (RobocacheCloudRanges * ranges);

G_END_DECLS
#endif
