/* robocache: the choice of an element's backend
 *
 * The CPU's engine is open between start and stop, unless backend=cuda. With `auto` the GPU's engine is opened when caps have
 * device memory, or when the work of one buffer exceeds the break-even, so a pipeline of small rows never makes a CUDA context.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/device/allocator.h"
#include "common/device/cudapool.h"
#include "common/tensors/memorycaps.h"
#include "deviceproperties.h"

/* With all data in system memory, `auto` prefers the GPU from this amount of work on: input and output bytes of one buffer. If the
 * transfers of a job take as long as a CPU core needs for the job, its work counts as 0
 * (docs/explanation/measurements.md#where-the-gpu-pays). */
#define ROBOCACHE_BREAK_EVEN_BYTES (G_GUINT64_CONSTANT (1) << 20)

/* The properties of an element, and the engines that they select. The element's object lock guards the fields that property functions and
 * streaming share. */
typedef struct
{
  RobocacheDeviceProperties properties; /* properties for the next start */
  RobocacheDeviceSettings started;      /* settings of the last open, until close */

  gboolean is_open;
  RobocacheEngine *cpu, *gpu;   /* NULL: not open */
  RobocacheEngine *others[ROBOCACHE_MAX_DEVICES];       /* engines of `devices` from the second on; the first is gpu */
  RobocacheEngine *active;      /* one of these engines, once caps are known; no reference */
  GstAllocator *outputs[2];     /* allocators of the active engine: for system memory, and for device memory */
  gboolean moves_to_cuda_memory;        /* for outputs of the last job; owned by the streaming thread, like the pool */
  GstRobocacheCudaPool *cuda_pool; /* pool of the active engine; NULL: no output was moved yet */
  gboolean gpu_is_usable;
  gchar *no_gpu;                /* reason why no GPU is usable; NULL: a GPU is usable */
  gboolean fell_back;           /* auto preferred a GPU, but uses the CPU */
  guint64 n_fallbacks;
  guint64 n_retries;            /* number of repeated outputs after a call failed */
  guint64 n_chunks;             /* number of chunks of batches that did not fit whole */
} RobocacheDevice;

/* element: the owner, for log lines; priority: of RcWhere. */
void robocache_device_init (RobocacheDevice * device, GstElement * element, gint priority);
void robocache_device_finalize (RobocacheDevice * device);
/* prop is a ROBOCACHE_DEVICE_PROP_…. Called with the element's object lock held. */
void robocache_device_set_property (RobocacheDevice * device, guint prop, const GValue * value);
void robocache_device_get_property (RobocacheDevice * device, guint prop, GValue * value);

/* Call it in start. FALSE: backend=cuda finds no usable GPU, and RESOURCE/NOT_FOUND was posted with the reason. */
gboolean robocache_device_open (RobocacheDevice * device, GstElement * element);
/* Call it in stop, after all memory of the element except its output buffers was freed. */
void robocache_device_close (RobocacheDevice * device, GstElement * element);

/* The memories that the element's pads offer; before open, those that the properties and the build allow. */
RobocacheOffer robocache_device_offer (RobocacheDevice * device, GstElement * element);
/* Like robocache_device_offer, for a source pad; the memory of sink_caps comes first. */
RobocacheOffer robocache_device_offer_as (RobocacheDevice * device, GstElement * element, const GstCaps * sink_caps);

/* The end of an error about a peer that accepts none of the offered memories: the reason why device memory is unavailable, if the peer
 * requires it; else "". Free with g_free. */
gchar *robocache_device_explain (RobocacheDevice * device, GstElement * element, const GstCaps * peer);

/* Answers the query of a CUDA element for a context with the context of the device, so that both elements work in it. The query may come
 * from a sink or a source pad, in any state. FALSE: it is another query, no GPU is offered, or it cannot be opened. */
gboolean robocache_device_answer_context (RobocacheDevice * device, GstElement * element, GstQuery * query);

/* With backend=cuda and an open GPU: announces the context of the device to the pipeline, for CUDA elements that are linked later. */
void robocache_device_announce_context (RobocacheDevice * device, GstElement * element);

/* Opens the GPU if on_device, so that the first job does not wait for it. The first job reports a failure. */
void robocache_device_prepare (RobocacheDevice * device, GstElement * element, gboolean on_device);

/* The jobs of a stream, which are all equal because of its caps. */
typedef struct
{
  gboolean in_on_device;
  RobocacheCapsMemory out_memory;       /* for GStreamer's CUDA memory, the output is made in device memory, then moved */
  guint64 work_bytes;           /* input and output bytes of one buffer, if a GPU may be faster; else 0 */
  guint64 device_bytes;         /* bytes needed at the same time on the device, with the smallest chunks */
  const gchar *what;            /* subject of an error about device_bytes, such as "a grid" */
  const gchar *advice;          /* last part of that error: the remedy */
  gboolean splits;              /* the job is split over several devices, with backend=cuda and `devices` */
} RobocacheJob;

/* Number of devices that a job is split over: with backend=cuda the number of `devices`, at least 1; with auto 1. */
guint robocache_device_shards (const RobocacheDeviceSettings * settings, const RobocacheJob * job);

/* Selects the engine for the job as the active engine. FALSE and an error if no engine is available: GST_RESOURCE_ERROR, or
 * GST_LIBRARY_ERROR if a device failed. */
gboolean robocache_device_choose (RobocacheDevice * device, GstElement * element, const RobocacheJob * job,
    GError ** error);
/* Sets the active engine, followed by the engines of the other devices that the job is split over, without references. Returns their number. */
guint robocache_device_engines (const RobocacheDevice * device, const RobocacheJob * job,
    RobocacheEngine * engines[ROBOCACHE_MAX_DEVICES]);
/* Whether to repeat, once, an output or its preparation that failed with `failure`: a call failed, and the device still responds. Counts
 * the repetition, and posts a warning for the first one. Called without locks of the element. */
gboolean robocache_device_try_again (RobocacheDevice * device, GstElement * element, const GError * failure);
/* With auto, selects the CPU's engine as the active engine after the GPU failed with `status` (RC_OK: unknown) and `reason`, and counts
 * the fallback. FALSE: the CPU cannot perform the job, or the reason is neither something that the GPU lacks nor a failed call. */
gboolean robocache_device_fall_back (RobocacheDevice * device, GstElement * element, const RobocacheJob * job, RcStatus status,
    const GError * reason);
/* The active engine's allocator for outputs in this memory; no reference. Outputs in CUDA memory are in device memory until they are moved. */
GstAllocator *robocache_device_allocator (const RobocacheDevice * device, RobocacheCapsMemory memory);

/* Moves an output in device memory, which is writable, to GStreamer's CUDA memory if the job requires it, and waits for the copy; else
 * does nothing. Repeats a failure as robocache_device_try_again. FALSE and an error of the device, GST_RESOURCE_ERROR_NO_SPACE_LEFT, or
 * one of
 * robocache_cuda_context_get. */
gboolean robocache_device_move_output (RobocacheDevice * device, GstElement * element, GstBuffer * output,
    GError ** error);

/* Adds the allocator of pinned memory of the active GPU to an ALLOCATION query about system memory, unless the CPU computes or no engine
 * is selected yet. */
void robocache_device_propose_pinned (const RobocacheDevice * device, GstElement * element, GstQuery * query);

/* Answers an ALLOCATION query about device memory with an allocator of the active GPU, and for tensors with a pool of at least
 * min_buffers. */
void robocache_device_propose (const RobocacheDevice * device, GstQuery * query, guint min_buffers);

/* Adds the device fields of `stats`. Called with the element's object lock held; never waits for a device. */
void robocache_device_to_structure (const RobocacheDevice * device, GstStructure * structure);
