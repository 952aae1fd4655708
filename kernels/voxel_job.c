/* robocache: plans and jobs of voxel grids: where fields lie, which phase comes next and what its arguments may be
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "backend_impl.h"
#include "floatmode.h"
#include "voxel_plan.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- the plan ---- */

/* a * b, or INT64_MAX. */
static int64_t
saturating_product (int64_t a, int64_t b)
{
  int64_t product;

  return __builtin_mul_overflow (a, b, &product) ? INT64_MAX : product;
}

static int64_t
channels_of (const RcVoxelSpec *spec)
{
  if (rc_voxel_lists_points (spec->mode) && spec->source == RC_VOXEL_POINTS)
    return spec->points.fields;
  if (rc_voxel_lists_points (spec->mode) || spec->mode == RC_VOXEL_CENTROID)
    return 3;
  return rc_voxel_needs_features (spec->mode) ? spec->points.features : 1;
}

static void
plan_geometry (RcVoxelPlan *plan)
{
  const RcVoxelSpec *spec = &plan->spec;
  const int as_bits = spec->output == RC_VOXEL_BITS;
  const int64_t row_words = (spec->grid[0] + 31) / 32;

  plan->voxels = saturating_product (spec->grid[0] * spec->grid[1], spec->grid[2]);
  plan->flip = spec->mode == RC_VOXEL_MIN ? 0xFFFFFFFFu : 0;
  plan->channels = channels_of (spec);
  plan->decorations = rc_voxel_decorations (spec);
  plan->key_bits = rc_voxel_ceil_log2 ((uint64_t) spec->grid[0] * (uint64_t) spec->grid[1] * (uint64_t) spec->grid[2]);
  for (int axis = 0; axis < 3; axis++) {
    plan->box.origin[axis] = (float) spec->origin[axis];
    plan->box.size[axis] = (float) spec->voxel_size[axis];
    plan->box.n[axis] = (float) spec->grid[axis];
    plan->centroid_exponent[axis] =
        rc_voxel_exponent_above ((double) spec->grid[axis] * (double) plan->box.size[axis]);
  }
  plan->box.row = as_bits ? row_words * 32 : spec->grid[0];
  plan->box.plane = plan->box.row * spec->grid[1];
}

static int
is_exact_in_float32 (RcDtype dtype)
{
  return rc_dtype_size (dtype) < 4 || dtype == RC_FLOAT32;
}

/* n fields from the first on, one after the other and of one dtype, aligned to it where the point is. */
static int
are_packed (const RcVoxelField *fields, int64_t n, RcDtype dtype)
{
  const int64_t size = (int64_t) rc_dtype_size (dtype);

  for (int64_t i = 0; i < n; i++) {
    if (fields[i].dtype != dtype || fields[i].offset != fields[0].offset + i * size || fields[i].offset % size != 0)
      return 0;
  }
  return 1;
}

/* The layout of the spec, or that of points without one. */
static RcStatus
plan_fields (RcVoxelPlan *plan, RcError *error)
{
  const RcVoxelPoints *points = &plan->spec.points;
  const int64_t n = points->fields, size = (int64_t) rc_dtype_size (points->dtype);

  plan->fields = malloc ((size_t) n * sizeof (RcVoxelField));
  if (plan->fields == NULL)
    return rc_error_set (error, RC_NO_SPACE, "no memory for the layout of %" PRId64 " fields", n);
  for (int64_t i = 0; i < n; i++) {
    const RcVoxelField field = points->layout ? points->layout[i] : (RcVoxelField) {points->dtype, i * size};
    const int64_t end = field.offset + (int64_t) rc_dtype_size (field.dtype);

    plan->fields[i] = field;
    plan->unit_bytes = end > plan->unit_bytes ? end : plan->unit_bytes;
  }
  plan->spec.points.layout = NULL;      /* the caller's need not live on */
  plan->is_packed = plan->fields[0].offset == 0 && are_packed (plan->fields, 3, points->dtype);
  if (!rc_voxel_lists_points (plan->spec.mode) && !rc_voxel_needs_features (plan->spec.mode))
    return RC_OK;
  plan->features = plan->fields + (rc_voxel_lists_points (plan->spec.mode) ? 0 : points->first_feature);
  plan->is_packed = plan->is_packed && are_packed (plan->features, channels_of (&plan->spec), points->dtype);
  for (int64_t c = 0; c < channels_of (&plan->spec); c++) {
    if (!is_exact_in_float32 (plan->features[c].dtype))
      plan->stored_dtype = RC_FLOAT64;
  }
  return RC_OK;
}

size_t
rc_pinhole_rays_bytes (const RcVoxelDepth *depth)
{
  return (size_t) (depth->width + depth->height) * sizeof (float);
}

void
rc_pinhole_rays (const RcVoxelDepth *depth, float *rays)
{
  for (int64_t u = 0; u < depth->width; u++)
    rays[u] = (float) (((double) u - depth->cx) / depth->fx);
  for (int64_t v = 0; v < depth->height; v++)
    rays[depth->width + v] = (float) (((double) v - depth->cy) / depth->fy);
}

static void
free_plan (RcVoxelPlan *plan)
{
  free (plan->exponents);
  free (plan->held_in);
  free (plan->fields);
  free (plan);
}

/* Apart from its caller, which sets the float mode around it. */
static RcStatus __attribute__ ((noinline))
plan_fill (RcVoxelPlan *plan, RcError *error)
{
  RcStatus status = rc_voxel_check_spec (&plan->spec, error);

  if (status != RC_OK)
    return status;
  plan->unit_bytes = plan->spec.source == RC_VOXEL_DEPTH ? rc_voxel_pixel_bytes (&plan->spec.depth) * plan->spec.depth.width : 0;
  plan->stored_dtype = RC_FLOAT32;
  if (plan->spec.mode != RC_VOXEL_MEAN)
    plan->spec.feature_range = 0.0;
  if (plan->spec.source == RC_VOXEL_POINTS && (status = plan_fields (plan, error)) != RC_OK)
    return status;
  plan_geometry (plan);
  if ((status = rc_voxel_lay_out (plan, error)) != RC_OK
      || (status = rc_voxel_lay_out_accumulated (plan, error)) != RC_OK)
    return status;
  return plan->ops->prepare (plan, error);
}

RcStatus
rc_voxel_plan (RcBackend *backend, const RcVoxelSpec *spec, RcVoxelPlan **out, RcFootprint *footprint, RcError *error)
{
  RcVoxelPlan *plan;
  RcFloatMode mode;
  RcStatus status;

  if (backend == NULL || spec == NULL || out == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "%s is NULL", backend == NULL ? "backend" : spec == NULL ? "spec"
        : "plan");
  *out = NULL;
  if (backend->ops->voxel == NULL)
    return rc_error_set (error, RC_UNSUPPORTED, "this backend does not support voxel grids: use the CPU backend");
  if ((plan = calloc (1, sizeof (*plan))) == NULL)
    return rc_error_set (error, RC_NO_SPACE, "no memory for a plan of %zu bytes", sizeof (*plan));
  plan->backend = backend;
  plan->ops = backend->ops->voxel;
  plan->spec = *spec;
  mode = rc_float_mode_enter ();
  status = plan_fill (plan, error);
  rc_float_mode_leave (mode);
  if (status != RC_OK) {
    free_plan (plan);
    return status;
  }
  if (footprint) {
    const RcVoxelLayout *layout = &plan->layout;

    footprint->scratch_bytes = layout->item_bytes * (uint64_t) spec->batch + layout->backend_bytes;
    footprint->scratch_bytes_per_point =
        (layout->point_bytes + layout->backend_point_bytes) * (uint64_t) spec->batch;
  }
  *out = plan;
  return RC_OK;
}

void
rc_voxel_plan_free (RcVoxelPlan *plan)
{
  if (plan == NULL)
    return;
  plan->ops->release (plan);
  free_plan (plan);
}

/* ---- the phases ---- */

/* A check of first_added, which only an incremental job of output rank uses. */
static RcStatus
check_first_added (const RcVoxelPlan *plan, const RcVoxelJob *job, RcError *error)
{
  const int64_t most = job->is_incremental && plan->spec.output == RC_VOXEL_RANK ? job->first_point : 0;

  if (job->first_added >= 0 && job->first_added <= most)
    return RC_OK;
  return rc_error_set (error, RC_INVALID_ARGUMENT, "first_added is %" PRId64 ": expected 0 to %" PRId64 ", which is first_point "
      "of an incremental job of output rank, else 0", job->first_added, most);
}

/* Where outputs index and rank go. */
static RcStatus
check_point_voxels (const RcVoxelPlan *plan, const RcVoxelJob *job, RcError *error)
{
  int64_t bytes;

  if (job->first_point < 0 || job->first_point > job->n_points)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "first_point is %" PRId64 " of a job of %" PRId64 " points: expected "
        "0 to %" PRId64, job->first_point, job->n_points, job->n_points);
  bytes = (job->n_points - job->first_point) * (int64_t) sizeof (int64_t);
  if (job->point_voxels == NULL && bytes > 0)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "point_voxels is NULL: output %s writes it",
        rc_voxel_output_name (plan->spec.output));
  if (plan->spec.batch > 1 && job->point_voxels_batch_stride < bytes)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "point_voxels_batch_stride of %" PRId64 " bytes: an item has %"
        PRId64, job->point_voxels_batch_stride, bytes);
  return RC_OK;
}

static RcStatus
check_job (const RcVoxelPlan *plan, const RcVoxelJob *job, RcError *error)
{
  RcStatus status;

  if (plan == NULL || job == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "%s is NULL", plan == NULL ? "plan" : "job");
  if (job->n_points < 0 || job->n_points > RC_VOXEL_MAX_POINTS)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong (RC_SETTING_N_POINTS, "%" PRId64, job->n_points),
        "0 to %" PRId64, RC_VOXEL_MAX_POINTS);
  if (job->scratch == NULL || (uintptr_t) job->scratch % 256 != 0)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "scratch is %p: expected memory aligned to 256 bytes",
        job->scratch);
  if (rc_voxel_maps_points (plan->spec.output) && (status = check_point_voxels (plan, job, error)) != RC_OK)
    return status;
  return check_first_added (plan, job, error);
}

static int64_t
chunk_points (const RcVoxelPlan *plan, const RcVoxelChunk *chunk)
{
  return plan->spec.source == RC_VOXEL_DEPTH ? chunk->n * plan->spec.depth.width : chunk->n;
}

static RcStatus
check_chunk (const RcVoxelPlan *plan, const RcVoxelChunk *chunk, RcError *error)
{
  const RcVoxelSpec *spec = &plan->spec;
  const int depth = spec->source == RC_VOXEL_DEPTH;
  const char *unit = depth ? "row" : "point";
  const int64_t size = plan->unit_bytes;

  if (chunk == NULL || (chunk->data == NULL && chunk->n != 0))
    return rc_error_set (error, RC_INVALID_ARGUMENT, "%s is NULL", chunk == NULL ? "chunk" : "data of the chunk");
  if (chunk->n < 0 || chunk->n > RC_VOXEL_MAX_POINTS)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "a chunk of %" PRId64 " %ss: expected 0 to %" PRId64, chunk->n,
        unit, RC_VOXEL_MAX_POINTS);
  if (chunk->n > 1 && chunk->stride < size)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "stride of %" PRId64 " bytes: a %s has %" PRId64, chunk->stride,
        unit, size);
  if (spec->batch > 1 && chunk->n > 0 && chunk->batch_stride < (chunk->n - 1) * chunk->stride + size)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "batch_stride of %" PRId64 " bytes: an item of %" PRId64 " %ss "
        "has %" PRId64, chunk->batch_stride, chunk->n, unit, (chunk->n - 1) * chunk->stride + size);
  if (depth && (chunk->first_row < 0 || chunk->first_row > spec->depth.height - chunk->n))
    return rc_error_set (error, RC_INVALID_ARGUMENT, "rows %" PRId64 " to %" PRId64 " of an image of %" PRId64 " rows",
        chunk->first_row, chunk->first_row + chunk->n - 1, spec->depth.height);
  return RC_OK;
}

/* The same of a chunk that comes after so many points of the job. */
static RcStatus
check_next_chunk (const RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, int64_t so_far,
    RcError *error)
{
  const RcStatus status = check_chunk (plan, chunk, error);

  if (status == RC_OK && chunk->counts == NULL && job->item_points == NULL
      && chunk_points (plan, chunk) > job->n_points - so_far)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "%" PRId64 " points after %" PRId64 " others: job.n_points "
        "is %" PRId64, chunk_points (plan, chunk), so_far, job->n_points);
  return status;
}

static RcStatus
check_out (const RcVoxelPlan *plan, const RcVoxelOut *out, RcError *error)
{
  const RcVoxelSpec *spec = &plan->spec;
  const int sparse = spec->output == RC_VOXEL_SPARSE, has_values = sparse && rc_voxel_has_values (spec);
  const struct
  {
    const char *name;
    const void *pointer;
    int wanted;
    int64_t stride, bytes;
  } parts[] = {
    {"grid", out ? out->grid : NULL, rc_voxel_is_grid (spec->output), out ? out->grid_batch_stride : 0,
        rc_voxel_value_bytes (plan)},
    {"n_voxels", out ? out->n_voxels : NULL, sparse, out ? out->n_voxels_batch_stride : 0, sizeof (uint32_t)},
    {"coordinates", out ? out->coordinates : NULL, sparse, out ? out->coordinates_batch_stride : 0,
        spec->max_voxels * 3 * (int64_t) sizeof (int32_t)},
    {"values", out ? out->values : NULL, has_values, out ? out->values_batch_stride : 0, rc_voxel_value_bytes (plan)},
    {"occupied", out ? out->occupied : NULL, rc_voxel_bitmap_bytes (plan) > 0 && out && (out->occupied || out->is_known),
        out ? out->occupied_batch_stride : 0, rc_voxel_bitmap_bytes (plan)},
    {"point_counts", out ? out->point_counts : NULL, rc_voxel_lists_points (spec->mode),
        out ? out->point_counts_batch_stride : 0, spec->max_voxels * (int64_t) sizeof (uint32_t)},
  };

  for (size_t i = 0; i < sizeof (parts) / sizeof (parts[0]); i++) {
    if (!parts[i].wanted)
      continue;
    if (parts[i].pointer == NULL)
      return rc_error_set (error, RC_INVALID_ARGUMENT, "%s is NULL: output %s of mode %s writes it", parts[i].name,
          rc_voxel_output_name (spec->output), rc_voxel_mode_name (spec->mode));
    if (spec->batch > 1 && parts[i].stride < parts[i].bytes)
      return rc_error_set (error, RC_INVALID_ARGUMENT, "%s_batch_stride of %" PRId64 " bytes: an item has %" PRId64,
          parts[i].name, parts[i].stride, parts[i].bytes);
  }
  return RC_OK;
}

RcStatus
rc_voxel_begin (RcVoxelPlan *plan, const RcVoxelJob *job, RcStream stream, RcError *error)
{
  RcStatus status = check_job (plan, job, error);

  if (status != RC_OK)
    return status;
  if (job->is_clean && rc_voxel_has_accumulators (plan) && plan->ended_scratch != job->scratch)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "is_clean with scratch %p: expected %p, the scratch of the "
        "plan's last end", job->scratch, plan->ended_scratch);
  if ((status = rc_voxel_check_incremental (plan, job, error)) != RC_OK)
    return status;
  if (!job->is_incremental) {
    rc_voxel_store_scales (plan, job);
    plan->held = plan->held_has_counts = 0;
    rc_voxel_empty_layers (plan);
  }
  plan->knows_ranges = plan->exponents && job->ranges;
  plan->phase = RC_VOXEL_BEGUN;
  plan->ranged = 0;
  plan->added = job->first_added;
  plan->has_counts = 0;
  plan->ended_scratch = NULL;
  status = plan->ops->begin (plan, job, stream, error);
  if (status != RC_OK)
    plan->phase = RC_VOXEL_IDLE;
  return status;
}

RcStatus
rc_voxel_range (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, RcStream stream, RcError *error)
{
  RcStatus status = check_job (plan, job, error);

  if (status != RC_OK)
    return status;
  if (plan->phase != RC_VOXEL_BEGUN)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "range %s: expected it between begin and the first add",
        plan->phase == RC_VOXEL_IDLE ? "before begin" : "after add");
  if ((status = check_next_chunk (plan, job, chunk, plan->ranged, error)) != RC_OK)
    return status;
  if (rc_voxel_needs_range (plan) && !plan->knows_ranges && chunk->n > 0)
    status = plan->ops->range (plan, job, chunk, stream, error);
  if (status == RC_OK)
    plan->ranged += chunk_points (plan, chunk);
  return status;
}

static RcStatus
check_add (const RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, RcError *error)
{
  RcStatus status = check_job (plan, job, error);
  int64_t points;

  if (status != RC_OK)
    return status;
  if (plan->phase == RC_VOXEL_IDLE)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "add before begin");
  if ((status = check_next_chunk (plan, job, chunk, plan->added, error)) != RC_OK)
    return status;
  points = chunk_points (plan, chunk);
  if (rc_voxel_needs_range (plan) && !plan->knows_ranges && plan->added + points > plan->ranged)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "%" PRId64 " points in add, but %" PRId64 " in range: mode mean "
        "without feature_range needs range over all points first", plan->added + points, plan->ranged);
  if (plan->accumulates && points > RC_VOXEL_MAX_POINTS - plan->held)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "%" PRId64 " points and %" PRId64 " kept points: expected at most %"
        PRId64 " together", points, plan->held, RC_VOXEL_MAX_POINTS);
  return rc_voxel_check_layer (plan, chunk, points, error);
}

RcStatus
rc_voxel_add (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, RcStream stream, RcError *error)
{
  RcStatus status = check_add (plan, job, chunk, error);

  if (status != RC_OK)
    return status;
  plan->phase = RC_VOXEL_ADDING;
  if (chunk->n > 0)
    status = plan->ops->add (plan, job, chunk, stream, error);
  if (status == RC_OK) {
    plan->added += chunk_points (plan, chunk);
    plan->held += chunk_points (plan, chunk);
    rc_voxel_count_layer (plan, chunk, chunk_points (plan, chunk));
  } else if (plan->accumulates) {
    plan->phase = RC_VOXEL_IDLE;
  }
  plan->has_counts |= chunk->counts != NULL;
  plan->held_has_counts |= chunk->counts != NULL;
  return status;
}

RcStatus
rc_voxel_remove (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, RcStream stream, RcError *error)
{
  RcStatus status = check_job (plan, job, error);
  int64_t points;

  if (status != RC_OK)
    return status;
  if (!plan->accumulates || plan->phase == RC_VOXEL_IDLE)
    return rc_error_set (error, RC_INVALID_ARGUMENT, plan->accumulates ? "remove before begin"
        : "remove from a plan that keeps nothing: rc_voxel_accumulates is 0");
  if ((status = check_chunk (plan, chunk, error)) != RC_OK)
    return status;
  points = chunk_points (plan, chunk);
  if (points > plan->held)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "remove of %" PRId64 " points: %" PRId64 " are held", points,
        plan->held);
  if ((status = rc_voxel_check_layer (plan, chunk, -points, error)) != RC_OK)
    return status;
  plan->phase = RC_VOXEL_ADDING;
  if (chunk->n > 0)
    status = plan->ops->remove (plan, job, chunk, stream, error);
  if (status != RC_OK) {
    plan->phase = RC_VOXEL_IDLE;
    return status;
  }
  plan->held -= points;
  rc_voxel_count_layer (plan, chunk, -points);
  return RC_OK;
}

RcStatus
rc_voxel_measure (RcVoxelPlan *plan, const RcVoxelChunk *chunk, double *ranges, RcStream stream, RcError *error)
{
  RcStatus status;

  if (plan == NULL || ranges == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "%s is NULL", plan == NULL ? "plan" : "ranges");
  if (plan->exponents == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "measure: expected a plan that accumulates and needs a range");
  if ((status = check_chunk (plan, chunk, error)) != RC_OK || chunk->n == 0)
    return status;
  return plan->ops->measure (plan, chunk, ranges, stream, error);
}

static RcStatus
check_end (const RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelOut *out, RcError *error)
{
  RcStatus status = check_job (plan, job, error);

  if (status != RC_OK)
    return status;
  if (plan->phase == RC_VOXEL_IDLE)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "end before begin");
  if (out == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "out is NULL");
  if (rc_voxel_needs_range (plan) && !plan->knows_ranges && plan->added != plan->ranged)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "end after %" PRId64 " points in add and %" PRId64 " in range: expected each "
        "chunk in both", plan->added, plan->ranged);
  if ((status = check_out (plan, out, error)) != RC_OK)
    return status;
  if (plan->accumulates && plan->held > job->n_points && !plan->held_has_counts && job->item_points == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "%" PRId64 " points are held, but job.n_points is %" PRId64,
        plan->held, job->n_points);
  return rc_voxel_check_leaving (plan, error);
}

RcStatus
rc_voxel_end (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelOut *out, RcStream stream, RcError *error)
{
  RcStatus status = check_end (plan, job, out, error);

  if (status != RC_OK)
    return status;
  plan->phase = RC_VOXEL_IDLE;
  status = plan->ops->end (plan, job, out, stream, error);
  if (status == RC_OK)
    plan->ended_scratch = job->scratch;
  return status;
}

/* ---- all of them ---- */

RcStatus
rc_voxel_run (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, const RcVoxelOut *out, RcStream stream,
    RcError *error)
{
  RcStatus status = rc_voxel_begin (plan, job, stream, error);

  if (status != RC_OK)
    return status;
  status = rc_voxel_range (plan, job, chunk, stream, error);
  if (status == RC_OK)
    status = rc_voxel_add (plan, job, chunk, stream, error);
  if (status == RC_OK)
    status = rc_voxel_end (plan, job, out, stream, error);
  plan->phase = RC_VOXEL_IDLE;
  return status;
}
