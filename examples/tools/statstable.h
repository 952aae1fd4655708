/* robocache: the statistics of a robocachefuse as a table for people
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <stdio.h>

/* One line of the table. */
typedef struct
{
  gchar *pad;                   /* pad of robocachefuse, such as force_0 */
  gchar *label;                 /* name in the table */
} StatsTableRow;

/* Writes the fuse element's `stats`: a line for each entry of rows, then the ticks, for a live pipeline their lateness, and the meaning
 * of the columns. */
void stats_table_print (FILE * out, GstElement * fuse, const StatsTableRow * rows, guint n_rows);

/* A number from stats, with any integer type; 0 when the field is missing. */
gint64 stats_get (const GstStructure * stats, const gchar * field);

/* Whether progress may be shown by overwriting the last line. */
gboolean stats_is_terminal (FILE * out);
