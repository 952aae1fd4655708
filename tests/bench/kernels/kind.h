/* robocache: what the two kinds of jobs, alignments and voxel grids, share
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KIND_H
#define BENCH_KIND_H

#include <stdio.h>

#include "tests/bench/kernels/job.h"

/* Fills in a job with a work and a backend; like as in bench_job_new. */
void bench_job_open_alignment (BenchJob * job, const BenchJob * like);
void bench_job_open_voxels (BenchJob * job, const BenchJob * like);
void bench_job_run_voxels (BenchJob * job, RcStream stream);

/* Memory of a new array; an input is a copy of that of like, which has the same arrays in the same order. */
static inline void *
bench_job_array (BenchJob *job, const BenchJob *like, const char *name, int64_t bytes, int is_input, int is_output)
{
  const int i = job->n_arrays++;
  BenchArray *array = &job->arrays[i];

  *array = (BenchArray) {.memory = bench_memory (job->backend, bytes, like != NULL && is_input ? like->arrays[i].memory : NULL),
    .bytes = bytes,.is_input = is_input,.is_output = is_output};
  snprintf (array->name, sizeof (array->name), "%s", name);
  return array->memory;
}

#endif
