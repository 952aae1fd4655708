/* robocache: times of batches of kinematics of an arm of seven joints, on a GPU or a core
 *
 *   batches [--gpu]     prints a line for each batch: what, rows, microseconds a run, and for inverses the part that converged
 *
 * Rows lie where they are computed. A time is the mean of runs that follow each other in one stream, so a launch is part of it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/kinematics/kinematics.h"
#include "kernels/memory.h"
#include "tests/kernels/random.h"

#define N 7

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
  printf ("%s: %s\n", status == RC_NO_DEVICE ? "SKIP batches" : "FAIL batches", error->message);
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

static double
time_runs (const Bench *bench, const RcForwardArgs *forward, const RcInverseArgs *inverse)
{
  double began = 0;
  int runs = 0;
  RcError error;

  for (int warm = 0; warm < 2; warm++) {
    began = now ();
    for (runs = 0; runs < (warm ? 1000 : 20) && now () - began < 1e6; runs++)
      check (forward ? rc_kinematics_forward (bench->plan, forward, bench->stream, &error)
          : rc_kinematics_inverse (bench->plan, inverse, bench->stream, &error), &error);
    check (rc_stream_synchronize (bench->backend, bench->stream, &error), &error);
  }
  return (now () - began) / runs;
}

static void
time_batch (const Bench *bench, int64_t batch)
{
  double *positions = take (bench, batch * N * 8), *near = take (bench, batch * N * 8), *poses = take (bench, batch * 7 * 8);
  double *jacobians = take (bench, batch * 6 * N * 8), *solutions = take (bench, batch * N * 8);
  uint8_t *status = take (bench, batch), *host = malloc ((size_t) batch);
  RcForwardArgs forward = {.batch = batch,.positions = {positions, N * 8},.poses = {poses, 7 * 8} };
  const RcInverseArgs inverse = {.batch = batch,.targets = {poses, 7 * 8},.starts = {near, N * 8},.positions = {solutions, N * 8},
    .status = status
  };
  int64_t converged = 0;

  make_positions (bench, batch, 0.05, positions, near);
  printf ("poses %8lld rows %10.2f us\n", (long long) batch, time_runs (bench, &forward, NULL));
  printf ("inverse %6lld rows %10.2f us", (long long) batch, time_runs (bench, NULL, &inverse));
  copy (bench, host, status, batch);
  for (int64_t i = 0; i < batch; i++)
    converged += host[i] == RC_INVERSE_CONVERGED;
  printf (", %.2f %% converged\n", 100.0 * (double) converged / (double) batch);
  forward.poses.numbers = NULL;
  forward.jacobians = (RcKinematicsOut) {jacobians, 6 * N * 8};
  printf ("Jacobians %4lld rows %10.2f us\n", (long long) batch, time_runs (bench, &forward, NULL));
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
  Bench bench;

  open_bench (&bench, argc > 1 && strcmp (argv[1], "--gpu") == 0);
  for (int i = 0; i < 3; i++)
    time_batch (&bench, batches[i]);
  rc_kinematics_plan_free (bench.plan);
  rc_stream_free (bench.backend, bench.stream);
  rc_backend_close (bench.backend);
  return 0;
}
