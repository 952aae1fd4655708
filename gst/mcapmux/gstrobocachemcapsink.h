/* robocache: robocachemcapsink records streams in MCAP files on a disk
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

GST_ELEMENT_REGISTER_DECLARE (robocachemcapsink);
