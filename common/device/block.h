/* robocache: a block of an engine's memory, and the order of the work on it
 *
 * Work on a GPU is enqueued and done later, so a block records the positions of its last write, and of the last read of each engine, in
 * their streams. Enclose work that is enqueued on a block in begin and end: a reader waits for the write, a writer for the write and all
 * reads, on its stream and not on the CPU. So a write never overtakes a slow reader of the buffer. A block keeps the engines that have
 * read it, and releases an engine after 16 writes without a read. Work of a CPU's engine is done immediately: its begin waits on the CPU.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "engine.h"

/* A flag of maps: return the address on the device. The work of the caller must be done before it unmaps. */
#define ROBOCACHE_MAP_DEVICE (GST_MAP_FLAG_LAST << 1)

/* The writer's record of the content of a block (occupancystamp.h). */
typedef struct
{
  gpointer data;                /* device memory; NULL: none */
  gsize bytes;                  /* bytes of data, or of the data that did not fit */
  guint64 writer;               /* 0: unknown */
  gconstpointer content;        /* start of the memory that the stamp describes */
} RobocacheStamp;

/* A block, shared by a memory and all its shares. */
typedef struct
{
  RobocacheEngine *engine;      /* owner of the memory */
  RcMemoryKind kind;
  guint8 *data;
  gsize bytes;

  GMutex lock;                  /* guards the rest */
  RobocacheEngine *writer;      /* engine of the last enqueued write; NULL: none yet */
  RcStream written_on;
  RcEvent written;              /* event after the last write */
  RobocacheEngine *event_engine;        /* engine that made the event: the writer, or another engine on its device */
  gboolean is_written;          /* the last write may still be running */
  gboolean is_lost;             /* data that the CPU wrote did not reach the device */
  GArray *readers;
  gpointer shadow;              /* pinned memory for CPU maps; NULL: never mapped, or not needed */
  guint shadow_maps;
  RobocacheStamp stamp;
} RobocacheBlock;

/* Allocates a block. NULL and GST_RESOURCE_ERROR_NO_SPACE_LEFT: no memory. */
RobocacheBlock *robocache_block_new (RobocacheEngine * engine, RcMemoryKind kind, gsize bytes, GError ** error);
/* Waits for work that still uses the block. */
void robocache_block_free (RobocacheBlock * block);

/* Whether the CPU may access the data directly. */
gboolean robocache_block_is_cpu_visible (const RobocacheBlock * block);

/* Begin and end reads and writes. FALSE and an error of robocache_engine_check: a call failed. Once work was enqueued, call the end, even
 * if the rest of the work could not be enqueued: work without an end is not waited for. */
gboolean robocache_block_begin_read (RobocacheBlock * block, RobocacheEngine * reader, GError ** error);
gboolean robocache_block_end_read (RobocacheBlock * block, RobocacheEngine * reader, GError ** error);
gboolean robocache_block_begin_write (RobocacheBlock * block, RobocacheEngine * writer, GError ** error);
gboolean robocache_block_end_write (RobocacheBlock * block, RobocacheEngine * writer, GError ** error);

/* Waits on the CPU for the last write and, with for_reads, for all reads. */
RcStatus robocache_block_wait (RobocacheBlock * block, gboolean for_reads, RcError * failure);

/* Copy between the block and its shadow, on the engine's transfer stream. Call them with the lock. A download is complete on return. */
RcStatus robocache_block_download (RobocacheBlock * block, RcError * failure);
RcStatus robocache_block_upload (RobocacheBlock * block, RcError * failure);
