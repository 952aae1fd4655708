/* robocache: random clouds, and the grid that a window of them makes as one cloud
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <math.h>

#include "tests/check/lib/points/voxelizeharness.h"

#define FIELDS 4
#define MAX_POINTS 300
#define BATCH_POINTS 50
#define BATCH 3

/* n points of each item, with some in few voxels now and then. */
GstBuffer *random_cloud (GRand *random, guint n, guint items);

GstHarness *start_on (const gchar *kind, const gchar *more, guint n, guint items);

/* Output of a new element for all clouds of the window, joined to one cloud. */
GBytes *made_of_one (const gchar *kind, const gchar *more, GQueue *window, guint items);

/* Output of a new element for one cloud, which is taken. */
GBytes *made_of (const gchar *kind, GstBuffer *cloud);
