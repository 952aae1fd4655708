/* robocache: the parts of a composer of robocachefuse, for the two files that make it and use it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cameraframes.h"
#include "common/rows/blender.h"
#include "composition.h"
#include "samplewindow.h"

/* One stream's part of the output. */
typedef struct
{
  FuseInput *input;             /* the stream's input, owned by the composition */
  RcDtype out;
  guint tensor;                 /* index of the output tensor with the stream's rows */
  gsize offset;                 /* bytes before the stream's values in a row of that tensor */
  gsize row_bytes;
  RcAlignPlan *camera_plan;     /* plan of a camera whose frames are blended; NULL: another stream */
} FuseOutputStream;

typedef struct
{
  RobocacheTensorInfo info;
  gsize row_bytes;              /* bytes of the tensor for one tick */
} FuseOutputTensor;

struct _FuseComposer
{
  FuseComposition composition;
  FuseOutput output;            /* output that the composition asks for */
  FuseOutputStream *streams;              /* [n_streams], in the order of the composition */
  guint n_streams;
  FuseOutputTensor tensors[ROBOCACHE_MAX_TENSORS];
  guint n_tensors;              /* without info */

  RobocacheDevice *device;      /* the element's device */
  GstElement *element;          /* source of messages about the device; no reference */
  RobocacheEngine *engine;
  GstBufferPool *pool;          /* pool of buffers that have a meta and no memory */
  GstAllocator *allocator;      /* allocator of the tensors' memory */
  RobocacheCapsMemory memory;   /* kind of memory of the samples */
  gsize header_bytes;           /* before each tensor: flexible ones have a header */
  GstBufferPool *peer_pool;     /* downstream's, for samples of one memory; or NULL */
  GstAllocator *peer_allocator; /* downstream's; or NULL */
  GstAllocationParams peer_params;
  RcAlignPlan *plan;            /* plan of all streams except cameras; NULL when there is no such stream */
  RobocacheBlendStream *blends; /* [n_streams], those of the plan first */
  RobocacheBlender blender;
  FuseCameraFrames frames;
  guint64 scratch_bytes;
  gboolean unsupported;         /* the last plan was more than its engine can do */
  FuseWindow window;

  gchar *names;                 /* names of the pads, separated by commas */
  RobocacheTensorsInfo sample;  /* all tensors, info included */
  GQuark ids[ROBOCACHE_MAX_TENSORS];    /* ids of the sample's tensors: tensor-id or the pad's name, concat or info */
  GstCaps *caps;
};
