/* robocache: streams of a bag of ROS 2 as recordings to align
 *
 * A bag is read twice: first for what its rows tell, then for the rows. Streams that are no rows of numbers, like pictures, are left
 * out, and said.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_BAGSTREAMS_H
#define ROBOCACHE_EXAMPLES_BAGSTREAMS_H

#include <gst/gst.h>
#include <stdio.h>

#include "recording.h"

G_BEGIN_DECLS

/* Replaces each bag among recordings by its streams, surveyed, and says on `talk` what is left out. FALSE and an error: a bag cannot be
 * read, or has no rows. */
gboolean bag_streams_survey (GPtrArray * recordings, FILE * talk, GError ** error);

/* Adds what reads the bag of recording i, for all streams of it, if that is the first of them, and links them to the pads sink_N of
 * fuse. Running time 0 is origin. */
gboolean bag_streams_add (GPtrArray * recordings, guint i, GstElement * pipeline, GstElement * fuse, gint64 origin, GError ** error);

G_END_DECLS
#endif
