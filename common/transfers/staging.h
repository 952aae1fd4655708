/* robocache: pinned memory that a device copies or reads directly, while the CPU fills the next slot
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/device/devicememory.h"

#define ROBOCACHE_STAGING_SLOTS 8       /* maximum number; a slot is added if the device has not read the next one */

/* Only one thread at a time may use it. */
typedef struct
{
  RobocacheEngine *engine;      /* NULL: none */
  guint n_slots, current;
  guint64 max_bytes;            /* size of the largest slot so far */
  struct
  {
    gpointer data;
    guint64 bytes;
    RcEvent read;               /* event after the device has read the slot */
  } slots[ROBOCACHE_STAGING_SLOTS];
} RobocacheStaging;

/* Returns a slot of at least so many bytes, once the device has read its old content. The caller owns it until it is copied or marked.
 * On failure NULL and an error: no memory, or the device failed. */
gpointer robocache_staging_next (RobocacheStaging * staging, RobocacheEngine * engine, guint64 bytes, GError ** error);
/* Enqueues a copy of the slot's first bytes to memory of the engine. */
gboolean robocache_staging_copy (RobocacheStaging * staging, gpointer to, guint64 bytes, GError ** error);
/* Use it instead of a copy: marks that work enqueued since robocache_staging_next reads the slot directly. */
gboolean robocache_staging_mark_read (RobocacheStaging * staging, GError ** error);
void robocache_staging_clear (RobocacheStaging * staging);
