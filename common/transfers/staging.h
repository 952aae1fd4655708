/* robocache: pinned memory that a device copies, or reads in place, while the CPU fills the next slot
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_STAGING_H
#define ROBOCACHE_STAGING_H

#include "common/device/devicememory.h"

G_BEGIN_DECLS

#define ROBOCACHE_STAGING_SLOTS 8       /* at most; one is added when the device has not read the next */

/* For one thread at a time. */
typedef struct
{
  RobocacheEngine *engine;      /* NULL: none */
  guint n_slots, current;
  guint64 max_bytes;            /* of a slot until now */
  struct
  {
    gpointer data;
    guint64 bytes;
    RcEvent read;               /* by the device */
  } slots[ROBOCACHE_STAGING_SLOTS];
} RobocacheStaging;

/* A slot of at least so many bytes, the caller's until it is copied or marked, once the device has read its old content; NULL and an error when there is no memory or the device failed. */
gpointer robocache_staging_next (RobocacheStaging * staging, RobocacheEngine * engine, guint64 bytes, GError ** error);
/* Enqueues a copy of its first bytes to memory of the engine. */
gboolean robocache_staging_copy (RobocacheStaging * staging, gpointer to, guint64 bytes, GError ** error);
/* In place of a copy: work that was enqueued since reads the slot itself. */
gboolean robocache_staging_mark_read (RobocacheStaging * staging, GError ** error);
void robocache_staging_clear (RobocacheStaging * staging);

G_END_DECLS
#endif
