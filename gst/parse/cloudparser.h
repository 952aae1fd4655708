/* robocache: files of points to clouds
 *
 * A cloud leaves with its last byte. Its time is upstream's, or its number over the rate.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_CLOUDPARSER_H
#define ROBOCACHE_CLOUDPARSER_H

#include <gst/gst.h>

#include "output.h"
#include "properties.h"

G_BEGIN_DECLS

typedef struct _RobocacheCloudParser RobocacheCloudParser;

/* Settings are copied; output and sinkpad, whose peer knows the length of the input, stay the caller's. NULL and an error
 * that names the property when settings make no sense. */
RobocacheCloudParser *robocache_cloud_parser_new (const RobocacheParseSettings * settings, RobocacheParseOutput * output,
    GstPad * sinkpad, GError ** error);
void robocache_cloud_parser_free (RobocacheCloudParser * parser);

/* Caps of the input, which may describe a point and the rate of clouds. FALSE after an error. */
gboolean robocache_cloud_parser_set_caps (RobocacheCloudParser * parser, const GstCaps * caps);
/* Takes a buffer, a file or a piece of one, and sends the clouds that are complete. */
GstFlowReturn robocache_cloud_parser_push (RobocacheCloudParser * parser, GstBuffer * buffer);
/* A file ends here, complete or not. */
GstFlowReturn robocache_cloud_parser_drain (RobocacheCloudParser * parser);
/* Forgets all bytes and the number of clouds. */
void robocache_cloud_parser_restart (RobocacheCloudParser * parser);

G_END_DECLS
#endif
