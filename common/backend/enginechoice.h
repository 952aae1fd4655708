/* robocache: which backend an element computes on
 *
 * The CPU's engine is open between start and stop, unless the GPU was asked for. With `auto` the GPU's is opened when caps
 * bring device memory, or when the work of one buffer is worth it, so a pipeline of small rows never makes a CUDA context.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ENGINECHOICE_H
#define ROBOCACHE_ENGINECHOICE_H

#include <gst/gst.h>

#include "common/device/allocator.h"
#include "common/tensors/memorycaps.h"
#include "deviceproperties.h"

G_BEGIN_DECLS

/* Bytes in and out of one buffer's work, as far as caps say them, from which `auto` prefers the GPU when all data is in system
 * memory. Jobs for which the way there and back costs what a CPU core needs for them have no work in this sense
 * (docs/performance/break-even.md). */
#define ROBOCACHE_BREAK_EVEN_BYTES (G_GUINT64_CONSTANT (1) << 20)

/* The properties of an element and the engines that they chose. Guarded by the element's object lock where property functions meet
 * streaming. */
typedef struct
{
  RobocacheDeviceProperties properties; /* for the next start */
  RobocacheDeviceSettings started;      /* of the last open, until close */

  gboolean is_open;
  RobocacheEngine *cpu, *gpu;   /* those that are open */
  RobocacheEngine *others[ROBOCACHE_MAX_DEVICES];       /* of devices, from the second on; the first is gpu */
  RobocacheEngine *active;      /* one of them, once there are caps; no reference */
  GstAllocator *outputs[2];     /* of the active engine: for system memory, and for device memory */
  gboolean gpu_is_usable;
  gchar *no_gpu;                /* why not; NULL: it is */
  gboolean fell_back;           /* auto wanted a GPU and goes on with the CPU */
  guint64 n_fallbacks;
  guint64 n_chunks;             /* that batches were cut into, where they did not fit whole */
} RobocacheDevice;

void robocache_device_init (RobocacheDevice * device);
void robocache_device_finalize (RobocacheDevice * device);
/* prop is one of ROBOCACHE_DEVICE_PROP. Called with the element's object lock held. */
void robocache_device_set_property (RobocacheDevice * device, guint prop, const GValue * value);
void robocache_device_get_property (RobocacheDevice * device, guint prop, GValue * value);

/* To call in start. Posts RESOURCE/NOT_FOUND with the reason and returns FALSE when backend=cuda finds no usable GPU. */
gboolean robocache_device_open (RobocacheDevice * device, GstElement * element);
/* To call in stop, when nothing of the element is on the device any more but what it has handed out. */
void robocache_device_close (RobocacheDevice * device, GstElement * element);

/* Which memories the element's pads offer; before open, those that the properties allow. */
RobocacheOffer robocache_device_offer (RobocacheDevice * device, GstElement * element);
/* Of a source pad whose sink pad has these caps: its memory first. */
RobocacheOffer robocache_device_offer_as (RobocacheDevice * device, GstElement * element, const GstCaps * sink_caps);

/* What an error about caps of a peer, which takes none of what the element offers, goes on with: why there is no GPU, where the
 * peer takes its memory alone, else nothing. Free with g_free. */
gchar *robocache_device_explain (RobocacheDevice * device, GstElement * element, const GstCaps * peer);

/* Opens the GPU when caps bring its memory, so that the first job need not wait for it. What fails is told by the job. */
void robocache_device_prepare (RobocacheDevice * device, GstElement * element, gboolean on_device);

/* A stream of jobs, all alike, as caps fix it. */
typedef struct
{
  gboolean in_on_device, out_on_device;
  guint64 work_bytes;           /* of one buffer, in and out, where a GPU may pay for them; else 0 */
  guint64 device_bytes;         /* on the device at once, cut as far as it can be */
  const gchar *what;            /* needs them */
  const gchar *advice;          /* when there is no room */
  gboolean splits;              /* over several devices, where the user named them and backend=cuda */
} RobocacheJob;

/* Over how many devices a job is split: with `cuda` over all that were named, at least 1; with `auto` it is 1. */
guint robocache_device_shards (const RobocacheDeviceSettings * settings, const RobocacheJob * job);

/* Makes the engine that serves the job the active one. FALSE and an error when there is none: GST_RESOURCE_ERROR, or
 * GST_LIBRARY_ERROR for a device that failed. */
gboolean robocache_device_choose (RobocacheDevice * device, GstElement * element, const RobocacheJob * job,
    GError ** error);
/* The active engine, and after it those of the other devices that the job is split over; returns how many. No references. */
guint robocache_device_engines (const RobocacheDevice * device, const RobocacheJob * job,
    RobocacheEngine * engines[ROBOCACHE_MAX_DEVICES]);
/* With `auto`, makes the CPU's engine the active one after all, since the GPU lacks memory or cannot do this, and counts that.
 * FALSE where the CPU cannot take over. */
gboolean robocache_device_fall_back (RobocacheDevice * device, GstElement * element, const RobocacheJob * job,
    const GError * reason);
/* Of the active engine; no reference. */
GstAllocator *robocache_device_allocator (const RobocacheDevice * device, gboolean on_device);

/* Of memory of the host that the active GPU copies from by itself; NULL where the CPU computes, or nobody knows yet. A reference. */
GstAllocator *robocache_device_ref_pinned (const RobocacheDevice * device, GstElement * element);

/* Answers an allocation query about device memory with the active GPU's: an allocator, and for tensors a pool of at least
 * so many buffers. */
void robocache_device_propose (const RobocacheDevice * device, GstQuery * query, guint min_buffers);

/* Called with the element's object lock held: to `stats`. */
void robocache_device_to_structure (const RobocacheDevice * device, GstStructure * structure);

G_END_DECLS
#endif
