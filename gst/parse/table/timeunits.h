/* robocache: guesses the unit of times by their steps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/text/timetext.h"

/* Length of a unit in seconds. */
gdouble robocache_time_unit_seconds (RobocacheTimeUnit unit);

/* Whether a sensor may have this step: 10 us to 100 s. */
gboolean robocache_time_step_is_possible (gdouble step_s);
/* Whether a sensor usually has this step: 0.5 Hz to 20 kHz. */
gboolean robocache_time_step_is_usual (gdouble step_s);
/* The unit in which a step is usual for a sensor, 0.5 Hz to 20 kHz; if several units fit, the one whose rate is nearest to 100 Hz. FALSE:
 * none. */
gboolean robocache_time_unit_of_step (gdouble step, RobocacheTimeUnit * unit);
/* Like robocache_time_unit_of_step, but only units in which times near `time` are in the years 2000 to 2100. */
gboolean robocache_time_unit_of_date (gdouble time, gdouble step, RobocacheTimeUnit * unit);
