/* robocache: a sticky event with the time of a source's clock at running time 0
 *
 * Elements that convert times of a recording to running time announce its origin. Where several streams meet, their origins put them on one
 * clock. The event is a TAG, because gdppay keeps tags but damages custom events.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* Tags of the event. */
#define ROBOCACHE_TAG_ORIGIN "robocache-origin" /* gint64, ns on the source's clock at running time 0 */
/* gboolean. TRUE: the origin is the first row's time, which the element chose for this stream alone. FALSE: the user set it. */
#define ROBOCACHE_TAG_ORIGIN_FROM_FIRST_ROW "robocache-origin-from-first-row"

/* Makes the event. It must be sent between SEGMENT and the first buffer, after each SEGMENT. */
GstEvent *robocache_origin_event_new (gint64 origin_ns, gboolean from_first_row);

/* Adds the tags of the event to other tags of the stream, since a pad keeps only the last TAG event. */
void robocache_origin_tags_add (GstTagList * tags, gint64 origin_ns, gboolean from_first_row);

/* Reads the event; the caller keeps it. FALSE: another event, or a tag is missing. */
gboolean robocache_origin_event_parse (GstEvent * event, gint64 * origin_ns, gboolean * from_first_row);
