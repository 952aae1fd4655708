/* robocache: rows stored as float32, float16 or bfloat16: time and error of their interpolation
 *   bench-precision [--csv FILE]
 * 128 episodes of 1,000 rows of 64 channels are resampled to 500 ticks: joint angles (rad) and forces with impacts (N). Errors are
 * against float64 interpolation of the rows before they were stored. The outputs are compared with the CPU's, bit for bit.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>
#include <stdlib.h>

#include "kernels/interpolation.h"
#include "tests/bench/common/table.h"
#include "tests/bench/kernels/device.h"
#include "tests/kernels/numbers.h"

#define EPISODES 128
#define ROWS 1000
#define TICKS 500
#define CHANNELS 64
#define N ((int64_t) EPISODES * ROWS * CHANNELS)

/* ---- recordings: element i of [EPISODES, ROWS, CHANNELS], with a row a millisecond ---- */

static double
joint_angle (int64_t i)
{
  return 2.5 * sin (6.28 * 0.5 * (double) (i / CHANNELS % ROWS) * 1e-3 + (double) (i % CHANNELS)) + 1e-3 * bench_uniform ();
}

/* A tenth of all rows are in an impact of up to 500 N. */
static double
force (int64_t i)
{
  const int64_t row = i / CHANNELS % ROWS;

  return 5.0 * sin (6.28e-3 * (double) row) + (row % 200 < 20 ? 500.0 * exp (-(double) (row % 200) / 5) : 0) + 0.05 * bench_uniform ();
}

static const struct
{
  const char *name, *unit;
  double (*value) (int64_t i);
} recordings[] = { {"joint angles", "rad", joint_angle}, {"forces with impacts", "N", force} };

/* ---- measurements ---- */

/* In place of the rows that the jobs have. */
static void
put_rows (const Bench *bench, const BenchCopies *copies, const double *exact)
{
  const RcDtype dtype = copies->host->specs[0].in;
  const int64_t size = (int64_t) rc_dtype_size (dtype);
  char *rows = (char *) copies->host->streams[0].rows;

  for (int64_t i = 0; i < N; i++)
    bench_put (rows + i * size, dtype, exact[i]);
  for (int k = 0; k < copies->n; k++)
    bench_copy (bench->backend, (void *) copies->jobs[k]->streams[0].rows, rows, N * size);
}

static void
find_errors (const BenchJob *host, const double *exact, double *rms, double *most)
{
  const RcAlignStreamSpec *spec = &host->specs[0];
  const int64_t size = (int64_t) rc_dtype_size (spec->out);
  double squares = 0;

  *most = 0;
  for (int64_t tick = 0; tick < EPISODES * TICKS; tick++) {
    const int64_t first = tick / TICKS * ROWS;
    const RcBracket b = rc_bracket_find (&spec->search, host->streams[0].times + first, ROWS, host->align_args.tick_times[tick]);
    const double *y0 = exact + (first + b.row) * CHANNELS, *y1 = exact + (first + b.next) * CHANNELS;

    for (int c = 0; c < CHANNELS; c++) {
      const double got = oracle_get (spec->out, (const char *) host->streams[0].out + (tick * CHANNELS + c) * size);
      const double error = fabs (got - (y0[c] + b.w * (y1[c] - y0[c])));

      squares += error * error;
      *most = fmax (*most, error);
    }
  }
  *rms = sqrt (squares / (EPISODES * TICKS * CHANNELS));
}

static int
measure (const Bench *bench, size_t recording, const double *exact, RcDtype in, RcDtype out, Table *table)
{
  const BenchWork work = { recordings[recording].name, "medium",.align = {EPISODES, TICKS, in, out, {{ROWS, CHANNELS}}} };
  char differs[BENCH_DIFFERS_SIZE] = "";
  static BenchCopies copies;
  double bytes, rms, most;
  BenchSpread us;

  bench_copies_open (bench, &work, &copies);
  bytes = (double) bench_job_bytes (copies.host);
  put_rows (bench, &copies, exact);
  us = bench_times (bench, bench_copies_run, &copies, copies.n, bench_job_bytes (copies.host)).cold;
  bench_job_run (copies.host, NULL);
  bench_job_compare (copies.jobs[copies.n - 1], copies.host, differs);
  find_errors (copies.host, exact, &rms, &most);
  table_put (table, "%s|%s|%s|%.0f|%.2f|%.2f|%.0f|%.3g|%.3g|%s|%s", work.name, rc_dtype_name (in), rc_dtype_name (out), bytes,
      us.median, us.p95, bytes / us.median / 1e3, rms, most, recordings[recording].unit, differs[0] ? differs : "yes");
  bench_copies_close (&copies);
  return differs[0] != '\0';
}

int
main (int argc, char **argv)
{
  static const RcDtype stored[][2] = { {RC_FLOAT32, RC_FLOAT32}, {RC_FLOAT16, RC_FLOAT32}, {RC_FLOAT16, RC_FLOAT16},
    {RC_BFLOAT16, RC_FLOAT32}, {RC_BFLOAT16, RC_BFLOAT16}
  };
  double *exact = malloc (N * sizeof (*exact));
  const char *csv = NULL;
  int wrong = 0;
  Table table;
  Bench bench;

  for (int i = 1; i < argc; i++) {
    if (!bench_option (argc, argv, &i, "--csv", &csv))
      bench_fail (argv[i], "expected --csv FILE");
  }
  if (!bench_open (&bench, "bench-precision"))
    return 0;
  table_open (&table, csv, "rows,stored_as,out_as,must_move_bytes,median_us,p95_us,achieved_gbps,error_rms,error_max,unit,checked");
  for (size_t k = 0; k < sizeof (recordings) / sizeof (recordings[0]); k++) {
    for (int64_t i = 0; i < N; i++)
      exact[i] = recordings[k].value (i);
    for (size_t i = 0; i < sizeof (stored) / sizeof (stored[0]); i++)
      wrong += measure (&bench, k, exact, stored[i][0], stored[i][1], &table);
  }
  table_end (&table);
  bench_close (&bench);
  free (exact);
  return wrong > 0;
}
