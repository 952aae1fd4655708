/* robocache: threads that attack an element, each with random numbers and a table of operations of its own
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/check/gsttestclock.h>

#include "targets.h"

#define N_BYTES 256             /* of input an operation */

typedef struct
{
  Bench bench;                  /* first: operations on it are on the attack */
  const Target *target;
  GstTestClock *clock;          /* NULL: on the system clock */
  GPtrArray *threads;           /* of Attacker, one a feed of the bench, in their order; the application's */
  guint32 seed;
  gboolean is_live;             /* most of its sources are */
  guint n_feeds;                /* that there were */
  gboolean (*is_chosen) (guint number);    /* of operations */
  gint stop, n_operations;      /* atomic */
  guint64 n_pushed, n_accepted; /* of feeds that are gone */
} Attack;

typedef struct
{
  const gchar *name;
  guint weight;
  void (*on_feed) (Feed * feed, Input * input);
  void (*on_bench) (Bench * bench, Input * input);
} Deed;

/* A thread that attacks. Its choices do not depend on other attackers. */
typedef struct
{
  Attack *attack;
  Feed *feed;                   /* NULL: not a pad's */
  const Deed *deeds;
  guint first, n_deeds;         /* first: number of deeds[0] among all operations */
  GRand *rand;
  guint8 bytes[N_BYTES];
  gint stop;                    /* atomic */
  GThread *thread;
} Attacker;

/* number: of deeds[0] among all operations; id: no other attacker of the attack has it */
Attacker *attacker_new (Attack * attack, Feed * feed, const Deed * deeds, guint n_deeds, guint number, guint id);
void attacker_start (Attacker * attacker, const gchar * name, GThreadFunc run);
void attacker_free (Attacker * attacker);
gboolean attacker_must_stop (Attacker * attacker);
Input attacker_next_input (Attacker * attacker);
/* One operation. */
void attacker_act (Attacker * attacker, Input * input);
