/* robocache: times of batches of kinematics of an arm of seven joints, on a GPU or a core
 *
 *   bench-kinematics [--gpu] [--csv FILE]
 *
 * Rows lie where they are computed. Times are of runs that follow each other in one stream, so a launch is part of them: each is the
 * mean of a round of about 2 ms. Of inverses there is the share of rows that converged, too.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/kinematics/kinematics.h"
#include "kernels/memory.h"
#include "tests/bench/common/table.h"
#include "tests/kernels/random.h"

#define N 7
#define WARM_UP 20
#define ROUND_US 2000
#define MIN_ROUNDS 5
#define MAX_ROUNDS 201
#define WORK_US 1e6             /* at most, about */

typedef struct
{
  RcBackend *backend;
  RcStream stream;
  RcKinematicsPlan *plan;
} Bench;

static void
check (RcStatus status, const RcError *error)
{
  if (status == RC_OK)
    return;
  printf ("%s: %s\n", status == RC_NO_DEVICE ? "SKIP bench-kinematics" : "FAIL bench-kinematics", error->message);
  exit (status == RC_NO_DEVICE ? 77 : 1);
}

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e6 + (double) t.tv_nsec / 1e3;
}

/* The arm of examples/arm.urdf. */
static void
open_bench (Bench *bench, int is_gpu)
{
  static const double lengths[N] = { 0.34, 0, 0.4, 0, 0.4, 0, 0.08 };
  static const double axes[N][3] = { {0, 0, 1}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}, {0, 0, 1}, {0, 1, 0}, {0, 0, 1} };
  const RcWhere where = {.kind = is_gpu ? RC_BACKEND_CUDA : RC_BACKEND_CPU };
  RcJointSpec joints[N + 1];
  const int32_t frame = N, variables[N] = { 0, 1, 2, 3, 4, 5, 6 };
  const RcKinematicsSpec spec = {.joints = joints,.n_joints = N + 1,.base = -1,.frames = &frame,.n_frames = 1,.variables = variables,
    .n_variables = N,.max_iterations = 100,.tolerance = 1e-6,.orientation_weight = 1
  };
  RcError error;

  for (int i = 0; i <= N; i++) {
    joints[i] = (RcJointSpec) {.kind = i < N ? RC_JOINT_REVOLUTE : RC_JOINT_FIXED,.parent = i - 1,.lower = -2.9,.upper = 2.9,.mimics = -1,
      .origin = {0, 0, i < N ? lengths[i] : 0.12}
    };
    if (i < N)
      memcpy (joints[i].axis, axes[i], sizeof (axes[i]));
  }
  check (rc_backend_open (&where, &bench->backend, &error), &error);
  check (rc_stream_new (bench->backend, &bench->stream, &error), &error);
  check (rc_kinematics_plan (bench->backend, &spec, &bench->plan, NULL, &error), &error);
}

static void *
take (const Bench *bench, int64_t bytes)
{
  void *memory = NULL;
  RcError error;

  check (rc_memory_alloc (bench->backend, RC_MEMORY_DEVICE, (uint64_t) bytes, &memory, &error), &error);
  return memory;
}

static void
copy (const Bench *bench, void *to, const void *from, int64_t bytes)
{
  const RcMemoryCopy copied = {.to = to,.from = from,.row_bytes = (uint64_t) bytes,.rows = 1,.is_read_on_return = 1 };
  RcError error;

  check (rc_memory_copy (bench->backend, &copied, bench->stream, &error), &error);
  check (rc_stream_synchronize (bench->backend, bench->stream, &error), &error);
}

/* Positions within 2 rad, each row of them again with up to `step` more. */
static void
make_positions (const Bench *bench, int64_t batch, double step, double *positions, double *near)
{
  double *host = malloc ((size_t) (batch * N) * sizeof (*host));
  uint64_t random = 1;

  for (int k = 0; k < 2; k++) {
    for (int64_t i = 0; i < batch * N; i++)
      host[i] = k == 0 ? random_real (&random, -2, 2) : host[i] + random_real (&random, -step, step);
    copy (bench, k == 0 ? positions : near, host, batch * N * (int64_t) sizeof (*host));
  }
  free (host);
}

/* us of so many runs. */
static double
time_round (const Bench *bench, const RcForwardArgs *forward, const RcInverseArgs *inverse, int runs)
{
  const double began = now ();
  RcError error;

  for (int i = 0; i < runs; i++)
    check (forward ? rc_kinematics_forward (bench->plan, forward, bench->stream, &error)
        : rc_kinematics_inverse (bench->plan, inverse, bench->stream, &error), &error);
  check (rc_stream_synchronize (bench->backend, bench->stream, &error), &error);
  return now () - began;
}

/* us of a run */
static BenchSpread
time_runs (const Bench *bench, const RcForwardArgs *forward, const RcInverseArgs *inverse)
{
  const double first = time_round (bench, forward, inverse, 1);
  const int warm_up = first < ROUND_US ? WARM_UP : 1;
  const double each = time_round (bench, forward, inverse, warm_up) / warm_up;
  const int runs = each < ROUND_US ? (int) (ROUND_US / each) : 1;
  const double began = now ();
  double us[MAX_ROUNDS];
  int n;

  for (n = 0; n < MAX_ROUNDS && (n < MIN_ROUNDS || now () - began < WORK_US); n++)
    us[n] = time_round (bench, forward, inverse, runs) / runs;
  return bench_spread (us, n);
}

/* converged: a share; NAN: of no inverse */
static void
put_row (Table *table, const char *work, int64_t rows, BenchSpread us, double converged)
{
  table_put (table, "%s|%lld|%.2f|%.2f|%.2f|%.2f|%.4f", work, (long long) rows, us.median, us.p5, us.p95, us.deviation, converged);
}

static void
time_batch (const Bench *bench, int64_t batch, Table *table)
{
  double *positions = take (bench, batch * N * 8), *near = take (bench, batch * N * 8), *poses = take (bench, batch * 7 * 8);
  double *jacobians = take (bench, batch * 6 * N * 8), *solutions = take (bench, batch * N * 8);
  uint8_t *status = take (bench, batch), *host = malloc ((size_t) batch);
  RcForwardArgs forward = {.batch = batch,.positions = {positions, N * 8},.poses = {poses, 7 * 8} };
  const RcInverseArgs inverse = {.batch = batch,.targets = {poses, 7 * 8},.starts = {near, N * 8},.positions = {solutions, N * 8},
    .status = status
  };
  int64_t converged = 0;
  BenchSpread us;

  make_positions (bench, batch, 0.05, positions, near);
  put_row (table, "poses", batch, time_runs (bench, &forward, NULL), NAN);
  us = time_runs (bench, NULL, &inverse);
  copy (bench, host, status, batch);
  for (int64_t i = 0; i < batch; i++)
    converged += host[i] == RC_INVERSE_CONVERGED;
  put_row (table, "inverse", batch, us, (double) converged / (double) batch);
  forward.poses.numbers = NULL;
  forward.jacobians = (RcKinematicsOut) {jacobians, 6 * N * 8};
  put_row (table, "Jacobians", batch, time_runs (bench, &forward, NULL), NAN);
  free (host);
  rc_memory_free (bench->backend, RC_MEMORY_DEVICE, status);
  rc_memory_free (bench->backend, RC_MEMORY_DEVICE, solutions);
  rc_memory_free (bench->backend, RC_MEMORY_DEVICE, jacobians);
  rc_memory_free (bench->backend, RC_MEMORY_DEVICE, poses);
  rc_memory_free (bench->backend, RC_MEMORY_DEVICE, near);
  rc_memory_free (bench->backend, RC_MEMORY_DEVICE, positions);
}

int
main (int argc, char **argv)
{
  static const int64_t batches[] = { 100, 1024, 100000 };
  const char *csv = NULL;
  int is_gpu = 0;
  Bench bench;
  Table table;

  for (int i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--gpu") == 0) {
      is_gpu = 1;
    } else if (strcmp (argv[i], "--csv") == 0 && i + 1 < argc) {
      csv = argv[++i];
    } else {
      fprintf (stderr, "bench-kinematics [--gpu] [--csv FILE]\n");
      return 2;
    }
  }
  open_bench (&bench, is_gpu);
  table_open (&table, csv, "work,rows,median_us,p5_us,p95_us,deviation_us,converged");
  for (int i = 0; i < 3; i++)
    time_batch (&bench, batches[i], &table);
  table_end (&table);
  rc_kinematics_plan_free (bench.plan);
  rc_stream_free (bench.backend, bench.stream);
  rc_backend_close (bench.backend);
  printf ("PASS bench-kinematics\n");
  return 0;
}
