/* robocache: batches split over the GPUs of a machine, against one of them
 *
 *   bench-devices [--csv FILE.csv] [--most ITEMS] [--only TEXT]
 *
 * A batch is split into as many shards of like size as there are GPUs, of which 1, 2, 4 and 8 are tried. Each has a thread
 * and a stream of its own. `input` says where its shard is:
 *
 *   there       where it is computed, and so is the output
 *   host        in pinned memory: it goes up, is computed, and the output comes down
 *   one GPU     on the first, as the output is to be: the others fetch theirs and bring the output back
 *
 * `single` is one batch, from the start of all threads to the end of the last; `steady` one of many in a row. The numbers of
 * GPUs take turns. `speedup` is the median steady time of one GPU over that of all, and efficiency that over their number;
 * what was wanted is for input that is there. Clocks are the lowest that were read.
 *
 * The works are those of batches.ini, which lies beside the program. Then come the sizes from which on a single batch is
 * faster on several GPUs than on one, and the links: what the host and each pair of GPUs copy. Each output is compared, bit
 * for bit, with what the CPU makes of the same items: `checked`.
 *
 * FILE.csv has the batches, FILE_crossover.csv the sizes that pay and FILE_links.csv the links.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/kernels/timing.h"
#include "tests/bench/limits/split.h"
#include "tests/bench/common/table.h"

#define WANTED_EFFICIENCY 0.97
#define LINK_BYTES ((uint64_t) 256 << 20)
#define LINK_COPIES 4
#define LINK_REPEATS 21

static const char *const input_names[SPLIT_N_INPUTS] = { "there", "host", "one GPU" };

/* ---- sweeps ---- */

typedef struct
{
  const char *csv;              /* NULL: not wanted */
  const char *only;
  int64_t most;                 /* items; 0: those of the sweep */
  int failed;
} Wish;

/* FILE.csv and what: FILEwhat.csv. */
static void
open_table (const Wish *wish, Table *table, const char *what, const char *columns)
{
  char path[4096] = "";

  if (wish->csv != NULL)
    snprintf (path, sizeof (path), "%.*s%s.csv", (int) (strlen (wish->csv) - strlen (".csv")), wish->csv, what);
  table_open (table, wish->csv != NULL ? path : NULL, columns);
}

static const char *
verdict (Wish *wish, int is_true)
{
  wish->failed |= !is_true;
  return is_true ? "yes" : "differs from the CPU";
}

static void
put_times (Table *table, Wish *wish, const BenchItems *work, SplitInput input, int64_t items, const SplitTimes *times,
    const SplitTimes *of_one)
{
  const int64_t bytes = items * bench_item_bytes (work);
  const double speedup = of_one->steady.median / times->steady.median, efficiency = speedup / times->n;
  const int is_wanted = input == SPLIT_THERE && times->n > 1;

  table_text (table, work->of->name);
  table_text (table, input_names[input]);
  table_number (table, times->n, 0);
  table_number (table, (double) items, 0);
  table_number (table, (double) bytes, 0);
  table_spread (table, &times->single, 2);
  table_spread (table, &times->steady, 2);
  table_number (table, speedup, 3);
  table_number (table, efficiency, 4);
  table_number (table, is_wanted ? WANTED_EFFICIENCY : NAN, 2);
  table_text (table, !is_wanted ? "" : efficiency >= WANTED_EFFICIENCY ? "yes" : "no");
  table_number (table, (double) bytes / times->steady.median / 1e3, 1);
  table_number (table, times->sm_mhz > 0 ? times->sm_mhz : NAN, 0);
  table_number (table, times->memory_mhz > 0 ? times->memory_mhz : NAN, 0);
  table_text (table, verdict (wish, times->is_true));
}

/* The least bytes from which on every batch that was tried is faster on n GPUs; 0: none. */
typedef struct
{
  int64_t bytes[SPLIT_N_INPUTS][SPLIT_MAX_DEVICES + 1];
} Crossovers;

static void
sweep_items (Split *split, Wish *wish, int64_t items, const int64_t most[SPLIT_N_INPUTS], Table *table,
    Crossovers *crossovers)
{
  const int64_t bytes = items * bench_item_bytes (split->work);
  SplitInput input;
  int n_counts = 0, i;

  while (n_counts < SPLIT_MAX_COUNTS && 1 << n_counts <= split->n_devices && 1 << n_counts <= items)
    n_counts++;
  for (input = SPLIT_THERE; input < SPLIT_N_INPUTS; input++) {
    static SplitTimes times[SPLIT_MAX_COUNTS];

    if (items > most[input])
      continue;
    split_measure (split, input, items, times, n_counts);
    for (i = 0; i < n_counts; i++) {
      int64_t *crossover = &crossovers->bytes[input][times[i].n];

      put_times (table, wish, split->work, input, items, &times[i], &times[0]);
      *crossover = times[i].single.median >= times[0].single.median ? 0 : *crossover > 0 ? *crossover : bytes;
    }
  }
}

static void
put_crossovers (Table *table, const Split *split, const BenchItems *work, const Crossovers *crossovers)
{
  SplitInput input;
  int n;

  for (n = 2; n == 2 || n <= split->n_devices; n *= 2) {
    for (input = SPLIT_THERE; input < SPLIT_N_INPUTS; input++) {
      const int64_t bytes = crossovers->bytes[input][n];

      table_text (table, work->of->name);
      table_text (table, input_names[input]);
      table_number (table, n, 0);
      if (bytes > 0)
        table_number (table, (double) bytes, 0);
      else
        table_text (table, split->n_devices == 1 ? "not tried: one GPU" : "none that was tried");
    }
  }
}

static void
sweep (Split *split, const BenchItems *work, Wish *wish, Table *table, Crossovers *crossovers)
{
  const int64_t wished = wish->most > 0 ? wish->most : INT64_MAX;
  const int64_t most = MIN (wished, work->of->most_items), there = MIN (wished, work->of->most_items_there);
  const int64_t most_of[SPLIT_N_INPUTS] = { there, most, most };
  RcBackend *const first = split->lanes[0].backend;
  int64_t items;
  int i;

  split->work = work;
  bench_truth_make (work, split->cpu, split->truth);
  split->host_items = MAX (most, work->distinct);
  bench_parts_alloc (work, first, RC_MEMORY_PINNED, split->host_items, split->host);
  bench_parts_fill (work, split->truth, split->host, split->host_items);
  for (i = 0; i < split->n_devices; i++)
    bench_parts_alloc (work, split->lanes[i].backend, RC_MEMORY_DEVICE, there, split->lanes[i].parts);
  for (items = work->of->least_items; items <= there; items *= 4)
    sweep_items (split, wish, items, most_of, table, crossovers);
  for (i = 0; i < split->n_devices; i++)
    bench_parts_free (work, split->lanes[i].backend, RC_MEMORY_DEVICE, split->lanes[i].parts);
  bench_parts_free (work, first, RC_MEMORY_PINNED, split->host);
  bench_parts_free (work, split->cpu, RC_MEMORY_DEVICE, split->truth);
}

static int
is_wished (const Wish *wish, const BenchItems *work)
{
  return work->of->least_items > 0 && strstr (work->of->name, wish->only) != NULL;
}

static void
sweep_all (Split *split, const BenchBatches *batches, Wish *wish)
{
  Crossovers *crossovers = calloc ((size_t) batches->n, sizeof (*crossovers));
  Table table;
  int i;

  open_table (wish, &table, "", "work,input,devices,items,bytes,single_us,single_p5_us,single_p95_us,single_deviation_us,"
      "steady_us,p5_us,p95_us,deviation_us,speedup,efficiency,wanted_efficiency,met,gbps,sm_mhz,memory_mhz,checked");
  for (i = 0; i < batches->n; i++) {
    if (is_wished (wish, &batches->works[i]))
      sweep (split, &batches->works[i], wish, &table, &crossovers[i]);
  }
  table_end (&table);
  printf ("\n");
  open_table (wish, &table, "_crossover", "work,input,devices,pays_from_bytes");
  for (i = 0; i < batches->n; i++) {
    if (is_wished (wish, &batches->works[i]))
      put_crossovers (&table, split, &batches->works[i], &crossovers[i]);
  }
  table_end (&table);
  free (crossovers);
}

/* ---- links ---- */

/* GB/s of copies by to; from is NULL for memory of the host, to or from which they go. */
static BenchSpread
time_link (const SplitLane *to, const SplitLane *from, void *to_memory, void *from_memory)
{
  double gbps[LINK_REPEATS];
  RcError error;
  int r, i;

  for (r = -1; r < LINK_REPEATS; r++) {       /* the first to warm up */
    const double before = bench_now_us ();

    for (i = 0; i < LINK_COPIES; i++) {
      const RcMemoryCopy copy = {.to = to_memory,.from = from_memory,.row_bytes = LINK_BYTES,.rows = 1 };

      bench_must_be_well (from ? rc_memory_copy_between (to->backend, to_memory, from->backend, from_memory, LINK_BYTES, to->stream, &error)
          : rc_memory_copy (to->backend, &copy, to->stream, &error), &error, "link");
    }
    split_finish (to);
    if (r >= 0)
      gbps[r] = (double) LINK_BYTES * LINK_COPIES / (bench_now_us () - before) / 1e3;
  }
  return bench_spread (gbps, LINK_REPEATS);
}

static int
is_full_of (const unsigned char *host, unsigned char value)
{
  uint64_t i;

  for (i = 0; i < LINK_BYTES && host[i] == value; i++);
  return i == LINK_BYTES;
}

/* Whether the block at the end of the way is the one at its beginning. */
static int
has_arrived (const SplitLane *lane, const void *memory, unsigned char *host, unsigned char value)
{
  const RcMemoryCopy copy = {.to = host,.from = memory,.row_bytes = LINK_BYTES,.rows = 1 };
  RcError error;

  bench_must_be_well (rc_memory_copy (lane->backend, &copy, lane->stream, &error), &error, "copy");
  split_finish (lane);
  return is_full_of (host, value);
}

static void
put_link (Table *table, Wish *wish, const char *name, const BenchSpread *gbps, int is_there)
{
  table_text (table, name);
  table_spread (table, gbps, 1);
  table_text (table, is_there ? "yes" : "something else arrived");
  wish->failed |= !is_there;
}

static void
measure_links (Split *split, Wish *wish)
{
  void *memory[SPLIT_MAX_DEVICES] = { NULL };
  unsigned char *host;
  RcError error;
  BenchSpread gbps;
  Table table;
  char name[64];
  int i, k;

  printf ("\n");
  open_table (wish, &table, "_links", "link,gbps,p5_gbps,p95_gbps,deviation_gbps,checked");
  bench_must_be_well (rc_memory_alloc (split->lanes[0].backend, RC_MEMORY_PINNED, LINK_BYTES, (void **) &host, &error), &error, "memory");
  for (i = 0; i < split->n_devices; i++) {
    const SplitLane *lane = &split->lanes[i];

    bench_must_be_well (rc_memory_alloc (lane->backend, RC_MEMORY_DEVICE, LINK_BYTES, &memory[i], &error), &error, "memory");
    memset (host, 16 + i, LINK_BYTES);
    gbps = time_link (lane, NULL, memory[i], host);
    snprintf (name, sizeof (name), "host -> GPU %d", i);
    memset (host, 0, LINK_BYTES);
    put_link (&table, wish, name, &gbps, has_arrived (lane, memory[i], host, (unsigned char) (16 + i)));
    memset (host, 0, LINK_BYTES);
    gbps = time_link (lane, NULL, host, memory[i]);
    snprintf (name, sizeof (name), "GPU %d -> host", i);
    put_link (&table, wish, name, &gbps, is_full_of (host, (unsigned char) (16 + i)));
  }
  for (i = 0; i < split->n_devices; i++) {
    for (k = 0; k < split->n_devices; k++) {
      const SplitLane *from = &split->lanes[i], *to = &split->lanes[k];
      const int mark = 64 + SPLIT_MAX_DEVICES * i + k;

      if (i == k)
        continue;
      memset (host, mark, LINK_BYTES);
      time_link (from, NULL, memory[i], host);
      gbps = time_link (to, from, memory[k], memory[i]);
      snprintf (name, sizeof (name), "GPU %d -> GPU %d", i, k);
      put_link (&table, wish, name, &gbps, has_arrived (to, memory[k], host, (unsigned char) mark));
    }
  }
  for (i = 0; i < split->n_devices; i++)
    rc_memory_free (split->lanes[i].backend, RC_MEMORY_DEVICE, memory[i]);
  rc_memory_free (split->lanes[0].backend, RC_MEMORY_PINNED, host);
  table_end (&table);
}

/* ---- the machine ---- */

/* As many as there are, of which n GPUs are the first. 0: there is none, as a SKIP line has said. */
static int
open_devices (Split *split)
{
  char why[400];
  RcError error;

  for (split->n_devices = 0; split->n_devices < SPLIT_MAX_DEVICES; split->n_devices++) {
    SplitLane *lane = &split->lanes[split->n_devices];
    const RcWhere where = { RC_BACKEND_CUDA, split->n_devices, RC_CPU_BEST, 0 };

    if (rc_backend_open (&where, &lane->backend, &error) != RC_OK)
      break;
    lane->split = split;
    lane->number = split->n_devices;
    bench_must_be_well (rc_stream_new (lane->backend, &lane->stream, &error), &error, "stream");
    if (!board_open (&lane->board, split->n_devices, why, sizeof (why)))
      printf ("no clocks of GPU %d: %s\n", split->n_devices, why);
  }
  if (split->n_devices == 0)
    printf ("SKIP bench-devices: %s\n", error.message);
  return split->n_devices;
}

static void
close_devices (Split *split)
{
  int i;

  for (i = 0; i < split->n_devices; i++) {
    rc_stream_free (split->lanes[i].backend, split->lanes[i].stream);
    rc_backend_close (split->lanes[i].backend);
  }
}

static int
is_csv (const char *path)
{
  const size_t length = strlen (path), end = strlen (".csv");

  return length > end && strcmp (path + length - end, ".csv") == 0;
}

static Wish
read_arguments (int argc, char **argv)
{
  Wish wish = {.only = "" };
  int i;

  for (i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--csv") == 0 && i + 1 < argc && is_csv (argv[i + 1]))
      wish.csv = argv[++i];
    else if (strcmp (argv[i], "--most") == 0 && i + 1 < argc)
      wish.most = atoll (argv[++i]);
    else if (strcmp (argv[i], "--only") == 0 && i + 1 < argc)
      wish.only = argv[++i];
    else
      bench_fail (argv[i], "expected --csv FILE.csv, --most ITEMS or --only TEXT");
  }
  return wish;
}

int
main (int argc, char **argv)
{
  const RcWhere here = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };
  static Split split;
  Wish wish = read_arguments (argc, argv);
  BenchBatches batches;
  RcError error;

  if (!open_devices (&split))
    return 0;
  bench_must_be_well (rc_backend_open (&here, &split.cpu, &error), &error, "CPU");
  bench_batches_open (&batches);
  sweep_all (&split, &batches, &wish);
  bench_batches_close (&batches);
  measure_links (&split, &wish);
  rc_backend_close (split.cpu);
  close_devices (&split);
  return wish.failed;
}
