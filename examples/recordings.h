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

/* Options of every program that takes recordings. A zeroed struct has the defaults. */
typedef struct
{
  gchar *for_all[RECORDING_N_OPTIONS];  /* of all files, unless a file has its own; NULL: not given */
  gboolean allow_gaps;          /* recordings need not overlap */
  gboolean yes;                 /* a long grid needs no answer */
} RecordingsOptions;

void recordings_options_clear (RecordingsOptions * options);

/* A command line with entries and those that fill in options, which must outlive the context. */
GOptionContext *recordings_option_context_new (const GOptionEntry * entries, RecordingsOptions * options,
    const gchar * summary);

/* Parses a command line, and frees the context. A file whose name begins with - is a recording and no option. */
gboolean recordings_parse_options (GOptionContext * context, gchar ** argv, GError ** error);

/* Adds a recording for each "FILE,key=value,…". An option that a file does not have is that of all. */
gboolean recordings_take_arguments (GPtrArray * recordings, gchar ** arguments, const RecordingsOptions * options,
    GError ** error);

/* Gives recordings whose labels are equal a number each. */
void recordings_make_labels_unique (GPtrArray * recordings);

/* Channels of all recordings, surveyed. */
guint recordings_n_channels (const GPtrArray * recordings);

/* The recordings, surveyed, on one clock with a grid of rate_num / rate_den ticks a second. */
typedef struct
{
  gint64 origin, end;           /* ns on the recordings' clock: earliest and latest row, with and without the offsets */
  gint rate_num, rate_den;
} RecordingsGrid;

/* Finds the ends of a grid whose rate is set. FALSE and an error that names two recordings which do not overlap, unless
 * allow_gaps is set; or a grid of more than 10^7 ticks, unless the user agrees, by the option or when asked. */
gboolean recordings_find_grid (const GPtrArray * recordings, const RecordingsOptions * options, RecordingsGrid * grid,
    GError ** error);

/* Sets the properties of fuse that the grid and the options fix. */
void recordings_prepare_fuse (GstElement * fuse, const RecordingsOptions * options, const RecordingsGrid * grid);

/* Adds the elements that read recording i to pipeline and links them to pad sink_i of fuse, which gets the recording's
 * options. Running time 0 is origin. */
gboolean recordings_add_stream (const GPtrArray * recordings, guint i, GstElement * pipeline, GstElement * fuse, gint64 origin,
    GError ** error);

/* Sets the properties of a pad of fuse that a recording has, those given and those found. is_live: rows arrive as they were recorded. */
gboolean recordings_set_pad_options (GstPad * pad, const Recording * recording, gboolean is_live, GError ** error);

/* What the user calls a pad, and the parser before it: their file. A MessageLabel; data is the array. */
const gchar *recordings_path_of_element (const gchar * name, gpointer data);

/* "100", "1000/3", "62.5" ticks a second, as --rate says it. */
gboolean recordings_parse_rate (const gchar * text, gint * num, gint * den, GError ** error);

G_END_DECLS
#endif
