/* robocache: what a pipeline says on its bus, as lines for a person
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_MESSAGES_H
#define ROBOCACHE_EXAMPLES_MESSAGES_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Writes an error or warning to stderr, one line that begins with the element's name; other messages are left alone.
 * Returns whether it was an error. */
gboolean message_report (GstMessage * message);

/* Takes all messages off the pipeline's bus. Returns whether there was an error; after the first, no more are written,
 * since they are its consequences. */
gboolean messages_report_all (GstElement * pipeline);

/* gst_parse_launch; NULL after writing why not. */
GstElement *messages_launch (const gchar * description);

G_END_DECLS
#endif
