/* robocache: the topics of a survey of clocks, which clocksurvey.c fills and clockresult.c reads
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "clockrecent.h"

typedef struct
{
  gchar *name;
  GPtrArray *pieces;            /* RobocacheClockPiece items */
  gint64 interval;              /* ns of log time */
  guint n_behind;               /* messages whose stamps are before others, since the last one that was not; others may be ahead */
  RobocacheClockRecent recent;  /* with a stamp; until it is full, none is in a piece */
  guint n_run;                  /* messages in turn that were ahead of most, up to the last one */
  gint64 run_ahead;             /* by how much at most they were ahead of their clock (ns) */
  guint64 n_ahead;              /* messages that were ahead, in runs that have ended */
  gint64 most_ahead;            /* ns */
  guint64 n_zeros, n_stamps;    /* stamps of 0 before the first other one; other stamps */
  gint64 zero_log;              /* log time of the last message with a stamp of 0 */
  gboolean has_zero;            /* stamps of 0 are valid times */
  guint64 n_unstamped;
  gint64 first_log, last_log;   /* first and last log time of messages without a stamp */
  gint64 least, greatest;       /* log time minus stamp */
} RobocacheClockTopic;

struct _RobocacheClockSurvey
{
  GPtrArray *topics;            /* RobocacheClockTopic items, in the order of their first message */
  GHashTable *by_name;
};

/* Places the messages of topics that have few, and ends the runs of others. */
void robocache_clock_survey_end_reading (struct _RobocacheClockSurvey * survey);

static inline RobocacheClockPair *
robocache_clock_piece_last (const RobocacheClockPiece *piece)
{
  return piece->pairs->len > 0 ? &g_array_index (piece->pairs, RobocacheClockPair, piece->pairs->len - 1) : NULL;
}

static inline gint64
robocache_clock_pair_difference (const RobocacheClockPair *pair)
{
  return pair->log - pair->stamp;
}
