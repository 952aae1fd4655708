/* robocache: the core of a robocachefuse, stepped by a program, without clock, threads and other elements
 *
 * The element stays in state NULL. It has the settings, the pads and the device.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "gst/fuse/element.h"
#include "gst/fuse/reports.h"

typedef struct
{
  GstRobocacheFuse *fuse;
  gint64 base_time;             /* base time of the replayed pipeline; 0 before it plays */
  FuseReports reports;
  FuseDeparture departure;
  FuseDecision seen;            /* decision of stepped_core_look; FUSE_WAIT: none */
  GstCaps *caps;                /* caps of samples; NULL: there was no sample */
} SteppedCore;

/* Initialises GStreamer without plugins: this program contains robocachefuse, and the plugin would register types with the same names. */
void stepped_core_init_gst (void);

/* Request pads and set properties after this, before stepped_core_start. */
void stepped_core_init (SteppedCore * self, gboolean force_live);
void stepped_core_clear (SteppedCore * self);
/* FALSE and an error: the settings are invalid. */
gboolean stepped_core_start (SteppedCore * self, GError ** error);
/* The pad of that name, which the element owns. NULL: there is no such pad. */
GstRobocacheFusePad *stepped_core_pad (const SteppedCore * self, const gchar * name);

/* ---- inputs ---- */

void stepped_core_play (SteppedCore * self, gint64 base_time);
void stepped_core_pause (SteppedCore * self);
/* ROBOCACHE_NO_TIME: no clock runs. The time may jump; the core never concludes that the clock was set. */
void stepped_core_set_time (SteppedCore * self, gint64 running_time);
/* Sends an event to a pad. Caps, segments and GAPs have their own functions. */
void stepped_core_send (SteppedCore * self, GstRobocacheFusePad * pad, const FuseEvent * event);
/* FALSE and an error: the pad does not accept them. */
gboolean stepped_core_send_caps (SteppedCore * self, GstRobocacheFusePad * pad, const GstCaps * caps, GError ** error);
void stepped_core_send_segment (SteppedCore * self, GstRobocacheFusePad * pad, const GstSegment * segment);
void stepped_core_send_gap (SteppedCore * self, GstRobocacheFusePad * pad, GstClockTime pts, GstClockTime duration);
/* Inserts the rows of a buffer, and takes the buffer. FALSE and an error: the rows cannot be read, or come before caps or a segment. */
gboolean stepped_core_insert (SteppedCore * self, GstRobocacheFusePad * pad, GstBuffer * buffer, GError ** error);

/* ---- decisions ---- */

/* Makes one decision: FUSE_WAIT, FUSE_SEND with a sample, which the caller owns, FUSE_DROP, FUSE_END, or FUSE_FAIL with an error. */
FuseDecision stepped_core_decide (SteppedCore * self, GstSample ** sample, GError ** error);
/* The core checks the time. TRUE: it has decided a tick, which is the next decision. */
gboolean stepped_core_look (SteppedCore * self, GError ** error);
