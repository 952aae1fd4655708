/* robocache: rows of one stream, collected into one buffer with the time of each
 *
 * The buffer has two tensors: the rows, and an int64 time for each. A block has at most as many rows as it was made for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ROWBLOCK_H
#define ROBOCACHE_ROWBLOCK_H

#include "streamreader.h"

G_BEGIN_DECLS

typedef struct _RobocacheRowBlock RobocacheRowBlock;

/* For the rows of buffers with these caps. NULL: they do not hold one row each, in system memory. */
RobocacheRowBlock *robocache_row_block_new (const GstCaps * caps, guint max_rows);
void robocache_row_block_free (RobocacheRowBlock * block);

/* Whether a sample is a row that a block can hold: bare, or a buffer without a duration. */
gboolean robocache_row_block_holds (const RobocacheRosSample * sample);
/* The time is a PTS. Must not be called on a full block. */
void robocache_row_block_add (RobocacheRowBlock * block, const RobocacheRosSample * sample, guint64 pts);
guint robocache_row_block_count (const RobocacheRowBlock * block);
gboolean robocache_row_block_is_full (const RobocacheRowBlock * block);
void robocache_row_block_discard (RobocacheRowBlock * block);

/* Caps of blocks of n rows; of 0: of full ones. */
GstCaps *robocache_row_block_caps (const RobocacheRowBlock * block, guint n);
/* The rows so far, of which there is at least one. PTS is the time of the first; the block is empty then. */
GstBuffer *robocache_row_block_take (RobocacheRowBlock * block);

G_END_DECLS
#endif
