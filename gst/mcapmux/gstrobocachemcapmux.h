/* robocache: robocachemcapmux records streams in one MCAP file
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

GST_ELEMENT_REGISTER_DECLARE (robocachemcapmux);
