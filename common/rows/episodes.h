/* robocache: recorded episodes resampled where they are or where there is room, whole, in chunks, or split over
 * several engines
 *
 * A batch is cut on the axis of episodes only, so its result does not depend on how. What lies where an engine's
 * kernels look is used in place; the rest goes through a block of the engine's memory, which has room for a chunk.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EPISODES_H
#define ROBOCACHE_EPISODES_H

#include "kernels/align.h"
#include "common/device/scratch.h"
#include "common/transfers/upload.h"
#include "common/transfers/readback.h"

G_BEGIN_DECLS

/* Parts of a batch: its tensors in their order, and the output. */
typedef enum
{
  ROBOCACHE_EPISODES_ROWS,      /* [batch, rows, channels] */
  ROBOCACHE_EPISODES_TIMES,     /* [batch, rows] int64 */
  ROBOCACHE_EPISODES_TARGETS,   /* [batch, ticks] int64 */
  ROBOCACHE_EPISODES_OUT,       /* [batch, ticks, channels] */
  ROBOCACHE_EPISODES_N_PARTS
} RobocacheEpisodesPart;

#define ROBOCACHE_EPISODES_N_COUNTERS (sizeof (RcAlignCounters) / sizeof (gint64))

typedef struct
{
  guint64 batch, rows, ticks;
} RobocacheEpisodesShape;

/* Where parts are. */
typedef struct
{
  GstMemory *memories[ROBOCACHE_EPISODES_N_PARTS];
  gsize offsets[ROBOCACHE_EPISODES_N_PARTS];
  gpointer mapped[ROBOCACHE_EPISODES_N_PARTS];  /* for the CPU's engine, which reads and writes there; NULL: not mapped */
} RobocacheEpisodesPlace;

typedef struct _RobocacheEpisodes RobocacheEpisodes;

/* Bytes of a part of one episode. */
guint64 robocache_episodes_part_bytes (const RcAlignStreamSpec * spec, const RobocacheEpisodesShape * shape,
    RobocacheEpisodesPart part);

/* A plan on each engine. NULL, *status and an error: that of rc_align_plan, or no memory. */
RobocacheEpisodes *robocache_episodes_new (RobocacheEngine * const *engines, guint n_engines,
    const RcAlignStreamSpec * spec, const RobocacheEpisodesShape * shape, RcStatus * status, GError ** error);
/* Waits for work under way. */
void robocache_episodes_free (RobocacheEpisodes * episodes);

/* Enqueues a batch; it is done when the stream of the first engine is. The readback, of as many engines, gets
 * RcAlignCounters. n_chunks: into how many a batch was cut that does not fit whole, otherwise 0. FALSE and an error:
 * no room for one episode, or a device failed; nothing is under way then. */
gboolean robocache_episodes_run (RobocacheEpisodes * episodes, const RobocacheEpisodesPlace * place,
    RobocacheReadback * readback, guint * n_chunks, GError ** error);

G_END_DECLS
#endif
