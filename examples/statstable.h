/* robocache: the statistics of a robocachefuse as a table a person can read
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_STATSTABLE_H
#define ROBOCACHE_EXAMPLES_STATSTABLE_H

#include <gst/gst.h>
#include <stdio.h>

G_BEGIN_DECLS

/* One line of the table. */
typedef struct
{
  gchar *pad;                   /* of robocachefuse, like force_0 */
  gchar *label;                 /* what to call it */
} StatsTableRow;

/* Writes the fuse element's `stats`: a line for each row, then the ticks, and for a live pipeline how late they were, then the
 * meaning of the columns. */
void stats_table_print (FILE * out, GstElement * fuse, const StatsTableRow * rows, guint n_rows);

/* A number out of stats, whatever its integer type; 0 when there is none. */
gint64 stats_get (const GstStructure * stats, const gchar * field);

/* Whether progress may be shown by writing over the last line. */
gboolean stats_is_terminal (FILE * out);

G_END_DECLS
#endif
