/* robocache: recordings as the streams of one robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_RECORDINGS_H
#define ROBOCACHE_EXAMPLES_RECORDINGS_H

#include <gst/gst.h>

#include "recording.h"

G_BEGIN_DECLS

/* An empty array of Recording. Free with g_ptr_array_unref. */
GPtrArray *recordings_new (void);

/* A command line with entries and, for each thing that can be said of all files at once, an option that puts it into
 * for_all[RecordingOption]. It must outlive the context. */
GOptionContext *recordings_option_context_new (const GOptionEntry * entries, gchar ** for_all, const gchar * summary);

/* Adds a recording for each "FILE,key=value,…". What a file does not say of itself, for_all[option] says, or NULL. */
gboolean recordings_take_arguments (GPtrArray * recordings, gchar ** arguments, gchar * const *for_all, GError ** error);

/* The earliest and latest time of any row, as it is and as its offset makes it (ns on the recordings' clock). The
 * recordings were surveyed. */
gboolean recordings_find_span (const GPtrArray * recordings, gint64 * origin, gint64 * end, GError ** error);

typedef enum
{
  RECORDINGS_READ,              /* as fast as they are taken, in whatever order their rows are */
  RECORDINGS_REPLAY             /* live, each row at its time of arrival */
} RecordingsHow;

/* Adds the elements that read recording i to pipeline and links them to pad sink_i of fuse, which gets the recording's
 * options. Running time 0 is origin. */
gboolean recordings_add_stream (const GPtrArray * recordings, guint i, RecordingsHow how, GstElement * pipeline,
    GstElement * fuse, gint64 origin, GError ** error);

/* What the user calls a pad, and the parser before it: their file. A MessageLabel; data is the array. */
const gchar *recordings_path_of_element (const gchar * name, gpointer data);

/* "100", "1000/3", "62.5" ticks a second, as --rate says it. */
gboolean recordings_parse_rate (const gchar * text, gint * num, gint * den, GError ** error);

G_END_DECLS
#endif
