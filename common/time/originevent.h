/* robocache: the time of a source's clock that is running time 0, as a sticky event downstream
 *
 * Elements that cut times of a recording announce its origin. Where several streams meet, their origins put them on one clock. The
 * event is a TAG: gdppay keeps those, but damages custom events.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ORIGINEVENT_H
#define ROBOCACHE_ORIGINEVENT_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Tags of the event. */
#define ROBOCACHE_TAG_ORIGIN "robocache-origin" /* gint64, ns of the source's clock: running time 0 */
/* gboolean. TRUE: the origin is the first row's time, which the element chose for this stream alone. FALSE: the user set it. */
#define ROBOCACHE_TAG_ORIGIN_FROM_FIRST_ROW "robocache-origin-from-first-row"

/* It follows SEGMENT and precedes the first buffer, and again after each SEGMENT. */
GstEvent *robocache_origin_event_new (gint64 origin_ns, gboolean from_first_row);

/* Adds its tags to others of the stream. A pad keeps one TAG event, the last. */
void robocache_origin_tags_add (GstTagList * tags, gint64 origin_ns, gboolean from_first_row);

/* FALSE for other events, and where a tag is missing; the event stays the caller's. */
gboolean robocache_origin_event_parse (GstEvent * event, gint64 * origin_ns, gboolean * from_first_row);

G_END_DECLS
#endif
