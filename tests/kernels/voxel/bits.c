/* robocache: the bits of a grid, whatever it is made on and however its cloud is cut into chunks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernels/place.h"

#define POINT_BYTES ((int64_t) (CLOUD_FIELDS * sizeof (float)))
#define MAX_POINTS (INT64_C (1) << 20) /* that a grid has of its own, or that are made at once */
#define MAX_CHUNKS 12          /* of a cloud that is in memory */
#define UNWRITTEN 0x5A
#define N_PARTS 7               /* of an output: counters, n_voxels, coordinates, values or a grid, voxels of points, points of
                                 * voxels, and the bitmap of a grid */
#define N_HASHED 6              /* but for the bitmap, which not every run wants */

struct VoxelGrid
{
  RcBackend *backend;
  RcStream stream;
  const VoxelCloud *cloud;
  int in_order;                 /* of arrival, as the output is */
  RcVoxelPlan *plan;
  RcVoxelJob job;
  int64_t held;                 /* points of each item in memory; the cloud, or a chunk of it */
  const uint8_t *points;
  void *own_points;             /* NULL: of another's */
  float *host_points;           /* of a chunk; NULL: the cloud is in memory */
  uint8_t *outputs, *unwritten, *host_outputs;  /* what a run leaves, and what is there before it */
  uint64_t begin[N_PARTS + 1];  /* of the parts of outputs */
  uint64_t bytes[N_PARTS];
};

/* How a run goes through a cloud. */
typedef struct
{
  int64_t n;                    /* chunks */
  int64_t step, first;          /* chunk number i is first + i step, modulo n */
  int64_t jitter;               /* of the places it is cut at, in parts of 8 */
} Cuts;

/* ---- memory ---- */

static void
lay_out_outputs (VoxelGrid *grid, const RcVoxelSpec *spec)
{
  const uint64_t batch = (uint64_t) spec->batch;
  int part;

  grid->bytes[0] = sizeof (RcVoxelCounters);
  grid->bytes[1] = spec->output == RC_VOXEL_SPARSE ? batch * sizeof (uint32_t) : 0;
  grid->bytes[2] = spec->output == RC_VOXEL_SPARSE ? batch * 12 * (uint64_t) spec->max_voxels : 0;
  grid->bytes[3] = batch * (uint64_t) rc_voxel_value_bytes (grid->plan);
  grid->bytes[4] = rc_voxel_maps_points (spec->output) ? batch * 8 * (uint64_t) grid->cloud->n : 0;
  grid->bytes[5] = spec->mode == RC_VOXEL_FIRST ? batch * 4 * (uint64_t) spec->max_voxels : 0;
  grid->bytes[6] = batch * (uint64_t) rc_voxel_bitmap_bytes (grid->plan);
  for (part = 0; part < N_PARTS; part++)
    grid->begin[part + 1] = (grid->begin[part] + grid->bytes[part] + 255) / 256 * 256;
}

/* n points of the cloud from `first` on, by way of host. */
static RcStatus
bring_points (RcBackend *backend, RcStream stream, const VoxelCloud *cloud, int64_t first, int64_t n, float *host, void *to,
    RcError *error)
{
  const RcMemoryCopy copy = {.to = to,.from = host,.row_bytes = (uint64_t) (n * POINT_BYTES),.rows = 1 };
  RcStatus status;

  voxel_cloud_fill (cloud, first, n, host);
  status = rc_memory_copy (backend, &copy, stream, error);
  return status == RC_OK ? rc_stream_synchronize (backend, stream, error) : status;
}

static RcStatus
bring_cloud (RcBackend *backend, RcStream stream, const VoxelCloud *cloud, float *host, uint8_t *to, RcError *error)
{
  const int64_t all = cloud->batch * cloud->n;
  RcStatus status = RC_OK;
  int64_t first;

  for (first = 0; first < all && status == RC_OK; first += MAX_POINTS)
    status = bring_points (backend, stream, cloud, first, all - first < MAX_POINTS ? all - first : MAX_POINTS, host,
        to + first * POINT_BYTES, error);
  return status;
}

static RcStatus
make_points (RcBackend *backend, const VoxelCloud *cloud, void **points, RcError *error)
{
  const int64_t all = cloud->batch * cloud->n, at_once = all < MAX_POINTS ? all : MAX_POINTS;
  void *host = NULL;
  RcStream stream = NULL;
  RcStatus status = rc_stream_new (backend, &stream, error);

  if (status == RC_OK)
    status = rc_memory_alloc (backend, RC_MEMORY_PINNED, (uint64_t) (at_once * POINT_BYTES) + 1, &host, error);
  if (status == RC_OK)
    status = rc_memory_alloc (backend, RC_MEMORY_DEVICE, (uint64_t) (all * POINT_BYTES) + 1, points, error);
  if (status == RC_OK)
    status = bring_cloud (backend, stream, cloud, host, *points, error);
  rc_memory_free (backend, RC_MEMORY_PINNED, host);
  rc_stream_free (backend, stream);
  return status;
}

void *
voxel_points_new (RcBackend *backend, const VoxelCloud *cloud, Test *test)
{
  void *points = NULL;
  RcError error;

  if (is_ok (make_points (backend, cloud, &points, &error), &error, test))
    return points;
  rc_memory_free (backend, RC_MEMORY_DEVICE, points);
  return NULL;
}

/* Of another's points, or of its own: all, or room for a chunk. */
static RcStatus
take_points (VoxelGrid *grid, const void *points, RcError *error)
{
  const VoxelCloud *cloud = grid->cloud;
  RcStatus status = RC_OK;

  grid->held = cloud->n;
  if (points == NULL && cloud->n <= MAX_POINTS)
    status = make_points (grid->backend, cloud, &grid->own_points, error);
  else if (points == NULL) {
    grid->held = MAX_POINTS;
    status = rc_memory_alloc (grid->backend, RC_MEMORY_DEVICE, MAX_POINTS * POINT_BYTES, &grid->own_points, error);
    if (status == RC_OK)
      status = rc_memory_alloc (grid->backend, RC_MEMORY_PINNED, MAX_POINTS * POINT_BYTES, (void **) &grid->host_points,
          error);
  }
  grid->points = points != NULL ? points : grid->own_points;
  return status;
}

static RcStatus
copy_outputs (const VoxelGrid *grid, const uint8_t *from, uint8_t *to, RcError *error)
{
  const RcMemoryCopy copy = {.to = to,.from = from,.row_bytes = grid->begin[N_PARTS],.rows = 1 };

  return rc_memory_copy (grid->backend, &copy, grid->stream, error);
}

static RcStatus
allocate (VoxelGrid *grid, const RcVoxelSpec *spec, const RcFootprint *footprint, RcError *error)
{
  const uint64_t scratch = footprint->scratch_bytes + footprint->scratch_bytes_per_point * (uint64_t) grid->cloud->n;
  RcStatus status;

  lay_out_outputs (grid, spec);
  status = rc_memory_alloc (grid->backend, RC_MEMORY_PINNED, grid->begin[N_PARTS], (void **) &grid->host_outputs, error);
  if (status == RC_OK)
    status = rc_memory_alloc (grid->backend, RC_MEMORY_DEVICE, grid->begin[N_PARTS], (void **) &grid->outputs, error);
  if (status == RC_OK)
    status = rc_memory_alloc (grid->backend, RC_MEMORY_DEVICE, grid->begin[N_PARTS], (void **) &grid->unwritten, error);
  if (status == RC_OK)
    status = rc_memory_alloc (grid->backend, RC_MEMORY_DEVICE, scratch + 1, &grid->job.scratch, error);
  if (status == RC_OK) {
    memset (grid->host_outputs, UNWRITTEN, grid->begin[N_PARTS]);
    status = copy_outputs (grid, grid->host_outputs, grid->unwritten, error);
  }
  grid->job.point_voxels = (int64_t *) (grid->outputs + grid->begin[4]);
  grid->job.point_voxels_batch_stride = 8 * grid->cloud->n;
  return status;
}

VoxelGrid *
voxel_grid_new (RcBackend *backend, const VoxelCloud *cloud, const VoxelForm *form, const void *points, Test *test)
{
  const RcVoxelSpec spec = voxel_cloud_spec (cloud, form);
  VoxelGrid *grid = calloc (1, sizeof (*grid));
  RcFootprint footprint;
  RcStatus status;
  RcError error;

  grid->backend = backend;
  grid->cloud = cloud;
  grid->in_order = rc_voxel_maps_points (form->output) || form->mode == RC_VOXEL_FIRST;
  grid->job.n_points = cloud->n;
  status = rc_voxel_plan (backend, &spec, &grid->plan, &footprint, &error);
  if (status == RC_OK)
    status = rc_stream_new (backend, &grid->stream, &error);
  if (status == RC_OK)
    status = take_points (grid, points, &error);
  if (status == RC_OK)
    status = allocate (grid, &spec, &footprint, &error);
  if (is_ok (status, &error, test))
    return grid;
  voxel_grid_free (grid);
  return NULL;
}

void
voxel_grid_free (VoxelGrid *grid)
{
  if (grid == NULL)
    return;
  rc_voxel_plan_free (grid->plan);
  rc_memory_free (grid->backend, RC_MEMORY_DEVICE, grid->own_points);
  rc_memory_free (grid->backend, RC_MEMORY_PINNED, grid->host_points);
  rc_memory_free (grid->backend, RC_MEMORY_DEVICE, grid->outputs);
  rc_memory_free (grid->backend, RC_MEMORY_DEVICE, grid->unwritten);
  rc_memory_free (grid->backend, RC_MEMORY_PINNED, grid->host_outputs);
  rc_memory_free (grid->backend, RC_MEMORY_DEVICE, grid->job.scratch);
  rc_stream_free (grid->backend, grid->stream);
  free (grid);
}

/* ---- chunks ---- */

static int64_t
greatest_common_divisor (int64_t a, int64_t b)
{
  return b == 0 ? a : greatest_common_divisor (b, a % b);
}

/* pass: range or add, which see the chunks in different orders. */
static Cuts
cuts_of (const VoxelGrid *grid, int run, int pass)
{
  const int64_t least = grid->held < grid->cloud->n ? (grid->cloud->n + grid->held - 1) / grid->held : 1;
  Cuts cuts = { least, 1, 0, 0 };

  if (run == 0)
    return cuts;
  cuts.n = 2 * least + 1 + run / 2 % MAX_CHUNKS;   /* jitter makes a chunk half as long again */
  cuts.jitter = run / 2 % 4;
  if (grid->in_order)
    return cuts;
  cuts.first = (run * 5 + pass * 3) % cuts.n;
  cuts.step = (run * 7 + pass) % cuts.n + 1;
  while (greatest_common_divisor (cuts.step, cuts.n) != 1)
    cuts.step++;
  return cuts;
}

/* The first point of chunk i. */
static int64_t
cut_at (const VoxelGrid *grid, const Cuts *cuts, int64_t i)
{
  const int64_t n = grid->cloud->n;

  return n * i / cuts->n - (i > 0 && i < cuts->n ? n / cuts->n * cuts->jitter / 8 * (i % 2) : 0);
}

/* Where it is, once it is there. */
static RcStatus
bring_chunk (VoxelGrid *grid, const Cuts *cuts, int64_t i, RcVoxelChunk *chunk, RcError *error)
{
  const int64_t from = cut_at (grid, cuts, i), to = cut_at (grid, cuts, i + 1);

  memset (chunk, 0, sizeof (*chunk));
  chunk->n = to - from;
  chunk->stride = POINT_BYTES;
  chunk->batch_stride = grid->held * POINT_BYTES;
  if (grid->held == grid->cloud->n) {
    chunk->data = grid->points + from * POINT_BYTES;
    return RC_OK;
  }
  chunk->data = grid->points;
  return bring_points (grid->backend, grid->stream, grid->cloud, from, chunk->n, grid->host_points, grid->own_points, error);
}

typedef RcStatus (*Phase) (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk, RcStream stream,
    RcError * error);

static RcStatus
run_phase (VoxelGrid *grid, Phase phase, const Cuts *cuts, RcError *error)
{
  RcStatus status = RC_OK;
  RcVoxelChunk chunk;
  int64_t i;

  for (i = 0; i < cuts->n && status == RC_OK; i++) {
    status = bring_chunk (grid, cuts, (cuts->first + i * cuts->step) % cuts->n, &chunk, error);
    chunk.counters = phase == rc_voxel_add ? (RcVoxelCounters *) grid->outputs : NULL;
    if (status == RC_OK)
      status = phase (grid->plan, &grid->job, &chunk, grid->stream, error);
    if (status == RC_OK && grid->held < grid->cloud->n) /* its memory is the next one's */
      status = rc_stream_synchronize (grid->backend, grid->stream, error);
  }
  return status;
}

/* ---- a run ---- */

/* How it is made. */
typedef enum
{
  IN_CHUNKS,
  WHOLE,
  KEPT                          /* whole, in a grid of which it is known that it holds half of the cloud */
} Way;

static Way
way_of (const VoxelGrid *grid, int run)
{
  if (grid->held < grid->cloud->n || run % 2 == 0)
    return IN_CHUNKS;
  return run % 4 == 3 && grid->bytes[6] > 0 ? KEPT : WHOLE;
}

static RcVoxelOut
out_of (const VoxelGrid *grid, Way way)
{
  const int64_t batch = grid->cloud->batch;
  uint8_t *parts[N_PARTS];
  int part;

  for (part = 0; part < N_PARTS; part++)
    parts[part] = grid->outputs + grid->begin[part];
  return (RcVoxelOut) {
    .counters = (RcVoxelCounters *) parts[0],.n_voxels = (uint32_t *) parts[1],.n_voxels_batch_stride = 4,
    .coordinates = (int32_t *) parts[2],.coordinates_batch_stride = (int64_t) grid->bytes[2] / batch,
    .grid = parts[3],.grid_batch_stride = (int64_t) grid->bytes[3] / batch,
    .values = parts[3],.values_batch_stride = (int64_t) grid->bytes[3] / batch,
    .point_counts = (uint32_t *) parts[5],.point_counts_batch_stride = (int64_t) grid->bytes[5] / batch,
    .occupied = way == KEPT ? (uint32_t *) parts[6] : NULL,.occupied_batch_stride = (int64_t) grid->bytes[6] / batch
  };
}

static RcStatus
clear_counters (const VoxelGrid *grid, RcError *error)
{
  return rc_memory_clear (grid->backend, grid->outputs + grid->begin[0], sizeof (RcVoxelCounters), grid->stream, error);
}

static RcStatus
run_in_chunks (VoxelGrid *grid, int run, const RcVoxelOut *out, RcError *error)
{
  const Cuts range = cuts_of (grid, run, 0), add = cuts_of (grid, run, 1);
  RcStatus status = rc_voxel_begin (grid->plan, &grid->job, grid->stream, error);

  if (status == RC_OK && rc_voxel_needs_range (grid->plan))
    status = run_phase (grid, rc_voxel_range, &range, error);
  if (status == RC_OK)
    status = run_phase (grid, rc_voxel_add, &add, error);
  return status == RC_OK ? rc_voxel_end (grid->plan, &grid->job, out, grid->stream, error) : status;
}

/* Of the first n points, which are in memory. */
static RcStatus
run_whole (VoxelGrid *grid, int64_t n, const RcVoxelOut *out, RcError *error)
{
  const RcVoxelChunk chunk = {.data = grid->points,.n = n,.stride = POINT_BYTES,.batch_stride = grid->held * POINT_BYTES,
    .counters = out->counters
  };
  RcVoxelJob job = grid->job;

  job.n_points = n;
  return rc_voxel_run (grid->plan, &job, &chunk, out, grid->stream, error);
}

static RcStatus
run_kept (VoxelGrid *grid, RcVoxelOut *out, RcError *error)
{
  RcStatus status = run_whole (grid, grid->cloud->n / 2, out, error);

  out->is_known = 1;
  if (status == RC_OK)
    status = clear_counters (grid, error);
  return status == RC_OK ? run_whole (grid, grid->cloud->n, out, error) : status;
}

static RcStatus
run_job (VoxelGrid *grid, int run, RcError *error)
{
  const Way way = way_of (grid, run);
  RcVoxelOut out = out_of (grid, way);
  /* not what the last run left there, which is right */
  RcStatus status = copy_outputs (grid, grid->unwritten, grid->outputs, error);

  if (status == RC_OK)
    status = clear_counters (grid, error);
  if (status == RC_OK)
    status = way == IN_CHUNKS ? run_in_chunks (grid, run, &out, error)
        : way == WHOLE ? run_whole (grid, grid->cloud->n, &out, error) : run_kept (grid, &out, error);
  if (status == RC_OK)
    status = copy_outputs (grid, grid->outputs, grid->host_outputs, error);
  return status == RC_OK ? rc_stream_synchronize (grid->backend, grid->stream, error) : status;
}

static uint64_t
hash_word (uint64_t hash, uint64_t word)
{
  hash = (hash ^ word) * UINT64_C (0x9E3779B97F4A7C15);
  return hash ^ hash >> 29;
}

/* Of 32 bytes at a time, in lanes that do not wait for each other: the rest of the last ones is 0. */
static uint64_t
hash_bytes (uint64_t hash, const uint8_t *bytes, uint64_t n)
{
  uint64_t a = hash, b = 1, c = 2, d = 3, words[4] = { 0 };
  const uint8_t *const end = bytes + n - n % sizeof (words);
  int i;

  for (; bytes < end; bytes += sizeof (words)) {
    memcpy (words, bytes, sizeof (words));
    a = hash_word (a, words[0]);
    b = hash_word (b, words[1]);
    c = hash_word (c, words[2]);
    d = hash_word (d, words[3]);
  }
  memset (words, 0, sizeof (words));
  memcpy (words, bytes, n % sizeof (words));
  a = hash_word (hash_word (hash_word (a, b), c), d);
  for (i = 0; i < 4; i++)
    a = hash_word (a, words[i]);
  return a;
}

static void
check_counters (const VoxelGrid *grid, const RcVoxelCounters *c, Test *test)
{
  const int64_t n = grid->cloud->batch * grid->cloud->n;

  test_expect (test, c->points == n && c->inside + c->outside + c->nan + c->infinite == n, "%" PRId64 " points of %"
      PRId64 ": %" PRId64 " inside, %" PRId64 " outside, %" PRId64 " NaN, %" PRId64 " infinite", c->points, n, c->inside,
      c->outside, c->nan, c->infinite);
}

VoxelBits
voxel_grid_run (VoxelGrid *grid, int run, Test *test)
{
  VoxelBits bits = {.hash = ~UINT64_C (0) };
  RcError error;
  int part;

  if (!is_ok (run_job (grid, run, &error), &error, test))
    return bits;
  memcpy (&bits.counters, grid->host_outputs, sizeof (bits.counters));
  for (part = 0; part < N_HASHED; part++)
    bits.hash = hash_bytes (bits.hash, grid->host_outputs + grid->begin[part], grid->bytes[part]);
  check_counters (grid, &bits.counters, test);
  return bits;
}

void
voxel_bits_compare (const VoxelBits *got, const VoxelBits *wanted, const char *what, Test *test)
{
  test_expect (test, got->hash == wanted->hash, "%s: hash %016" PRIx64 ", not %016" PRIx64 "; %" PRId64 " inside and %"
      PRId64 " voxels, not %" PRId64 " and %" PRId64, what, got->hash, wanted->hash, got->counters.inside,
      got->counters.occupied, wanted->counters.inside, wanted->counters.occupied);
}
