/* robocache: how fast the kernels are, against the bytes that they must move
 *   bench-kernels [--alignments] [--voxels] [--size SIZE] [--only TEXT]... [--wanted] [--csv FILE] [--rows FOLDER] [--once]
 * Measures the works of works.c (docs/explanation/measurements.md), or only those of a kind, of a size, with a name that contains one of the
 * texts, or with a target. The status is 1 if any output differs from the CPU's. --csv writes the table, --rows inputs and outputs for
 * peers.py (rows.h). --once is for a profiler (roofline.py): runs each work over its copies, and then once in an NVTX range named
 * "counted" within a range with the work's name, so that its data is not in the L2.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <inttypes.h>
#include <math.h>
#include <nvtx3/nvToolsExt.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/common/table.h"
#include "tests/bench/kernels/device.h"
#include "tests/bench/kernels/rows.h"
#include "tests/bench/peers/plain.h"

/* ---- runs of a work ---- */

static void
run_on_cpu (void *data, int i, cudaStream_t stream)
{
  bench_job_run (((BenchCopies *) data)->host, NULL);
}

static void
run_plain (void *data, int i, cudaStream_t stream)
{
  const BenchCopies *copies = data;

  bench_plain_run (copies->jobs[i], copies->counts, stream);
  bench_must_cuda (cudaGetLastError (), "plain kernel");
}

/* ---- measurements ---- */

static double
time_nothing (const Bench *bench)
{
  static const BenchWork nothing = { "nothing", "small",.align = {1, 1, RC_FLOAT32, RC_FLOAT32, {{1, 1}}} };
  static BenchCopies copies;
  double us;

  copies.host = bench_job_new (&nothing, bench->cpu, NULL);
  copies.jobs[0] = bench_job_new (&nothing, bench->backend, copies.host);
  copies.n = 1;
  copies.jobs[0]->streams[0].rows = NULL;
  copies.jobs[0]->streams[0].status = NULL;
  us = bench_time (bench, bench_copies_run, &copies, 1, 20).median;
  bench_copies_close (&copies);
  return us;
}

static void
write_plain (const Bench *bench, BenchCopies *copies, BenchRows *rows)
{
  BenchJob *last = copies->jobs[copies->n - 1];
  BenchSpread us;

  if (rows->folder == NULL || !bench_plain_has (last->work))
    return;
  for (int i = 0; i < last->n_arrays; i++) {
    if (last->arrays[i].is_output)
      bench_must_cuda (cudaMemset (last->arrays[i].memory, 0xa5, (size_t) last->arrays[i].bytes), "cudaMemset");
  }
  copies->counts = bench_memory (bench->backend, bench_plain_count_bytes (last->work), NULL);
  us = bench_time (bench, run_plain, copies, copies->n, 2 * copies->n);
  rc_memory_free (bench->backend, RC_MEMORY_DEVICE, copies->counts);
  bench_rows_plain (rows, last, &us);
}

static int
measure (const Bench *bench, const BenchWork *work, Table *table, BenchRows *rows)
{
  static BenchCopies copies;
  char differs[BENCH_DIFFERS_SIZE] = "";
  BenchRows none = { NULL }, *to = work->alone ? &none : rows;
  double floor_us, enqueue_us, cpu_us;
  int64_t bytes;
  BenchTimes us;

  bench_copies_open (bench, work, &copies);
  bytes = bench_job_bytes (copies.host);
  floor_us = bench_floor (bench, copies.host->bytes.read, copies.host->bytes.written);
  us = bench_times (bench, bench_copies_run, &copies, copies.n, bytes);
  enqueue_us = bench_time_enqueue (bench, bench_copies_run, &copies);
  cpu_us = bench_time_cpu (run_on_cpu, &copies);
  bench_job_compare (copies.jobs[copies.n - 1], copies.host, differs);

  table_put (table, "%s|%s|%" PRId64 "|%.3f|%.1f|%.3f|%.3f|%.3f|%.3f|%.3f|%.3f|%.1f|%.4f|%.1f|%.1f|%.1f|%.3f|%s", work->name,
      work->size, bytes, floor_us, work->wanted_us > 0 ? work->wanted_us : NAN, us.cold.median, us.cold.p5, us.cold.p95,
      us.cold.deviation, us.warm, enqueue_us, cpu_us, (double) bytes / us.cold.median / 1e3 / bench->copy_gbps, bench->copy_gbps,
      bench->fill_gbps, bench->read_gbps, bench->launch_us, differs[0] ? differs : "yes");
  bench_rows_begin (to, copies.jobs[copies.n - 1], floor_us, &us.cold);
  bench_rows_number (to, "n_copies", copies.n);
  write_plain (bench, &copies, to);
  bench_rows_end (to, differs[0] ? differs : "yes");
  bench_copies_close (&copies);
  return differs[0] != '\0';
}

static void
run_once (const Bench *bench, const BenchWork *work)
{
  static BenchCopies copies;

  bench_copies_open (bench, work, &copies);
  for (int i = 1; i <= copies.n; i++) {
    if (i == copies.n) {
      nvtxRangePushA (work->name);
      nvtxRangePushA ("counted");
    }
    bench_copies_run (&copies, i % copies.n, bench->stream);
    bench_must_cuda (cudaStreamSynchronize (bench->stream), "cudaStreamSynchronize");
  }
  nvtxRangePop ();
  nvtxRangePop ();
  printf ("\"%s\",%s,%" PRId64 "\n", work->name, work->size, bench_job_bytes (copies.host));
  fflush (stdout);
  bench_copies_close (&copies);
}

/* ---- all of them ---- */

static int
measure_all (Bench *bench, const BenchFilter *filter, const char *csv, const char *folder)
{
  char machine[512];
  int wrong = 0;
  Table table;
  BenchRows rows;

  bench_measure_rates (bench);
  bench->launch_us = time_nothing (bench);
  snprintf (machine, sizeof (machine), "\"device\": \"%s\", \"multiprocessors\": %d, \"l2_bytes\": %" PRId64, bench->name,
      bench->multiprocessors, bench->l2_bytes);
  bench_rows_open (&rows, folder, machine);
  table_open (&table, csv, "work,size,must_move_bytes,floor_us,wanted_us,median_us,p5_us,p95_us,deviation_us,warm_us,enqueue_us,"
      "cpu_us,share_of_copy,copy_gbps,fill_gbps,read_gbps,launch_us,checked");
  for (int i = 0; i < bench_n_works; i++) {
    if (bench_wants (filter, &bench_works[i]))
      wrong += measure (bench, &bench_works[i], &table, &rows);
  }
  table_end (&table);
  bench_rows_close (&rows);
  return wrong > 0;
}

int
main (int argc, char **argv)
{
  const char *csv = NULL, *folder = NULL;
  int once = 0, status = 0;
  BenchFilter filter = { 0 };
  Bench bench;

  for (int i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--once") == 0)
      once = 1;
    else if (!bench_filter_add (&filter, argc, argv, &i) && !bench_option (argc, argv, &i, "--csv", &csv)
        && !bench_option (argc, argv, &i, "--rows", &folder))
      bench_fail (argv[i], "expected --alignments, --voxels, --size small|medium|large, --only TEXT, --wanted, --csv FILE, "
          "--rows FOLDER or --once");
  }
  if (bench_filter_is_empty (&filter))
    return 1;
  bench_keep_pages ();
  if (!bench_open (&bench, "bench-kernels"))
    return 0;
  for (int i = 0; i < bench_n_works && once; i++) {
    if (bench_wants (&filter, &bench_works[i]))
      run_once (&bench, &bench_works[i]);
  }
  if (!once)
    status = measure_all (&bench, &filter, csv, folder);
  bench_close (&bench);
  return status;
}
