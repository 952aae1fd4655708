/* robocache: the settings of a recorded robocachefuse, for one whose core is stepped
 *
 * A structure has those of a settings event; see settingsevent.h of robocachefuse.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_RECORDEDSETTINGS_H
#define ROBOCACHE_EXAMPLES_RECORDEDSETTINGS_H

#include "examples/steppedcore.h"

G_BEGIN_DECLS

/* Initialises and starts core. FALSE and an error: robocachefuse has no such settings. */
gboolean recorded_settings_start (SteppedCore * core, const GstStructure * settings, GError ** error);
/* Changes all settings but the rate; pads come and go as settings have them. */
gboolean recorded_settings_change (SteppedCore * core, const GstStructure * settings, GError ** error);
/* *has_changed: ticks have another rate. */
gboolean recorded_settings_change_rate (SteppedCore * core, const GstStructure * settings, gboolean * has_changed, GError ** error);

G_END_DECLS
#endif
