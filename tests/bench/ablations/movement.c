/* robocache: how times and rows come to a block, and who does which item
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "movement.h"

#include <stdlib.h>

#include "recordings.h"

/* Rows a tick: two, which are all needed, and four, of which every other pair is. */
static const RecordingShape shapes[] = {
  {"64x4096 -> 2048x64", 64, 4096, 2048, 64},
  {"64x4096 -> 1024x32", 64, 4096, 1024, 32},
};

#define SHAPES (sizeof (shapes) / sizeof (shapes[0]))

typedef enum
{
  ROOM_NONE,
  ROOM_TIMES,                   /* all of an episode */
  ROOM_ROWS,
  ROOM_BOXES,
  ROOM_TWO
} Room;

typedef struct
{
  const char *name;
  const void *const *kernel;
  int cluster;                  /* blocks of one; 0: none */
  int persistent;
  Room room;
} Variant;

static const Variant variants[] = {
  {"search in global memory", &movement_global, 0, 0, ROOM_NONE},
  {"all times staged", &movement_whole, 0, 0, ROOM_TIMES},
  {"times of the item staged", &movement_span, 0, 0, ROOM_NONE},
  {"all times staged by a cluster", &movement_cluster, MOVEMENT_CLUSTER, 0, ROOM_TIMES},
  {"rows by a bulk copy", &movement_bulk, 0, 0, ROOM_ROWS},
  {"rows by a tensor map", &movement_tensor, 0, 0, ROOM_BOXES},
  {"persistent blocks", &movement_persistent, 0, 1, ROOM_NONE},
  {"persistent blocks, items from a counter", &movement_counter, 0, 1, ROOM_NONE},
  {"persistent blocks, bulk copies one item ahead", &movement_pipeline, 0, 1, ROOM_TWO},
};

#define VARIANTS (sizeof (variants) / sizeof (variants[0]))

/* ---- the map ---- */

typedef CUresult (*Encode) (CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,
    const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
    CUtensorMapFloatOOBfill);

/* The driver's, which is not linked. */
static Encode
find_encode (void)
{
  enum cudaDriverEntryPointQueryResult found;
  void *encode;

  bench_must (cudaGetDriverEntryPointByVersion ("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found),
      "cudaGetDriverEntryPointByVersion");
  if (found != cudaDriverEntryPointSuccess)
    bench_fail ("cuTensorMapEncodeTiled", "the driver has no such function");
  return (Encode) encode;
}

/* Of [batch * n_rows, channels] float32, in boxes of whole rows. */
static void
make_map (const EpisodesArgs *args, Encode encode, CUtensorMap *map)
{
  const cuuint64_t sizes[] = { (cuuint64_t) args->channels, (cuuint64_t) args->batch * (cuuint64_t) args->n_rows };
  const cuuint64_t strides[] = { (cuuint64_t) args->channels * 4 };
  const cuuint32_t box[] = { (cuuint32_t) args->channels, MOVEMENT_BOX_ROWS }, steps[] = { 1, 1 };

  if (encode (map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *) args->rows, sizes, strides, box, steps,
          CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    bench_fail ("cuTensorMapEncodeTiled", "no map of the rows");
}

/* ---- runs ---- */

static size_t
room_bytes (const RecordingShape *shape, Room room)
{
  switch (room) {
    case ROOM_TIMES:
      return (size_t) shape->n_rows * sizeof (int64_t);
    case ROOM_ROWS:
      return MOVEMENT_ROOM;
    case ROOM_BOXES:
      return MOVEMENT_ROOM + MOVEMENT_BOX_ROWS * (size_t) shape->channels * sizeof (float);
    case ROOM_TWO:
      return 2 * MOVEMENT_ROOM;
    case ROOM_NONE:
      break;
  }
  return 0;
}

/* Blocks of a multiprocessor at once. */
static int
blocks_at_once (const AblationLaunch *launch)
{
  int n;

  bench_must (cudaOccupancyMaxActiveBlocksPerMultiprocessor (&n, launch->kernel, launch->threads, launch->shared_bytes),
      "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return n;
}

static void
prepare (const Ablations *all, const RecordingShape *shape, const Variant *variant, AblationLaunch *launch, int items)
{
  *launch = (AblationLaunch) { *variant->kernel, items, MOVEMENT_THREADS, variant->cluster,
    room_bytes (shape, variant->room)
  };
  ablation_prepare (launch);
  if (variant->persistent) {
    const int at_once = all->bench.multiprocessors * blocks_at_once (launch);

    launch->blocks = at_once < items ? at_once : items;
  }
}

static void
measure (Ablations *all, const RecordingShape *shape, const Variant *variant, RecordingCopies *copies, const float *expected,
    Table *table)
{
  BenchTimes times;

  prepare (all, shape, variant, &copies->launch, copies->args[0].items);
  times = recording_times (copies, &all->bench);
  table_text (table, shape->name);
  table_text (table, variant->name);
  table_number (table, blocks_at_once (&copies->launch), 0);
  ablation_put_times (table, &all->bench, &copies->must_move, &times);
  table_text (table, ablation_checked (all, recording_is (copies, &all->bench, expected)));
}

static void
make_maps (RecordingCopies *copies)
{
  const Encode encode = find_encode ();
  int i;

  copies->maps = aligned_alloc (64, (size_t) copies->n * sizeof (*copies->maps));
  for (i = 0; i < copies->n; i++)
    make_map (&copies->args[i], encode, &copies->maps[i]);
}

static void
measure_shape (Ablations *all, const RecordingShape *shape, Table *table)
{
  RecordingCopies *copies;
  Recording recording;
  float *rows, *expected;
  size_t k;

  recording_make (&recording, shape);
  rows = recording_random_rows (&recording);
  expected = recording_expected (&recording, all->bench.cpu, RC_FLOAT32, rows);
  copies = recording_copy (&recording, &all->bench, rows, 4, 4);
  make_maps (copies);
  for (k = 0; k < VARIANTS; k++)
    measure (all, shape, &variants[k], copies, expected, table);
  recording_copies_free (copies);
  recording_free (&recording);
  free (rows);
  free (expected);
}

void
ablate_movement (Ablations *all)
{
  Table table;
  size_t i;

  table_begin (&table, all->folder, "movement", "work,variant,blocks_at_once," ABLATION_TIMES ",checked");
  for (i = 0; i < SHAPES; i++)
    measure_shape (all, &shapes[i], &table);
  table_end (&table);
}
