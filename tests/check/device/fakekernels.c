/* robocache: kernels of fake devices
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fakekernels.h"

#include "kernels/backend_impl.h"
#include "kernels/voxel.h"
#include "tests/check/lib/device/devicework.h"

RcBackend *fake_kernels_cpu;
RcAlignPlan *fake_kernels_align;

/* ---- alignment ---- */

/* What work needs, kept until the program ends: a device that fails never comes to it. */
static gpointer
keep (gpointer data)
{
  static GPtrArray *all;

  if (all == NULL)
    all = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (all, data);
  return data;
}

typedef struct
{
  RcAlignStreamArgs stream;
  RcAlignArgs args;
} AlignWork;

static void
do_align (guint8 *to, const guint8 *from, gsize bytes, gpointer data)
{
  AlignWork *work = data;

  work->args.streams = &work->stream;
  fail_unless (rc_align_run (fake_kernels_align, &work->args, NULL, NULL) == RC_OK);
}

static RcStatus
enqueue_align (RcAlignPlan *plan, const RcAlignArgs *args, RcStream stream, RcError *error)
{
  AlignWork *work = keep (g_new0 (AlignWork, 1));
  RcAlignStreamArgs *s = &work->stream;

  *s = args->streams[0];
  work->args = *args;
  s->rows = fake_bytes (s->rows);
  s->times = (const gint64 *) fake_bytes (s->times);
  s->counters = (RcAlignCounters *) fake_bytes (s->counters);
  s->out = fake_bytes (s->out);
  work->args.tick_times = (const gint64 *) fake_bytes (args->tick_times);
  fake_launch (stream, do_align, args->streams[0].out, NULL, (gsize) (args->batch * s->out_batch_stride), work);
  return RC_OK;
}

/* ---- voxel grids ---- */

typedef enum
{
  BEGIN,
  RANGE,
  ADD,
  REMOVE,
  END,
  MEASURE
} VoxelPhase;

typedef struct
{
  VoxelPhase phase;
  RcVoxelPlan *plan;            /* the CPU's */
  RcVoxelJob job;
  RcVoxelChunk chunk;
  RcVoxelOut out;
  gdouble *ranges;              /* that are measured */
} VoxelWork;

static void
do_voxel (guint8 *to, const guint8 *from, gsize bytes, gpointer data)
{
  static RcStatus (*const chunk_phases[]) (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk,
      RcStream stream, RcError * error) = {
    [RANGE] = rc_voxel_range,
    [ADD] = rc_voxel_add,
    [REMOVE] = rc_voxel_remove,
  };
  VoxelWork *work = data;
  RcStatus status;
  RcError failure = { 0 };

  if (work->phase == BEGIN)
    status = rc_voxel_begin (work->plan, &work->job, NULL, &failure);
  else if (work->phase == END)
    status = rc_voxel_end (work->plan, &work->job, &work->out, NULL, &failure);
  else if (work->phase == MEASURE)
    status = rc_voxel_measure (work->plan, &work->chunk, work->ranges, NULL, &failure);
  else
    status = chunk_phases[work->phase] (work->plan, &work->job, &work->chunk, NULL, &failure);
  fail_unless (status == RC_OK, "%s", failure.message);
}

static VoxelWork *
new_voxel_work (VoxelPhase phase, const RcVoxelPlan *plan, const RcVoxelJob *job)
{
  VoxelWork *work = keep (g_new0 (VoxelWork, 1));

  work->phase = phase;
  work->plan = plan->backend_state;
  work->job = *job;
  work->job.scratch = fake_bytes (job->scratch);
  work->job.point_voxels = (gint64 *) fake_bytes (job->point_voxels);
  return work;
}

static RcStatus
enqueue_begin (RcVoxelPlan *plan, const RcVoxelJob *job, RcStream stream, RcError *error)
{
  VoxelWork *work = new_voxel_work (BEGIN, plan, job);

  if (job->ranges) {
    const gsize bytes = (gsize) (plan->spec.batch * plan->channels) * sizeof (gdouble);

    work->job.ranges = keep (memcpy (g_malloc (bytes), job->ranges, bytes));
  }
  fake_launch (stream, do_voxel, job->scratch, NULL, 1, work);
  return RC_OK;
}

static RcStatus
enqueue_chunk (VoxelPhase phase, RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, RcStream stream)
{
  VoxelWork *work = new_voxel_work (phase, plan, job);

  work->chunk = *chunk;
  work->chunk.data = fake_bytes (chunk->data);
  work->chunk.counters = (RcVoxelCounters *) fake_bytes (chunk->counters);
  fake_launch (stream, do_voxel, job->scratch, chunk->data, 1, work);
  return RC_OK;
}

#define DEFINE_ENQUEUE(function, phase) \
static RcStatus \
function (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, RcStream stream, RcError *error) \
{ \
  return enqueue_chunk (phase, plan, job, chunk, stream); \
}

DEFINE_ENQUEUE (enqueue_range, RANGE)
DEFINE_ENQUEUE (enqueue_add, ADD)
DEFINE_ENQUEUE (enqueue_remove, REMOVE)

static RcStatus
enqueue_end (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelOut *out, RcStream stream, RcError *error)
{
  VoxelWork *work = new_voxel_work (END, plan, job);

  work->out = *out;
  work->out.grid = fake_bytes (out->grid);
  work->out.n_voxels = (guint32 *) fake_bytes (out->n_voxels);
  work->out.coordinates = (gint32 *) fake_bytes (out->coordinates);
  work->out.values = fake_bytes (out->values);
  work->out.counters = (RcVoxelCounters *) fake_bytes (out->counters);
  work->out.occupied = (guint32 *) fake_bytes (out->occupied);
  work->out.point_counts = (guint32 *) fake_bytes (out->point_counts);
  fake_launch (stream, do_voxel, out->grid ? out->grid : out->coordinates, job->scratch, 1, work);
  return RC_OK;
}

static RcStatus
measure_there (RcVoxelPlan *plan, const RcVoxelChunk *chunk, double *ranges, RcStream stream, RcError *error)
{
  const RcVoxelJob none = { 0 };
  VoxelWork *work = new_voxel_work (MEASURE, plan, &none);

  work->chunk = *chunk;
  work->chunk.data = fake_bytes (chunk->data);
  work->ranges = ranges;
  fake_launch (stream, do_voxel, NULL, chunk->data, 1, work);
  return rc_stream_synchronize (plan->backend, stream, error);
}

static RcStatus
prepare_voxel (RcVoxelPlan *plan, RcError *error)
{
  RcVoxelSpec spec = plan->spec;

  if (!plan->accumulates)
    spec.accumulates = 0;             /* scratch is laid out for what the device can */
  return rc_voxel_plan (fake_kernels_cpu, &spec, (RcVoxelPlan **) & plan->backend_state, NULL, error);
}

static void
release_voxel (RcVoxelPlan *plan)
{
  rc_voxel_plan_free (plan->backend_state);
}

static const RcVoxelOps voxel_ops = { prepare_voxel, release_voxel, enqueue_begin, enqueue_range, enqueue_add,
    enqueue_remove, enqueue_end, measure_there };

/* ---- engines ---- */

static RcBackendOps ops;

RobocacheEngine *
fake_kernels_engine (FakeDevice *device, guint64 max_bytes)
{
  RcBackend *backend = fake_device_open (device);
  RobocacheEngine *engine;

  ops = *backend->ops;
  ops.align_run = enqueue_align;
  ops.voxel = &voxel_ops;
  backend->ops = &ops;
  engine = robocache_engine_new_for_backend (backend, max_bytes, NULL);
  fail_unless (engine != NULL);
  return engine;
}
