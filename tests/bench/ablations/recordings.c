/* robocache: recordings that the ablations of alignments share
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recordings.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/align.h"
#include "kernels/memory.h"

#define PERIOD_NS 1e6           /* of the rows */

static const RcSearch search = { RC_LINEAR, -1, 0, 0 };

static void
make_times (const RecordingShape *shape, int64_t *times, int64_t *tick_times)
{
  const double span = PERIOD_NS * (double) (shape->n_rows - 2);
  int32_t i;

  for (i = 0; i < shape->n_rows; i++)
    times[i] = (int64_t) (((double) i + 0.33 * bench_uniform ()) * PERIOD_NS);
  for (i = 0; i < shape->n_ticks; i++)
    tick_times[i] = (int64_t) (PERIOD_NS / 2 + span * ((double) i + 0.5) / (double) shape->n_ticks);
}

/* Brackets of an episode; returns how many rows these need. */
static int64_t
find_brackets (const Recording *recording, int32_t episode, uint8_t *seen)
{
  const RecordingShape *shape = &recording->shape;
  const int64_t first = (int64_t) episode * shape->n_ticks;
  int64_t n = 0;
  int32_t i;

  memset (seen, 0, (size_t) shape->n_rows);
  for (i = 0; i < shape->n_ticks; i++) {
    const RcBracket b = rc_bracket_find (&search, recording->times + (int64_t) episode * shape->n_rows, shape->n_rows,
        recording->tick_times[first + i]);

    if (b.blend == RC_BLEND_NONE)
      bench_fail (shape->name, "a tick has no rows");
    recording->brackets[first + i] = b;
    seen[b.row] = seen[b.next] = 1;
  }
  for (i = 0; i < shape->n_rows; i++)
    n += seen[i];
  return n;
}

int64_t
recording_distinct (const Recording *recording)
{
  return recording->shape.batch < RECORDING_EPISODES ? recording->shape.batch : RECORDING_EPISODES;
}

void
recording_repeat (const Recording *recording, void *memory, int64_t bytes)
{
  bench_repeat (memory, bytes / recording->shape.batch * recording_distinct (recording), bytes);
}

void
recording_make (Recording *recording, const RecordingShape *shape)
{
  const int64_t rows = (int64_t) shape->batch * shape->n_rows, ticks = (int64_t) shape->batch * shape->n_ticks;
  const int64_t bracket_bytes = ticks * (int64_t) sizeof (RcBracket);
  uint8_t *seen = malloc ((size_t) shape->n_rows);
  int32_t i;

  *recording = (Recording) {.shape = *shape,.times = malloc ((size_t) rows * 8),.tick_times = malloc ((size_t) ticks * 8),
    .brackets = malloc ((size_t) bracket_bytes)
  };
  for (i = 0; i < recording_distinct (recording); i++) {
    make_times (shape, recording->times + (int64_t) i * shape->n_rows, recording->tick_times + (int64_t) i * shape->n_ticks);
    recording->rows_needed += find_brackets (recording, i, seen);
  }
  recording_repeat (recording, recording->times, rows * 8);
  recording_repeat (recording, recording->tick_times, ticks * 8);
  recording_repeat (recording, recording->brackets, bracket_bytes);
  recording->rows_needed = recording->rows_needed * shape->batch / recording_distinct (recording);
  free (seen);
}

void
recording_free (Recording *recording)
{
  free (recording->times);
  free (recording->tick_times);
  free (recording->brackets);
}

int64_t
recording_elements_in (const Recording *recording)
{
  return (int64_t) recording->shape.batch * recording->shape.n_rows * recording->shape.channels;
}

int64_t
recording_elements_out (const Recording *recording)
{
  return (int64_t) recording->shape.batch * recording->shape.n_ticks * recording->shape.channels;
}

BenchBytes
recording_must_move (const Recording *recording, int in_size, int out_size)
{
  const RecordingShape *shape = &recording->shape;

  return (BenchBytes) {.read = recording->rows_needed * shape->channels * in_size + (int64_t) shape->batch * shape->n_rows * 8
        + (int64_t) shape->batch * shape->n_ticks * 8,.written = recording_elements_out (recording) * out_size};
}

float *
recording_random_rows (const Recording *recording)
{
  const int64_t n = recording_elements_in (recording);
  float *rows = malloc ((size_t) n * sizeof (*rows));
  int64_t i;

  for (i = 0; i < n / recording->shape.batch * recording_distinct (recording); i++)
    rows[i] = (float) (2 * bench_uniform () - 1);
  recording_repeat (recording, rows, n * (int64_t) sizeof (*rows));
  return rows;
}

void *
recording_expected (const Recording *recording, RcBackend *cpu, RcDtype dtype, const void *rows)
{
  const RecordingShape *shape = &recording->shape;
  const int64_t row_bytes = shape->channels * (int64_t) rc_dtype_size (dtype);
  const RcAlignStreamSpec stream = {.in = dtype,.out = dtype,.channels = shape->channels,.search = search };
  const RcAlignSpec spec = { &stream, 1 };
  const RcAlignStreamArgs data = {.rows = rows,.n_rows = shape->n_rows,.row_stride = row_bytes,
    .batch_stride = shape->n_rows * row_bytes,.times = recording->times,.times_batch_stride = shape->n_rows * INT64_C (8),
    .out = malloc ((size_t) (shape->batch * shape->n_ticks * row_bytes)),.out_row_stride = row_bytes,
    .out_batch_stride = shape->n_ticks * row_bytes
  };
  const RcAlignArgs args = { &data, shape->batch, shape->n_ticks, recording->tick_times, shape->n_ticks * INT64_C (8), NULL };
  RcAlignPlan *plan;
  RcError error;

  if (rc_align_plan (cpu, &spec, &plan, NULL, &error) != RC_OK || rc_align_run (plan, &args, NULL, &error) != RC_OK)
    bench_fail (shape->name, error.message);
  rc_align_plan_free (plan);
  return data.out;
}

/* ---- on the device ---- */

/* rows: on the host or on the device. */
static EpisodesArgs
make_args (const Recording *recording, RcBackend *backend, const void *rows, int in_size, int out_size)
{
  const RecordingShape *shape = &recording->shape;
  const uint64_t n_times = (uint64_t) shape->batch * (uint64_t) shape->n_rows;
  const uint64_t n_ticks = (uint64_t) shape->batch * (uint64_t) shape->n_ticks;
  const int32_t items = (shape->n_ticks + EPISODES_ITEM_TICKS - 1) / EPISODES_ITEM_TICKS;

  return (EpisodesArgs) {
    .rows = bench_memory (backend, (uint64_t) (recording_elements_in (recording) * in_size), rows),
    .times = bench_memory (backend, n_times * 8, recording->times),
    .tick_times = bench_memory (backend, n_ticks * 8, recording->tick_times),
    .out = bench_memory (backend, (uint64_t) (recording_elements_out (recording) * out_size), NULL),
    .next_item = bench_memory (backend, 2 * sizeof (uint32_t), NULL),
    .batch = shape->batch,.n_rows = shape->n_rows,.n_ticks = shape->n_ticks,.channels = shape->channels,
    .items_per_episode = items,.items = items * shape->batch
  };
}

RecordingCopies *
recording_copy (const Recording *recording, const Bench *bench, const void *rows, int in_size, int out_size)
{
  RecordingCopies *copies = calloc (1, sizeof (*copies));
  int i;

  copies->backend = bench->backend;
  copies->must_move = recording_must_move (recording, in_size, out_size);
  copies->n = bench_copies (bench, bench_total (&copies->must_move));
  copies->out_bytes = recording_elements_out (recording) * out_size;
  for (i = 0; i < copies->n; i++)
    copies->args[i] = make_args (recording, bench->backend, i > 0 ? copies->args[0].rows : rows, in_size, out_size);
  return copies;
}

void
recording_copies_scale (RecordingCopies *copies, const float *scales, int n)
{
  int i;

  for (i = 0; i < copies->n; i++)
    copies->args[i].scales = bench_memory (copies->backend, (uint64_t) n * sizeof (float), scales);
}

void
recording_copies_free (RecordingCopies *copies)
{
  int i;

  for (i = 0; i < copies->n; i++) {
    const EpisodesArgs *args = &copies->args[i];
    const void *const memories[] = { args->rows, args->times, args->tick_times, args->out, args->scales, args->next_item };
    size_t k;

    for (k = 0; k < sizeof (memories) / sizeof (memories[0]); k++)
      rc_memory_free (copies->backend, RC_MEMORY_DEVICE, (void *) memories[k]);
  }
  free (copies->maps);
  free (copies);
}

static void
run (void *data, int i, cudaStream_t stream)
{
  RecordingCopies *copies = data;
  void *arguments[] = { &copies->args[i], copies->maps != NULL ? &copies->maps[i] : NULL };

  ablation_launch (&copies->launch, arguments, stream);
}

BenchTimes
recording_times (const RecordingCopies *copies, const Bench *bench)
{
  bench_must (cudaMemset (copies->args[0].out, 0xFF, (size_t) copies->out_bytes), "cudaMemset");
  bench_must (cudaDeviceSynchronize (), "cudaDeviceSynchronize");
  return bench_times (bench, run, (void *) copies, copies->n, bench_total (&copies->must_move));
}

void *
recording_output (const RecordingCopies *copies)
{
  void *host = malloc ((size_t) copies->out_bytes);

  bench_must (cudaMemcpy (host, copies->args[0].out, (size_t) copies->out_bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return host;
}

int
recording_is (const RecordingCopies *copies, const Bench *bench, const void *expected)
{
  return bench_difference (bench, copies->args[0].out, expected, copies->out_bytes) < 0;
}
