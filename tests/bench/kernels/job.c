/* robocache: runs of a work in memory of their own
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/kernels/job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

BenchJob *
bench_job_new (const BenchWork *work, RcBackend *backend, const BenchJob *like)
{
  BenchJob *job = calloc (1, sizeof (*job));

  if (job == NULL || (like == NULL && rc_backend_kind (backend) != RC_BACKEND_CPU))
    bench_fail (work->name, "expected memory, and a CPU for the first job");
  job->work = work;
  job->backend = backend;
  (work->is_voxels ? bench_job_open_voxels : bench_job_open_alignment) (job, like);
  return job;
}

void *
bench_job_array (BenchJob *job, const BenchJob *like, const char *name, int64_t bytes, int is_input, int is_output)
{
  const int i = job->n_arrays++;
  BenchArray *array = &job->arrays[i];

  *array = (BenchArray) {.memory = bench_memory (job->backend, bytes, like != NULL && is_input ? like->arrays[i].memory : NULL),
    .bytes = bytes,.is_input = is_input,.is_output = is_output};
  snprintf (array->name, sizeof (array->name), "%s", name);
  return array->memory;
}

void
bench_job_free (BenchJob *job)
{
  rc_align_plan_free (job->align);
  rc_voxel_plan_free (job->voxels);
  for (int i = 0; i < job->n_arrays; i++)
    rc_memory_free (job->backend, RC_MEMORY_DEVICE, job->arrays[i].memory);
  for (int i = 0; i < job->n_streams; i++)
    free (job->channels[i]);
  free ((void *) job->spec.points.layout);
  free ((void *) job->spec.depth.rays);
  free (job);
}

void
bench_job_run (BenchJob *job, RcStream stream)
{
  RcError error;

  if (job->work->is_voxels)
    bench_job_run_voxels (job, stream);
  else
    bench_must (rc_align_run (job->align, &job->align_args, stream, &error), &error, job->work->name);
}

void
bench_job_run_alone (BenchJob *job)
{
  RcStream stream;
  RcError error;

  bench_must (rc_stream_new (job->backend, &stream, &error), &error, "stream");
  bench_job_run (job, stream);
  bench_must (rc_stream_synchronize (job->backend, stream, &error), &error, job->work->name);
  rc_stream_free (job->backend, stream);
}

void
bench_job_compare (const BenchJob *job, BenchJob *cpu, char differs[BENCH_DIFFERS_SIZE])
{
  int64_t at = -1;
  int i;

  while (cpu->turn != job->turn)
    bench_job_run (cpu, NULL);
  for (i = 0; i < job->n_arrays && at < 0; i++) {
    if (job->arrays[i].is_output)
      at = bench_difference (job->backend, job->arrays[i].memory, cpu->arrays[i].memory, job->arrays[i].bytes);
  }
  if (at >= 0)
    snprintf (differs, BENCH_DIFFERS_SIZE, "%s differs from the CPU's at byte %" PRId64, job->arrays[i - 1].name, at);
}

int64_t
bench_job_bytes (const BenchJob *job)
{
  return job->bytes.read + job->bytes.written;
}
