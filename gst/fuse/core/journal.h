/* robocache: inputs and decisions of robocachefuse since its last sample, in order, so that a recording can be replayed bit for bit
 *
 * The journal is for live cores only: otherwise samples depend on the rows alone. The journal uses neither pads nor streams. Its owner guards it
 * with one lock.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/time/nanoseconds.h"

/* Recordings contain these numbers. */
typedef enum
{
  FUSE_JOURNAL_ROWS,            /* n rows of a pad arrived at time; they have a running time, or their buffer has no time */
  FUSE_JOURNAL_GAP,             /* a GAP of a pad arrived at time */
  FUSE_JOURNAL_EVENT,           /* CAPS, SEGMENT, origin, EOS or FLUSH_STOP of a pad */
  FUSE_JOURNAL_TICK,            /* a sample was decided at time */
  FUSE_JOURNAL_DROPPED,         /* n ticks were dropped at time */
  FUSE_JOURNAL_MOVED,           /* the ticks continued near time, far from the previous tick */
  FUSE_JOURNAL_STARTED,         /* force-live: the ticks began at time */
  FUSE_JOURNAL_SETTINGS,        /* settings changed to those of settings event n */
  FUSE_JOURNAL_RATE,            /* the ticks changed to the new rate */
  FUSE_JOURNAL_LATENCY,         /* from then on, ticks wait at most n ns; -1: not live */
  FUSE_JOURNAL_PLAYING,         /* time: the base time */
  FUSE_JOURNAL_PAUSED,
  FUSE_JOURNAL_ENDED,           /* a flush of all pads, rows dropped unread, running time that went back, or a clock that was set: a replay
                                 * ends here */
  FUSE_JOURNAL_PTS              /* the next rows of a pad use their buffer's PTS (time) and duration (n) instead of their own times */
} FuseJournalKind;

/* time: the running time known at that moment; -1: no clock ran, or the time is unknown. */
typedef struct
{
  gint64 kind, pad, n, time;
} FuseJournalEntry;

/* The version of the rules by which samples are made of rows. Recorded settings have this version. A replay by other rules may differ.
 * 0: recordings from before version 1; their settings have no version.
 * 1: angles are brought into the turn of their rows; means of angles and quaternions are those of rotations. */
#define FUSE_RULES 1
#define FUSE_RULES_FIELD "rules"

/* Maximum entries between two samples. Further entries are not kept; n_before then shows how many are missing. */
#define FUSE_JOURNAL_MAX_ENTRIES (1 << 18)

typedef struct
{
  GArray *entries;              /* FuseJournalEntry items since the last sample */
  guint64 n_before;             /* number of entries before these */
  guint64 n_lost;               /* number of later entries that were not kept */
  gboolean has_ended;           /* FUSE_JOURNAL_ENDED was added since the last sample */
  GPtrArray *pads;              /* names of pads, by number */
  gchar *pads_text;             /* the names joined by commas; NULL: not made yet */
  gint64 n_settings;            /* number of settings events so far */
} FuseJournal;

void fuse_journal_init (FuseJournal * journal);
void fuse_journal_clear (FuseJournal * journal);
/* Resets the journal to its initial state. */
void fuse_journal_reset (FuseJournal * journal);

/* Adds a pad, and returns its number. */
gint64 fuse_journal_add_pad (FuseJournal * journal, const gchar * name);
/* Returns the names of pads by number, joined by commas. The journal owns the text. */
const gchar *fuse_journal_pads (FuseJournal * journal);

/* Adds an entry. pad: -1 if the entry belongs to no pad; time: ROBOCACHE_NO_TIME if there is none. */
void fuse_journal_add (FuseJournal * journal, FuseJournalKind kind, gint64 pad, guint64 n, gint64 time);
/* Moves the entries so far to `to`, and continues without them; *first is the number of the first moved entry. */
void fuse_journal_take (FuseJournal * journal, GArray * to, guint64 * first);
