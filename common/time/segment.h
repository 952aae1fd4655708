/* robocache: segments that go on
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_SEGMENT_H
#define ROBOCACHE_SEGMENT_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Whether next says of times what segment does. Its position does not count: it moves with each buffer. */
gboolean robocache_segment_goes_on (const GstSegment * segment, const GstSegment * next);

G_END_DECLS
#endif
