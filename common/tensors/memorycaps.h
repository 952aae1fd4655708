/* robocache: tensors in system memory and in device memory, in caps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/device/devicememory.h"
#include "cudamemory.h"
#include "tensorcaps.h"

/* Tensors in all memories that a sink or a source pad may support, for robocache_add_pad_template. */
#define ROBOCACHE_TENSORS_TEMPLATE_CAPS \
  ROBOCACHE_TENSORS_MEDIA_TYPE "; " ROBOCACHE_TENSORS_MEDIA_TYPE "(" ROBOCACHE_CAPS_FEATURE_CUDA ")"
#define ROBOCACHE_TENSORS_SRC_TEMPLATE_CAPS \
  ROBOCACHE_TENSORS_TEMPLATE_CAPS "; " ROBOCACHE_TENSORS_MEDIA_TYPE "(" ROBOCACHE_CAPS_FEATURE_CUDA_MEMORY ")"

/* Adds a pad template to a class, for pads of pad_type (GST_TYPE_PAD: plain ones). Removes the caps of memories that this build does
 * not support: memory:RobocacheCUDA without a CUDA backend, memory:CUDAMemory without gstreamer-cuda. Changes template in place,
 * so call it before any other use of template. */
void robocache_add_pad_template (GstElementClass * klass, GstStaticPadTemplate * template, GType pad_type);

/* A memory in caps. */
typedef enum
{
  ROBOCACHE_SYSTEM_MEMORY,
  ROBOCACHE_DEVICE_MEMORY,      /* memory:RobocacheCUDA */
  ROBOCACHE_CUDA_MEMORY,        /* memory:CUDAMemory, GStreamer's: from source pads only */
  ROBOCACHE_N_MEMORIES
} RobocacheCapsMemory;

/* The memories that an element offers, in order of preference. For source pads that support CUDA memory, it follows device memory. */
typedef enum
{
  ROBOCACHE_OFFER_SYSTEM,
  ROBOCACHE_OFFER_SYSTEM_FIRST,
  ROBOCACHE_OFFER_DEVICE_FIRST
} RobocacheOffer;

/* Sets the memories of an offer for pads of a direction; returns their number. */
guint robocache_offer_memories (RobocacheOffer offer, GstPadDirection direction,
    RobocacheCapsMemory memories[ROBOCACHE_N_MEMORIES]);
/* Returns caps (taken, in system memory) in all memories of the offer. */
GstCaps *robocache_caps_offer (GstCaps * caps, RobocacheOffer offer, GstPadDirection direction);
/* The memory of the first structure. */
RobocacheCapsMemory robocache_caps_memory (const GstCaps * caps);
/* Whether the memory of the first structure is on a device. */
gboolean robocache_caps_on_device (const GstCaps * caps);
/* Whether caps has structures, all of them in device memory. */
gboolean robocache_caps_are_all_on_device (const GstCaps * caps);
/* Returns caps (taken, in system memory) in this memory. */
GstCaps *robocache_caps_in_memory (GstCaps * caps, RobocacheCapsMemory memory);
