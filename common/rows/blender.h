/* robocache: the bracketed rows of a tick, blended by a plan on an engine
 *
 * On the CPU a plan reads the rows where the history has them. For a GPU, and when rows came in device memory, those that
 * the brackets name are gathered with the brackets: from system memory in a pinned block, which a GPU reads in place if it is small and
 * otherwise copies; from device memory they are copied there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_BLENDER_H
#define ROBOCACHE_BLENDER_H

#include "history.h"
#include "common/tensors/tensorcaps.h"
#include "kernels/align.h"
#include "common/device/scratch.h"
#include "common/transfers/staging.h"

G_BEGIN_DECLS

/* A row in device memory, as a history keeps it. */
typedef struct
{
  GstBuffer *buffer;            /* kept out of its pool for as long as the row may be used */
  GstMemory *memory;            /* of the buffer */
  gsize offset;
} RobocacheDeviceRow;

/* The i-th row of a tensor of a buffer that fits info, with a reference to the buffer. */
RobocacheDeviceRow robocache_device_row (GstBuffer * buffer, const RobocacheTensorsInfo * info, guint tensor, guint64 i);
/* For histories of such rows; data is not used. */
void robocache_device_row_release (gpointer row, gpointer data);

/* One stream of a plan at one tick. */
typedef struct
{
  gconstpointer rows;           /* [n_rows], row_bytes apart; or, on the device, RobocacheDeviceRow[n_rows] */
  guint64 n_rows;
  gboolean rows_on_device;
  gsize row_bytes;              /* bytes of a row as the plan reads it */
  const RcBracket *bracket;
  gpointer out;                 /* one row, in memory of the engine */
  gsize out_row_bytes;
} RobocacheBlendStream;

typedef struct
{
  RobocacheEngine *engine;
  RobocacheScratch plan_scratch, rows;
  RobocacheStaging staging;
  RcAlignStreamArgs *args;      /* [n_streams] */
} RobocacheBlender;

/* For plans of at most n_streams that need so much scratch. */
gboolean robocache_blender_init (RobocacheBlender * blender, RobocacheEngine * engine, guint n_streams,
    guint64 scratch_bytes, GError ** error);
/* A zeroed blender may be cleared too. */
void robocache_blender_clear (RobocacheBlender * blender);

/* Enqueues one tick of all streams of the plan; what rows_on_device names is read in order. FALSE and an error when the
 * device failed or has no room. */
gboolean robocache_blender_run (RobocacheBlender * blender, RcAlignPlan * plan, const RobocacheBlendStream * streams,
    guint n_streams, GError ** error);

G_END_DECLS
#endif
