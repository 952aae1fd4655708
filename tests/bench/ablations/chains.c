/* robocache: the pose at the end of an arm, for many sets of angles: matrices of 4x4 and tensor cores
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "chains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ablations.h"
#include "kernels/memory.h"

#define ARMS (1 << 19)
#define CHECKED_ARMS 4096       /* every so many are computed on the host, too */

typedef struct
{
  const char *name;
  const void *const *kernel;
  double products;              /* an arm and joint; a product of two poses needs 36 */
  double most_error;            /* metres */
} Variant;

/* tf32 has 11 bits: each of 14 factors is wrong by up to 2^-12, of 1.3 m at most. */
static const Variant variants[] = {
  {"a thread an arm, float32", &chains_plain, 36, 2e-6},
  {"mma.sync, tf32", &chains_mma, 256, 1.3 * 14 * 0x1p-11},
  {"wgmma, tf32", &chains_wgmma, 1024, 1.3 * 14 * 0x1p-11},
};

/* ---- in float64 ---- */

static void
multiply_joint (double pose[3][4], const ChainsLink *link, double angle)
{
  const double s = sin (angle), c = cos (angle), ca = link->cos_alpha, sa = link->sin_alpha;
  const double joint[4][4] = { {c, -s * ca, s * sa, link->a * c}, {s, c * ca, -c * sa, link->a * s}, {0, sa, ca, link->d},
    {0, 0, 0, 1}
  };
  int i, j, k;

  for (i = 0; i < 3; i++) {
    double row[4] = { 0, 0, 0, 0 };

    for (j = 0; j < 4; j++) {
      for (k = 0; k < 4; k++)
        row[k] += pose[i][j] * joint[j][k];
    }
    memcpy (pose[i], row, sizeof (row));
  }
}

/* Distance between where the ends are, in metres; a NaN stays one. */
static double
error_of (const float *angles, const float *out)
{
  static const ChainsLink links[CHAINS_JOINTS] = CHAINS_LINKS;
  double pose[3][4] = { {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0} }, sum = 0;
  int i;

  for (i = 0; i < CHAINS_JOINTS; i++)
    multiply_joint (pose, &links[i], angles[i]);
  for (i = 0; i < 3; i++)
    sum += (out[4 * i + 3] - pose[i][3]) * (out[4 * i + 3] - pose[i][3]);
  return sqrt (sum);
}

/* ---- runs ---- */

typedef struct
{
  ChainsArgs copies[BENCH_MAX_COPIES];
  int n_copies;
  AblationLaunch launch;
} Work;

static void
run (void *data, int i, cudaStream_t stream)
{
  Work *work = data;
  void *arguments[] = { &work->copies[i] };

  ablation_launch (&work->launch, arguments, stream);
}

static double
greatest_error (const Work *work, const float *angles)
{
  const size_t bytes = (size_t) ARMS * CHAINS_POSE * sizeof (float);
  float *poses = malloc (bytes);
  double most = 0;
  int i;

  bench_must (cudaMemcpy (poses, work->copies[0].poses, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  for (i = 0; i < ARMS; i += ARMS / CHECKED_ARMS + 1) {
    const double error = error_of (angles + i * CHAINS_JOINTS, poses + i * CHAINS_POSE);

    most = error <= most ? most : error;
  }
  free (poses);
  return most;
}

static void
measure (Ablations *all, const Variant *variant, Work *work, const float *angles, Table *table)
{
  const BenchBytes must_move = {.read = (int64_t) ARMS * CHAINS_JOINTS * 4,.written = (int64_t) ARMS * CHAINS_POSE * 4 };
  BenchTimes times;
  double error;

  work->launch = (AblationLaunch) { *variant->kernel, ARMS / CHAINS_THREADS, CHAINS_THREADS, 0, 0 };
  bench_must (cudaMemset (work->copies[0].poses, 0xFF, (size_t) ARMS * CHAINS_POSE * 4), "cudaMemset");
  bench_must (cudaDeviceSynchronize (), "cudaDeviceSynchronize");
  times = bench_times (&all->bench, run, work, work->n_copies, bench_total (&must_move));
  error = greatest_error (work, angles);
  table_text (table, "524288 arms of 7 joints");
  table_text (table, variant->name);
  ablation_put_times (table, &all->bench, &must_move, &times);
  table_number (table, variant->products, 0);
  table_number (table, 2 * variant->products * CHAINS_JOINTS * ARMS / times.cold.median / 1e6, 2);
  table_small (table, 1e3 * error);
  table_text (table, ablation_checked (all, error <= variant->most_error));
}

void
ablate_chains (Ablations *all)
{
  Work *work = calloc (1, sizeof (*work));
  const size_t n_angles = (size_t) ARMS * CHAINS_JOINTS;
  float *angles = malloc (n_angles * sizeof (*angles));
  Table table;
  size_t i;
  int k;

  for (i = 0; i < n_angles; i++)
    angles[i] = (float) (6 * bench_uniform () - 3);
  work->n_copies = bench_copies (&all->bench, (int64_t) ARMS * (CHAINS_JOINTS + CHAINS_POSE) * 4);
  for (k = 0; k < work->n_copies; k++)
    work->copies[k] = (ChainsArgs) {.n = ARMS,
      .angles = bench_memory (all->bench.backend, n_angles * sizeof (*angles), k > 0 ? work->copies[0].angles : angles),
      .poses = bench_memory (all->bench.backend, (uint64_t) ARMS * CHAINS_POSE * 4, NULL)
    };
  table_begin (&table, all->folder, "chains", "work,variant," ABLATION_TIMES ",products_a_joint,tflops,"
      "error_max_mm,checked");
  for (i = 0; i < sizeof (variants) / sizeof (variants[0]); i++)
    measure (all, &variants[i], work, angles, &table);
  table_end (&table);
  for (k = 0; k < work->n_copies; k++) {
    rc_memory_free (all->bench.backend, RC_MEMORY_DEVICE, (void *) work->copies[k].angles);
    rc_memory_free (all->bench.backend, RC_MEMORY_DEVICE, work->copies[k].poses);
  }
  free (angles);
  free (work);
}
