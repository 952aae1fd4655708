/* robocache: a live robocachefuse that decides ticks when it is told to
 *
 * Between decisions its task is held: in the chain function of the pad behind it, in a message about a dropped tick, or in an event:
 * CAPS, or one that was sent through it for that. So nothing depends on when threads run, and rows are taken in at any time of the clock.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_STEPPEDFUSE_H
#define ROBOCACHE_EXAMPLES_STEPPEDFUSE_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _SteppedFuse SteppedFuse;

/* A fuse with the settings of a settings event; see settingsevent.h of robocachefuse. NULL and an error: it has no such settings. */
SteppedFuse *stepped_fuse_new (const GstStructure * settings, GError ** error);
void stepped_fuse_free (SteppedFuse * fuse);

/* Changes settings to others; pads come and go as they have them. */
gboolean stepped_fuse_set (SteppedFuse * fuse, const GstStructure * settings, GError ** error);
/* Names of its pads, with NULL at the end; free with g_free. */
const gchar **stepped_fuse_pads (SteppedFuse * fuse);

/* base_time: of the clock; it never goes back. */
void stepped_fuse_play (SteppedFuse * fuse, GstClockTime base_time);
void stepped_fuse_pause (SteppedFuse * fuse);
/* Sets running time, by way of what lies between: a clock that jumps would be taken for one that was set. */
void stepped_fuse_set_time (SteppedFuse * fuse, GstClockTime running_time);

/* Ticks may wait for so long (ns); -1: the fuse is not live. From then on nothing else decides that. */
void stepped_fuse_set_latency (SteppedFuse * fuse, gint64 latency_ns);
/* Lets the task look at settings and clock, and decide nothing. */
void stepped_fuse_look (SteppedFuse * fuse);

/* pad: a name of one. Both take what they are given. FALSE and an error: the fuse refuses it. */
gboolean stepped_fuse_push_event (SteppedFuse * fuse, const gchar * pad, GstEvent * event, GError ** error);
gboolean stepped_fuse_push_buffer (SteppedFuse * fuse, const gchar * pad, GstBuffer * buffer, GError ** error);

typedef enum
{
  STEPPED_FUSE_SAMPLE,
  STEPPED_FUSE_DROPPED,         /* a tick, or several at once */
  STEPPED_FUSE_NOTHING,         /* no tick is due */
  STEPPED_FUSE_FAILED           /* and an error */
} SteppedFuseDecision;

/* Lets the task decide at most once. sample: a new reference with its caps. */
SteppedFuseDecision stepped_fuse_decide (SteppedFuse * fuse, GstSample ** sample, GError ** error);
/* The same, but where new caps leave first, it returns before the decision: the recorded fuse took rows in meanwhile. */
SteppedFuseDecision stepped_fuse_begin (SteppedFuse * fuse, GstSample ** sample, GError ** error);

G_END_DECLS
#endif
