/* robocache: runs of voxel grids
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/rays.h"
#include "tests/bench/kernels/job.h"

/* ---- clouds ---- */

static int64_t
window_of (const BenchVoxels *work)
{
  return work->window > 0 ? work->window : 1;
}

/* Points of a job: those of one cloud or image, times the clouds of its window. */
static int64_t
points_of (const BenchVoxels *work)
{
  return (work->width > 0 ? work->width * work->height : work->points) * window_of (work);
}

static double
voxel_of (const BenchVoxels *work)
{
  return work->voxel_m > 0 ? work->voxel_m : 1.0 / (double) work->axis;
}

/* At least 0 and below extent, in float32 too. */
static double
within (double extent)
{
  const double x = extent * bench_uniform ();

  return (float) x < (float) extent ? x : 0;
}

/* Walls are a tenth of the room from its ends, two across each axis in turn. Those of the next cloud are one voxel further. */
static double
on_wall (const BenchVoxels *work, int64_t i, int cloud)
{
  return ((i / 3 % 2 ? 0.9 : 0.1) * (double) work->axis + 0.5 + cloud) * voxel_of (work);
}

static void
fill_points (BenchJob *job, int cloud)
{
  const BenchVoxels *work = &job->work->voxels;
  const double extent = (work->side > 0 ? work->side : 1) * voxel_of (work) * (double) work->axis;
  const RcVoxelField *fields = job->spec.points.layout;

  for (int64_t i = 0; i < work->clouds * work->points; i++) {
    char *point = (char *) job->clouds[cloud].data + i * job->clouds[cloud].stride;

    for (int64_t k = 0; k < 3 + work->features; k++) {
      const double x = k < 3 ? within (extent) : rc_dtype_is_float (fields[k].dtype) ? 2 * bench_uniform () - 1 : 127 * bench_uniform ();

      bench_put (point + fields[k].offset, fields[k].dtype, x);
    }
    if (work->room)
      bench_put (point + fields[i % 3].offset, fields[i % 3].dtype, on_wall (work, i, cloud));
  }
}

/* The given cloud and its mirror image alternate; those of a window move by a tenth of a voxel of 4 m. */
static void
fill_given (BenchJob *job, int cloud)
{
  const BenchVoxels *work = &job->work->voxels;
  float *points = (float *) job->clouds[cloud].data;

  for (int64_t i = 0; i < 3 * work->points; i++)
    points[i] = work->window > 0 ? work->cloud[i] + (i % 3 == 0 ? 0.4f * (float) cloud : 0) : cloud == 0 ? work->cloud[i] : -work->cloud[i];
}

/* Distances of walls around a lidar, in sectors of 3 degrees: one of about three is behind a parked car or a post. */
static double
wall_of (int64_t sector)
{
  const uint32_t mixed = (uint32_t) (sector + 1) * 2654435761u >> 8;

  return mixed % 3 == 0 ? 4 + mixed % 1000 / 100.0 : 14 + mixed % 5000 / 100.0;
}

/* Makes the point where a beam ends, on the ground or at a wall, with noise. */
static void
cast_beam (const BenchScan *scan, int64_t beam, int64_t column, double *xyz)
{
  const double degree = acos (-1) / 180, azimuth = 360.0 * (double) column / (double) scan->columns;
  const double elevation = scan->lowest_deg + (scan->highest_deg - scan->lowest_deg) * (double) beam / (double) (scan->beams - 1);
  const double to_ground = elevation < 0 ? scan->height_m / sin (-elevation * degree) : 1000;
  const double to_wall = wall_of ((int64_t) (azimuth / 3)) / cos (elevation * degree);
  const double range = (to_ground < to_wall ? to_ground : to_wall) + 0.02 * (bench_uniform () - 0.5);

  xyz[0] = range * cos (elevation * degree) * cos (azimuth * degree);
  xyz[1] = range * cos (elevation * degree) * sin (azimuth * degree);
  xyz[2] = range * sin (elevation * degree);
}

static void
fill_scan (BenchJob *job, int cloud)
{
  const BenchScan *scan = job->work->voxels.scan;
  const int64_t each = scan->beams * scan->columns;
  float *point = (float *) job->clouds[cloud].data;

  for (int64_t i = 0; i < each * scan->sweeps; i++, point += 4) {
    const int64_t sweep = i / each, at = i % each;
    double xyz[3];

    cast_beam (scan, scan->by_beam ? at / scan->columns : at % scan->beams, scan->by_beam ? at % scan->columns : at / scan->beams, xyz);
    xyz[0] -= 0.5 * (double) sweep;
    for (int k = 0; k < 3; k++)
      point[k] = (float) xyz[k];
    point[3] = (float) bench_uniform ();
  }
}

/* A wall that is further at its right end than at its left one, with noise. */
static void
fill_images (BenchJob *job, int cloud)
{
  const BenchVoxels *work = &job->work->voxels;
  uint16_t *pixels = (uint16_t *) job->clouds[cloud].data;

  for (int64_t i = 0; i < work->clouds * work->width * work->height; i++)
    pixels[i] = (uint16_t) (0x4000 + 0x8000 * (i % work->width) / work->width + (int64_t) (0x1000 * bench_uniform ()));
}

/* Bitmap of the first item of a cloud of packed float32. */
static uint8_t *
occupied_by (const BenchJob *job, int cloud)
{
  const BenchVoxels *work = &job->work->voxels;
  const float *points = (const float *) job->clouds[cloud].data;
  uint8_t *voxels = calloc ((size_t) (work->axis * work->axis * work->axis), 1);
  int64_t k, voxel;

  for (int64_t i = 0; i < work->points; i++) {
    for (k = 2, voxel = 0; k >= 0; k--)
      voxel = voxel * work->axis + (int64_t) ((points[i * (3 + work->features) + k] - job->spec.origin[k]) / voxel_of (work));
    voxels[voxel] = 1;
  }
  return voxels;
}

/* Bytes of sectors that differ between the two clouds; of other modes than occupancy all sectors with a point. */
static int64_t
bytes_that_change (const BenchJob *job)
{
  const BenchVoxels *work = &job->work->voxels;
  const int64_t voxels = work->axis * work->axis * work->axis, sectors = job->value_bytes / 32;
  uint8_t *was = occupied_by (job, 0), *is = occupied_by (job, 1);
  int64_t n = 0;

  for (int64_t sector = 0; sector < sectors; sector++) {
    int changes = 0;

    for (int64_t voxel = sector * voxels / sectors; voxel <= ((sector + 1) * voxels - 1) / sectors; voxel++)
      changes |= work->mode == RC_VOXEL_OCCUPANCY ? was[voxel] ^ is[voxel] : was[voxel] | is[voxel];
    n += changes;
  }
  free (was);
  free (is);
  return work->clouds * n * 32;
}

/* ---- plans ---- */

static int64_t
describe_points (BenchJob *job)
{
  const BenchVoxels *work = &job->work->voxels;
  const RcDtype in = work->in ? work->in : RC_FLOAT32, feature = work->feature_in ? work->feature_in : in;
  const int64_t fields = 3 + work->features;
  RcVoxelField *layout = malloc ((size_t) fields * sizeof (*layout));
  int64_t stride = 0;

  for (int64_t k = 0; k < fields; k++) {
    layout[k] = (RcVoxelField) { k < 3 ? in : feature, stride};
    stride += (int64_t) rc_dtype_size (layout[k].dtype);
  }
  job->spec.points = (RcVoxelPoints) { in, fields, 3, work->features, layout};
  return stride;
}

/* The camera is in the middle of a side of the grid, and its image ends within the grid. */
static int64_t
describe_images (BenchJob *job)
{
  const BenchVoxels *work = &job->work->voxels;
  const double extent = voxel_of (work) * (double) work->axis, width = (double) work->width, height = (double) work->height;
  const RcCamera camera = {.width = work->width,.height = work->height,.fx = 1.3 * width,.fy = 1.3 * height,.cx = width / 2,
    .cy = height / 2,.k1 = -0.1,.k2 = 0.01,.p1 = 0.001,.p2 = -0.001
  };
  float *rays = work->distorts ? malloc (rc_camera_rays_bytes (&camera)) : NULL;
  RcError error;

  if (rays != NULL)
    bench_must (rc_camera_rays (&camera, rays, NULL, &error), &error, "rays");
  job->spec.source = RC_VOXEL_DEPTH;
  job->spec.depth = (RcVoxelDepth) { work->width, work->height, camera.fx, camera.fy, camera.cx, camera.cy, extent / 0x10000, rays};
  job->spec.origin[0] = job->spec.origin[1] = -extent / 2;
  return 2 * work->width;
}

static int64_t
describe (BenchJob *job)
{
  const BenchVoxels *work = &job->work->voxels;
  const double voxel = voxel_of (work), origin = work->cloud != NULL ? -voxel * (double) work->axis / 2 : 0;
  const BenchScan *scan = work->scan;

  job->spec = (RcVoxelSpec) {.mode = work->mode,.output = work->output,.dtype = work->type,
    .max_voxels = work->max_voxels > 0 ? work->max_voxels : points_of (work),
    .feature_range = work->feature_range,.batch = work->clouds,.max_points = work->max_points,
    .accumulates = work->window > 0 ? work->window + 1 : 0,.origin = {origin, origin, origin},
    .voxel_size = {voxel, voxel, voxel},.grid = {work->axis, work->axis, work->axis},.centre_z = scan != NULL
  };
  for (int k = 0; k < 3 && scan != NULL; k++) {
    job->spec.origin[k] = scan->origin[k];
    job->spec.voxel_size[k] = scan->size[k];
    job->spec.grid[k] = scan->grid[k];
  }
  return work->width > 0 ? describe_images (job) : describe_points (job);
}

static void
open_outputs (BenchJob *job, int64_t n)
{
  const RcVoxelSpec *spec = &job->spec;
  const int64_t cap = spec->max_voxels, batch = spec->batch;
  const int is_sparse = spec->output == RC_VOXEL_SPARSE;

  if (rc_voxel_maps_points (spec->output)) {
    job->job.point_voxels = bench_job_array (job, NULL, "map", batch * n * 8, 0, 1);
    job->job.point_voxels_batch_stride = n * 8;
    job->job.first_point = job->job.n_points - n;       /* of a window the newest cloud's */
    return;
  }
  job->out.grid = job->out.values = bench_job_array (job, NULL, is_sparse ? "values" : "grid", batch * job->value_bytes, 0, 1);
  job->out.grid_batch_stride = job->out.values_batch_stride = job->value_bytes;
  if (is_sparse) {
    job->out.n_voxels = bench_job_array (job, NULL, "n_voxels", batch * 4, 0, 1);
    job->out.n_voxels_batch_stride = 4;
    job->out.coordinates = bench_job_array (job, NULL, "coordinates", batch * cap * 12, 0, 1);
    job->out.coordinates_batch_stride = cap * 12;
  }
  if (rc_voxel_lists_points (spec->mode)) {
    job->out.point_counts = bench_job_array (job, NULL, "point_counts", batch * cap * 4, 0, 1);
    job->out.point_counts_batch_stride = cap * 4;
  }
}

static void
open_clouds (BenchJob *job, const BenchJob *like, int64_t stride)
{
  static const char *const names[] = { "points", "points_1", "points_2" };
  const BenchVoxels *work = &job->work->voxels;
  const int64_t n = work->width > 0 ? work->height : work->points;
  const int n_clouds = work->window > 0 ? 3 : work->kept ? 2 : 1;

  for (int i = 0; i < n_clouds; i++) {
    job->clouds[i] = (RcVoxelChunk) {.data = bench_job_array (job, like, names[i], work->clouds * n * stride, 1, 0),.n = n,
      .stride = stride,.batch_stride = n * stride,.layer = i
    };
    if (like == NULL)
      (work->cloud != NULL ? fill_given : work->scan != NULL ? fill_scan : work->width > 0 ? fill_images : fill_points) (job, i);
  }
}

/* What jobs of a window hold is not counted. */
static void
count_bytes (BenchJob *job)
{
  const BenchVoxels *work = &job->work->voxels;
  const int64_t cloud = work->clouds * job->clouds[0].batch_stride;

  job->bytes.read = (work->window > 0 ? 2 : 1) * cloud + (work->distorts ? work->width * work->height * 8 : 0);
  job->bytes.written = work->kept ? bytes_that_change (job) : 0;
  for (int i = 0; i < job->n_arrays && !work->kept; i++)
    job->bytes.written += job->arrays[i].is_output ? job->arrays[i].bytes : 0;
}

void
bench_job_open_voxels (BenchJob *job, const BenchJob *like)
{
  const BenchVoxels *work = &job->work->voxels;
  const int64_t stride = describe (job), n = points_of (work);
  RcFootprint footprint;
  RcError error;

  bench_must (rc_voxel_plan (job->backend, &job->spec, &job->voxels, &footprint, &error), &error, job->work->name);
  if (work->window > 0 && !rc_voxel_accumulates (job->voxels))
    bench_fail (job->work->name, "expected a plan whose jobs continue one another");
  job->value_bytes = rc_voxel_value_bytes (job->voxels);
  open_clouds (job, like, stride);
  job->job = (RcVoxelJob) {.n_points = n,.scratch = bench_job_array (job, NULL, "scratch",
        (int64_t) (footprint.scratch_bytes + footprint.scratch_bytes_per_point * (uint64_t) n), 0, 0)};
  open_outputs (job, n / window_of (work));
  job->out.counters = bench_job_array (job, NULL, "counters", (int64_t) sizeof (RcVoxelCounters), 0, 0);
  for (int i = 0; i < 3; i++)
    job->clouds[i].counters = job->out.counters;
  if (work->kept) {
    job->out.occupied_batch_stride = rc_voxel_bitmap_bytes (job->voxels);
    job->out.occupied = bench_job_array (job, NULL, "occupied", work->clouds * job->out.occupied_batch_stride, 0, 0);
  }
  if (like != NULL)
    job->bytes = like->bytes;
  else
    count_bytes (job);
}

/* ---- runs ---- */

typedef RcStatus (*Phase) (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk, RcStream stream,
    RcError * error);

/* In n equal chunks. */
static void
run_phase (BenchJob *job, Phase phase, const RcVoxelChunk *cloud, int64_t n, RcStream stream)
{
  RcVoxelChunk part = *cloud;
  RcError error;

  part.n = cloud->n / n;
  for (part.first_row = 0; part.first_row < cloud->n; part.first_row += part.n) {
    part.data = (const char *) cloud->data + part.first_row * cloud->stride;
    bench_must (phase (job->voxels, &job->job, &part, stream, &error), &error, job->work->name);
  }
}

/* One of two clouds arrives, and the other one leaves if it is there. */
static void
run_window (BenchJob *job, RcStream stream)
{
  const BenchVoxels *work = &job->work->voxels;
  RcVoxelChunk other = job->clouds[2];

  for (; !job->job.is_incremental && other.layer <= work->window; other.layer++)
    run_phase (job, rc_voxel_add, &other, 1, stream);
  run_phase (job, rc_voxel_add, &job->clouds[job->turn], 1, stream);
  if (job->job.is_incremental)
    run_phase (job, rc_voxel_remove, &job->clouds[!job->turn], 1, stream);
}

void
bench_job_run_voxels (BenchJob *job, RcStream stream)
{
  const BenchVoxels *work = &job->work->voxels;
  const RcVoxelChunk *cloud = &job->clouds[job->turn];
  RcError error;

  if (work->window == 0 && work->n_chunks == 0) {
    bench_must (rc_voxel_run (job->voxels, &job->job, cloud, &job->out, stream, &error), &error, job->work->name);
  } else {
    bench_must (rc_voxel_begin (job->voxels, &job->job, stream, &error), &error, job->work->name);
    if (work->window > 0) {
      run_window (job, stream);
    } else {
      run_phase (job, rc_voxel_range, cloud, work->ranges_whole ? 1 : work->n_chunks, stream);
      run_phase (job, rc_voxel_add, cloud, work->n_chunks, stream);
    }
    bench_must (rc_voxel_end (job->voxels, &job->job, &job->out, stream, &error), &error, job->work->name);
  }
  job->turn = job->clouds[1].data != NULL && !job->turn;
  job->job.is_clean = 1;
  job->job.is_incremental = work->window > 0;
  job->job.first_added = job->job.is_incremental ? job->job.first_point : 0;
  job->out.is_known = job->out.occupied != NULL;
}
