/* robocache: the inputs and settings of samples of robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/backend/enginechoice.h"
#include "common/rows/channelroles.h"
#include "kernels/align.h"
#include "gst/fuse/core/settings.h"
#include "gst/fuse/core/stream/snapshot.h"
#include "gst/fuse/input/format.h"

/* A stream whose rows are in the samples. */
typedef struct
{
  guint64 id;                   /* id of the stream */
  gchar *name;                  /* name of its pad */
  FuseFormat *format;
  RobocacheChannelRoles roles;
  RcSearch search;
} FuseInput;

/* The inputs and settings of samples. */
typedef struct
{
  FuseOutput output;
  FuseInput *inputs;            /* in the order of their tensors; concat omits cameras */
  guint n_inputs;
  gint rate_num, rate_den;      /* rate of the samples */
} FuseComposition;

void fuse_composition_clear (FuseComposition * composition);
