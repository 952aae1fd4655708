/* robocache: blends the bracketed rows of a tick by a plan on an engine
 *
 * On the CPU, a plan reads the rows directly from the history. For a GPU, and if rows are in device memory, the brackets and their rows
 * are gathered together. Rows in system memory are gathered in a pinned block. A GPU reads a small block directly, and copies
 * a large one. Rows in device memory are copied on the device.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "history.h"
#include "common/tensors/tensorcaps.h"
#include "kernels/align.h"
#include "common/device/scratch.h"
#include "common/transfers/staging.h"

/* A row in device memory, as a history keeps it. */
typedef struct
{
  GstBuffer *buffer;            /* a reference, so that it is not reused while the row may be read */
  GstMemory *memory;            /* a memory of the buffer */
  gsize offset;
} RobocacheDeviceRow;

/* Row i of a tensor in a buffer, with a reference to the buffer. The buffer matches info. */
RobocacheDeviceRow robocache_device_row (GstBuffer * buffer, const RobocacheTensorsInfo * info, guint tensor, guint64 i);
/* Releases such a row of a history; data is not used. */
void robocache_device_row_release (gpointer row, gpointer data);
/* Copies bytes of such a row to the host, once the device has written it. */
gboolean robocache_device_row_read (gconstpointer row, gsize offset, gsize bytes, gpointer to);

/* One stream of a plan at one tick. */
typedef struct
{
  gconstpointer rows;           /* [n_rows], row_bytes apart; or, on the device, RobocacheDeviceRow[n_rows] */
  guint64 n_rows;
  gboolean rows_on_device;
  const gint64 *times;          /* [n_rows], only for a lowpass */
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

/* Makes a blender for plans with at most n_streams streams and scratch_bytes of scratch. */
gboolean robocache_blender_init (RobocacheBlender * blender, RobocacheEngine * engine, guint n_streams,
    guint64 scratch_bytes, GError ** error);
/* A zeroed blender may be cleared too. */
void robocache_blender_clear (RobocacheBlender * blender);

/* Enqueues one tick of all streams of the plan. Rows on a device are read in stream order. FALSE and an error: the device failed
 * or has no memory. */
gboolean robocache_blender_run (RobocacheBlender * blender, RcAlignPlan * plan, const RobocacheBlendStream * streams,
    guint n_streams, GError ** error);
