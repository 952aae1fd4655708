/* robocache: robocacheresample, caps that its pads offer
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_RESAMPLE_NEGOTIATION_H
#define GST_ROBOCACHE_RESAMPLE_NEGOTIATION_H

#include "common/backend/enginechoice.h"
#include "format.h"

G_BEGIN_DECLS

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

G_END_DECLS
#endif
