/* robocache: errors on the bus
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ERRORS_H
#define ROBOCACHE_ERRORS_H

#include <gst/gst.h>

#include "errordomain.h"

G_BEGIN_DECLS

/* Posts what went wrong on a device, in memory or in the arithmetic, or is wrong with caps, data and properties, as the error
 * that fits, with the position of the stream. Called without locks of the element. */
void robocache_post_error (GstElement * element, const GError * error);
/* The same, but where its message was posted last: upstream may offer the caps that were refused again before it gives up. */
void robocache_post_error_once (GstElement * element, const GError * error, gchar ** posted);
/* The same of a part of the element, or NULL, at a position that may be GST_CLOCK_TIME_NONE. */
void robocache_post_error_at (GstElement * element, const gchar * of, const GError * error, GstClockTime position);

G_END_DECLS
#endif
