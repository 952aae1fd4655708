/* robocache: works with their inputs and outputs in files, for peers
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/kernels/rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/voxel_plan.h"

#define GRID_BYTES (INT64_C (256) << 20)

void
bench_rows_open (BenchRows *rows, const char *folder, const char *machine)
{
  char path[4096];

  *rows = (BenchRows) {.folder = folder };
  if (folder == NULL)
    return;
  snprintf (path, sizeof (path), "%s/rows.json", folder);
  rows->json = fopen (path, "w");
  if (rows->json == NULL)
    bench_fail (path, "cannot be written");
  fprintf (rows->json, "{%s}\n", machine);
}

void
bench_rows_close (BenchRows *rows)
{
  if (rows->folder != NULL && fclose (rows->json) != 0)
    bench_fail (rows->folder, "rows.json cannot be written");
}

static int64_t
items_of (const BenchJob *job)
{
  const int64_t fit = job->value_bytes > 0 ? GRID_BYTES / job->value_bytes : INT64_MAX, batch = job->work->voxels.clouds;

  return batch < fit ? batch : fit > 0 ? fit : 1;
}

static void
write_array (const BenchRows *rows, const BenchJob *job, const BenchArray *array, const char *name)
{
  const int64_t bytes = job->work->is_voxels && array->is_output ? array->bytes / job->work->voxels.clouds * items_of (job)
      : array->bytes;
  char *host = malloc ((size_t) bytes + 1), path[4096];
  FILE *file;

  bench_copy (job->backend, host, array->memory, bytes);
  snprintf (path, sizeof (path), "%s/%d.%s", rows->folder, rows->row, name);
  file = fopen (path, "wb");
  if (file == NULL || fwrite (host, 1, (size_t) bytes, file) != (size_t) bytes || fclose (file) != 0)
    bench_fail (path, "cannot be written");
  free (host);
}

static void
write_alignment (const BenchRows *rows, const BenchJob *job)
{
  static const char *const names[] = { "linear", "nearest", "previous", "cubic", "hermite", "mean" };
  const BenchAlignment *work = &job->work->align;

  fprintf (rows->json, ", \"batch\": %" PRId64 ", \"ticks\": %" PRId64 ", \"period_ns\": %" PRId64 ", \"in\": \"%s\", "
      "\"out\": \"%s\", \"interpolation\": \"%s\", \"quaternions\": %" PRId64 ", \"live\": %s, \"streams\": [", work->batch,
      work->ticks, job->specs[0].search.period_ns, rc_dtype_name (work->in), rc_dtype_name (work->out),
      names[work->interpolation], work->quaternions, work->live ? "true" : "false");
  for (int i = 0; i < job->n_streams; i++)
    fprintf (rows->json, "%s[%" PRId64 ", %" PRId64 "]", i > 0 ? ", " : "", job->streams[i].n_rows, job->specs[i].channels);
  fprintf (rows->json, "]");
}

/* Writes the grid and its limits, which other libraries for lidars need. */
static void
write_lidar (const BenchRows *rows, const RcVoxelSpec *spec)
{
  fprintf (rows->json, ", \"max_voxels\": %" PRId64 ", \"grid\": [%" PRId64 ", %" PRId64 ", %" PRId64 "], \"size\": [%.17g, %.17g, %.17g], "
      "\"lower\": [%.17g, %.17g, %.17g]", spec->max_voxels, spec->grid[0], spec->grid[1], spec->grid[2], spec->voxel_size[0],
      spec->voxel_size[1], spec->voxel_size[2], spec->origin[0], spec->origin[1], spec->origin[2]);
}

/* Runs the job once more for its counters. */
static void
write_voxels (const BenchRows *rows, BenchJob *job)
{
  const BenchVoxels *work = &job->work->voxels;
  RcVoxelCounters counters;

  bench_copy (job->backend, job->out.counters, NULL, (int64_t) sizeof (counters));
  bench_job_run_alone (job);
  bench_copy (job->backend, &counters, job->out.counters, (int64_t) sizeof (counters));
  fprintf (rows->json, ", \"mode\": \"%s\", \"output\": \"%s\", \"dtype\": \"%s\", \"batch\": %" PRId64 ", \"points\": %" PRId64
      ", \"axis\": %" PRId64 ", \"voxel\": %.17g, \"features\": %" PRId64 ", \"max_points\": %" PRId64 ", \"items\": %" PRId64
      ", \"occupied\": %" PRId64 ", \"origin\": %.17g, \"kept\": %s", rc_voxel_mode_name (work->mode),
      rc_voxel_output_name (work->output), rc_dtype_name (work->type), work->clouds, work->points, work->axis,
      job->spec.voxel_size[0], work->features, work->max_points, items_of (job), counters.occupied, job->spec.origin[0],
      work->kept || work->window > 0 ? "true" : "false");
  if (work->max_voxels > 0)
    write_lidar (rows, &job->spec);
}

void
bench_rows_begin (BenchRows *rows, BenchJob *job, double floor_us, const BenchSpread *us)
{
  const BenchWork *work = job->work;

  if (rows->folder == NULL)
    return;
  fprintf (rows->json, "{\"row\": %d, \"kind\": \"%s\", \"work\": \"%s\", \"must_move_bytes\": %" PRId64 ", \"floor_us\": %.3f, "
      "\"median_us\": %.3f, \"p5_us\": %.3f, \"p95_us\": %.3f, \"deviation_us\": %.3f", rows->row,
      !work->is_voxels ? "align" : work->voxels.max_voxels > 0 ? "lidar" : "voxel", work->name, bench_job_bytes (job), floor_us, us->median, us->p5, us->p95,
      us->deviation);
  if (work->wanted_us > 0)
    bench_rows_number (rows, "wanted_us", work->wanted_us);
  if (work->is_voxels)
    write_voxels (rows, job);
  else
    write_alignment (rows, job);
  for (int i = 0; i < job->n_arrays && !(work->is_voxels && (work->voxels.kept || work->voxels.window > 0)); i++) {
    if (job->arrays[i].is_input || job->arrays[i].is_output)
      write_array (rows, job, &job->arrays[i], job->arrays[i].name);
  }
}

void
bench_rows_number (BenchRows *rows, const char *name, double value)
{
  if (rows->folder != NULL)
    fprintf (rows->json, ", \"%s\": %.6g", name, value);
}

void
bench_rows_plain (BenchRows *rows, const BenchJob *job, const BenchSpread *us)
{
  char name[32];

  fprintf (rows->json, ", \"plain\": [%.3f, %.3f, %.3f]", us->median, us->p5, us->p95);
  for (int i = 0; i < job->n_arrays; i++) {
    if (job->arrays[i].is_output && strncmp (job->arrays[i].name, "status", 6) != 0) {
      snprintf (name, sizeof (name), "plain_%s", job->arrays[i].name);
      write_array (rows, job, &job->arrays[i], name);
    }
  }
}

void
bench_rows_end (BenchRows *rows, const char *checked)
{
  if (rows->folder == NULL)
    return;
  fprintf (rows->json, ", \"checked\": \"%s\"}\n", checked);
  fflush (rows->json);
  rows->row++;
}
