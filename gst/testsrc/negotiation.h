/* robocache: caps of robocachetestsrc, and the settings that downstream completes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "properties.h"

/* Completes settings with a rate and channels: from the settings, or else from a structure of the peer's caps (NULL: the peer accepts
 * anything), or else from the kind. */
RobocacheTestSettings robocache_test_settings_complete (RobocacheTestSettings settings, const GstStructure * peer);

/* The caps of the pad template (taken) that are possible with the settings. */
GstCaps *robocache_test_possible_caps (const RobocacheTestSettings * settings, GstCaps * template);
/* Returns fixed caps in the peer's spelling, and completes the settings. NULL and the reason (free with g_free): the peer accepts no such
 * caps. */
GstCaps *robocache_test_fixed_caps (RobocacheTestSettings * settings, const GstCaps * peer, gchar ** refusal);
