/* robocache: tensors in system memory and in device memory, in caps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_MEMORYCAPS_H
#define ROBOCACHE_MEMORYCAPS_H

#include <gst/gst.h>

#include "common/device/devicememory.h"
#include "tensorcaps.h"

G_BEGIN_DECLS

/* Tensors in system and in device memory, for a template that robocache_add_pad_template adds. */
#define ROBOCACHE_TENSORS_TEMPLATE_CAPS \
  ROBOCACHE_TENSORS_MEDIA_TYPE "; " ROBOCACHE_TENSORS_MEDIA_TYPE "(" ROBOCACHE_CAPS_FEATURE_CUDA ")"

/* Adds a pad template to a class, for pads of pad_type (GST_TYPE_PAD: plain ones). Removes the caps of memories that this build does
 * not support: memory:RobocacheCUDA without a CUDA backend, memory:CUDAMemory without gstreamer-cuda. Changes template in place,
 * so call it before any other use of template. */
void robocache_add_pad_template (GstElementClass * klass, GstStaticPadTemplate * template, GType pad_type);

/* The memories that an element offers, in order of preference. */
typedef enum
{
  ROBOCACHE_OFFER_SYSTEM,
  ROBOCACHE_OFFER_SYSTEM_FIRST,
  ROBOCACHE_OFFER_DEVICE_FIRST
} RobocacheOffer;

/* caps (taken, and in system memory) in the memories of the offer. */
GstCaps *robocache_caps_offer (GstCaps * caps, RobocacheOffer offer);
/* Whether the first structure is in device memory. */
gboolean robocache_caps_on_device (const GstCaps * caps);
/* Whether caps has structures, all of them in device memory. */
gboolean robocache_caps_are_all_on_device (const GstCaps * caps);
/* The first structure of caps, in system memory; *on_device: whether it is in device memory in caps. */
GstCaps *robocache_caps_first_in_system_memory (const GstCaps * caps, gboolean * on_device);
/* caps (taken, and in system memory), in device memory if on_device. */
GstCaps *robocache_caps_in_memory (GstCaps * caps, gboolean on_device);

G_END_DECLS
#endif
