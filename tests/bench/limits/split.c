/* robocache: a batch split over GPUs, a thread and a stream each, and how long it takes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/limits/split.h"

#include <math.h>
#include <string.h>

#include "tests/bench/kernels/timing.h"

#define MAX_IN_A_ROW 64
#define STEADY_US 6000          /* about, in a row */

/* ---- one batch ---- */

static int64_t
offset_of (const SplitLane *lane, int part)
{
  return lane->number * lane->shard->items * lane->split->work->parts[part].bytes;
}

/* Items of the lane from first on, and the place in the host's of the same. */
typedef struct
{
  int64_t first, at, items;
} Piece;

/* The piece after; all zero first. Sizes are powers of two, so that none goes over the host's end. */
static int
next_piece (const SplitLane *lane, Piece *piece)
{
  const int64_t of_lane = lane->shard->items, of_host = lane->split->host_items;

  piece->first += piece->items;
  piece->at = (lane->number * of_lane + piece->first) % of_host;
  piece->items = of_lane - piece->first < of_host ? of_lane - piece->first : of_host;
  return piece->items > 0;
}

static void
copy_piece (const SplitLane *lane, int part, const Piece *piece, int up)
{
  const int64_t bytes = lane->split->work->parts[part].bytes;
  char *host = (char *) lane->split->host[part] + piece->at * bytes, *here = (char *) lane->parts[part] + piece->first * bytes;
  const RcMemoryCopy copy = {.to = up ? here : host,.from = up ? host : here,
    .row_bytes = (uint64_t) (piece->items * bytes),.rows = 1
  };
  RcError error;

  bench_must_be_well (rc_memory_copy (lane->backend, &copy, lane->stream, &error), &error, "copy");
}

static void
copy_host (const SplitLane *lane, int part, int up)
{
  Piece piece = { 0 };

  while (next_piece (lane, &piece))
    copy_piece (lane, part, &piece, up);
}

static void
copy_first (const SplitLane *lane, int part, int here)
{
  const SplitLane *first = &lane->split->lanes[0];
  char *there = (char *) first->parts[part] + offset_of (lane, part);
  const uint64_t bytes = (uint64_t) (lane->shard->items * lane->split->work->parts[part].bytes);
  RcStatus status;
  RcError error;

  if (lane == first)
    return;
  if (here)
    status = rc_memory_copy_between (lane->backend, lane->parts[part], first->backend, there, bytes, lane->stream, &error);
  else
    status = rc_memory_copy_between (first->backend, there, lane->backend, lane->parts[part], bytes, lane->stream, &error);
  bench_must_be_well (status, &error, "peer copy");
}

static void
enqueue (SplitLane *lane)
{
  const BenchItems *work = lane->split->work;
  const SplitInput input = lane->split->input;
  int i;

  for (i = 0; i < work->n_parts && input != SPLIT_THERE; i++) {
    if (!work->parts[i].is_output)
      (input == SPLIT_HOST ? copy_host : copy_first) (lane, i, 1);
  }
  bench_shard_run (lane->shard, lane->stream);
  for (i = 0; i < work->n_parts && input != SPLIT_THERE; i++) {
    if (work->parts[i].is_output)
      (input == SPLIT_HOST ? copy_host : copy_first) (lane, i, 0);
  }
}

void
split_finish (const SplitLane *lane)
{
  RcError error;

  bench_must_be_well (rc_stream_synchronize (lane->backend, lane->stream, &error), &error, "synchronize");
}

/* ---- all threads together ---- */

/* Spins: a thread that sleeps would begin late. */
static void
meet (Split *split)
{
  const int round = __atomic_load_n (&split->round, __ATOMIC_ACQUIRE);

  if (__atomic_add_fetch (&split->arrived, 1, __ATOMIC_ACQ_REL) == split->n) {
    __atomic_store_n (&split->arrived, 0, __ATOMIC_RELAXED);
    __atomic_store_n (&split->round, round + 1, __ATOMIC_RELEASE);
  }
  while (__atomic_load_n (&split->round, __ATOMIC_ACQUIRE) == round);
}

static void *
run_lane (void *data)
{
  SplitLane *lane = data;
  Split *split = lane->split;
  int r, k, i;

  enqueue (lane);               /* to warm up */
  split_finish (lane);
  for (r = 0; r < SPLIT_REPEATS; r++) {
    meet (split);
    lane->begun_us = bench_now_us ();
    for (k = 0; k < split->in_a_row; k++)
      enqueue (lane);
    split_finish (lane);
    lane->ended_us = bench_now_us ();
    meet (split);
    if (lane->number > 0)
      continue;
    for (i = 1; i < split->n; i++) {
      lane->begun_us = split->lanes[i].begun_us < lane->begun_us ? split->lanes[i].begun_us : lane->begun_us;
      lane->ended_us = split->lanes[i].ended_us > lane->ended_us ? split->lanes[i].ended_us : lane->ended_us;
    }
    split->us[r] = (lane->ended_us - lane->begun_us) / split->in_a_row;
  }
  return NULL;
}

/* us of a batch, as often as it is repeated. */
static void
time_batches (Split *split, int in_a_row, double us[SPLIT_REPEATS])
{
  int i;

  split->in_a_row = in_a_row;
  split->us = us;
  for (i = 0; i < split->n; i++) {
    if (pthread_create (&split->lanes[i].thread, NULL, run_lane, &split->lanes[i]) != 0)
      bench_fail ("pthread_create", "no thread");
  }
  for (i = 0; i < split->n; i++)
    pthread_join (split->lanes[i].thread, NULL);
}

/* ---- one measurement ---- */

/* Outputs that were there before are gone. */
static void
clear_outputs (const SplitLane *lane, int64_t items)
{
  RcError error;
  int part;

  for (part = 0; part < lane->split->work->n_parts; part++) {
    const uint64_t bytes = (uint64_t) (items * lane->split->work->parts[part].bytes);

    if (lane->split->work->parts[part].is_output)
      bench_must_be_well (rc_memory_clear (lane->backend, lane->parts[part], bytes, lane->stream, &error), &error, "clear");
  }
}

/* All of the batch, from or to where it is on one GPU. */
static void
copy_first_gpu (const Split *split, int64_t items, int up)
{
  SplitLane whole = split->lanes[0];
  BenchShard all = {.items = items };
  int part;

  whole.shard = &all;
  for (part = 0; part < split->work->n_parts; part++) {
    if (up != split->work->parts[part].is_output)
      copy_host (&whole, part, up);
  }
  split_finish (&whole);
}

/* Inputs are where this input is, and no output is anywhere. */
static void
place (Split *split, SplitInput input, int64_t items)
{
  int i, part;

  split->input = input;
  for (i = 0; i < split->n; i++) {
    const SplitLane *lane = &split->lanes[i];

    clear_outputs (lane, input == SPLIT_ONE_GPU && i == 0 ? items : lane->shard->items);
    for (part = 0; part < split->work->n_parts && input == SPLIT_THERE; part++) {
      if (!split->work->parts[part].is_output)
        copy_host (lane, part, 1);
    }
    split_finish (lane);
  }
  if (input == SPLIT_ONE_GPU)
    copy_first_gpu (split, items, 1);
}

/* Piece by piece, since the host may have room for no more. */
static int
check_lane (const SplitLane *lane)
{
  const BenchItems *work = lane->split->work;
  Piece piece = { 0 };
  int part;

  while (next_piece (lane, &piece)) {
    for (part = 0; part < work->n_parts; part++) {
      if (work->parts[part].is_output)
        copy_piece (lane, part, &piece, 0);
    }
    split_finish (lane);
    if (!bench_is_true (work, lane->split->truth, lane->split->host, piece.at, piece.items))
      return 0;
  }
  return 1;
}

static int
check (Split *split, int64_t items)
{
  int i;

  if (split->input == SPLIT_ONE_GPU)
    copy_first_gpu (split, items, 0);
  for (i = 0; i < split->n && split->input == SPLIT_THERE; i++) {
    if (!check_lane (&split->lanes[i]))
      return 0;
  }
  return split->input == SPLIT_THERE || bench_is_true (split->work, split->truth, split->host, 0, items);
}

static void
clear_host_outputs (const Split *split, int64_t items)
{
  const int64_t n = items < split->host_items ? items : split->host_items;
  int part;

  for (part = 0; part < split->work->n_parts; part++) {
    if (split->work->parts[part].is_output)
      memset (split->host[part], 0xA5, (size_t) (n * split->work->parts[part].bytes));
  }
}

/* ---- by turns ---- */

static void
open_shards (const Split *split, int64_t items, SplitTimes *times)
{
  int i;

  for (i = 0; i < times->n; i++)
    bench_shard_open (&times->shards[i], split->work, split->lanes[i].backend, items / times->n, split->lanes[i].parts);
}

static void
close_shards (SplitTimes *times)
{
  int i;

  for (i = 0; i < times->n; i++)
    bench_shard_close (&times->shards[i]);
}

static void
lower (unsigned *lowest, unsigned mhz)
{
  *lowest = *lowest == 0 || mhz < *lowest ? mhz : *lowest;
}

static void
note_clocks (const Split *split, SplitTimes *times)
{
  unsigned sm, memory;
  int i;

  for (i = 0; i < split->n; i++) {
    if (board_clocks (&split->lanes[i].board, &sm, &memory)) {
      lower (&times->sm_mhz, sm);
      lower (&times->memory_mhz, memory);
    }
  }
}

/* What the last round leaves is compared. */
static void
take_turn (Split *split, SplitInput input, int64_t items, int round, SplitTimes *times)
{
  double *const single_us = times->single_us + round * SPLIT_REPEATS;
  double *const steady_us = times->steady_us + round * SPLIT_REPEATS;
  int i;

  split->n = times->n;
  for (i = 0; i < times->n; i++)
    split->lanes[i].shard = &times->shards[i];
  if (round == 0 || round == SPLIT_ROUNDS - 1) {
    place (split, input, items);
    clear_host_outputs (split, items);
  }
  time_batches (split, 1, single_us);
  if (round == 0)
    times->in_a_row = (int) fmin (STEADY_US / bench_spread (single_us, SPLIT_REPEATS).median + 1, MAX_IN_A_ROW);
  time_batches (split, times->in_a_row, steady_us);
  note_clocks (split, times);
  if (round == SPLIT_ROUNDS - 1)
    times->is_true = check (split, items);
}

void
split_measure (Split *split, SplitInput input, int64_t items, SplitTimes *times, int n_counts)
{
  int round, i;

  for (i = 0; i < n_counts; i++) {
    times[i] = (SplitTimes) {.n = 1 << i };
    open_shards (split, items, &times[i]);
  }
  for (round = 0; round < SPLIT_ROUNDS; round++) {
    for (i = 0; i < n_counts; i++)
      take_turn (split, input, items, round, &times[i]);
  }
  for (i = 0; i < n_counts; i++) {
    times[i].single = bench_spread (times[i].single_us, SPLIT_SAMPLES);
    times[i].steady = bench_spread (times[i].steady_us, SPLIT_SAMPLES);
    close_shards (&times[i]);
  }
}
