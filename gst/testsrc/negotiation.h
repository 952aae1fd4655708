/* robocache: caps of robocachetestsrc, and the settings that downstream completes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_TESTNEGOTIATION_H
#define ROBOCACHE_TESTNEGOTIATION_H

#include "properties.h"

G_BEGIN_DECLS

/* Settings with a rate and channels: those of the settings, or else of a structure of the peer's caps (NULL: it accepts
 * anything), or else of the kind. */
RobocacheTestSettings robocache_test_settings_complete (RobocacheTestSettings settings, const GstStructure * peer);

/* The caps that settings leave possible, of those of the pad template (taken). */
GstCaps *robocache_test_possible_caps (const RobocacheTestSettings * settings, GstCaps * template);
/* Fixed caps in the spelling of the peer's, and completed settings. NULL and the reason (free with g_free) when the peer
 * accepts none. */
GstCaps *robocache_test_fixed_caps (RobocacheTestSettings * settings, const GstCaps * peer, gchar ** refusal);

G_END_DECLS
#endif
