/* robocache: metadata of the channels of a recording
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* Quality of service in the format of rosbag2: the default of sensors' publishers. */
#define MUX_OFFERED_QOS "- history: 3\n  depth: 0\n  reliability: 1\n  durability: 2\n  deadline:\n    sec: 9223372036\n" \
    "    nsec: 854775807\n  lifespan:\n    sec: 9223372036\n    nsec: 854775807\n  liveliness: 1\n  liveliness_lease_duration:\n" \
    "    sec: 9223372036\n    nsec: 854775807\n  avoid_ros_namespace_conventions: false"

/* Makes a map of texts with the entries that every channel has. */
GByteArray *mux_channel_metadata_new (void);
/* Adds the description of a stream. dtype NULL: none. kinds: of one tensor of caps that describe several; NULL: none. */
void mux_channel_metadata_add_stream (GByteArray * metadata, const gchar * pad, const GstCaps * caps, const GstSegment * segment,
    const gchar * dtype, const gchar * kinds);
/* A segment as text, "start=0 stop=-1 ..."; free with g_free. */
gchar *mux_segment_to_text (const GstSegment * segment);
