/* robocache: the core of a robocachefuse, stepped by a program: no clock, thread or other element takes part
 *
 * The element stays in NULL. It has the settings, the pads and the device.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_STEPPEDCORE_H
#define ROBOCACHE_EXAMPLES_STEPPEDCORE_H

#include "gst/fuse/element.h"
#include "gst/fuse/reports.h"

G_BEGIN_DECLS

typedef struct
{
  GstRobocacheFuse *fuse;
  gint64 base_time;             /* of the pipeline that is replayed; 0 before it plays */
  FuseReports reports;
  FuseDeparture departure;
  FuseDecision seen;            /* see stepped_core_look; FUSE_WAIT: nothing was seen */
  GstCaps *caps;                /* of samples; NULL: there was none */
} SteppedCore;

/* Initialises GStreamer without plugins: this program has robocachefuse, and the types of another one would have the same names. */
void stepped_core_init_gst (void);

/* Pads are requested and properties set before the start. */
void stepped_core_init (SteppedCore * self, gboolean force_live);
void stepped_core_clear (SteppedCore * self);
/* FALSE and an error: the settings are invalid. */
gboolean stepped_core_start (SteppedCore * self, GError ** error);
/* NULL: there is no such pad. The element's. */
GstRobocacheFusePad *stepped_core_pad (const SteppedCore * self, const gchar * name);

/* ---- inputs ---- */

void stepped_core_play (SteppedCore * self, gint64 base_time);
void stepped_core_pause (SteppedCore * self);
/* ROBOCACHE_NO_TIME: no clock runs. It may jump: the clock is never taken for one that was set. */
void stepped_core_set_time (SteppedCore * self, gint64 running_time);
/* An event of a pad's stream. Caps, segments and GAPs have functions of their own. */
void stepped_core_send (SteppedCore * self, GstRobocacheFusePad * pad, const FuseEvent * event);
/* FALSE and an error: the pad does not accept them. */
gboolean stepped_core_send_caps (SteppedCore * self, GstRobocacheFusePad * pad, const GstCaps * caps, GError ** error);
void stepped_core_send_segment (SteppedCore * self, GstRobocacheFusePad * pad, const GstSegment * segment);
void stepped_core_send_gap (SteppedCore * self, GstRobocacheFusePad * pad, GstClockTime pts, GstClockTime duration);
/* Inserts the rows of a buffer, which is taken. FALSE and an error: they cannot be read, or come before caps or a segment. */
gboolean stepped_core_insert (SteppedCore * self, GstRobocacheFusePad * pad, GstBuffer * buffer, GError ** error);

/* ---- what is decided ---- */

/* One decision: FUSE_WAIT, FUSE_SEND with a sample, which is the caller's, FUSE_DROP, FUSE_END, or FUSE_FAIL with an error. */
FuseDecision stepped_core_decide (SteppedCore * self, GstSample ** sample, GError ** error);
/* The core looks at the time. TRUE: it has decided a tick, which is the next decision. */
gboolean stepped_core_look (SteppedCore * self, GError ** error);

G_END_DECLS
#endif
