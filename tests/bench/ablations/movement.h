/* robocache: experimental kernels that align float32 rows: how times and rows come to a block, and who does which item
 *
 * Each takes (EpisodesArgs, CUtensorMap of the rows).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_MOVEMENT_H
#define BENCH_MOVEMENT_H

#ifdef __cplusplus
extern "C" {
#endif

#define MOVEMENT_THREADS 128
#define MOVEMENT_CLUSTER 8      /* blocks that share the times of an episode */
#define MOVEMENT_ROOM 36864     /* bytes of rows that a block stages; those of longer spans are read where they are */
#define MOVEMENT_BOX_ROWS 32    /* rows that one copy of a tensor map brings */

extern const void *const movement_global;       /* each tick searches where the times are */
extern const void *const movement_whole;        /* all times of the episode in shared memory; dynamic: 8 bytes each */
extern const void *const movement_span; /* the times of the item's rows in shared memory */
extern const void *const movement_cluster;      /* the same, each block of a cluster brings its part to all */
extern const void *const movement_bulk; /* rows by one bulk copy; dynamic: MOVEMENT_ROOM */
extern const void *const movement_tensor;       /* rows by copies of a tensor map */
extern const void *const movement_persistent;   /* as span, blocks that take every n-th item */
extern const void *const movement_counter;      /* as span, blocks that take the next item */
extern const void *const movement_pipeline;     /* the next item's rows come while one is blended; two rooms */

#ifdef __cplusplus
}
#endif
#endif
