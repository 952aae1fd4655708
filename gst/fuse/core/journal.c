/* robocache: what robocachefuse took in and decided since its last sample, in order, so that a recording replays bit for bit
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "journal.h"

void
fuse_journal_init (FuseJournal *journal)
{
  *journal = (FuseJournal) { g_array_new (FALSE, FALSE, sizeof (FuseJournalEntry)) };
  journal->pads = g_ptr_array_new_with_free_func (g_free);
}

void
fuse_journal_clear (FuseJournal *journal)
{
  g_array_unref (journal->entries);
  g_ptr_array_unref (journal->pads);
  g_free (journal->pads_text);
}

void
fuse_journal_reset (FuseJournal *journal)
{
  g_array_set_size (journal->entries, 0);
  g_ptr_array_set_size (journal->pads, 0);
  g_clear_pointer (&journal->pads_text, g_free);
  journal->n_before = journal->n_lost = 0;
  journal->has_ended = FALSE;
  journal->n_settings = 0;
}

gint64
fuse_journal_add_pad (FuseJournal *journal, const gchar *name)
{
  g_clear_pointer (&journal->pads_text, g_free);
  g_ptr_array_add (journal->pads, g_strdup (name));
  return (gint64) journal->pads->len - 1;
}

const gchar *
fuse_journal_pads (FuseJournal *journal)
{
  GString *text;

  if (journal->pads_text)
    return journal->pads_text;
  text = g_string_new (NULL);
  for (guint i = 0; i < journal->pads->len; i++)
    g_string_append_printf (text, i > 0 ? ",%s" : "%s", (const gchar *) g_ptr_array_index (journal->pads, i));
  journal->pads_text = g_string_free (text, FALSE);
  return journal->pads_text;
}

void
fuse_journal_add (FuseJournal *journal, FuseJournalKind kind, gint64 pad, guint64 n, gint64 time)
{
  const FuseJournalEntry entry = { kind, pad, (gint64) n, time != ROBOCACHE_NO_TIME ? time : -1 };

  journal->has_ended |= kind == FUSE_JOURNAL_ENDED;
  if (journal->entries->len < FUSE_JOURNAL_MAX_ENTRIES)
    g_array_append_val (journal->entries, entry);
  else
    journal->n_lost++;
}

void
fuse_journal_take (FuseJournal *journal, GArray *to, guint64 *first)
{
  *first = journal->n_before;
  journal->n_before += journal->entries->len + journal->n_lost;
  journal->n_lost = 0;
  journal->has_ended = FALSE;
  g_array_set_size (to, 0);
  g_array_append_vals (to, journal->entries->data, journal->entries->len);
  g_array_set_size (journal->entries, 0);
}
