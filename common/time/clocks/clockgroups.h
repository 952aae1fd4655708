/* robocache: groups the topics of a recording by their clocks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* Clocks that differ by less, or by less than the uncertainty of the difference, are one: the rest are delays. */
#define ROBOCACHE_CLOCK_AGREE ((gint64) 500 * 1000 * 1000)
/* A piece with fewer different stamps has no known envelope, and is assigned to the nearest clock. */
#define ROBOCACHE_CLOCK_MIN_PAIRS 5

typedef struct
{
  gint64 stamp, log;            /* ns */
} RobocacheClockPair;

/* Messages of a topic between two steps of its stamps. */
typedef struct
{
  const gchar *topic;
  gint64 log_begin;             /* log time of its first message */
  gint64 first, last;           /* least and greatest stamp */
  GArray *pairs;                /* RobocacheClockPair by log time: in each interval, the pair with the least delay */
  guint64 n;                    /* messages */
  gdouble excess;               /* sum, over the messages, of the delay minus the least delay of the interval (ns) */
  guint group;                  /* result */
} RobocacheClockPiece;

typedef struct
{
  GPtrArray *pieces;            /* RobocacheClockPiece items, the greatest first; not owned */
  GArray *knots;                /* RobocacheClockKnot: stamps to log times; empty: no piece has a clock, and it is the recorder's */
  gint64 uncertainty;           /* ns, two standard deviations of the line */
  gint64 excess;                /* mean delay of the messages above the envelope of their topic, plus that of most envelopes above the line (ns) */
  gdouble drift_ppm;            /* positive if the clock gains on the recorder's */
  guint64 n;                    /* messages */
  gboolean is_recorder;         /* the clock agrees with log times */
} RobocacheClockGroup;

/* Whether a piece has stamps enough for an envelope. Stamps of a latched message that is sent again do not advance. */
gboolean robocache_clock_piece_has_clock (const RobocacheClockPiece * piece);

/* Finds the groups of pieces, and sets the field group of each piece. The first group is the recorder's, which may have no pieces. Free with
 * g_ptr_array_unref. */
GPtrArray *robocache_clock_groups_find (const GPtrArray * pieces);

/* Least time from the stamps of a piece to the arrival of its messages (ns), both converted by knots of their clocks to one timeline; negative:
 * they arrive before their stamps. */
gint64 robocache_clock_piece_delay (const RobocacheClockPiece * piece, const GArray * knots, const GArray * recorder);
