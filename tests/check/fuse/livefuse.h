/* robocache: what tests of a live robocachefuse share: one sensor of 100 Hz, deadlines, and messages
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIVE_FUSE_H
#define LIVE_FUSE_H

#include "fuseharness.h"

#define AT_100_HZ "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, " \
    "dimensions=(string)1, framerate=(fraction)100/1"
/* The element's own 5 ms, and the 10 ms that linear waits for the next row. */
#define LATENCY 15

G_GNUC_UNUSED static Rig *
live_rig (const gchar *rate, Feed **feed)
{
  Rig *rig = rig_new ("rate", rate, NULL);

  *feed = feed_new_bare (rig, "proprio_0", TRUE);
  rig_play (rig);
  feed_start (*feed, AT_100_HZ);
  return rig;
}

/* The element waits for the clock; lets it reach what it waits for, which must be that. */
G_GNUC_UNUSED static void
pass_deadline (Rig *rig, gint64 expected)
{
  fail_unless (gst_test_clock_crank (rig->clock));
  fail_unless_equals_int64 (gst_clock_get_time (GST_CLOCK (rig->clock)), expected);
}

G_GNUC_UNUSED static void
set_clock (Rig *rig, gint64 time)
{
  gst_test_clock_set_time (rig->clock, (GstClockTime) time);
}

G_GNUC_UNUSED static void
drop_messages (Rig *rig, GstMessageType type)
{
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (rig->bus, type)))
    gst_message_unref (message);
}

#endif
