/* robocache: robocacheresample, the format of input and output, from settings and the caps of both sides
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/element/propertytypes.h"
#include "common/rows/channelroles.h"
#include "common/rows/history.h"
#include "common/time/rowtimes.h"
#include "common/tensors/memorycaps.h"
#include "common/tensors/tensorcaps.h"
#include "common/time/tickgrid.h"

/* The debug category for all files of this folder. */
GST_DEBUG_CATEGORY_EXTERN (gst_robocache_resample_debug);

/* Hz: times are ns, and no two ticks have the same. */
#define GST_ROBOCACHE_MAX_TICK_RATE 1000000000

typedef enum
{
  GST_ROBOCACHE_GAP_DROP,
  GST_ROBOCACHE_GAP_NAN,
  GST_ROBOCACHE_GAP_HOLD
} GstRobocacheGapPolicy;

typedef struct
{
  gint rate[2];                 /* 0/1: not set */
  RcInterpolation interpolation;
  gdouble cutoff;               /* cutoff frequency of lowpass (Hz); 0: automatic */
  gint lobes;                   /* number of lobes of lowpass */
  gint64 max_gap;               /* ns; -1: none; or RC_GAP_AUTO */
  GstRobocacheGapPolicy gap_policy;
  gint64 reorder_window;        /* ns */
  RcDtype dtype;                /* a dtype, or ROBOCACHE_DTYPE_AUTO */
} GstRobocacheResampleSettings;

/* Tensors of a batch. */
enum
{
  GST_ROBOCACHE_BATCH_ROWS,
  GST_ROBOCACHE_BATCH_TIMES,
  GST_ROBOCACHE_BATCH_TARGETS,
  GST_ROBOCACHE_BATCH_N_TENSORS
};

typedef struct
{
  gboolean batch;               /* three tensors: recorded episodes */
  RobocacheTensorsInfo in;
  RobocacheTensorInfo out;
  gsize out_bytes;              /* bytes of one output buffer */
  RobocacheRowLayout layout;    /* layout of a stream's rows */
  RobocacheTickGrid grid;       /* num 0: a batch whose ticks have no period */
  gboolean in_on_device;        /* input is in device memory */
  RobocacheCapsMemory out_memory;
} GstRobocacheResampleFormat;

/* The output caps for in_caps, in system memory. Dimensions are not fixed, so that downstream can use its spelling. */
GstCaps *gst_robocache_resample_output_caps (const GstRobocacheResampleSettings * settings, const GstCaps * in_caps);

/* Completes output caps (taken) for in_caps. */
GstCaps *gst_robocache_resample_fixate_output (const GstRobocacheResampleSettings * settings, const GstCaps * in_caps,
    GstCaps * caps);

/* FALSE and an error that names the unsuitable caps or property. */
gboolean gst_robocache_resample_format_from_caps (GstRobocacheResampleFormat * format,
    const GstRobocacheResampleSettings * settings, const GstCaps * in_caps, const GstCaps * out_caps, GError ** error);

gboolean gst_robocache_resample_same_input (const GstRobocacheResampleFormat * a, const GstRobocacheResampleFormat * b);

/* Parameters of the search for rows around a tick. roles: of the channels, parsed. */
RcSearch gst_robocache_resample_search (const GstRobocacheResampleSettings * settings,
    const GstRobocacheResampleFormat * format, const RobocacheChannelRoles * roles);
