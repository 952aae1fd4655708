/* robocache: a block of an engine's memory, and the order of the work on it
 *
 * Work on a GPU is enqueued and done later, so a block carries where its last write and the last reads of each engine are in
 * their streams. Bracket work that is enqueued on it with begin and end: a reader waits for the write, a writer for the write
 * and all reads, on its stream and not on the CPU. So no write overtakes a slow reader, whoever holds the buffer. A block knows
 * the engines that have read it, and lets one go after 16 writes without a read. Work of a CPU's engine is done when it is
 * called: its begin waits on the CPU.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_BLOCK_H
#define ROBOCACHE_BLOCK_H

#include "engine.h"

G_BEGIN_DECLS

/* In the flags of a map: give the device's address. The mapper's own work must be done when it unmaps. */
#define ROBOCACHE_MAP_DEVICE (GST_MAP_FLAG_LAST << 1)

/* The writer's record of the content of a block (occupancystamp.h). */
typedef struct
{
  gpointer data;                /* device memory; NULL: none */
  gsize bytes;                  /* of data, or of the data that did not fit */
  guint64 writer;               /* 0: unknown */
  gconstpointer content;        /* start of what the stamp describes */
} RobocacheStamp;

/* Shared by a memory and all shares of it. */
typedef struct
{
  RobocacheEngine *engine;      /* whose memory it is */
  RcMemoryKind kind;
  guint8 *data;
  gsize bytes;

  GMutex lock;                  /* guards the rest */
  RobocacheEngine *writer;      /* of the last write that was enqueued; NULL: none yet */
  RcStream written_on;
  RcEvent written;              /* after that write */
  RobocacheEngine *event_engine;        /* that made the event: the writer, or another one on its device */
  gboolean is_written;          /* such a write may not be done */
  gboolean is_lost;             /* what the CPU wrote did not get there */
  GArray *readers;
  gpointer shadow;              /* pinned, for CPU maps; NULL: never mapped, or not needed */
  guint shadow_maps;
  RobocacheStamp stamp;
} RobocacheBlock;

/* NULL and GST_RESOURCE_ERROR_NO_SPACE_LEFT. */
RobocacheBlock *robocache_block_new (RobocacheEngine * engine, RcMemoryKind kind, gsize bytes, GError ** error);
/* Waits for work that still uses the block. */
void robocache_block_free (RobocacheBlock * block);

/* Whether the CPU may read and write the data itself. */
gboolean robocache_block_is_cpu_visible (const RobocacheBlock * block);

/* FALSE and an error of robocache_engine_check when a call failed. After work was enqueued call the end, also when more of the
 * work could not be: nobody waits for work without an end. */
gboolean robocache_block_begin_read (RobocacheBlock * block, RobocacheEngine * reader, GError ** error);
gboolean robocache_block_end_read (RobocacheBlock * block, RobocacheEngine * reader, GError ** error);
gboolean robocache_block_begin_write (RobocacheBlock * block, RobocacheEngine * writer, GError ** error);
gboolean robocache_block_end_write (RobocacheBlock * block, RobocacheEngine * writer, GError ** error);

/* Waits on the CPU for the last write and, with for_reads, for all reads. */
RcStatus robocache_block_wait (RobocacheBlock * block, gboolean for_reads, RcError * failure);

/* Copies between the block and its shadow, on the engine's transfer stream. Call them with the lock. A download has been waited
 * for. */
RcStatus robocache_block_download (RobocacheBlock * block, RcError * failure);
RcStatus robocache_block_upload (RobocacheBlock * block, RcError * failure);

G_END_DECLS
#endif
