/* robocache: faulty sensors of robocachefuse: buffers and caps that cannot be used
 *
 * Live, only the rows of the faulty pad are dropped, and the other sensors continue. Not live, or if no other sensor is left, the element fails.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_FAULTS_H
#define FUSE_FAULTS_H

#include "gst/fuse/element.h"

G_BEGIN_DECLS

/* Returns the answer to the source of a buffer that cannot be used because of error (taken); flow: the answer once the element has
 * failed. Posts a warning for the first such buffer of a pad. Called without the lock. */
GstFlowReturn gst_robocache_fuse_answer_bad_buffer (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GstFlowReturn flow, GError * error);
/* The same for caps. After GST_FLOW_OK the rows of the pad are dropped until it gets caps that can be used. */
GstFlowReturn gst_robocache_fuse_answer_bad_caps (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GError * error);

G_END_DECLS
#endif
