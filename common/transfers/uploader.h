/* robocache: uploads of pageable memory, through pinned memory that threads fill together
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_UPLOADER_H
#define ROBOCACHE_UPLOADER_H

#include "common/device/devicememory.h"

G_BEGIN_DECLS

#define ROBOCACHE_UPLOADER_PLACES 16
#define ROBOCACHE_UPLOADER_MAX_THREADS 8        /* half of the places are filled while the device reads the others */

/* For one thread at a time. */
typedef struct
{
  RobocacheEngine *engine;      /* NULL: none */
  guint8 *pinned;               /* all places, one after the other */
  gsize place_bytes;
  guint next;                   /* place of the next piece */
  struct
  {
    RcEvent event;
    guint read_with;            /* place whose event is done once the device has read this one */
  } places[ROBOCACHE_UPLOADER_PLACES];
} RobocacheUploader;

/* Enqueues a copy of bytes from offset of any GstMemory to memory of the engine. Pageable memory has been read
 * on return, by the caller and the engine's threads; pinned and device memory are read in stream order. FALSE and an error when
 * there is no memory or the device failed. */
gboolean robocache_uploader_copy (RobocacheUploader * uploader, RobocacheEngine * engine, GstMemory * memory,
    gsize offset, gsize bytes, gpointer to, GError ** error);
/* The same, from where the CPU reads. */
gboolean robocache_uploader_copy_bytes (RobocacheUploader * uploader, RobocacheEngine * engine, gconstpointer from,
    gsize bytes, gpointer to, GError ** error);
void robocache_uploader_clear (RobocacheUploader * uploader);

G_END_DECLS
#endif
