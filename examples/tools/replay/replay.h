/* robocache: parts of a replay: settings, rows and the comparison of samples
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "examples/tools/steppedcore.h"
#include "session.h"

/* ---- the settings of a recorded robocachefuse, for a stepped core ---- */

/* The structures have the fields of a settings event; see settingsevent.h of robocachefuse. */

/* FALSE and an error: samples were made by other rules than FUSE_RULES, and not all of them can be repeated. */
gboolean recorded_settings_check_rules (const GstStructure * settings, GError ** error);
/* Initialises and starts core. FALSE and an error: robocachefuse has no such settings. */
gboolean recorded_settings_start (SteppedCore * core, const GstStructure * settings, GError ** error);
/* Changes all settings except the rate, and adds and removes pads to match. */
gboolean recorded_settings_change (SteppedCore * core, const GstStructure * settings, GError ** error);
/* Changes the rate. Sets *has_changed if it differs from before. */
gboolean recorded_settings_change_rate (SteppedCore * core, const GstStructure * settings, gboolean * has_changed, GError ** error);

/* ---- feeds one recorded stream to a core of robocachefuse, in the order of the journal ---- */

typedef struct _RowFeed RowFeed;

/* stream: NULL if nothing of the pad was recorded. timestamp_source: the pad's first timestamp source; may be NULL. */
RowFeed *row_feed_new (const gchar * pad, SessionStream * stream, const gchar * timestamp_source);
void row_feed_free (RowFeed * feed);

/* Sets PTS and duration of the buffer of the next entry of rows, from an entry of kind FUSE_JOURNAL_PTS. */
void row_feed_set_buffer_times (RowFeed * feed, const FuseJournalEntry * entry);
/* Feeds the rows or event of one entry of this pad's journal. FALSE and an error: the recording lacks them. */
gboolean row_feed_take (RowFeed * feed, const FuseJournalEntry * entry, Session * session, SteppedCore * core, GError ** error);

/* Appends the number of the row at a running time, if it was one of the last rows. */
void row_feed_describe (const RowFeed * feed, GString * text, gint64 time_ns);

/* ---- how a replayed sample differs from the recorded one ---- */

/* Appends " (row 12)" for the row of a pad at a running time, or nothing if the row is unknown. */
typedef void (*DescribeRow) (gpointer user_data, GString * text, const gchar * pad, gint64 time_ns);

/* Compares tick, streams, statuses, times of rows and the bits of all tensors. Returns NULL if they are equal, otherwise the first
 * difference, in lines that begin with two spaces. Free with g_free. */
gchar *sample_diff (const SessionSample * recorded, GstSample * replayed, DescribeRow describe, gpointer user_data);
