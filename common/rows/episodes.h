/* robocache: resamples batches of recorded episodes, in one run, in chunks, or split over several engines
 *
 * A batch is cut only on the axis of episodes, so the result does not depend on the cuts. Memory that the kernels of an engine can access
 * is used directly; other memory is copied through a block of the engine's memory with space for a chunk.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/align.h"
#include "common/device/scratch.h"
#include "common/transfers/upload.h"
#include "common/transfers/readback.h"

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

/* The memory of the parts. */
typedef struct
{
  GstMemory *memories[ROBOCACHE_EPISODES_N_PARTS];
  gsize offsets[ROBOCACHE_EPISODES_N_PARTS];
  gpointer mapped[ROBOCACHE_EPISODES_N_PARTS];  /* maps for the CPU's engine; NULL: not mapped */
} RobocacheEpisodesPlace;

typedef struct _RobocacheEpisodes RobocacheEpisodes;

/* Bytes of one episode in a part. */
guint64 robocache_episodes_part_bytes (const RcAlignStreamSpec * spec, const RobocacheEpisodesShape * shape,
    RobocacheEpisodesPart part);

/* Makes a plan on each engine. NULL, *status and an error: that of rc_align_plan, or no memory. */
RobocacheEpisodes *robocache_episodes_new (RobocacheEngine * const *engines, guint n_engines,
    const RcAlignStreamSpec * spec, const RobocacheEpisodesShape * shape, RcStatus * status, GError ** error);
/* Waits for enqueued work. */
void robocache_episodes_free (RobocacheEpisodes * episodes);

/* Enqueues a batch, which is complete in stream order of the first engine. The readback is of the same engines, and gets RcAlignCounters.
 * n_chunks: the number of chunks, if the batch did not fit whole; otherwise 0. FALSE and an error, without enqueued work: no memory for
 * one episode, or a device failed. */
gboolean robocache_episodes_run (RobocacheEpisodes * episodes, const RobocacheEpisodesPlace * place,
    RobocacheReadback * readback, guint * n_chunks, GError ** error);
