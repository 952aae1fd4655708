/* robocache: uploads pageable memory through pinned memory, which several threads fill
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/device/devicememory.h"
#include "staging.h"

#define ROBOCACHE_UPLOAD_MAX_THREADS 8  /* more threads would fill faster than a device copies */

/* Enqueues a copy of bytes from offset of any GstMemory to memory of the engine. Pageable memory has been
 * read on return, by the caller and the engine's threads; pinned and device memory are read in stream order. FALSE and an error: no
 * memory, or the device failed. */
gboolean robocache_upload_memory (RobocacheStaging * staging, RobocacheEngine * engine, GstMemory * memory, gsize offset,
    gsize bytes, gpointer to, GError ** error);
/* Like robocache_upload_memory, for memory that the CPU can read. */
gboolean robocache_upload_bytes (RobocacheStaging * staging, RobocacheEngine * engine, gconstpointer from, gsize bytes,
    gpointer to, GError ** error);
