/* robocache: metadata of the channels of a recording
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_CHANNELS_H
#define MUX_CHANNELS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Quality of service, as rosbag2 writes it: the default of sensors' publishers. */
#define MUX_OFFERED_QOS "- history: 3\n  depth: 0\n  reliability: 1\n  durability: 2\n  deadline:\n    sec: 9223372036\n" \
    "    nsec: 854775807\n  lifespan:\n    sec: 9223372036\n    nsec: 854775807\n  liveliness: 1\n  liveliness_lease_duration:\n" \
    "    sec: 9223372036\n    nsec: 854775807\n  avoid_ros_namespace_conventions: false"

/* A map of texts with what every channel has. */
GByteArray *mux_channel_metadata_new (void);
/* Adds what is known of a stream. dtype: NULL, none. */
void mux_channel_metadata_add_stream (GByteArray * metadata, const gchar * pad, const GstCaps * caps, const GstSegment * segment,
    const gchar * dtype);
/* "start=0 stop=-1 ...": a segment as text; free with g_free. */
gchar *mux_segment_to_text (const GstSegment * segment);

G_END_DECLS
#endif
