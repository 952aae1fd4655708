/* robocache: converts files of points to clouds
 *
 * A cloud is sent with its last byte. Its time comes from upstream, or is its number divided by the rate.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "output.h"
#include "properties.h"

typedef struct _RobocacheCloudParser RobocacheCloudParser;

/* Settings are copied. The caller keeps output and sinkpad, whose peer knows the length of the input. NULL and an error that names the
 * property: invalid settings. */
RobocacheCloudParser *robocache_cloud_parser_new (const RobocacheParseSettings * settings, RobocacheParseOutput * output,
    GstPad * sinkpad, GError ** error);
void robocache_cloud_parser_free (RobocacheCloudParser * parser);

/* Sets the caps of the input, which may describe a point and the rate of clouds. FALSE: an error was posted. */
gboolean robocache_cloud_parser_set_caps (RobocacheCloudParser * parser, const GstCaps * caps);
/* Takes a buffer, which is a file or a piece of a file, and sends the clouds that are complete. */
GstFlowReturn robocache_cloud_parser_push (RobocacheCloudParser * parser, GstBuffer * buffer);
/* Ends a file, complete or not. */
GstFlowReturn robocache_cloud_parser_drain (RobocacheCloudParser * parser);
/* Discards all bytes and the number of clouds. */
void robocache_cloud_parser_restart (RobocacheCloudParser * parser);
