/* robocache: what a pipeline says on its bus, as lines for a person
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_MESSAGES_H
#define ROBOCACHE_EXAMPLES_MESSAGES_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* What to call an element or pad, by its name in the pipeline; NULL: by that name. */
typedef const gchar *(*MessageLabel) (const gchar * name, gpointer data);

/* An error or warning as one line that says who and what; NULL for other messages. Free with g_free. */
gchar *message_to_line (GstMessage * message, MessageLabel label, gpointer data);

/* Takes all messages off the pipeline's bus, writes errors and warnings to stderr, and lets latency be worked out anew
 * where that is asked for. Returns whether there was an error; after the first, no more are written, since they follow
 * from it. */
gboolean messages_handle (GstElement * pipeline, MessageLabel label, gpointer data);

/* gst_parse_launch; NULL after writing why not. */
GstElement *messages_launch (const gchar * description);

G_END_DECLS
#endif
