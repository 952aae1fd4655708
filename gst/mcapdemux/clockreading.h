/* robocache: reads stamps and log times of a recording, to find its clocks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/bags/bag.h"
#include "session/session.h"

/* Surveys the channels, which must be selected in the bag, and sets the clocks of the session. A long recording is read at places spread over
 * it; all of it is read where stamps step back there, or differ from log times by more than delays do. Moves the bag's position. Faults of the
 * recording end the survey, and are reported when its messages are read. */
void robocache_mcap_find_clocks (RobocacheMcapSession * session, RobocacheBag * bag, const GArray * channel_ids, RobocacheTimeline timeline);
