/* robocache: robocachemcapmux records streams in one MCAP file
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_MCAPMUX_H
#define GST_ROBOCACHE_MCAPMUX_H

#include <gst/gst.h>

G_BEGIN_DECLS

GST_ELEMENT_REGISTER_DECLARE (robocachemcapmux);

G_END_DECLS
#endif
