/* robocache: which seeks make a segment
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_SEEK_H
#define ROBOCACHE_SEEK_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Whether a seek event goes forwards, in the segment's format, and to a beginning that is not behind the end: core takes
 * that for granted in gst_segment_do_seek. The segment's duration is not known. */
gboolean robocache_seek_fits (const GstSegment * segment, GstEvent * seek);

G_END_DECLS
#endif
