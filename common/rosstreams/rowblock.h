/* robocache: collects rows of one stream in one buffer, with the time of each row
 *
 * The buffer has two tensors: the rows, and an int64 time for each. A block has at most max_rows rows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "streamreader.h"

typedef struct _RobocacheRowBlock RobocacheRowBlock;

/* Makes a block for the rows of buffers with these caps. NULL: the buffers do not have one row each, in system memory. */
RobocacheRowBlock *robocache_row_block_new (const GstCaps * caps, guint max_rows);
void robocache_row_block_free (RobocacheRowBlock * block);

/* Whether a block can contain a sample: a row without a buffer, or a buffer without a duration. */
gboolean robocache_row_block_holds (const RobocacheRosSample * sample);
/* Adds a row with its PTS. The block must not be full. */
void robocache_row_block_add (RobocacheRowBlock * block, const RobocacheRosSample * sample, guint64 pts);
guint robocache_row_block_count (const RobocacheRowBlock * block);
gboolean robocache_row_block_is_full (const RobocacheRowBlock * block);
void robocache_row_block_discard (RobocacheRowBlock * block);

/* Caps of blocks of n rows; n 0: of full blocks. */
GstCaps *robocache_row_block_caps (const RobocacheRowBlock * block, guint n);
/* Returns the rows so far, at least one, and empties the block. PTS is the time of the first row. */
GstBuffer *robocache_row_block_take (RobocacheRowBlock * block);
