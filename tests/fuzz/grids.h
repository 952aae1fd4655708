/* robocache: voxel grids, made of an input's bytes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "bench.h"

/* Caps of grids of any form, and grids of the last ones. Few of either are wrong. */
void send_grid_caps (Feed * feed, Input * input);
void send_grid (Feed * feed, Input * input);
