/* robocache: what programs share that play a pipeline and show its samples
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_PROGRAM_H
#define ROBOCACHE_EXAMPLES_PROGRAM_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* A command line with this summary. Help and errors have the characters of the user's locale. */
GOptionContext *program_option_context_new (const gchar * summary);
/* Parses these options and those of GStreamer. FALSE after writing an error: a wrong option, or an argument that is none. */
gboolean program_parse_options (int argc, char **argv, const GOptionEntry * entries, const gchar * summary);

/* Called with each sample. FALSE: stop. */
typedef gboolean (*ProgramSample) (GstSample * sample, gpointer data);
/* Called after each sample, and every 50 ms while none comes. FALSE: stop. */
typedef gboolean (*ProgramIdle) (gpointer data);

/* Plays a pipeline with an appsink called samples until all streams have ended, an element has failed, or a function returns
 * FALSE. Writes errors and warnings to stderr. FALSE if an element failed. The pipeline keeps playing, and its statistics stay
 * readable. idle: or NULL. */
gboolean program_play (GstElement * pipeline, ProgramSample handle_sample, ProgramIdle idle, gpointer data);

G_END_DECLS
#endif
