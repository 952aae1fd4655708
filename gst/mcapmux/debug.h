/* robocache: the log category of the recorders
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_DEBUG_H
#define MUX_DEBUG_H

#include <gst/gst.h>

GST_DEBUG_CATEGORY_EXTERN (gst_robocache_mcap_debug);
#define GST_CAT_DEFAULT gst_robocache_mcap_debug

#endif
