/* robocache: demuxers for tests, which add a pad when a test asks for one
 *
 * testdemux has pads of any caps, testaudiodemux of audio alone; testdemuxbin is a bin that adds pads like testdemux.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/check/gstcheck.h>

/* Before each test: processes may be shared. */
void register_test_demuxers (void);

/* A new pad, which the element owns. */
GstPad *test_demux_add_pad (GstElement *demux);
