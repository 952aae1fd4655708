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
 * `single` is one batch, from the start of all threads to the end of the last; `steady` one of many in a row. Medians.
 * `speedup` is the steady time of one GPU over that of all, and efficiency that over their number. Then come the sizes from
 * which on a single batch is faster on several GPUs than on one, and the links: what the host and each pair of GPUs copy. Each
 * output is compared, bit for bit, with what the CPU makes of the same items: `checked`.
 *
 * FILE.csv has the largest batch of each work, FILE_sizes.csv all, FILE_crossover.csv the sizes that pay and FILE_links.csv the
 * links.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels_timing.h"
#include "split.h"

#define LINK_BYTES ((uint64_t) 256 << 20)
#define LINK_COPIES 4

static const char *const input_names[SPLIT_N_INPUTS] = { "there", "host", "one GPU" };

typedef struct
{
  const BenchWork *work;
  int64_t least, most;          /* items; a power of 4 times the least */
  int64_t most_there;           /* of batches that are where they are computed, which need no room elsewhere */
} Sweep;

static const Sweep sweeps[] = {
  {&bench_short_episodes, 8, 8192, 32768},
  {&bench_long_episodes, 4, 1024, 4096},
  {&bench_clouds, 4, 256, 4096},
};

/* ---- sweeps ---- */

/* Files of figures; all NULL where none are wanted. */
typedef struct
{
  FILE *largest, *sizes, *crossover, *links;
} Csv;

typedef struct
{
  Csv csv;
  const char *only;
  int64_t most;                 /* items; 0: those of the sweep */
  int failed;
} Wish;

static const char *
verdict (Wish *wish, int is_true)
{
  wish->failed |= !is_true;
  return is_true ? "yes" : "differs from the CPU";
}

static void
print (Wish *wish, const BenchWork *work, SplitInput input, int n, int64_t items, int is_largest, const SplitTimes *times,
    const SplitTimes *of_one)
{
  const int64_t bytes = items * bench_item_bytes (work);
  const double speedup = of_one->steady_us / times->steady_us, gbps = (double) bytes / times->steady_us / 1e3;
  const char *checked = verdict (wish, times->is_true);
  FILE *const files[] = { wish->csv.sizes, is_largest ? wish->csv.largest : NULL };
  size_t i;

  printf ("| %s | %s | %d | %" PRId64 " | %" PRId64 " | %.1f | %.1f | %.2f | %.3f | %.0f | %s |\n", work->name,
      input_names[input], n, items, bytes, times->single_us, times->steady_us, speedup, speedup / n, gbps, checked);
  fflush (stdout);
  for (i = 0; i < sizeof (files) / sizeof (files[0]); i++) {
    if (files[i] != NULL)
      fprintf (files[i], "\"%s\",%s,%d,%" PRId64 ",%" PRId64 ",%.2f,%.2f,%.3f,%.4f,%.1f,%s\n", work->name,
          input_names[input], n, items, bytes, times->single_us, times->steady_us, speedup, speedup / n, gbps, checked);
  }
}

/* The least bytes from which on every batch that was tried is faster on n GPUs; 0: none. */
typedef struct
{
  int64_t bytes[SPLIT_N_INPUTS][SPLIT_MAX_DEVICES + 1];
} Crossovers;

static void
sweep_items (Split *split, Wish *wish, int64_t items, const int64_t most[SPLIT_N_INPUTS],
    Crossovers *crossovers)
{
  const int64_t bytes = items * bench_item_bytes (split->work);
  SplitInput input;
  int n;

  for (input = SPLIT_THERE; input < SPLIT_N_INPUTS; input++) {
    SplitTimes of_one = { 0 };

    for (n = 1; n <= split->n_devices && n <= items && items <= most[input]; n *= 2) {
      const SplitTimes times = split_measure (split, input, n, items);
      int64_t *crossover = &crossovers->bytes[input][n];

      if (n == 1)
        of_one = times;
      print (wish, split->work, input, n, items, items * 4 > most[input], &times, &of_one);
      *crossover = times.single_us >= of_one.single_us ? 0 : *crossover > 0 ? *crossover : bytes;
    }
  }
}

static void
print_crossovers (const Split *split, const Wish *wish, const Crossovers *crossovers)
{
  SplitInput input;
  int n;

  for (n = 2; n == 2 || n <= split->n_devices; n *= 2) {
    for (input = SPLIT_THERE; input < SPLIT_N_INPUTS; input++) {
      char from[64] = "none that was tried";

      if (split->n_devices == 1)
        snprintf (from, sizeof (from), "not tried: one GPU");
      else if (crossovers->bytes[input][n] > 0)
        snprintf (from, sizeof (from), "%" PRId64, crossovers->bytes[input][n]);
      printf ("%s, input %s: bytes from which on %d GPUs pay: %s\n", split->work->name, input_names[input], n, from);
      if (wish->csv.crossover != NULL)
        fprintf (wish->csv.crossover, "\"%s\",%s,%d,%s\n", split->work->name, input_names[input], n, from);
    }
  }
}

static void
sweep (Split *split, const Sweep *of, Wish *wish)
{
  const int64_t least_of_host = of->work->distinct, wished = wish->most > 0 ? wish->most : INT64_MAX;
  const int64_t most = wished < of->most ? wished : of->most, there = wished < of->most_there ? wished : of->most_there;
  const int64_t most_of[SPLIT_N_INPUTS] = { there, most, most };
  RcBackend *const first = split->lanes[0].backend;
  Crossovers crossovers = { {{0}} };
  int64_t items;
  int i;

  split->work = of->work;
  bench_truth_make (of->work, split->cpu, split->truth);
  split->host_items = most > least_of_host ? most : least_of_host;
  bench_parts_alloc (of->work, first, RC_MEMORY_PINNED, split->host_items, split->host);
  bench_parts_fill (of->work, split->truth, split->host, split->host_items);
  for (i = 0; i < split->n_devices; i++)
    bench_parts_alloc (of->work, split->lanes[i].backend, RC_MEMORY_DEVICE, there, split->lanes[i].parts);
  for (items = of->least; items <= there; items *= 4)
    sweep_items (split, wish, items, most_of, &crossovers);
  print_crossovers (split, wish, &crossovers);
  for (i = 0; i < split->n_devices; i++)
    bench_parts_free (of->work, split->lanes[i].backend, RC_MEMORY_DEVICE, split->lanes[i].parts);
  bench_parts_free (of->work, first, RC_MEMORY_PINNED, split->host);
  bench_parts_free (of->work, split->cpu, RC_MEMORY_DEVICE, split->truth);
}

/* ---- links ---- */

/* GB/s of copies by to; from is NULL for memory of the host, to or from which they go. */
static double
time_link (const SplitLane *to, const SplitLane *from, void *to_memory, void *from_memory)
{
  double us[SPLIT_REPEATS];
  RcError error;
  int r, i;

  for (r = -1; r < SPLIT_REPEATS; r++) {      /* the first to warm up */
    const double before = bench_now_us ();

    for (i = 0; i < LINK_COPIES; i++) {
      const RcMemoryCopy copy = {.to = to_memory,.from = from_memory,.row_bytes = LINK_BYTES,.rows = 1 };

      bench_must_be_well (from ? rc_memory_copy_between (to->backend, to_memory, from->backend, from_memory, LINK_BYTES, to->stream, &error)
          : rc_memory_copy (to->backend, &copy, to->stream, &error), &error, "link");
    }
    split_finish (to);
    if (r >= 0)
      us[r] = bench_now_us () - before;
  }
  return (double) LINK_BYTES * LINK_COPIES / bench_spread (us, SPLIT_REPEATS).median / 1e3;
}

/* Whether the block at the end of the way is the one at its beginning. */
static int
has_arrived (const SplitLane *lane, const void *memory, unsigned char *host, unsigned char value)
{
  const RcMemoryCopy copy = {.to = host,.from = memory,.row_bytes = LINK_BYTES,.rows = 1 };
  RcError error;
  uint64_t i;

  bench_must_be_well (rc_memory_copy (lane->backend, &copy, lane->stream, &error), &error, "copy");
  split_finish (lane);
  for (i = 0; i < LINK_BYTES && host[i] == value; i++);
  return i == LINK_BYTES;
}

static void
print_link (Wish *wish, const char *name, double gbps, int is_there)
{
  const char *checked = is_there ? "yes" : "something else arrived";

  printf ("| %s | %.1f | %s |\n", name, gbps, checked);
  if (wish->csv.links != NULL)
    fprintf (wish->csv.links, "%s,%.1f,%s\n", name, gbps, checked);
  wish->failed |= !is_there;
}

static void
measure_links (Split *split, Wish *wish)
{
  void *memory[SPLIT_MAX_DEVICES] = { NULL };
  unsigned char *host;
  RcError error;
  char name[64];
  int i, k;

  printf ("\n| link | GB/s | checked |\n|---|---|---|\n");
  bench_must_be_well (rc_memory_alloc (split->lanes[0].backend, RC_MEMORY_PINNED, LINK_BYTES, (void **) &host, &error), &error, "memory");
  for (i = 0; i < split->n_devices; i++) {
    const SplitLane *lane = &split->lanes[i];
    double gbps;

    bench_must_be_well (rc_memory_alloc (lane->backend, RC_MEMORY_DEVICE, LINK_BYTES, &memory[i], &error), &error, "memory");
    memset (host, 16 + i, LINK_BYTES);
    gbps = time_link (lane, NULL, memory[i], host);
    snprintf (name, sizeof (name), "host -> GPU %d", i);
    memset (host, 0, LINK_BYTES);
    print_link (wish, name, gbps, has_arrived (lane, memory[i], host, (unsigned char) (16 + i)));
    memset (host, 0, LINK_BYTES);
    gbps = time_link (lane, NULL, host, memory[i]);
    snprintf (name, sizeof (name), "GPU %d -> host", i);
    print_link (wish, name, gbps, host[0] == 16 + i && host[LINK_BYTES - 1] == 16 + i);
  }
  for (i = 0; i < split->n_devices; i++) {
    for (k = 0; k < split->n_devices; k++) {
      const SplitLane *from = &split->lanes[i], *to = &split->lanes[k];
      const int mark = 64 + SPLIT_MAX_DEVICES * i + k;
      double gbps;

      if (i == k)
        continue;
      memset (host, mark, LINK_BYTES);
      time_link (from, NULL, memory[i], host);
      gbps = time_link (to, from, memory[k], memory[i]);
      snprintf (name, sizeof (name), "GPU %d -> GPU %d", i, k);
      print_link (wish, name, gbps, has_arrived (to, memory[k], host, (unsigned char) mark));
    }
  }
  for (i = 0; i < split->n_devices; i++)
    rc_memory_free (split->lanes[i].backend, RC_MEMORY_DEVICE, memory[i]);
  rc_memory_free (split->lanes[0].backend, RC_MEMORY_PINNED, host);
}

/* ---- the machine ---- */

/* As many as there are, of which n GPUs are the first. 0: there is none, as a SKIP line has said. */
static int
open_devices (Split *split)
{
  RcError error;

  for (split->n_devices = 0; split->n_devices < SPLIT_MAX_DEVICES; split->n_devices++) {
    SplitLane *lane = &split->lanes[split->n_devices];
    const RcWhere where = { RC_BACKEND_CUDA, split->n_devices, RC_CPU_BEST, 0 };

    if (rc_backend_open (&where, &lane->backend, &error) != RC_OK)
      break;
    lane->split = split;
    lane->number = split->n_devices;
    bench_must_be_well (rc_stream_new (lane->backend, &lane->stream, &error), &error, "stream");
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

/* FILE.csv, what → FILEwhat.csv, with its first line. */
static FILE *
open_csv (const char *path, const char *what, const char *head)
{
  const size_t stem = strlen (path) - strlen (".csv");
  char name[4096];
  FILE *file;

  if (strlen (path) < strlen (".csv") || strcmp (path + stem, ".csv") != 0)
    bench_fail (path, "expected a name that ends with .csv");
  snprintf (name, sizeof (name), "%.*s%s.csv", (int) stem, path, what);
  file = fopen (name, "w");
  if (file == NULL)
    bench_fail (name, "cannot be written");
  fprintf (file, "%s\n", head);
  return file;
}

static Csv
open_all_csv (const char *path)
{
  static const char sizes[] = "work,input,devices,items,bytes,single_us,steady_us,speedup,efficiency,gbps,checked";

  return (Csv) {.largest = open_csv (path, "", sizes),.sizes = open_csv (path, "_sizes", sizes),
    .crossover = open_csv (path, "_crossover", "work,input,devices,pays_from_bytes"),
    .links = open_csv (path, "_links", "link,gbps,checked")
  };
}

static void
close_all_csv (Csv *csv)
{
  FILE *const files[] = { csv->largest, csv->sizes, csv->crossover, csv->links };
  size_t i;

  for (i = 0; i < sizeof (files) / sizeof (files[0]); i++) {
    if (files[i] != NULL && fclose (files[i]) != 0)
      bench_fail ("--csv", "cannot be written");
  }
}

/* csv: the path of --csv, or NULL. */
static Wish
read_arguments (int argc, char **argv, const char **csv)
{
  Wish wish = {.only = "" };
  int i;

  *csv = NULL;
  for (i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--csv") == 0 && i + 1 < argc)
      *csv = argv[++i];
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
  const char *csv;
  Wish wish = read_arguments (argc, argv, &csv);
  RcError error;
  size_t i;

  if (!open_devices (&split))
    return 0;
  bench_must_be_well (rc_backend_open (&here, &split.cpu, &error), &error, "CPU");
  if (csv != NULL)
    wish.csv = open_all_csv (csv);
  printf ("| batch | input | GPUs | items | bytes in and out | single us | steady us | speedup | efficiency | GB/s | checked |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (i = 0; i < sizeof (sweeps) / sizeof (sweeps[0]); i++) {
    if (strstr (sweeps[i].work->name, wish.only) != NULL)
      sweep (&split, &sweeps[i], &wish);
  }
  measure_links (&split, &wish);
  rc_backend_close (split.cpu);
  close_devices (&split);
  close_all_csv (&wish.csv);
  return wish.failed;
}
