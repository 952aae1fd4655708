/* robocache: reads stamps and log times of a recording, to find its clocks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_MCAP_CLOCKREADING_H
#define GST_ROBOCACHE_MCAP_CLOCKREADING_H

#include "common/bags/bag.h"
#include "session/session.h"

G_BEGIN_DECLS

/* Surveys the channels, which must be selected in the bag, and sets the clocks of the session. A long recording is read at places spread over
 * it; all of it is read where stamps step back there, or differ from log times by more than delays do. Moves the bag's position. Faults of the
 * recording end the survey, and are reported when its messages are read. */
void robocache_mcap_find_clocks (RobocacheMcapSession * session, RobocacheBag * bag, const GArray * channel_ids, RobocacheTimeline timeline);

G_END_DECLS
#endif
