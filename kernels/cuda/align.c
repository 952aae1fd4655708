/* robocache: alignment on the GPU: plans, and how a run is cut into blocks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "device.h"

#include "align_task.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of output that an item should have: enough to pay for its search, little enough to spread over the device. */
#define ITEM_BYTES 65536
#define ROW_BYTES 8192          /* of a row that is not cut by channels */
#define MOST_SPECIAL_CHANNELS (1 << 27) /* of a row that cannot be cut: kernels count its bytes in 32 bits */
#define BLOCKS_PER_MULTIPROCESSOR 4     /* that run at once: a small alignment is cut into as many and not into more */
#define MOST_BLOCKS INT32_MAX

/* Episodes, times streams, whose order one launch checks: a byte of scratch for each. */
#define ORDER_FLAGS 16384

/* The device's part of a plan. */
typedef struct
{
  RcCudaAlignKind kind;         /* for runs whose streams all come with times */
  int32_t *lists;               /* device: quaternions, angles and rates of all streams */
  RcCudaAlignTask *tasks;       /* of all streams; what the spec fixes is there from the beginning */
  RcCudaAlignMany launch;
  uint64_t flag_bytes;          /* of scratch; the table follows */
} State;

static RcStatus
no_space (RcError *error, uint64_t bytes)
{
  return rc_error_set (error, RC_NO_SPACE, "no memory for a plan: %" PRIu64 " bytes", bytes);
}

/* ---- plans ---- */

static int
is_special (const RcAlignStream *stream)
{
  return stream->n_quaternions > 0 || stream->n_angles > 0;
}

/* Of a stream in the times form. */
static RcCudaAlignKind
kind_of (const RcAlignStream *stream)
{
  static const RcCudaAlignKind same[RC_N_DTYPES] = {
    [RC_FLOAT16] = RC_CUDA_ALIGN_FLOAT16,
    [RC_BFLOAT16] = RC_CUDA_ALIGN_BFLOAT16,
    [RC_FLOAT32] = RC_CUDA_ALIGN_FLOAT32,
    [RC_FLOAT64] = RC_CUDA_ALIGN_FLOAT64,
  };
  const int curves = stream->search.interpolation > RC_PREVIOUS;

  if (is_special (stream) || (curves && stream->compute == RC_COMPUTE_FLOAT64))
    return RC_CUDA_ALIGN_ANY;
  if (curves)
    return RC_CUDA_ALIGN_CURVES;
  if (stream->in == stream->out && rc_dtype_is_float (stream->in))
    return same[stream->in];
  return stream->compute == RC_COMPUTE_FLOAT32 ? RC_CUDA_ALIGN_PLAIN : RC_CUDA_ALIGN_ANY;
}

/* The fastest kernel that does what either of two does. */
static RcCudaAlignKind
kind_of_both (RcCudaAlignKind a, RcCudaAlignKind b)
{
  const RcCudaAlignKind higher = a > b ? a : b;

  if (a == b)
    return a;
  if (a == RC_CUDA_ALIGN_FLOAT64 || b == RC_CUDA_ALIGN_FLOAT64)
    return RC_CUDA_ALIGN_ANY;
  return higher > RC_CUDA_ALIGN_PLAIN ? higher : RC_CUDA_ALIGN_PLAIN;
}

/* Brackets may hold any blend, whatever the spec's interpolation. */
static RcCudaAlignKind
kind_with_brackets (RcCudaAlignKind kind)
{
  return kind == RC_CUDA_ALIGN_FLOAT64 || kind == RC_CUDA_ALIGN_ANY ? RC_CUDA_ALIGN_ANY : RC_CUDA_ALIGN_CURVES;
}

static RcCudaAlignKind
kind_of_plan (const RcAlignPlan *plan)
{
  RcCudaAlignKind kind = kind_of (&plan->streams[0]);
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

static int64_t
runs_length (const RcChannelRun *runs, int64_t n)
{
  int64_t length = 0, i;

  for (i = 0; i < n; i++)
    length += runs[i].n;
  return length;
}

static int64_t
lists_length (const RcAlignStream *stream)
{
  return stream->n_quaternions + runs_length (stream->angles, stream->n_angles) + stream->n_velocities;
}

/* Writes the lists of a stream, and where they will be on the device; returns the entry after them. */
static int64_t
put_lists (const RcAlignStream *stream, int32_t *host, const int32_t *device, int64_t at, RcCudaAlignTask *task)
{
  int64_t i, k;

  task->quaternions = device + at;
  task->n_quaternions = (int32_t) stream->n_quaternions;
  for (i = 0; i < stream->n_quaternions; i++)
    host[at++] = stream->quaternions[i];
  task->angles = device + at;
  for (i = 0; i < stream->n_angles; i++) {
    for (k = 0; k < stream->angles[i].n; k++)
      host[at++] = (int32_t) (stream->angles[i].first + k);
  }
  task->n_angles = (int32_t) runs_length (stream->angles, stream->n_angles);
  task->rates = device + at;
  for (i = 0; i < stream->n_positions; i++) {
    for (k = 0; k < stream->positions[i].n; k++)
      host[at++] = (int32_t) (stream->positions[i].rate + k);
  }
  task->n_velocities = (int32_t) stream->n_velocities;
  return at;
}

static RcStatus
upload_lists (RcCudaBackend *cuda, const RcAlignPlan *plan, State *state, RcError *error)
{
  RcStatus status = RC_OK;
  int64_t length = 0, at = 0, i;
  int32_t *host;

  for (i = 0; i < plan->n_streams; i++)
    length += lists_length (&plan->streams[i]);
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
take_spec (const RcAlignStream *stream, RcCudaAlignTask *task)
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
  /* quaternions and angles overwrite what the blend of the row left: one block has the whole row */
  if (stream->channels > ROW_BYTES / size && !is_special (stream)) {
    task->item_channels = ROW_BYTES / size;
    task->channel_items = (stream->channels - 1) / task->item_channels + 1;
  }
}

static RcStatus
check_size (const RcAlignPlan *plan, RcError *error)
{
  int64_t i;

  for (i = 0; i < plan->n_streams; i++) {
    if (is_special (&plan->streams[i]) && plan->streams[i].channels > MOST_SPECIAL_CHANNELS)
      return rc_error_set (error, RC_UNSUPPORTED, "streams[%" PRId64 "].channels is %" PRId64 " with quaternions or "
          "angles; expected at most %d on a GPU", i, plan->streams[i].channels, MOST_SPECIAL_CHANNELS);
  }
  return RC_OK;
}

static RcStatus
load_kernels (RcCudaBackend *cuda, const State *state, int64_t n_streams, RcError *error)
{
  const int many = n_streams > RC_CUDA_FEW_STREAMS;
  const RcCudaAlignKind with_brackets = kind_with_brackets (state->kind);
  RcStatus status = rc_cuda_load (cuda, rc_cuda_align_kernels[state->kind][many], "align", error);

  if (status == RC_OK)
    status = rc_cuda_load (cuda, rc_cuda_align_kernels[with_brackets][many], "align brackets", error);
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
    take_spec (&plan->streams[i], &state->tasks[i]);
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

/* Whether addresses allow a number of elements at a time. */
static int
fits (const RcCudaAlignTask *task, int64_t elements)
{
  return task->in_alignment >= lesser (16, elements * (int64_t) rc_dtype_size ((RcDtype) task->in))
      && task->out_alignment >= lesser (16, elements * (int64_t) rc_dtype_size ((RcDtype) task->out_dtype));
}

/* How many threads a row has, and how many elements each takes at a time: the kernels for simple blends can halve it. */
static void
choose_lanes (RcCudaAlignKind kind, RcCudaAlignTask *task)
{
  const int64_t in_size = (int64_t) rc_dtype_size ((RcDtype) task->in);
  const int64_t most = kind <= RC_CUDA_ALIGN_FLOAT64 ? 16 / in_size : RC_CUDA_MIXED_ELEMENTS;
  const int64_t half = kind <= RC_CUDA_ALIGN_PLAIN && most > 2 ? most / 2 : 1;
  int64_t threads;

  task->elements = (uint8_t) (fits (task, most) ? most : fits (task, half) ? half : 1);
  threads = ceil_divide (task->item_channels, task->elements);
  task->lanes_log2 = 0;
  while (INT64_C (1) << task->lanes_log2 < lesser (threads, RC_CUDA_THREADS))
    task->lanes_log2++;
}

static void
take_args (const RcAlignStreamArgs *args, const RcAlignArgs *all, RcCudaAlignTask *task)
{
  const int present = args->rows != NULL;

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
  if (present && args->brackets == NULL && args->n_rows > RC_CUDA_STAGED_TIMES)
    task->slices = (args->n_rows - 1) / RC_CUDA_ORDER_SLICE + 1;
}

static int32_t
wished_ticks (const RcAlignStream *stream, const RcCudaAlignTask *task)
{
  const int64_t bytes = task->item_channels * stream->out_size;
  int32_t ticks = RC_CUDA_ITEM_ROWS;

  while (ticks > 8 && ticks * bytes > ITEM_BYTES)
    ticks /= 2;
  return ticks;
}

/* Numbers the items, each of at most most_ticks ticks. An episode has one even without ticks: disordered ones count. */
static int64_t
cut (const RcAlignPlan *plan, RcCudaAlignTask *tasks, int64_t episodes, int64_t ticks, int32_t most_ticks)
{
  int64_t items = 0, i;

  for (i = 0; i < plan->n_streams; i++) {
    RcCudaAlignTask *task = &tasks[i];
    const int32_t wish = wished_ticks (&plan->streams[i], task);

    task->item_ticks = wish < most_ticks ? wish : most_ticks;
    task->tick_items = greater (1, ceil_divide (ticks, task->item_ticks));
    task->first_item = items;
    items += episodes * task->tick_items * task->channel_items;
  }
  return items;
}

/* Fewer ticks an item while all items still run at once. */
static void
cut_for_device (const RcAlignPlan *plan, const RcCudaBackend *cuda, RcCudaAlignTask *tasks, RcCudaAlignHead *head)
{
  const int64_t at_once = BLOCKS_PER_MULTIPROCESSOR * (int64_t) cuda->multiprocessors;
  int32_t most_ticks = RC_CUDA_ITEM_ROWS;

  head->items = cut (plan, tasks, head->episodes, head->ticks, most_ticks);
  while (head->items * 2 <= at_once && most_ticks > 4) {
    most_ticks /= 2;
    head->items = cut (plan, tasks, head->episodes, head->ticks, most_ticks);
  }
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
  head->staged_times = (int32_t) (times < RC_CUDA_STAGED_TIMES ? times : RC_CUDA_STAGED_TIMES);
  head->staged_rows = (int32_t) rows;
}

/* One call of a run, with what its error message says. */
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

/* A block for each of n items or slices; more than a grid can have take several launches. */
static RcStatus
launch_blocks (const Run *run, const void *kernel, int64_t n, RcCudaAlignMany *launch, size_t shared, const char *call)
{
  void *arguments[] = { launch };
  RcStatus status = RC_OK;
  int64_t first;

  for (first = 0; first < n && status == RC_OK; first += MOST_BLOCKS) {
    launch->head.first_index = first;
    status = launch_kernel (run, kernel, (unsigned) lesser (n - first, MOST_BLOCKS), arguments, shared, call);
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

static RcStatus
check_order (const Run *run, RcCudaAlignMany *launch, uint64_t flag_bytes)
{
  const cudaError_t cleared = cudaMemsetAsync (launch->head.disordered, 0, flag_bytes, run->stream);
  RcStatus status = check (run, cleared, "cudaMemsetAsync");

  if (status == RC_OK)
    status = launch_blocks (run, rc_cuda_align_order, launch->head.slices, launch, 0, "launch of the order check");
  return status;
}

/* The episodes of head, whose items are cut. */
static RcStatus
launch_episodes (const Run *run, State *state, RcCudaAlignKind kind)
{
  RcCudaAlignHead *head = &state->launch.head;
  const size_t shared = (size_t) head->staged_times * sizeof (int64_t)
      + (size_t) head->staged_rows * rc_cuda_align_row_bytes;
  RcStatus status = RC_OK;

  if (head->n_streams > RC_CUDA_MANY_STREAMS) {
    head->table = (RcCudaAlignTask *) ((char *) run->args->scratch + state->flag_bytes);
    status = fill_table (run, state, head->table);
  } else {
    memcpy (state->launch.tasks, state->tasks, (size_t) head->n_streams * sizeof (state->tasks[0]));
  }
  if (status == RC_OK && head->slices > 0)
    status = check_order (run, &state->launch, state->flag_bytes);
  if (status == RC_OK)
    status = launch_blocks (run, rc_cuda_align_kernels[kind][head->n_streams > RC_CUDA_FEW_STREAMS], head->items,
        &state->launch, shared, "launch of the alignment");
  return status;
}

static RcStatus
launch_all (const Run *run, State *state)
{
  RcCudaAlignHead *head = &state->launch.head;
  RcCudaAlignTask *tasks = state->tasks;
  int64_t at_once = run->args->batch, i;
  RcCudaAlignKind kind = state->kind;
  RcStatus status = RC_OK;

  for (i = 0; i < run->plan->n_streams; i++) {
    if (run->args->streams[i].rows != NULL && run->args->streams[i].brackets != NULL)
      kind = kind_with_brackets (state->kind);
  }
  for (i = 0; i < run->plan->n_streams; i++) {
    take_args (&run->args->streams[i], run->args, &tasks[i]);
    choose_lanes (kind, &tasks[i]);
    if (tasks[i].slices > 0 && at_once > (int64_t) state->flag_bytes / run->plan->n_streams)
      at_once = (int64_t) state->flag_bytes / run->plan->n_streams;
  }
  head->ticks = run->args->ticks;
  head->tick_times = run->args->tick_times;
  head->tick_times_batch_stride = run->args->tick_times_batch_stride;
  head->n_streams = run->plan->n_streams;
  head->disordered = run->args->scratch;
  for (head->first_episode = 0; head->first_episode < run->args->batch && status == RC_OK;
      head->first_episode += head->episodes) {
    const int64_t left = run->args->batch - head->first_episode;

    head->episodes = left < at_once ? left : at_once;
    cut_for_device (run->plan, run->cuda, tasks, head);
    number_slices (tasks, head);
    measure_shared (run->plan, tasks, head);
    status = launch_episodes (run, state, kind);
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
