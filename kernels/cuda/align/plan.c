/* robocache: alignment on the GPU: plans, and how a run is cut into blocks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "plan.h"

#include "kernels/cuda/runtime/device.h"
#include "task.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of output that an item has at most: enough to pay for its search, little enough to spread over the device. */
#define ITEM_BYTES 98304
#define LARGE_ITEM_BYTES 163840 /* where the items are many times those that run at once */
#define FEW_TICKS 8             /* that may have more */
#define LOWPASS_TICKS 64        /* most of an item: their brackets are in shared memory, too */
#define MANY_TIMES 4
#define ROW_BYTES 8192          /* of a row that is not cut by channels */
#define MAX_SPECIAL_CHANNELS (1 << 27) /* of a row that cannot be cut: kernels count its bytes in 32 bits */
/* Blocks that run at once: a small alignment is cut into as many and not into more, or into fewer where each stages more
 * bytes of times than twice those that it moves, which are about three for each of its output. Of one stream there are no more
 * than these, whatever registers leave room for: its items take equally long, and a fifth block, which may be of the next
 * launch, keeps them from being shared out evenly. Those of several streams do not, and a fifth fills the gaps. */
#define BLOCKS_PER_MULTIPROCESSOR 4
#define STAGING_BLOCKS_PER_MULTIPROCESSOR 2
#define MOVED_BYTES 3
#define MAX_BLOCKS INT32_MAX

#define ORDER_FLAGS 16384       /* bytes of scratch, one for each slice of times whose order one launch checks */

/* A kernel. */
typedef struct
{
  RcCudaAlignLevel level;
  RcCudaAlignType type;
} Kind;

/* The device's part of a plan. */
typedef struct
{
  Kind kind;                    /* for runs whose streams all come with times */
  int32_t *lists;               /* device: rates, holds, quaternions, pieces without one and roles of all streams */
  RcCudaAlignTask *tasks;       /* of all streams; what the spec fixes is there from the beginning */
  RcCudaAlignMany launch;
  uint64_t flag_bytes;          /* of scratch; the table follows */
  int blocks, bracket_blocks;   /* at once on a multiprocessor, of the kernels for either form */
  int begins_early;             /* see rc_cuda_begins_early; all of the kernels were compiled alike */
} State;

static RcStatus
no_space (RcError *error, uint64_t bytes)
{
  return rc_error_set (error, RC_NO_SPACE, "no memory for a plan: %" PRIu64 " bytes", bytes);
}

/* ---- plans ---- */

static int
has_rotations (const RcAlignStream *stream)
{
  return stream->n_quaternions > 0 || stream->n_angles > 0;
}

static int
is_special (const RcAlignStream *stream)
{
  return has_rotations (stream) || stream->n_holds > 0;
}

/* The kind of a kernel that there is. */
static Kind
kind_in_tables (RcCudaAlignLevel level, RcCudaAlignType type)
{
  return (Kind) { level, level > RC_CUDA_ALIGN_SIMPLE && type > RC_CUDA_ALIGN_MIXED ? RC_CUDA_ALIGN_MIXED : type };
}

/* Of a stream in the times form. */
static Kind
kind_of (const RcAlignStream *stream)
{
  static const RcCudaAlignType same[RC_N_DTYPES] = {
    [RC_FLOAT16] = RC_CUDA_ALIGN_FLOAT16,
    [RC_BFLOAT16] = RC_CUDA_ALIGN_BFLOAT16,
    [RC_FLOAT32] = RC_CUDA_ALIGN_FLOAT32,
    [RC_FLOAT64] = RC_CUDA_ALIGN_FLOAT64,
  };
  Kind kind = { RC_CUDA_ALIGN_SIMPLE, RC_CUDA_ALIGN_MIXED };

  if (stream->in == stream->out && rc_dtype_is_float (stream->in))
    kind.type = same[stream->in];
  else if (stream->in == RC_FLOAT32 && stream->out == RC_FLOAT16)
    kind.type = RC_CUDA_ALIGN_TO_FLOAT16;
  else if (stream->in == RC_FLOAT32 && stream->out == RC_BFLOAT16)
    kind.type = RC_CUDA_ALIGN_TO_BFLOAT16;
  else if (stream->compute == RC_COMPUTE_FLOAT64)       /* kernels for curves and mixed dtypes move rows of bytes as such */
    kind.level = stream->in == stream->out ? RC_CUDA_ALIGN_CURVED_SPECIAL : RC_CUDA_ALIGN_SPECIAL;
  if (stream->search.interpolation > RC_PREVIOUS || stream->search.max_gap_ns == RC_GAP_AUTO)
    kind.level |= RC_CUDA_ALIGN_CURVED;
  if (is_special (stream))
    kind.level |= RC_CUDA_ALIGN_SPECIAL;
  if (stream->search.interpolation == RC_LOWPASS)
    kind.level = RC_CUDA_ALIGN_FILTERED;
  return kind_in_tables (kind.level, kind.type);
}

/* The fastest kernel that does what either of two does. */
static Kind
kind_of_both (Kind a, Kind b)
{
  Kind kind = { a.level | b.level, a.type };

  if (a.type != b.type) {
    kind.type = RC_CUDA_ALIGN_MIXED;
    if (a.type == RC_CUDA_ALIGN_FLOAT64 || b.type == RC_CUDA_ALIGN_FLOAT64)
      kind.level |= RC_CUDA_ALIGN_SPECIAL;
  }
  return kind;
}

/* Brackets may have any blend, with any interpolation in the spec. */
static Kind
kind_with_brackets (Kind kind)
{
  return kind_in_tables (kind.level | RC_CUDA_ALIGN_CURVED, kind.type);
}

static Kind
kind_of_plan (const RcAlignPlan *plan)
{
  Kind kind = kind_of (&plan->streams[0]);
  int64_t i;

  for (i = 1; i < plan->n_streams; i++)
    kind = kind_of_both (kind, kind_of (&plan->streams[i]));
  return kind;
}

static uint64_t
missing_bytes (RcDtype dtype)
{
  static const uint64_t nan[RC_N_DTYPES] = {
    [RC_FLOAT16] = UINT64_C (0x7E007E007E007E00),
    [RC_BFLOAT16] = UINT64_C (0x7FC07FC07FC07FC0),
    [RC_FLOAT32] = UINT64_C (0x7FC000007FC00000),
    [RC_FLOAT64] = UINT64_C (0x7FF8000000000000),
  };

  return nan[dtype];
}

/* Pieces of 4 channels of a row, the last of which may be shorter. */
static int64_t
pieces_of_4 (const RcAlignStream *stream)
{
  return stream->channels / 4 + (stream->channels % 4 != 0);
}

/* Whether quaternions are all that is special, and begin at multiples of 4. */
static int
are_quaternions_apart (const RcAlignStream *stream)
{
  int64_t i;

  for (i = 0; i < stream->n_quaternions; i++) {
    if (stream->quaternions[i] % 4 != 0)
      return 0;
  }
  return stream->n_angles == 0;
}

/* Pieces without a quaternion, where there are some with one and no piece with part of one. */
static int64_t
plain_pieces (const RcAlignStream *stream)
{
  return has_rotations (stream) && are_quaternions_apart (stream) ? pieces_of_4 (stream) - stream->n_quaternions : 0;
}

static int64_t
role_words (const RcAlignStream *stream)
{
  return has_rotations (stream) ? (stream->channels + 3) / 4 : 0;
}

static void
put_roles (const RcAlignStream *stream, uint8_t *roles)
{
  int64_t i, k;

  for (i = 0; i < stream->n_angles; i++)
    memset (roles + stream->angles[i].first, RC_CUDA_ALIGN_ANGLE, (size_t) stream->angles[i].n);
  for (i = 0; i < stream->n_quaternions; i++) {
    roles[stream->quaternions[i]] = RC_CUDA_ALIGN_QUATERNION;
    for (k = 1; k < 4; k++)
      roles[stream->quaternions[i] + k] = RC_CUDA_ALIGN_REST;
  }
}

/* roles are those of the stream, all of them written. */
static void
put_plain (const RcAlignStream *stream, const uint8_t *roles, int32_t *plain)
{
  const int64_t n = plain_pieces (stream) > 0 ? pieces_of_4 (stream) : 0;
  int64_t i;

  for (i = 0; i < n; i++) {
    if (roles[4 * i] == RC_CUDA_ALIGN_PLAIN)
      *plain++ = (int32_t) (4 * i);
  }
}

static void
put_rates (const RcAlignStream *stream, int32_t *rates)
{
  int64_t i, k;

  for (i = 0; i < stream->n_positions; i++) {
    for (k = 0; k < stream->positions[i].n; k++)
      *rates++ = (int32_t) (stream->positions[i].rate + k);
  }
}

static int64_t
n_hold_channels (const RcAlignStream *stream)
{
  int64_t n = 0;

  for (int64_t i = 0; i < stream->n_holds; i++)
    n += stream->holds[i].n;
  return n;
}

static void
put_holds (const RcAlignStream *stream, int32_t *holds)
{
  int64_t i, k;

  for (i = 0; i < stream->n_holds; i++) {
    for (k = 0; k < stream->holds[i].n; k++)
      *holds++ = (int32_t) (stream->holds[i].first + k);
  }
}

static int32_t
rates_after (const RcAlignStream *stream)
{
  return stream->n_positions == 1 ? (int32_t) stream->positions[0].rate : 0;
}

/* Writes the lists of a stream, and where they will be on the device; returns the word after them. */
static int64_t
put_lists (const RcAlignStream *stream, int32_t *host, const int32_t *device, int64_t at, RcCudaAlignTask *task)
{
  task->rates = device + at;
  task->n_velocities = (int32_t) stream->n_velocities;
  task->rates_after = rates_after (stream);
  put_rates (stream, host + at);
  at += stream->n_velocities;
  task->n_holds = (int32_t) n_hold_channels (stream);
  put_holds (stream, host + at);
  at += task->n_holds;
  task->quaternions = device + at;
  task->n_quaternions = (uint32_t) stream->n_quaternions;
  if (stream->n_quaternions > 0) {
    task->quaternion_stride_rows = (int32_t) (RC_CUDA_THREADS / stream->n_quaternions);
    task->quaternion_stride = (int32_t) (RC_CUDA_THREADS % stream->n_quaternions);
    memcpy (host + at, stream->quaternions, (size_t) stream->n_quaternions * sizeof (*host));
  }
  at += stream->n_quaternions;
  task->roles = has_rotations (stream) ? (const uint8_t *) (device + at) : NULL;
  put_roles (stream, (uint8_t *) (host + at));
  task->plain = device + at + role_words (stream);
  task->n_plain = (uint32_t) plain_pieces (stream);
  put_plain (stream, (uint8_t *) (host + at), host + at + role_words (stream));
  return at + role_words (stream) + plain_pieces (stream);
}

static RcStatus
upload_lists (RcCudaBackend *cuda, const RcAlignPlan *plan, State *state, RcError *error)
{
  RcStatus status = RC_OK;
  int64_t length = 0, at = 0, i;
  int32_t *host;

  for (i = 0; i < plan->n_streams; i++)
    length += plan->streams[i].n_velocities + n_hold_channels (&plan->streams[i]) + plan->streams[i].n_quaternions
        + role_words (&plan->streams[i]) + plain_pieces (&plan->streams[i]);
  host = calloc ((size_t) length + 1, sizeof (*host));
  if (host == NULL)
    return no_space (error, (uint64_t) length * sizeof (*host));
  /* twice: the first pass writes the lists, the second one has their address */
  for (i = 0; i < plan->n_streams; i++)
    at = put_lists (&plan->streams[i], host, NULL, at, &state->tasks[i]);
  status = rc_cuda_upload (cuda, host, (size_t) length * sizeof (*host), (void **) &state->lists, error);
  for (i = 0, at = 0; i < plan->n_streams; i++)
    at = put_lists (&plan->streams[i], host, state->lists, at, &state->tasks[i]);
  free (host);
  return status;
}

static int64_t
greater (int64_t a, int64_t b)
{
  return a > b ? a : b;
}

static int64_t
lesser (int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static int64_t
ceil_divide (int64_t a, int64_t b)
{
  return a / b + (a % b != 0);
}

static void
set_spec (const RcAlignStream *stream, RcCudaAlignTask *task)
{
  const int64_t size = greater (stream->in_size, stream->out_size);

  task->search = stream->search;
  task->channels = stream->channels;
  task->in = (uint8_t) stream->in;
  task->out_dtype = (uint8_t) stream->out;
  task->compute = (uint8_t) stream->compute;
  task->copy = (uint8_t) stream->copy;
  task->missing = missing_bytes (stream->out);
  task->item_channels = stream->channels;
  task->channel_items = 1;
  task->channel_inverse = rc_cuda_inverse (1);
  /* quaternions, angles and holds overwrite what the blend of the row left: one block has the whole row */
  if (stream->channels > ROW_BYTES / size && !is_special (stream)) {
    task->item_channels = ROW_BYTES / size;
    task->channel_items = (stream->channels - 1) / task->item_channels + 1;
    task->channel_inverse = rc_cuda_inverse (task->channel_items);
  }
}

static RcStatus
check_size (const RcAlignPlan *plan, RcError *error)
{
  for (int64_t i = 0; i < plan->n_streams; i++) {
    const RcAlignStream *stream = &plan->streams[i];
    RcWrongSetting wrong;

    if (!is_special (stream) || stream->channels <= MAX_SPECIAL_CHANNELS)
      continue;
    wrong = rc_wrong_with (rc_wrong (RC_SETTING_CHANNELS, "%" PRId64, stream->channels), stream->n_quaternions > 0
        ? RC_SETTING_QUATERNIONS : stream->n_angles > 0 ? RC_SETTING_ANGLES : RC_SETTING_HOLDS, "%s", "");
    wrong.stream = i;
    return rc_error_set_wrong (error, RC_UNSUPPORTED, wrong, "at most %d on a GPU", MAX_SPECIAL_CHANNELS);
  }
  return RC_OK;
}

static const void *
kernel_of (Kind kind, int many)
{
  static const void *const (*const kernels[RC_CUDA_ALIGN_LEVELS])[2] = {
    rc_cuda_align_simple, rc_cuda_align_curved, rc_cuda_align_special, rc_cuda_align_curved_special,
    [RC_CUDA_ALIGN_FILTERED] = rc_cuda_align_filtered
  };

  return kernels[kind.level][kind.type][many];
}

static size_t
row_bytes (Kind kind)
{
  const int is_curved = (kind.level & RC_CUDA_ALIGN_CURVED) != 0, is_special = (kind.level & RC_CUDA_ALIGN_SPECIAL) != 0;

  return rc_cuda_align_row_bytes[is_curved][is_special || kind.type == RC_CUDA_ALIGN_FLOAT64];
}

/* Shared memory of a block, with which a multiprocessor has no room for more than BLOCKS_PER_MULTIPROCESSOR. */
static size_t
bytes_for_no_more (const RcCudaBackend *cuda)
{
  return (size_t) cuda->shared_bytes / (BLOCKS_PER_MULTIPROCESSOR + 1);
}

/* Loads the kernel of a kind, with as much shared memory as an item may take. */
static RcStatus
load_kernel (RcCudaBackend *cuda, Kind kind, int many, RcError *error)
{
  const size_t item = RC_CUDA_STAGED_TIMES * sizeof (int64_t) + RC_CUDA_ITEM_ROWS * row_bytes (kind);
  const size_t bytes = item > bytes_for_no_more (cuda) ? item : bytes_for_no_more (cuda);
  const void *kernel = kernel_of (kind, many);
  RcStatus status = rc_cuda_load (cuda, kernel, "align", error);

  if (status != RC_OK)
    return status;
  return rc_cuda_check (cuda, cudaFuncSetAttribute (kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) bytes),
      cuda->setup, error, "cudaFuncSetAttribute", "%zu bytes of shared memory for times and rows", bytes);
}

static RcStatus
blocks_at_once (RcCudaBackend *cuda, Kind kind, int many, int *blocks, RcError *error)
{
  const void *kernel = kernel_of (kind, many);
  const cudaError_t result = cudaOccupancyMaxActiveBlocksPerMultiprocessor (blocks, kernel, RC_CUDA_THREADS, 0);

  *blocks = result == cudaSuccess ? (int) greater (1, *blocks) : 1;
  return rc_cuda_check (cuda, result, cuda->setup, error, "cudaOccupancyMaxActiveBlocksPerMultiprocessor", "kernel align");
}

static RcStatus
load_kernels (RcCudaBackend *cuda, State *state, int64_t n_streams, RcError *error)
{
  const int many = n_streams > RC_CUDA_FEW_STREAMS;
  const Kind with_brackets = kind_with_brackets (state->kind);
  RcStatus status = load_kernel (cuda, state->kind, many, error);

  if (status == RC_OK)
    status = load_kernel (cuda, with_brackets, many, error);
  if (status == RC_OK)
    status = blocks_at_once (cuda, state->kind, many, &state->blocks, error);
  if (status == RC_OK)
    status = blocks_at_once (cuda, with_brackets, many, &state->bracket_blocks, error);
  if (status == RC_OK)
    status = rc_cuda_begins_early (cuda, kernel_of (state->kind, many), "align", &state->begins_early, error);
  if (status == RC_OK)
    status = rc_cuda_load (cuda, rc_cuda_align_order, "align order", error);
  if (status == RC_OK && n_streams > RC_CUDA_MANY_STREAMS)
    status = rc_cuda_load (cuda, rc_cuda_align_fill_table, "align table", error);
  return status;
}

RcStatus
rc_cuda_align_prepare (RcBackend *backend, RcAlignPlan *plan, RcFootprint *footprint, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) backend;
  State *state = calloc (1, sizeof (*state));
  RcStatus status;
  int64_t i;

  if (state == NULL)
    return no_space (error, sizeof (*state));
  plan->state = state;
  state->tasks = calloc ((size_t) plan->n_streams, sizeof (*state->tasks));
  if (state->tasks == NULL)
    return no_space (error, (uint64_t) plan->n_streams * sizeof (*state->tasks));
  for (i = 0; i < plan->n_streams; i++)
    set_spec (&plan->streams[i], &state->tasks[i]);
  state->kind = kind_of_plan (plan);
  state->flag_bytes = (uint64_t) (greater (plan->n_streams, ORDER_FLAGS) + 255) / 256 * 256;
  footprint->scratch_bytes = state->flag_bytes;
  if (plan->n_streams > RC_CUDA_MANY_STREAMS)
    footprint->scratch_bytes += (uint64_t) plan->n_streams * sizeof (RcCudaAlignTask);

  status = check_size (plan, error);
  if (status == RC_OK)
    status = rc_cuda_enter (cuda, error);
  if (status != RC_OK)
    return status;
  status = load_kernels (cuda, state, plan->n_streams, error);
  if (status == RC_OK)
    status = upload_lists (cuda, plan, state, error);
  rc_cuda_leave (cuda);
  return status;
}

void
rc_cuda_align_release (RcAlignPlan *plan)
{
  State *state = plan->state;

  if (state == NULL)
    return;
  rc_cuda_free ((RcCudaBackend *) plan->backend, state->lists);
  free (state->tasks);
  free (state);
}

/* ---- runs ---- */

/* The greatest power of two, up to 16, that divides all addresses base + e * batch_stride + i * stride. */
static uint8_t
alignment_of (const void *base, int64_t stride, int64_t n, int64_t batch_stride, int64_t batch)
{
  const uint64_t bits = (uint64_t) (uintptr_t) base | (n > 1 ? (uint64_t) stride : 0)
      | (batch > 1 ? (uint64_t) batch_stride : 0) | 16;

  return (uint8_t) (bits & -bits);
}

/* Whether a thread can take a number of elements at a time: addresses allow it, and what belongs together comes in one. */
static int
fits (Kind kind, const RcAlignStream *stream, const RcCudaAlignTask *task, int64_t elements)
{
  if (task->in_alignment < lesser (16, elements * stream->in_size)
      || task->out_alignment < lesser (16, elements * stream->out_size))
    return 0;
  if ((kind.level & RC_CUDA_ALIGN_CURVED) != 0 && task->n_velocities > 0
      && (task->rates_after % elements != 0 || task->rates_after == 0 || task->n_velocities % elements != 0))
    return 0;
  return !has_rotations (stream) || (elements % 4 == 0 && are_quaternions_apart (stream));
}

/* How many threads a row has, and how many elements each takes at a time. */
static void
choose_lanes (Kind kind, const RcAlignStream *stream, RcCudaAlignTask *task)
{
  const int mixed = kind.type == RC_CUDA_ALIGN_MIXED;
  const int64_t least = RC_CUDA_ALIGN_MIN_ELEMENTS (mixed, kind.level);
  int64_t elements = RC_CUDA_ALIGN_ELEMENTS (mixed, kind.level, stream->in_size), threads;

  if (stream->search.interpolation >= RC_MEAN)
    elements = lesser (elements, 4);    /* which are summed at a time */
  while (elements >= least && !fits (kind, stream, task, elements))
    elements /= 2;
  task->elements = (uint8_t) (elements >= least ? elements : 1);
  threads = ceil_divide (task->item_channels, task->elements);
  task->skips = has_rotations (stream) && !mixed && task->elements == 4;
  task->pieces = (int32_t) (task->skips ? greater (1, task->n_plain) : threads);
  task->stride_rows = RC_CUDA_THREADS / task->pieces;
  task->stride_pieces = RC_CUDA_THREADS % task->pieces;
  task->pieces_inverse = (uint32_t) (UINT32_MAX / (uint32_t) task->pieces + 1);
  task->lanes_log2 = 0;
  while (INT64_C (1) << task->lanes_log2 < lesser (threads, RC_CUDA_THREADS))
    task->lanes_log2++;
}

static void
set_args (const RcAlignStreamArgs *args, const RcAlignArgs *all, int64_t max_slices, RcCudaAlignTask *task)
{
  const int present = args->rows != NULL;
  const int64_t spans = ceil_divide (args->n_rows, RC_CUDA_ORDER_SLICE);

  task->rows = args->rows;
  task->n_rows = args->n_rows;
  task->row_stride = args->row_stride;
  task->batch_stride = args->batch_stride;
  task->brackets = present ? args->brackets : NULL;
  task->times = args->times;
  task->times_batch_stride = args->times_batch_stride;
  task->row_counts = args->row_counts;
  task->out = args->out;
  task->out_row_stride = args->out_row_stride;
  task->out_batch_stride = args->out_batch_stride;
  task->status = args->status;
  task->status_batch_stride = args->status_batch_stride;
  task->counters = args->counters;
  task->in_alignment = alignment_of (args->rows, args->row_stride, args->n_rows, args->batch_stride, all->batch);
  task->out_alignment = alignment_of (args->out, args->out_row_stride, all->ticks, args->out_batch_stride, all->batch);
  task->slices = 0;
  task->slice_rows = ceil_divide (spans, max_slices) * RC_CUDA_ORDER_SLICE;
  if (present && args->brackets == NULL && args->n_rows > RC_CUDA_STAGED_TIMES)
    task->slices = ceil_divide (args->n_rows, task->slice_rows);
}

/* How items are cut. */
typedef struct
{
  int32_t max_ticks;
  int64_t max_bytes;           /* of output, unless few ticks have more */
} Cut;

/* Even shares of the ticks, of at most as many bytes, but for few ticks. */
static int32_t
item_ticks (const RcAlignStream *stream, const RcCudaAlignTask *task, int64_t ticks, Cut cut)
{
  const int64_t of_bytes = greater (FEW_TICKS, cut.max_bytes / (task->item_channels * stream->out_size));
  const int64_t most = lesser (cut.max_ticks, of_bytes);

  return (int32_t) greater (1, ceil_divide (ticks, greater (1, ceil_divide (ticks, most))));
}

/* Numbers the items. An episode has one even without ticks: disordered ones count. */
static int64_t
cut_items (const RcAlignPlan *plan, RcCudaAlignTask *tasks, const RcCudaAlignHead *head, Cut cut)
{
  int64_t items = 0, i;

  for (i = 0; i < plan->n_streams; i++) {
    RcCudaAlignTask *task = &tasks[i];

    task->item_ticks = item_ticks (&plan->streams[i], task, head->ticks, cut);
    task->tick_items = greater (1, ceil_divide (head->ticks, task->item_ticks));
    task->times_share = (int32_t) ceil_divide (lesser (task->n_rows, RC_CUDA_STAGED_TIMES), task->tick_items);
    task->episode_inverse = rc_cuda_inverse (task->tick_items * task->channel_items);
    task->first_item = items;
    items += head->episodes * task->tick_items * task->channel_items;
  }
  return items;
}

/* Of items as they are cut. */
static int64_t
items_at_once (const RcAlignPlan *plan, const RcCudaBackend *cuda, int blocks, const RcCudaAlignTask *tasks)
{
  int64_t i;

  for (i = 0; i < plan->n_streams; i++) {
    const int64_t out = tasks[i].item_ticks * tasks[i].item_channels * plan->streams[i].out_size;
    const int64_t staged = lesser (tasks[i].n_rows, RC_CUDA_STAGED_TIMES) * (int64_t) sizeof (int64_t);

    if (tasks[i].rows != NULL && tasks[i].brackets == NULL && staged > 2 * MOVED_BYTES * out)
      return STAGING_BLOCKS_PER_MULTIPROCESSOR * (int64_t) cuda->multiprocessors;
  }
  return lesser (blocks, BLOCKS_PER_MULTIPROCESSOR) * cuda->multiprocessors;
}

/* The next lower number of ticks of an item. Of curves 3 blocks are at once on a multiprocessor, so they are cut finer: 96, 64,
 * 48 … */
static int32_t
fewer_ticks (Kind kind, int32_t ticks)
{
  if ((kind.level & RC_CUDA_ALIGN_CURVED) == 0)
    return ticks / 2;
  return ticks % 3 == 0 ? ticks / 3 * 2 : ticks / 4 * 3;
}

static int
has_lowpass (const RcAlignPlan *plan)
{
  int has = 0;

  for (int64_t i = 0; i < plan->n_streams; i++)
    has |= plan->streams[i].search.interpolation == RC_LOWPASS;
  return has;
}

/* Large items where they still are many, and fewer ticks an item while all items still run at once. */
static void
cut_for_device (const RcAlignPlan *plan, const RcCudaBackend *cuda, Kind kind, int blocks, RcCudaAlignTask *tasks,
    RcCudaAlignHead *head)
{
  Cut cut = { has_lowpass (plan) ? LOWPASS_TICKS : RC_CUDA_ITEM_ROWS, LARGE_ITEM_BYTES };

  if (cut_items (plan, tasks, head, cut) < MANY_TIMES * items_at_once (plan, cuda, blocks, tasks))
    cut.max_bytes = ITEM_BYTES;
  while (cut.max_ticks > 4) {
    const Cut finer = { fewer_ticks (kind, cut.max_ticks), cut.max_bytes };

    if (cut_items (plan, tasks, head, finer) > items_at_once (plan, cuda, blocks, tasks))
      break;
    cut = finer;
  }
  head->items = cut_items (plan, tasks, head, cut);
}

static void
number_slices (RcCudaAlignTask *tasks, RcCudaAlignHead *head)
{
  int64_t i;

  head->slices = 0;
  for (i = 0; i < head->n_streams; i++) {
    tasks[i].first_slice = head->slices;
    head->slices += tasks[i].slices * head->episodes;
  }
}

static void
measure_shared (const RcAlignPlan *plan, const RcCudaAlignTask *tasks, RcCudaAlignHead *head)
{
  int64_t times = 0, rows = 0, i;

  for (i = 0; i < plan->n_streams; i++) {
    if (tasks[i].rows != NULL && tasks[i].brackets == NULL)
      times = greater (times, tasks[i].n_rows);
    rows = greater (rows, tasks[i].item_ticks);
  }
  /* rows follow, which are aligned to 16 bytes */
  head->staged_times = (int32_t) (times < RC_CUDA_STAGED_TIMES ? times + times % 2 : RC_CUDA_STAGED_TIMES);
  head->staged_rows = (int32_t) rows;
}

/* One call of a run, with the text for its error message. */
typedef struct
{
  RcCudaBackend *cuda;
  cudaStream_t stream;
  const RcAlignPlan *plan;
  const RcAlignArgs *args;
  RcError *error;
} Run;

static RcStatus
check (const Run *run, cudaError_t result, const char *call)
{
  return rc_cuda_check (run->cuda, result, run->stream, run->error, call, "alignment of %" PRId64 " streams, batch %"
      PRId64 ", %" PRId64 " ticks; streams[0] has %" PRId64 " rows of %" PRId64 " channels, %s to %s",
      run->plan->n_streams, run->args->batch, run->args->ticks, run->args->streams[0].n_rows,
      run->plan->streams[0].channels, rc_dtype_name (run->plan->streams[0].in),
      rc_dtype_name (run->plan->streams[0].out));
}

static RcStatus
launch_kernel (const Run *run, const void *kernel, unsigned blocks, void **arguments, size_t shared, const char *call)
{
  const dim3 grid = { blocks, 1, 1 }, block = { RC_CUDA_THREADS, 1, 1 };

  return check (run, cudaLaunchKernel (kernel, grid, block, arguments, shared, run->stream), call);
}

/* Of a kernel whose blocks may come early, and wait for the kernel before it themselves. */
static RcStatus
launch_early (const Run *run, const void *kernel, unsigned blocks, void **arguments, size_t shared, const char *call)
{
  cudaLaunchAttribute early = rc_cuda_early ();
  const cudaLaunchConfig_t config = { {blocks, 1, 1}, {RC_CUDA_THREADS, 1, 1}, shared, run->stream, &early, 1 };

  return check (run, cudaLaunchKernelExC (&config, kernel, arguments), call);
}

typedef RcStatus (*Launch) (const Run * run, const void *kernel, unsigned blocks, void **arguments, size_t shared,
    const char *call);

/* A block for each of n items or slices; more than a grid can have take several launches. */
static RcStatus
launch_blocks (const Run *run, Launch launch_one, const void *kernel, int64_t n, RcCudaAlignMany *launch, size_t shared,
    const char *call)
{
  void *arguments[] = { launch };
  RcStatus status = RC_OK;
  int64_t first;

  for (first = 0; first < n && status == RC_OK; first += MAX_BLOCKS) {
    launch->head.first_index = first;
    status = launch_one (run, kernel, (unsigned) lesser (n - first, MAX_BLOCKS), arguments, shared, call);
  }
  return status;
}

/* Kernels fill the table from their arguments: a copy from host memory would be read when a captured graph runs. */
static RcStatus
fill_table (const Run *run, State *state, RcCudaAlignTask *table)
{
  RcCudaAlignMany *launch = &state->launch;
  RcStatus status = RC_OK;
  int64_t i;

  for (i = 0; i < run->plan->n_streams && status == RC_OK; i += RC_CUDA_MANY_STREAMS) {
    int n = (int) lesser (RC_CUDA_MANY_STREAMS, run->plan->n_streams - i);
    RcCudaAlignTask *to = table + i;
    void *arguments[] = { launch, &to, &n };

    memcpy (launch->tasks, state->tasks + i, (size_t) n * sizeof (state->tasks[0]));
    status = launch_kernel (run, rc_cuda_align_fill_table, 1, arguments, 0, "launch of the table");
  }
  return status;
}

/* Of a block; blocks: that there are at once otherwise. */
static size_t
shared_bytes (const Run *run, const RcCudaAlignHead *head, Kind kind, int blocks)
{
  const size_t filter = has_lowpass (run->plan) ? sizeof (RcBracket) : 0;
  const size_t item = (size_t) head->staged_times * sizeof (int64_t) + (size_t) head->staged_rows * (row_bytes (kind) + filter);
  const size_t least = head->n_streams == 1 && blocks > BLOCKS_PER_MULTIPROCESSOR ? bytes_for_no_more (run->cuda) : 0;

  return item > least ? item : least;
}

/* The episodes of head, whose items are cut. */
static RcStatus
launch_episodes (const Run *run, State *state, Kind kind, int blocks)
{
  RcCudaAlignHead *head = &state->launch.head;
  const size_t shared = shared_bytes (run, head, kind, blocks);
  const Launch launch_one = state->begins_early ? launch_early : launch_kernel;
  RcStatus status = RC_OK;

  if (head->n_streams > RC_CUDA_MANY_STREAMS) {
    head->table = (RcCudaAlignTask *) ((char *) run->args->scratch + state->flag_bytes);
    status = fill_table (run, state, head->table);
  } else {
    memcpy (state->launch.tasks, state->tasks, (size_t) head->n_streams * sizeof (state->tasks[0]));
  }
  if (status == RC_OK && head->slices > 0)
    status = launch_blocks (run, launch_one, rc_cuda_align_order, head->slices, &state->launch, 0,
        "launch of the order check");
  if (status == RC_OK)
    status = launch_blocks (run, launch_one, kernel_of (kind, head->n_streams > RC_CUDA_FEW_STREAMS), head->items,
        &state->launch, shared, "launch of the alignment");
  return status;
}

static RcStatus
launch_all (const Run *run, State *state)
{
  RcCudaAlignHead *head = &state->launch.head;
  RcCudaAlignTask *tasks = state->tasks;
  const int64_t max_slices = (int64_t) state->flag_bytes / run->plan->n_streams;
  int64_t at_once = run->args->batch, slices = 0, i;    /* slices of one episode of all streams */
  Kind kind = state->kind;
  int blocks = state->blocks;
  RcStatus status = RC_OK;

  for (i = 0; i < run->plan->n_streams; i++) {
    if (run->args->streams[i].rows != NULL && run->args->streams[i].brackets != NULL) {
      kind = kind_with_brackets (state->kind);
      blocks = state->bracket_blocks;
    }
  }
  for (i = 0; i < run->plan->n_streams; i++) {
    set_args (&run->args->streams[i], run->args, max_slices, &tasks[i]);
    choose_lanes (kind, &run->plan->streams[i], &tasks[i]);
    slices += tasks[i].slices;
  }
  if (slices > 0)
    at_once = lesser (at_once, (int64_t) state->flag_bytes / slices);
  head->ticks = run->args->ticks;
  head->tick_times = run->args->tick_times;
  head->tick_times_batch_stride = run->args->tick_times_batch_stride;
  head->n_streams = run->plan->n_streams;
  head->disordered = run->args->scratch;
  for (head->first_episode = 0; head->first_episode < run->args->batch && status == RC_OK;
      head->first_episode += head->episodes) {
    const int64_t left = run->args->batch - head->first_episode;

    head->episodes = left < at_once ? left : at_once;
    cut_for_device (run->plan, run->cuda, kind, blocks, tasks, head);
    number_slices (tasks, head);
    measure_shared (run->plan, tasks, head);
    status = launch_episodes (run, state, kind, blocks);
  }
  return status;
}

RcStatus
rc_cuda_align_run (RcAlignPlan *plan, const RcAlignArgs *args, RcStream stream, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) plan->backend;
  const Run run = { cuda, (cudaStream_t) stream, plan, args, error };
  RcStatus status = rc_cuda_check_stream (stream, error);

  if (status == RC_OK)
    status = rc_cuda_enter (cuda, error);
  if (status != RC_OK)
    return status;
  status = launch_all (&run, plan->state);
  rc_cuda_leave (cuda);
  return status;
}
