/* robocache: the settings of robocachefuse as an event downstream, so that recordings of samples have them
 *
 * A sticky custom event with the structure RobocacheFuseSettings. It has "number" (int64, the number of the event), and texts in the
 * format of gst_value_serialize: "element.rate", and for each pad "proprio_0.interpolation" with "proprio_0.source-live",
 * "proprio_0.source-min-latency", "proprio_0.source-max-latency" and "proprio_0.source-stream-id". It has all settings, including
 * unchanged ones.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "element.h"

#define FUSE_SETTINGS_EVENT "RobocacheFuseSettings"

/* Live, with the first tick: queues the first event. Called with the lock. */
void gst_robocache_fuse_begin_settings (GstRobocacheFuse * fuse);
/* After a change of settings or sources: queues an event, unless the first event is still due, and adds it to the journal. Called with the
 * lock. */
void gst_robocache_fuse_note_settings (GstRobocacheFuse * fuse);
