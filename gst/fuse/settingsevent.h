/* robocache: the settings of robocachefuse as an event downstream, so that recordings of samples have them
 *
 * A sticky custom event whose structure, RobocacheFuseSettings, has "number" (int64, of the events so far), and texts as
 * gst_value_serialize writes them: "element.rate", and for each pad "proprio_0.interpolation" with "proprio_0.source-live",
 * "proprio_0.source-min-latency", "proprio_0.source-max-latency" and "proprio_0.source-stream-id". It has all settings, with those
 * that were not changed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_SETTINGSEVENT_H
#define FUSE_SETTINGSEVENT_H

#include "element.h"

G_BEGIN_DECLS

#define FUSE_SETTINGS_EVENT "RobocacheFuseSettings"

/* Live, with the first tick: queues the first event. Called with the lock. */
void gst_robocache_fuse_begin_settings (GstRobocacheFuse * fuse);
/* Settings or sources have changed: queues an event, if there was a first, and notes it in the journal. Called with the lock. */
void gst_robocache_fuse_note_settings (GstRobocacheFuse * fuse);

G_END_DECLS
#endif
