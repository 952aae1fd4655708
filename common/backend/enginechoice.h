/* robocache: the choice of an element's backend
 *
 * The CPU's engine is open between start and stop, unless backend=cuda. With `auto` the GPU's engine is opened when caps have
 * device memory, or when the work of one buffer exceeds the break-even, so a pipeline of small rows never makes a CUDA context.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ENGINECHOICE_H
#define ROBOCACHE_ENGINECHOICE_H

#include <gst/gst.h>

#include "common/device/allocator.h"
#include "common/device/cudapool.h"
#include "common/tensors/memorycaps.h"
#include "deviceproperties.h"

G_BEGIN_DECLS

/* With all data in system memory, `auto` prefers the GPU from this work on: bytes in and out of one buffer. A job whose transfers
 * cost as much as a CPU core needs for it counts as no work (docs/performance.md#where-the-gpu-pays). */
#define ROBOCACHE_BREAK_EVEN_BYTES (G_GUINT64_CONSTANT (1) << 20)

/* The properties of an element and the engines that they chose. Guarded by the element's object lock where property functions meet
 * streaming. */
typedef struct
{
  RobocacheDeviceProperties properties; /* for the next start */
  RobocacheDeviceSettings started;      /* of the last open, until close */

  gboolean is_open;
  RobocacheEngine *cpu, *gpu;   /* NULL: not open */
  RobocacheEngine *others[ROBOCACHE_MAX_DEVICES];       /* of devices, from the second on; the first is gpu */
  RobocacheEngine *active;      /* one of them, once there are caps; no reference */
  GstAllocator *outputs[2];     /* of the active engine: for system memory, and for device memory */
  gboolean moves_to_cuda_memory;        /* outputs of the last job; the streaming thread's, as is the pool */
  RobocacheCudaPool *cuda_pool; /* of the active engine, once an output was moved; else NULL */
  gboolean gpu_is_usable;
  gchar *no_gpu;                /* reason; NULL: a GPU is usable */
  gboolean fell_back;           /* auto preferred a GPU, but uses the CPU */
  guint64 n_fallbacks;
  guint64 n_retries;            /* what was done again after a call failed */
  guint64 n_chunks;             /* of batches that did not fit whole */
} RobocacheDevice;

/* priority: of RcWhere. */
void robocache_device_init (RobocacheDevice * device, gint priority);
void robocache_device_finalize (RobocacheDevice * device);
/* prop is one of ROBOCACHE_DEVICE_PROP. Called with the element's object lock held. */
void robocache_device_set_property (RobocacheDevice * device, guint prop, const GValue * value);
void robocache_device_get_property (RobocacheDevice * device, guint prop, GValue * value);

/* Call it in start. Posts RESOURCE/NOT_FOUND with the reason and returns FALSE when backend=cuda finds no usable GPU. */
gboolean robocache_device_open (RobocacheDevice * device, GstElement * element);
/* Call it in stop, after all memory of the element but its output buffers was freed. */
void robocache_device_close (RobocacheDevice * device, GstElement * element);

/* The memories that the element's pads offer; before open, those that the properties and the build allow. */
RobocacheOffer robocache_device_offer (RobocacheDevice * device, GstElement * element);
/* The same for a source pad; the memory of sink_caps comes first. */
RobocacheOffer robocache_device_offer_as (RobocacheDevice * device, GstElement * element, const GstCaps * sink_caps);

/* The end of an error about caps of a peer that accepts none of the offered memories: if the peer requires device memory, why it is
 * unavailable; else "". Free with g_free. */
gchar *robocache_device_explain (RobocacheDevice * device, GstElement * element, const GstCaps * peer);

/* Answers a query of a CUDA element for a context, on a sink or a source pad and in any state: with the one of the device, so that both
 * elements work in it. FALSE: it is another query, no GPU is offered, or it cannot be opened. */
gboolean robocache_device_answer_context (RobocacheDevice * device, GstElement * element, GstQuery * query);

/* With backend=cuda, whose GPU is open: announces this context to the pipeline, for CUDA elements that are linked later. */
void robocache_device_announce_context (RobocacheDevice * device, GstElement * element);

/* Opens the GPU if on_device, so that the first job does not wait for it. The first job reports a failure. */
void robocache_device_prepare (RobocacheDevice * device, GstElement * element, gboolean on_device);

/* The jobs of a stream, which caps make all alike. */
typedef struct
{
  gboolean in_on_device;
  RobocacheCapsMemory out_memory;       /* GStreamer's CUDA memory: the output is made in device memory, and moved there */
  guint64 work_bytes;           /* in and out of one buffer, if a GPU may be faster; else 0 */
  guint64 device_bytes;         /* at once on the device, in the smallest chunks */
  const gchar *what;            /* subject of an error about device_bytes, such as "a grid" */
  const gchar *advice;          /* end of that error: what to change */
  gboolean splits;              /* over several devices, with backend=cuda and `devices` */
} RobocacheJob;

/* Number of devices that a job is split over: with backend=cuda that of `devices`, at least 1; with auto 1. */
guint robocache_device_shards (const RobocacheDeviceSettings * settings, const RobocacheJob * job);

/* Makes the engine that serves the job the active one. FALSE and an error when there is none: GST_RESOURCE_ERROR, or
 * GST_LIBRARY_ERROR for a device that failed. */
gboolean robocache_device_choose (RobocacheDevice * device, GstElement * element, const RobocacheJob * job,
    GError ** error);
/* The active engine, and after it those of the other devices that the job is split over; returns how many. No references. */
guint robocache_device_engines (const RobocacheDevice * device, const RobocacheJob * job,
    RobocacheEngine * engines[ROBOCACHE_MAX_DEVICES]);
/* Whether an output, or what it needs, that failed with `failure` is to be made again, once: a call failed, and the device answers.
 * Counts that, and warns of the first. Called without locks of the element. */
gboolean robocache_device_try_again (RobocacheDevice * device, GstElement * element, const GError * failure);
/* With auto, makes the CPU's engine the active one after the GPU failed with `status` (RC_OK: unknown) and `reason`, and counts that.
 * FALSE if the CPU cannot serve the job, or the reason is neither what the GPU lacks nor a call that failed. */
gboolean robocache_device_fall_back (RobocacheDevice * device, GstElement * element, const RobocacheJob * job, RcStatus status,
    const GError * reason);
/* The active engine's allocator for outputs in this memory; no reference. Those in CUDA memory are in device memory until they are moved. */
GstAllocator *robocache_device_allocator (const RobocacheDevice * device, RobocacheCapsMemory memory);

/* Moves an output in device memory, which is writable, to GStreamer's CUDA memory if the job asks for that, and waits for it; else does
 * nothing. Tries again as above. FALSE and an error of the device, GST_RESOURCE_ERROR_NO_SPACE_LEFT, or one of
 * robocache_cuda_context_get. */
gboolean robocache_device_move_output (RobocacheDevice * device, GstElement * element, GstBuffer * output,
    GError ** error);

/* Adds the allocator of pinned memory of the active GPU to an ALLOCATION query about system memory, unless the CPU computes or
 * nothing is chosen yet. */
void robocache_device_propose_pinned (const RobocacheDevice * device, GstElement * element, GstQuery * query);

/* Answers an ALLOCATION query about device memory with an allocator of the active GPU, and for tensors with a pool of at least
 * min_buffers. */
void robocache_device_propose (const RobocacheDevice * device, GstQuery * query, guint min_buffers);

/* Adds the fields of `stats` about devices. Called with the element's object lock held; never waits for a device. */
void robocache_device_to_structure (const RobocacheDevice * device, GstStructure * structure);

G_END_DECLS
#endif
