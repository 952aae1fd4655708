/* robocache: voxel grids in pieces and over several engines are what they are whole
 *
 * Engines of the CPU serve as devices: with reads_host FALSE all that they compute with is brought to their own memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "common/device/allocator.h"
#include "common/tensors/memorycaps.h"
#include "gst/voxelize/voxelcaps.h"
#include "gst/voxelize/voxelizer/voxelizer.h"
#include "tests/check/lib/checks.h"

typedef struct
{
  const gchar *caps;
  RcVoxelMode mode;
  RcVoxelOutput output;
  RcDtype dtype;
  guint accumulate;
  gdouble k1;                   /* of the lens, for depth */
} Kind;

#define CLOUD_POINTS 3000       /* where caps do not say it */
#define TENSOR(dims) "other/tensors,format=(string)static,num_tensors=(int)1,types=(string)float32,dimensions=(string)" dims
#define LAYOUT "application/x-pointcloud,fields=(string)\"a,z,y,b,x\"," \
    "types=(string)\"uint16,float32,float32,int64,float32\"," \
    "offsets=(string)\"2,4,8,12,20\",point-step=(int)28,framerate=0/1"
#define DEPTH "video/x-raw,format=GRAY16_LE,width=161,height=97,framerate=0/1"

static const Kind kinds[] = {
  {TENSOR ("5:3000"), RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_UINT8, 1},
  {TENSOR ("5:3000"), RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, RC_UINT32, 3},
  {TENSOR ("5:3000"), RC_VOXEL_COUNT, RC_VOXEL_SPARSE, RC_UINT32, 2},
  {TENSOR ("5:3000"), RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32, 2},
  {TENSOR ("5:3000"), RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT16, 1},
  {TENSOR ("5:3000"), RC_VOXEL_CENTROID, RC_VOXEL_DENSE, RC_FLOAT32, 1},
  {TENSOR ("5:3000"), RC_VOXEL_MAX, RC_VOXEL_DENSE, RC_FLOAT32, 4},
  {TENSOR ("5:500:6"), RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT32, 2},
  {TENSOR ("5:500:6"), RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32, 1},
  {TENSOR ("5:500:6"), RC_VOXEL_MIN, RC_VOXEL_SPARSE, RC_FLOAT32, 2},
  {TENSOR ("5:500:7"), RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, RC_UINT32, 1},
  {DEPTH, RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT32, 1},
  {DEPTH, RC_VOXEL_CENTROID, RC_VOXEL_SPARSE, RC_FLOAT32, 3},
  {DEPTH, RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT32, 2, -0.1},
  {LAYOUT, RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, RC_UINT32, 1},
  {LAYOUT, RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32, 2},
  {LAYOUT, RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT32, 1},
  {LAYOUT, RC_VOXEL_MAX, RC_VOXEL_SPARSE, RC_FLOAT32, 3},
  {TENSOR ("5:3000"), RC_VOXEL_OCCUPANCY, RC_VOXEL_INDEX, RC_INT64, 1},
  {TENSOR ("5:3000"), RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_INT64, 3},
  {TENSOR ("5:500:6"), RC_VOXEL_OCCUPANCY, RC_VOXEL_INDEX, RC_INT64, 2},
  {TENSOR ("5:500:6"), RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_INT64, 2},
  {DEPTH, RC_VOXEL_OCCUPANCY, RC_VOXEL_INDEX, RC_INT64, 1, -0.1},
  {DEPTH, RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_INT64, 2},
  {LAYOUT, RC_VOXEL_OCCUPANCY, RC_VOXEL_INDEX, RC_INT64, 1},
  {LAYOUT, RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_INT64, 3},
  {TENSOR ("5:3000"), RC_VOXEL_FIRST, RC_VOXEL_SPARSE, RC_FLOAT32, 1},
  {TENSOR ("5:500:6"), RC_VOXEL_FIRST, RC_VOXEL_SPARSE, RC_FLOAT16, 2},
  {DEPTH, RC_VOXEL_FIRST, RC_VOXEL_SPARSE, RC_FLOAT32, 2, -0.1},
  {LAYOUT, RC_VOXEL_FIRST, RC_VOXEL_SPARSE, RC_FLOAT16, 3},
  {TENSOR ("5:500:6"), RC_VOXEL_PILLARS, RC_VOXEL_SPARSE, RC_FLOAT32, 2},
  {LAYOUT, RC_VOXEL_PILLARS, RC_VOXEL_SPARSE, RC_FLOAT16, 1},
};

typedef struct
{
  guint n_engines;
  gboolean reads_host;
  gboolean is_tight;            /* there is room for about half of what the job would like */
  gboolean is_in_place;         /* outputs are where the first engine writes: grids are known */
  gboolean keeps;               /* grids go on from one another, where they can */
  gboolean skips;               /* of two clouds one comes without a grid */
} Way;

static const Way ways[] = {
  {1, FALSE, FALSE}, {1, FALSE, TRUE}, {2, TRUE, FALSE}, {2, FALSE, FALSE}, {3, FALSE, TRUE}, {9, FALSE, FALSE},
  {1, FALSE, FALSE, TRUE}, {1, FALSE, TRUE, TRUE}, {1, TRUE, FALSE, FALSE, TRUE}, {1, FALSE, FALSE, TRUE, TRUE},
  {2, TRUE, FALSE, FALSE, TRUE}, {3, FALSE, TRUE, FALSE, TRUE}, {2, FALSE, FALSE, FALSE, TRUE, TRUE},
};

static RobocacheEngine *
new_engine (guint64 max_bytes)
{
  const RcWhere where = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };

  return robocache_engine_new (&where, max_bytes, NULL);
}

static GstBuffer *
make_cloud (const RobocachePointsInfo *points, guint32 seed)
{
  const gboolean depth = points->kind == ROBOCACHE_POINTS_DEPTH;
  const guint64 n = points->kind == ROBOCACHE_POINTS_CLOUD ? CLOUD_POINTS : points->n_points * points->n_items;
  const gsize size = depth ? GST_VIDEO_INFO_SIZE (&points->video) : n * robocache_points_info_point_size (points);
  GRand *random = g_rand_new_with_seed (seed);
  guint8 *data = g_malloc (size);

  for (gsize i = 0; i < size / (depth ? 2 : 4); i++) {
    if (depth)
      ((guint16 *) data)[i] = (guint16) g_rand_int_range (random, 0, 5000);
    else
      ((gfloat *) data)[i] = (gfloat) g_rand_double_range (random, -1, 9);
  }
  g_rand_free (random);
  return gst_buffer_new_wrapped (data, size);
}

/* What a run put out, and what it counted. */
typedef struct
{
  GByteArray *bytes[ROBOCACHE_VOXELIZER_MAX_OUTPUTS];
  guint n_outputs;
  RobocacheVoxelWork work;
  RcVoxelCounters counters;
  guint64 peak_bytes;           /* of the first engine */
} Result;

static void
result_clear (Result *result)
{
  for (guint i = 0; i < result->n_outputs; i++)
    g_byte_array_unref (result->bytes[i]);
}

static void
collect (Result *result, RobocacheVoxelPlace *place)
{
  result->n_outputs = place->n_outputs;
  for (guint i = 0; i < place->n_outputs; i++) {
    GstMapInfo map;

    fail_unless (gst_memory_map (place->memories[i], &map, GST_MAP_READ));
    result->bytes[i] = g_byte_array_append (g_byte_array_new (), map.data, (guint) map.size);
    gst_memory_unmap (place->memories[i], &map);
    gst_memory_unref (place->memories[i]);
  }
}

/* Several buffers, of which the last one's grids count; so blocks are used again. */
static Result
run (const Kind *kind, const Way *way, guint64 max_bytes)
{
  const RobocacheVoxelSettings settings = {
    .origin = {0, 0, 0},.voxel_size = {0.5, 0.5, 0.5},.grid = {16, 16, 16},.mode = kind->mode,.output = kind->output,
    .dtype = kind->dtype,.max_voxels = 3000,.max_points = 3,.fx = 60,.fy = 60,.cx = 0,.cy = 0,.k1 = kind->k1,.depth_scale = 0.002
  };
  GstCaps *caps = gst_caps_from_string (kind->caps);
  RobocacheEngine *engines[9], *elsewhere = new_engine (0);
  GstAllocator *allocator;
  RobocacheMemoryStatistics statistics;
  RobocacheVoxelizer *voxelizer;
  RobocachePointsInfo points;
  RobocacheTensorsInfo tensors;
  RobocacheCloudWindow window;
  RobocacheReadback *readback;
  Result result = { 0 };
  GError *error = NULL;
  GstClockTime pts;
  RcVoxelSpec spec;
  RcStatus status;

  fail_unless (robocache_points_info_from_caps (&points, caps, NULL));
  fail_unless (robocache_voxel_cast_rays (&settings, &points, NULL, NULL) && (points.rays != NULL) == (kind->k1 != 0.0));
  spec = robocache_voxel_spec (&settings, &points, kind->dtype);
  spec.accumulates = way->keeps ? kind->accumulate + 1 : 0;
  robocache_voxel_tensors (&tensors, &points, &spec);
  if (robocache_voxel_maps_cloud (&points, &spec)) {
    tensors.n_tensors = 1;
    robocache_tensor_info_set (&tensors.tensors[0], RC_INT64, &(guint64) {CLOUD_POINTS}, 1);
  }
  for (guint i = 0; i < way->n_engines; i++)
    engines[i] = new_engine (max_bytes);
  allocator = robocache_allocator_new (way->is_in_place ? engines[0] : elsewhere, RC_MEMORY_DEVICE);
  voxelizer = robocache_voxelizer_new (engines, way->n_engines, way->reads_host, &spec, &status, &error);
  fail_unless (voxelizer != NULL, "%s", error ? error->message : "");
  readback = robocache_readback_new (engines, way->n_engines, ROBOCACHE_VOXELIZER_N_COUNTERS, NULL);
  fail_unless (readback != NULL);
  robocache_cloud_window_init (&window);
  for (guint round = 0; round < kind->accumulate + 3; round++) {
    GstBuffer *cloud = make_cloud (&points, round);
    RobocacheVoxelPlace place = {.n_outputs = tensors.n_tensors };

    fail_unless (robocache_cloud_window_push (&window, &points, kind->accumulate, cloud, NULL));
    gst_buffer_unref (cloud);
    if (way->skips && round % 2 != kind->accumulate % 2)
      continue;
    for (guint i = 0; i < tensors.n_tensors; i++) {
      place.item_bytes[i] = robocache_tensor_info_size (&tensors.tensors[i]) / points.n_items;
      place.memories[i] = robocache_allocator_alloc (allocator, robocache_tensor_info_size (&tensors.tensors[i]), NULL);
    }
    fail_unless (robocache_readback_begin (readback, NULL));
    fail_unless (robocache_voxelizer_run (voxelizer, &points, &window, &place, readback, &result.work, &error), "%s",
        error ? error->message : "");
    robocache_cloud_window_prune (&window);
    fail_unless (robocache_readback_end (readback, round, NULL));
    fail_unless (robocache_readback_take (readback, (gint64 *) &result.counters, &pts, NULL));
    result_clear (&result);
    collect (&result, &place);
  }
  robocache_engine_get_memory_statistics (engines[0], &statistics);
  result.peak_bytes = statistics.peak_bytes;
  robocache_cloud_window_finish (&window);
  robocache_readback_free (readback);
  robocache_voxelizer_free (voxelizer);
  robocache_points_info_clear (&points);
  gst_object_unref (allocator);
  for (guint i = 0; i < way->n_engines; i++) {
    robocache_engine_get_memory_statistics (engines[i], &statistics);
    fail_unless_equals_uint64 (statistics.bytes, 0);
    robocache_engine_unref (engines[i]);
  }
  robocache_engine_unref (elsewhere);
  gst_caps_unref (caps);
  return result;
}

GST_START_TEST (test_same_bytes)
{
  static const Way whole = { 1, TRUE, FALSE };
  const Kind *kind = &kinds[__i__ / G_N_ELEMENTS (ways)];
  const Way *way = &ways[__i__ % G_N_ELEMENTS (ways)];
  Result wanted = run (kind, &whole, 0), got = run (kind, way, 0);

  if (way->is_tight) {
    const guint64 most = got.peak_bytes;
    guint64 max_bytes = most;
    guint n_chunks = 0;

    /* less and less, until the job is cut */
    for (; n_chunks == 0 && max_bytes > most / 8; max_bytes -= most / 64) {
      result_clear (&got);
      got = run (kind, way, max_bytes);
      n_chunks = got.work.n_chunks;
      fail_unless (got.peak_bytes <= max_bytes);
    }
    fail_unless (n_chunks > 1, "%u chunks", n_chunks);
  } else {
    fail_unless_equals_int (got.work.n_chunks, 0);
  }
  fail_unless_equals_int (got.n_outputs, wanted.n_outputs);
  for (guint i = 0; i < wanted.n_outputs; i++) {
    fail_unless_equals_int (got.bytes[i]->len, wanted.bytes[i]->len);
    fail_unless (memcmp (got.bytes[i]->data, wanted.bytes[i]->data, wanted.bytes[i]->len) == 0, "tensor %u", i);
  }
  fail_unless (memcmp (&got.counters, &wanted.counters, sizeof (got.counters)) == 0);
  fail_unless (wanted.counters.inside > 0 && (wanted.counters.occupied > 0 || kind->output == RC_VOXEL_INDEX));
  result_clear (&got);
  result_clear (&wanted);
}

GST_END_TEST;

/* Two clouds come to five that are held, of which two leave; six have layers. */
GST_START_TEST (test_clouds_without_layers)
{
  static const Kind some[] = {
    {TENSOR ("5:3000"), RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT32, 5},
    {TENSOR ("5:3000"), RC_VOXEL_MAX, RC_VOXEL_DENSE, RC_FLOAT32, 5},
  };
  static const Way all = { 1, TRUE, FALSE, FALSE, TRUE }, skips = { 1, TRUE, FALSE, FALSE, TRUE, TRUE };
  Result one = run (&some[__i__], &all, 0), two = run (&some[__i__], &skips, 0);

  fail_unless_equals_int64 (one.work.points_read, 2 * 3000);
  fail_unless_equals_int64 (two.work.points_read, (__i__ ? 5 : 4) * 3000);
  fail_unless (memcmp (one.bytes[0]->data, two.bytes[0]->data, one.bytes[0]->len) == 0);
  result_clear (&one);
  result_clear (&two);
}

GST_END_TEST;

CHECK_MAIN (voxelizer, NULL, NULL, TIMES (G_N_ELEMENTS (kinds) * G_N_ELEMENTS (ways), test_same_bytes),
    TIMES (2, test_clouds_without_layers))
