/* robocache: runs of a work in memory of their own
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "tests/bench/kernels/host.h"
#include "tests/bench/kernels/works.h"

#define BENCH_MAX_ARRAYS (6 * BENCH_MAX_STREAMS + 4)
#define BENCH_DIFFERS_SIZE 128

typedef struct
{
  char name[16];                /* of its file, for peers */
  void *memory;                 /* where the backend computes */
  int64_t bytes;
  int is_input, is_output;      /* neither: scratch */
} BenchArray;

/* Bytes that a run must move at least. */
typedef struct
{
  int64_t read, written;
} BenchBytes;

typedef struct
{
  const BenchWork *work;
  RcBackend *backend;
  BenchArray arrays[BENCH_MAX_ARRAYS];
  int n_arrays;
  BenchBytes bytes;
  int turn;                     /* of the two clouds of a kept grid or of a window, the next one */
  int64_t value_bytes;          /* of a voxel grid */
  int n_streams;
  RcAlignPlan *align;
  RcAlignArgs align_args;
  RcAlignStreamSpec specs[BENCH_MAX_STREAMS];
  RcAlignStreamArgs streams[BENCH_MAX_STREAMS];
  int32_t *channels[BENCH_MAX_STREAMS]; /* quaternions, or rates */
  RcVoxelPlan *voxels;
  RcVoxelSpec spec;
  RcVoxelJob job;
  RcVoxelChunk clouds[3];       /* two that alternate, and one for the others of a window */
  RcVoxelOut out;
} BenchJob;

/* like NULL: generates the inputs; backend is a CPU then. Otherwise copies the inputs of like, which are on the CPU or on the same
 * device. Ends the program on errors, as all functions here. */
BenchJob *bench_job_new (const BenchWork * work, RcBackend * backend, const BenchJob * like);
void bench_job_free (BenchJob * job);

/* Enqueues a run. A later run of a voxel grid knows what this one left. */
void bench_job_run (BenchJob * job, RcStream stream);

/* Runs on a stream of its own, and waits. */
void bench_job_run_alone (BenchJob * job);

/* Runs cpu until it has the turn of job, and writes the first difference of the outputs to differs. */
void bench_job_compare (const BenchJob * job, BenchJob * cpu, char differs[BENCH_DIFFERS_SIZE]);

int64_t bench_job_bytes (const BenchJob * job);

/* ---- for the two kinds of jobs, alignments and voxel grids ---- */

/* Fills in a job with a work and a backend; like as in bench_job_new. */
void bench_job_open_alignment (BenchJob * job, const BenchJob * like);
void bench_job_open_voxels (BenchJob * job, const BenchJob * like);
void bench_job_run_voxels (BenchJob * job, RcStream stream);

/* Memory of a new array; an input is a copy of that of like, which has the same arrays in the same order. */
void *bench_job_array (BenchJob * job, const BenchJob * like, const char *name, int64_t bytes, int is_input, int is_output);
