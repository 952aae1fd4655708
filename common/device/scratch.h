/* robocache: working memory of an element on its engine
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "engine.h"

/* A zeroed struct is valid and empty. */
typedef struct
{
  RobocacheEngine *engine;
  gpointer data;                /* aligned to ROBOCACHE_ALIGNMENT */
  guint64 bytes;
} RobocacheScratch;

/* Reserves at least so many bytes. To grow, it waits for work that uses the old memory, whose content is lost. FALSE and
 * GST_RESOURCE_ERROR_NO_SPACE_LEFT: no memory. */
gboolean robocache_scratch_reserve (RobocacheScratch * scratch, RobocacheEngine * engine, guint64 bytes,
    GError ** error);
void robocache_scratch_clear (RobocacheScratch * scratch);
