/* robocache: settings of robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/time/tickgrid.h"
#include "kernels/dtype.h"

typedef enum
{
  FUSE_LAYOUT_TENSORS,
  FUSE_LAYOUT_CONCAT            /* without cameras */
} FuseLayout;

typedef enum
{
  FUSE_INFO_NONE,
  FUSE_INFO_TENSOR
} FuseInfo;

typedef struct
{
  guint window;                 /* ticks in a sample, at least 1 */
  FuseLayout layout;
  FuseInfo info;
  RcDtype dtype;                /* a dtype, or ROBOCACHE_DTYPE_AUTO */
  gboolean has_tensor_meta;     /* samples also have a GstTensorMeta */
} FuseOutput;

/* Times are in ns. Settings above the blank line take effect at the next start, those below it at once. */
typedef struct
{
  gchar *reference;             /* the name of the stream whose rows are the ticks; NULL: unset */
  gboolean force_live;          /* ticks begin at PLAYING, once a stream has a format */
  gboolean allow_gaps;          /* not live: see recordingspans.h */
  FuseOutput output;

  RobocacheTickGrid rate;       /* num 0: ticks are the rows of the reference */
  guint64 latency;              /* live: additional time for which ticks wait */
  guint64 min_upstream_latency;
  gboolean reports_losses;
  guint64 loss_interval;        /* time between reports of a stream's losses */
} FuseSettings;
