/* robocache: what robocachefuse took in and decided since its last sample, in order, so that a recording replays bit for bit
 *
 * Live only: otherwise samples are a function of the rows alone. It knows neither pad nor stream; its owner guards it with one lock.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_JOURNAL_H
#define FUSE_JOURNAL_H

#include "common/time/nanoseconds.h"

G_BEGIN_DECLS

/* These numbers are in recordings. */
typedef enum
{
  FUSE_JOURNAL_ROWS,            /* n rows of a pad that have a running time, or of a buffer without time; they arrived at time */
  FUSE_JOURNAL_GAP,             /* a GAP of a pad arrived at time */
  FUSE_JOURNAL_EVENT,           /* CAPS, SEGMENT, origin, EOS or FLUSH_STOP of a pad */
  FUSE_JOURNAL_TICK,            /* a sample was decided at time */
  FUSE_JOURNAL_DROPPED,         /* n ticks were dropped at time */
  FUSE_JOURNAL_MOVED,           /* the ticks continued near time, far from the one before */
  FUSE_JOURNAL_STARTED,         /* force-live: the ticks began at time */
  FUSE_JOURNAL_SETTINGS,        /* settings changed to those of settings event n */
  FUSE_JOURNAL_RATE,            /* the ticks changed to the rate that was set */
  FUSE_JOURNAL_LATENCY,         /* ticks may wait for n ns from then on; -1: not live */
  FUSE_JOURNAL_PLAYING,         /* time: the base time */
  FUSE_JOURNAL_PAUSED,
  FUSE_JOURNAL_ENDED,           /* a flush of all pads, running time that went back, or a clock that was set: no replay passes it */
  FUSE_JOURNAL_PTS              /* the next rows of a pad have times of their own, but took them from a buffer of PTS time and duration n */
} FuseJournalKind;

/* time: running time as it was seen then, -1 where no clock ran or none is known. */
typedef struct
{
  gint64 kind, pad, n, time;
} FuseJournalEntry;

/* More between two samples are not kept; n_before then tells how many are missing. */
#define FUSE_JOURNAL_MAX_ENTRIES (1 << 18)

typedef struct
{
  GArray *entries;              /* of FuseJournalEntry, since the last sample */
  guint64 n_before;             /* entries before these */
  guint64 n_lost;               /* entries after these that were not kept */
  GPtrArray *pads;              /* names, by number */
  gchar *pads_text;             /* the same, joined by commas; NULL: to be made */
  gint64 n_settings;            /* settings events so far */
} FuseJournal;

void fuse_journal_init (FuseJournal * journal);
void fuse_journal_clear (FuseJournal * journal);
/* As new. */
void fuse_journal_reset (FuseJournal * journal);

/* The number of a pad that has none yet. */
gint64 fuse_journal_add_pad (FuseJournal * journal, const gchar * name);
/* Names of pads by number, joined by commas; the journal's. */
const gchar *fuse_journal_pads (FuseJournal * journal);

/* pad: -1 where the entry is of none; time: ROBOCACHE_NO_TIME where there is none. */
void fuse_journal_add (FuseJournal * journal, FuseJournalKind kind, gint64 pad, guint64 n, gint64 time);

/* Begins anew behind the entries so far, which move to `to`; *first is the number of the first of them. */
void fuse_journal_take (FuseJournal * journal, GArray * to, guint64 * first);

G_END_DECLS
#endif
