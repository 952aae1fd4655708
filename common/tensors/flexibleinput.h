/* robocache: converts flexible tensors for elements that support only static tensors
 *
 * Static caps become known with a buffer of flexible tensors. A sink pad passes its input through these functions. They hold flexible
 * caps, and pass static caps to the pad's event function before the first buffer, and before each buffer with other axes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/base/gstbasetransform.h>

#include "common/element/heldevents.h"
#include "tensorcaps.h"

/* Used under the pad's stream lock, except by resolve. */
typedef struct
{
  GstPad *pad;
  GstCaps *caps;                /* the last flexible caps; NULL: the last caps were static. Written with the pad's object lock, like fixed */
  GstCaps *fixed;               /* static caps for the tensors of the last buffer; NULL: the element did not get such caps */
  RobocacheTensorsInfo info;    /* tensors of the last buffer */
  gboolean is_passing;          /* static caps are being passed to the element */
  RobocacheHeldEvents held;     /* events held until the first buffer */
} RobocacheFlexibleInput;

/* For the pad's event function. TRUE: the event is taken, because it waits for the first buffer, or because flexible caps have an error. */
gboolean robocache_flexible_input_take_event (RobocacheFlexibleInput * input, GstEvent * event, GError ** error);
/* For its chain function: replaces a buffer of flexible tensors by one of static tensors. GST_FLOW_ERROR and an error: a header is wrong.
 * GST_FLOW_NOT_NEGOTIATED or GST_FLOW_FLUSHING: the event function did not handle the caps. */
GstFlowReturn robocache_flexible_input_strip (RobocacheFlexibleInput * input, GstBuffer ** buffer, GError ** error);
/* Returns the caps that the event function got, instead of the pad's current caps, which may be flexible. Called by any thread; free with
 * gst_caps_unref. */
GstCaps *robocache_flexible_input_resolve (RobocacheFlexibleInput * input, GstCaps * caps);

/* For its query function: whether the pad accepts these caps, although the element does not support them. */
gboolean robocache_flexible_input_accepts (const GstCaps * caps);
/* Whether a query must be refused, because it is about memory of buffers with headers. */
gboolean robocache_flexible_input_refuses (const RobocacheFlexibleInput * input, GstQuery * query);
/* Adds flexible tensors to the answer of a CAPS query that has static ones. */
void robocache_flexible_input_add_caps (GstQuery * query);

/* The virtual methods accept_caps and query of a GstBaseTransform with such an input, which call those of the parent class. If the sink
 * pad does not accept caps, an error with advice is posted. */
gboolean robocache_flexible_input_accept_caps (GstBaseTransform * trans, GstBaseTransformClass * parent, GstPadDirection direction,
    GstCaps * caps);
gboolean robocache_flexible_input_query (const RobocacheFlexibleInput * input, GstBaseTransform * trans, GstBaseTransformClass * parent,
    GstPadDirection direction, GstQuery * query);

void robocache_flexible_input_init (RobocacheFlexibleInput * input, GstPad * pad);
/* Clears the input, when its pad becomes inactive. */
void robocache_flexible_input_clear (RobocacheFlexibleInput * input);
