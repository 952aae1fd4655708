/* robocache: threads that attack an element, each with random numbers and a table of operations of its own
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "attackers.h"

#include <string.h>

Attacker *
attacker_new (Attack *attack, Feed *feed, const Deed *deeds, guint n_deeds, guint number, guint id)
{
  Attacker *attacker = g_new0 (Attacker, 1);
  const guint32 seeds[] = { attack->seed, id };

  attacker->attack = attack;
  attacker->feed = feed;
  attacker->deeds = deeds;
  attacker->n_deeds = n_deeds;
  attacker->first = number;
  attacker->rand = g_rand_new_with_seed_array (seeds, G_N_ELEMENTS (seeds));
  return attacker;
}

void
attacker_start (Attacker *attacker, const gchar *name, GThreadFunc run)
{
  attacker->thread = g_thread_new (name, run, attacker);
}

void
attacker_free (Attacker *attacker)
{
  g_rand_free (attacker->rand);
  g_free (attacker);
}

Input
attacker_next_input (Attacker *attacker)
{
  for (guint i = 0; i < N_BYTES; i += sizeof (guint32)) {
    const guint32 bytes = g_rand_int (attacker->rand);

    memcpy (attacker->bytes + i, &bytes, sizeof (bytes));
  }
  return (Input) { attacker->bytes, N_BYTES };
}

void
attacker_act (Attacker *attacker, Input *input)
{
  Bench *bench = &attacker->attack->bench;
  guint total = 0, at, i;
  Feed *feed = attacker->feed;

  for (i = 0; i < attacker->n_deeds; i++)
    total += attacker->deeds[i].weight;
  at = input_two_bytes (input) % total;
  for (i = 0; at >= attacker->deeds[i].weight; i++)
    at -= attacker->deeds[i].weight;
  if (!attacker->attack->is_chosen (attacker->first + i))
    return;
  g_atomic_int_inc (&attacker->attack->n_operations);
  if (attacker->deeds[i].on_feed && feed == NULL)
    feed = bench_feed (bench, input_byte (input));
  if (attacker->deeds[i].on_bench)
    attacker->deeds[i].on_bench (bench, input);
  else if (feed)
    attacker->deeds[i].on_feed (feed, input);
}

gboolean
attacker_must_stop (Attacker *attacker)
{
  return g_atomic_int_get (&attacker->stop) || g_atomic_int_get (&attacker->attack->stop);
}
