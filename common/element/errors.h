/* robocache: errors on the bus
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "errordomain.h"

/* Source location of the caller, for the debug text of a message. */
typedef struct
{
  const gchar *file, *function;
  gint line;
} RobocacheCodePlace;

#define ROBOCACHE_HERE (&(const RobocacheCodePlace) { __FILE__, GST_FUNCTION, __LINE__ })

/* Posts an error of a device, memory or arithmetic, or of caps, data and properties, as the matching message, with the position of the
 * stream. Called without locks of the element. */
#define robocache_post_error(element, error) robocache_post_error_from (ROBOCACHE_HERE, element, error)
void robocache_post_error_from (const RobocacheCodePlace * place, GstElement * element, const GError * error);
/* Like robocache_post_error, unless the last posted error had the same message: upstream may offer refused caps again before it gives up. */
#define robocache_post_error_once(element, error, posted) robocache_post_error_once_from (ROBOCACHE_HERE, element, error, posted)
void robocache_post_error_once_from (const RobocacheCodePlace * place, GstElement * element, const GError * error, gchar ** posted);
/* Like robocache_post_error, for a part of the element (`of`, may be NULL), at a position that may be GST_CLOCK_TIME_NONE. */
#define robocache_post_error_at(element, of, error, position) robocache_post_error_at_from (ROBOCACHE_HERE, element, of, error, position)
void robocache_post_error_at_from (const RobocacheCodePlace * place, GstElement * element, const gchar * of, const GError * error,
    GstClockTime position);
