/* robocache: pads of robocacherossrc for streams that are declared before they come
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "session.h"

/* Adds the pads of the setting `expected`: "TOPIC CAPS;TOPIC:STREAM CAPS". The thread of the element must not run yet. FALSE and an error: an entry
 * is wrong. */
gboolean robocache_ros_expected_expose (RobocacheRosSession * session, GError ** error);

/* Takes over the format of a sample. Caps that are not as declared are a warning, and the pad gets them. */
void robocache_ros_expected_update (RobocacheRosSession * session, RobocacheRosOutput * output, const RobocacheRosSample * sample,
    const GstStructure * camera);
