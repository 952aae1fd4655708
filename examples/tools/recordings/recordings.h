/* robocache: recordings as the streams of one robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "recording.h"

/* An empty array of Recording. Free with g_ptr_array_unref. */
GPtrArray *recordings_new (void);

/* Options of every program that reads recordings. A zeroed struct has the defaults. */
typedef struct
{
  gchar *for_all[RECORDING_N_OPTIONS];  /* options for all files that do not set them; NULL: not given */
  gboolean allow_gaps;          /* recordings need not overlap */
  gboolean yes;                 /* do not ask before a long grid */
  gboolean only_surveys;        /* set it before the options are parsed: there are no options of a grid, and of pads only max-gap */
} RecordingsOptions;

void recordings_options_clear (RecordingsOptions * options);

/* An option context with entries, and with the entries that fill in options, which must outlive the context. */
GOptionContext *recordings_option_context_new (const GOptionEntry * entries, RecordingsOptions * options,
    const gchar * summary, const gchar * example);

/* Parses a command line, and frees the context. An existing file whose name begins with - is a recording, not an option. */
gboolean recordings_parse_options (GOptionContext * context, gchar ** argv, GError ** error);

/* Adds a recording for each "FILE,key=value,…". Options that a file does not set are taken from the options for all files. */
gboolean recordings_take_arguments (GPtrArray * recordings, gchar ** arguments, const RecordingsOptions * options,
    GError ** error);

/* Appends a number to equal labels of recordings. */
void recordings_make_labels_unique (GPtrArray * recordings);

/* Replaces recording i, surveyed, which has several groups of columns, by a recording of each, surveyed, too. Sets *n to their number: 1
 * where it has no groups, and stays. FALSE and an error. */
gboolean recordings_split (GPtrArray * recordings, guint i, guint * n, GError ** error);

/* Channels of all recordings, surveyed. */
guint recordings_n_channels (const GPtrArray * recordings);

/* The grid of ticks for surveyed recordings on one clock, with rate_num / rate_den ticks per second. */
typedef struct
{
  gint64 origin, end;           /* ns on the recordings' clock: the earliest and the latest row, with the offsets */
  gint rate_num, rate_den;
} RecordingsGrid;

/* Finds the begin and end of a grid whose rate is set. FALSE and an error: two recordings do not overlap and allow_gaps is not set; or
 * the grid has more than 10^7 ticks and the user has not agreed, by the option or when asked. */
gboolean recordings_find_grid (const GPtrArray * recordings, const RecordingsOptions * options, RecordingsGrid * grid,
    GError ** error);

/* Sets the properties of fuse that follow from the grid and the options. */
void recordings_prepare_fuse (GstElement * fuse, const RecordingsOptions * options, const RecordingsGrid * grid);

/* Adds the elements that read recording i to pipeline and links them to pad sink_i of fuse, which gets the recording's
 * options. Running time 0 is origin. */
gboolean recordings_add_stream (const GPtrArray * recordings, guint i, GstElement * pipeline, GstElement * fuse, gint64 origin,
    GError ** error);

/* Sets the properties of a pad of fuse from the options of a recording and from its survey. is_live: rows arrive as they were recorded. */
gboolean recordings_set_pad_options (GstPad * pad, const Recording * recording, gboolean is_live, GError ** error);

/* The file name of a pad, or of the parser before it, for messages. A MessageLabel; data is the array. */
const gchar *recordings_path_of_element (const gchar * name, gpointer data);

/* Parses the value of --rate, ticks per second: "100", "1000/3" or "62.5". */
gboolean recordings_parse_rate (const gchar * text, gint * num, gint * den, GError ** error);
