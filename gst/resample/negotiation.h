/* robocache: robocacheresample, caps that its pads offer
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/backend/enginechoice.h"
#include "format.h"

/* Inputs of an offer. */
typedef struct
{
  GstElement *element;
  GstPad *src;
  RobocacheDevice *device;
  GstRobocacheResampleSettings settings;
} GstRobocacheResampleNegotiation;

/* Like the functions of GstBaseTransform. other is taken. */
GstCaps *gst_robocache_resample_transform_caps (const GstRobocacheResampleNegotiation * negotiation,
    GstPadDirection direction, GstCaps * caps, GstCaps * filter);
GstCaps *gst_robocache_resample_fixate_caps (const GstRobocacheResampleNegotiation * negotiation,
    GstPadDirection direction, GstCaps * caps, GstCaps * other);
/* The error that downstream does not accept the caps for the input. */
GError *gst_robocache_resample_downstream_error (const GstRobocacheResampleNegotiation * negotiation,
    const GstCaps * in_caps);
