/* robocache: robocachemcapsink records streams in MCAP files on a disk
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_MCAPSINK_H
#define GST_ROBOCACHE_MCAPSINK_H

#include <gst/gst.h>

G_BEGIN_DECLS

GST_ELEMENT_REGISTER_DECLARE (robocachemcapsink);

G_END_DECLS
#endif
