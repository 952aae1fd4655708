/* robocache: how a replayed sample differs from the recorded one
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_SAMPLEDIFF_H
#define ROBOCACHE_EXAMPLES_SAMPLEDIFF_H

#include "session.h"

G_BEGIN_DECLS

/* Appends " (row 12)" for the row of a pad at a running time, or nothing where it is not known. */
typedef void (*DescribeRow) (gpointer user_data, GString * text, const gchar * pad, gint64 time_ns);

/* Compares tick, streams, statuses, times of rows and the bits of all tensors. NULL: they are the same. Otherwise the first difference,
 * in lines that begin with two spaces. Free with g_free. */
gchar *sample_diff (const SessionSample * recorded, GstSample * replayed, DescribeRow describe, gpointer user_data);

G_END_DECLS
#endif
