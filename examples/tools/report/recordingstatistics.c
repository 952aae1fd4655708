/* robocache: metadata of a recording: settings, and the account of rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recordingparts.h"

/* Of robocachemcapmux: numbers by "TOPIC NAME". */
#define STATISTICS "robocache.statistics"
/* Of robocachefuse, by "element.NAME" and "PAD.NAME". */
#define SETTINGS "robocache.settings"

static const struct
{
  const gchar *name, *label;
} dropped[] = {
  {"rows-dropped-overflow", "dropped by overflow"},
  {"rows-dropped-outside-segment", "dropped outside the segment"},
  {"rows-dropped-no-time", "dropped without a time"},
  {"rows-dropped-flush", "dropped by a flush"},
};

/* The last record of that name; NULL: none, or the file is cut. */
static GHashTable *
read_metadata (RobocacheMcapReader *reader, const gchar *name)
{
  const RobocacheMcapFileIndex *index = robocache_mcap_reader_get_index (reader);

  for (guint i = index->metadata->len; !index->is_cut && i-- > 0;) {
    const RobocacheMcapEntry *entry = &g_array_index (index->metadata, RobocacheMcapEntry, i);

    if (g_str_equal (entry->name, name))
      return robocache_mcap_reader_get_metadata (reader, entry, NULL);
  }
  return NULL;
}

static gint
compare_texts (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(gchar *const *) a, *(gchar *const *) b);
}

/* Texts in the format of gst_value_serialize; settings that are empty say nothing. */
void
report_recording_add_settings (Report *report, RobocacheMcapReader *reader)
{
  GHashTable *settings = read_metadata (reader, SETTINGS);
  gpointer name, text;
  GHashTableIter at;

  if (!settings)
    return;
  g_hash_table_iter_init (&at, settings);
  while (g_hash_table_iter_next (&at, &name, &text))
    if (*(const gchar *) text && !g_str_equal (text, "\"\""))
      g_ptr_array_add (report->settings, g_strdup_printf ("%s=%s", (const gchar *) name, (const gchar *) text));
  g_ptr_array_sort (report->settings, compare_texts);
  g_hash_table_unref (settings);
}

static gboolean
get_number (GHashTable *statistics, const gchar *topic, const gchar *name, guint64 *number)
{
  gchar *key = g_strconcat (topic, " ", name, NULL);
  const gchar *text = g_hash_table_lookup (statistics, key);

  *number = 0;
  g_free (key);
  return text && g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64, number, NULL);
}

static void
add_account_of_recorder (const ReportChannel *channel, ReportStream *stream, GHashTable *statistics, guint64 n_in)
{
  guint64 n;

  report_stream_set_total (stream, "rows recorded", n_in);
  report_stream_add_count (stream, "in the file", channel->n_rows, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (dropped); i++)
    if (get_number (statistics, channel->topic, dropped[i].name, &n))
      report_stream_add_count (stream, dropped[i].label, n, FALSE);
}

static void
add_account_of_messages (const ReportChannel *channel, ReportStream *stream)
{
  report_stream_set_total (stream, channel->n_messages == 1 ? "message" : "messages", channel->n_messages);
  report_stream_add_count (stream, "read", channel->n_messages - channel->n_malformed, TRUE);
  report_stream_add_count (stream, "unreadable", channel->n_malformed, FALSE);
}

void
report_recording_add_account (const ReportChannel *channel, RobocacheMcapReader *reader)
{
  ReportStream *stream = report_channel_only_stream (channel);
  GHashTable *statistics;
  guint64 n_in;

  /* a topic of several channels has the account of the first */
  if (!stream || stream->total_label)
    return;
  statistics = read_metadata (reader, STATISTICS);
  if (statistics && channel->n_malformed == 0 && get_number (statistics, channel->topic, "rows-in", &n_in))
    add_account_of_recorder (channel, stream, statistics, n_in);
  else
    add_account_of_messages (channel, stream);
  g_clear_pointer (&statistics, g_hash_table_unref);
  if (channel->n_malformed > 0)
    report_stream_add_note (stream, "The first message that cannot be read: %s", channel->first_malformed);
  if (channel->n_missing > 0)
    report_stream_add_note (stream, "%" G_GUINT64_FORMAT " sequence numbers are missing between its messages.", channel->n_missing);
}
