/* robocache: memory that an element works in: of its engine, and pinned memory on the way there
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_SCRATCH_H
#define ROBOCACHE_SCRATCH_H

#include "devicememory.h"

G_BEGIN_DECLS

/* Memory where the engine computes. Zero is none. */
typedef struct
{
  RobocacheEngine *engine;
  gpointer data;                /* aligned as the kernels ask */
  guint64 bytes;
} RobocacheScratch;

/* Makes room for so many bytes; what was there is lost when it grows, once work that uses it is done. FALSE and
 * GST_RESOURCE_ERROR_NO_SPACE_LEFT when there is no memory. */
gboolean robocache_scratch_reserve (RobocacheScratch * scratch, RobocacheEngine * engine, guint64 bytes,
    GError ** error);
void robocache_scratch_clear (RobocacheScratch * scratch);

/* Where kernels of engine find what memory has at offset; NULL when it is not where they look. Work on it is
 * bracketed as devicememory.h says. */
gpointer robocache_engine_reach (RobocacheEngine * engine, const GstMemory * memory, gsize offset);

/* Pinned memory from which the device copies by itself while the next is filled. */
#define ROBOCACHE_STAGING_SLOTS 8

typedef struct
{
  RobocacheEngine *engine;      /* NULL: none */
  guint current;
  struct
  {
    gpointer data;
    guint64 bytes;
    RcEvent copied;
  } slots[ROBOCACHE_STAGING_SLOTS];
} RobocacheStaging;

/* A place for bytes, which nothing reads any more; NULL and an error when there is no memory or the device failed. */
gpointer robocache_staging_next (RobocacheStaging * staging, RobocacheEngine * engine, guint64 bytes, GError ** error);
/* Enqueues a copy of its first bytes to memory of the engine. */
gboolean robocache_staging_copy (RobocacheStaging * staging, gpointer to, guint64 bytes, GError ** error);
/* Enqueues a copy of bytes from offset of any GstMemory to memory of the engine. What lies in system memory has been
 * read on return, through pinned memory; the rest is read in order. */
gboolean robocache_staging_upload (RobocacheStaging * staging, RobocacheEngine * engine, GstMemory * memory,
    gsize offset, gsize bytes, gpointer to, GError ** error);
/* The same, from where the CPU reads. */
gboolean robocache_staging_upload_bytes (RobocacheStaging * staging, RobocacheEngine * engine, gconstpointer from,
    gsize bytes, gpointer to, GError ** error);
void robocache_staging_clear (RobocacheStaging * staging);

G_END_DECLS
#endif
