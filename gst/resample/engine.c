/* robocache: robocacheresample, where it computes: the engine for a format, its plans, and the row of a tick
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstrobocacheresample.h"

#include "common/element/errors.h"

/* ---- the engine ---- */

static RobocacheEpisodesShape
batch_shape (const GstRobocacheResampleFormat *format)
{
  const RobocacheTensorInfo *rows = &format->in.tensors[GST_ROBOCACHE_BATCH_ROWS];

  return (RobocacheEpisodesShape) {
    .batch = robocache_tensor_info_dim (rows, 2),
    .rows = robocache_tensor_info_dim (rows, 1),
    .ticks = robocache_tensor_info_dim (&format->in.tensors[GST_ROBOCACHE_BATCH_TARGETS], 0),
  };
}

/* What must be on the device at once to resample one episode. */
static guint64
least_device_bytes (const GstRobocacheResample *resample, const RcAlignStreamSpec *spec)
{
  const RobocacheEpisodesShape shape = batch_shape (&resample->format);
  guint64 bytes = resample->out_on_device ? robocache_tensor_info_size (&resample->format.out)
      : robocache_episodes_part_bytes (spec, &shape, ROBOCACHE_EPISODES_OUT);

  for (guint part = 0; part < ROBOCACHE_EPISODES_OUT && !resample->in_on_device; part++)
    bytes += robocache_episodes_part_bytes (spec, &shape, part);
  return bytes;
}

static RobocacheJob
describe_job (const GstRobocacheResample *resample, const RcAlignStreamSpec *spec)
{
  const guint64 row = (guint64) spec->channels * rc_dtype_size (spec->in);
  RobocacheJob job = {.in_on_device = resample->in_on_device,.out_on_device = resample->out_on_device };

  if (resample->format.batch) {
    job.splits = TRUE;
    job.device_bytes = least_device_bytes (resample, spec);
    job.what = resample->out_on_device ? "one episode and the whole output" : "one episode";
    job.advice = "send shorter episodes or fewer target times, or raise max-device-memory";
  } else {
    job.device_bytes = 4 * row + robocache_tensor_info_size (&resample->format.out);
    job.what = "one tick";
    job.advice = "send fewer channels, or raise max-device-memory";
  }
  return job;
}

/* ---- plans ---- */

static gboolean
plan_stream (GstRobocacheResample *resample, const RcAlignStreamSpec *stream, RcStatus *status, GError **error)
{
  RobocacheEngine *engine = resample->device.active;
  const RcAlignSpec spec = { stream, 1 };
  RcFootprint footprint = { 0 };
  RcError failure;

  *status = rc_align_plan (robocache_engine_backend (engine), &spec, &resample->plan, &footprint, &failure);
  return robocache_engine_check (*status, &failure, error)
      && robocache_blender_init (&resample->blender, engine, 1, footprint.scratch_bytes, error);
}

static gboolean
plan_batch (GstRobocacheResample *resample, const RcAlignStreamSpec *spec, RcStatus *status, GError **error)
{
  const RobocacheEpisodesShape shape = batch_shape (&resample->format);
  RobocacheEngine *engines[ROBOCACHE_MAX_DEVICES];
  const RobocacheJob job = describe_job (resample, spec);
  const guint n = robocache_device_engines (&resample->device, &job, engines);
  gboolean ok;

  resample->episodes = robocache_episodes_new (engines, n, spec, &shape, status, error);
  if (resample->episodes == NULL)
    return FALSE;
  GST_OBJECT_LOCK (resample);
  ok = robocache_readback_init (&resample->readback, engines, n, ROBOCACHE_EPISODES_N_COUNTERS, error);
  GST_OBJECT_UNLOCK (resample);
  return ok;
}

/* A spec that makes no sense is a property's fault. */
static gboolean
plan_on_active_engine (GstRobocacheResample *resample, const RcAlignStreamSpec *spec, RcStatus *status, GError **error)
{
  GError *failure = NULL;

  *status = RC_OK;
  if (resample->format.batch ? plan_batch (resample, spec, status, &failure)
      : plan_stream (resample, spec, status, &failure))
    return TRUE;
  gst_robocache_resample_close_engine (resample);
  if (*status == RC_INVALID_ARGUMENT || *status == RC_UNSUPPORTED) {
    g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, failure->message);
    g_error_free (failure);
  } else {
    g_propagate_error (error, failure);
  }
  return FALSE;
}

static gboolean
may_fall_back (RcStatus status, const GError *error)
{
  return status == RC_UNSUPPORTED || g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT);
}

static gboolean
plan_with_roles (GstRobocacheResample *resample, const RcAlignStreamSpec *spec, GError **error)
{
  const RobocacheJob job = describe_job (resample, spec);
  GError *failure = NULL;
  RcStatus status;

  if (plan_on_active_engine (resample, spec, &status, &failure))
    return TRUE;
  if (may_fall_back (status, failure)
      && robocache_device_fall_back (&resample->device, GST_ELEMENT (resample), &job, failure)) {
    g_clear_error (&failure);
    if (plan_on_active_engine (resample, spec, &status, &failure))
      return TRUE;
  }
  g_propagate_error (error, failure);
  return FALSE;
}

static RcAlignStreamSpec
make_spec (GstRobocacheResample *resample)
{
  const gboolean hold = resample->run.gap_policy == GST_ROBOCACHE_GAP_HOLD;

  resample->search.interpolation = resample->run.interpolation;
  resample->search.max_gap_ns = resample->run.max_gap;
  resample->search.hold_limit_ns = hold ? -1 : 0;
  resample->search.period_ns = resample->format.grid.num > 0 ? robocache_tick_period (&resample->format.grid) : 0;
  return (RcAlignStreamSpec) {
    .in = resample->format.in.tensors[0].dtype,
    .out = resample->format.out.dtype,
    .channels = (gint64) robocache_tensor_info_dim (&resample->format.in.tensors[0], 0),
    .search = resample->search,
  };
}

/* Plans on the active engine; the engine is chosen first, unless that was done. */
static gboolean
make_plans (GstRobocacheResample *resample, gboolean choose, GError **error)
{
  RcAlignStreamSpec spec = make_spec (resample);
  const RobocacheJob job = describe_job (resample, &spec);
  RobocacheChannelRoles roles = { 0 };
  gboolean ok;

  GST_OBJECT_LOCK (resample);
  robocache_channel_roles_copy (&roles, &resample->roles);
  GST_OBJECT_UNLOCK (resample);
  ok = robocache_channel_roles_parse (&roles, error)
      && (!choose || robocache_device_choose (&resample->device, GST_ELEMENT (resample), &job, error));
  if (ok) {
    robocache_channel_roles_apply (&roles, &spec);
    ok = plan_with_roles (resample, &spec, error);
  }
  robocache_channel_roles_clear (&roles);
  return ok;
}

gboolean
gst_robocache_resample_open_engine (GstRobocacheResample *resample, GError **error)
{
  return make_plans (resample, TRUE, error);
}

void
gst_robocache_resample_close_engine (GstRobocacheResample *resample)
{
  robocache_blender_clear (&resample->blender);
  g_clear_pointer (&resample->plan, rc_align_plan_free);
  g_clear_pointer (&resample->episodes, robocache_episodes_free);
  GST_OBJECT_LOCK (resample);
  robocache_readback_clear (&resample->readback);
  GST_OBJECT_UNLOCK (resample);
}

gboolean
gst_robocache_resample_is_negotiated (const GstRobocacheResample *resample)
{
  return resample->plan || resample->episodes;
}

gboolean
gst_robocache_resample_keeps_device_rows (const GstRobocacheResample *resample)
{
  return !resample->format.batch && resample->in_on_device && robocache_engine_is_gpu (resample->device.active);
}

gboolean
gst_robocache_resample_fall_back (GstRobocacheResample *resample, const GError *error)
{
  const RcAlignStreamSpec spec = make_spec (resample);
  const RobocacheJob job = describe_job (resample, &spec);
  GError *failure = NULL;

  if (!may_fall_back (RC_OK, error)
      || !robocache_device_fall_back (&resample->device, GST_ELEMENT (resample), &job, error))
    return FALSE;
  gst_robocache_resample_count_batches (resample, 0);
  gst_robocache_resample_close_engine (resample);
  if (make_plans (resample, FALSE, &failure))
    return TRUE;
  g_error_free (failure);
  return FALSE;
}

/* ---- the row of a tick ---- */

static gboolean
blend (GstRobocacheResample *resample, const RobocacheAlignment *alignment, gpointer out, GError **error)
{
  const RobocacheBlendStream stream = {
    .rows = robocache_history_has_rows (&resample->history) ? robocache_history_rows (&resample->history) : NULL,
    .n_rows = resample->history.n,
    .rows_on_device = gst_robocache_resample_keeps_device_rows (resample),
    .row_bytes = resample->format.layout.channels * rc_dtype_size (resample->format.layout.dtype),
    .bracket = &alignment->bracket,
    .out = out,
    .out_row_bytes = robocache_tensor_info_size (&resample->format.out),
  };

  return robocache_blender_run (&resample->blender, resample->plan, &stream, 1, error);
}

/* Written first and then wrapped: nothing is as fast for the few bytes of a row. */
static GstBuffer *
new_row_of_cpu (GstRobocacheResample *resample, const RobocacheAlignment *alignment, GError **error)
{
  const gsize bytes = robocache_tensor_info_size (&resample->format.out);
  gpointer row = g_malloc (bytes);

  if (blend (resample, alignment, row, error))
    return gst_buffer_new_wrapped (row, bytes);
  g_free (row);
  return NULL;
}

static gboolean
blend_on_gpu (GstRobocacheResample *resample, const RobocacheAlignment *alignment, GstMemory *out, GError **error)
{
  RobocacheEngine *engine = resample->device.active;

  if (!robocache_memory_begin_write (out, engine, error))
    return FALSE;
  if (blend (resample, alignment, robocache_memory_data (out), error) && robocache_memory_end_write (out, engine, error)
      && (resample->out_on_device || robocache_engine_synchronize (engine, error)))
    return TRUE;
  robocache_engine_synchronize (engine, NULL);  /* nobody else would know what it still writes */
  return FALSE;
}

static GstBuffer *
new_row_of_gpu (GstRobocacheResample *resample, const RobocacheAlignment *alignment, GError **error)
{
  GstAllocator *allocator = robocache_device_allocator (&resample->device, resample->out_on_device);
  GstMemory *memory = robocache_allocator_alloc (allocator, robocache_tensor_info_size (&resample->format.out), error);
  GstBuffer *buffer;

  if (memory == NULL)
    return NULL;
  if (!blend_on_gpu (resample, alignment, memory, error)) {
    gst_memory_unref (memory);
    return NULL;
  }
  buffer = gst_buffer_new ();
  gst_buffer_append_memory (buffer, memory);
  return buffer;
}

GstBuffer *
gst_robocache_resample_new_row (GstRobocacheResample *resample, const RobocacheAlignment *alignment)
{
  GError *error = NULL;
  GstBuffer *buffer = robocache_engine_is_gpu (resample->device.active)
      ? new_row_of_gpu (resample, alignment, &error) : new_row_of_cpu (resample, alignment, &error);

  if (buffer == NULL) {
    gst_robocache_resample_fail (resample, error);
    g_error_free (error);
  }
  return buffer;
}

void
gst_robocache_resample_fail (GstRobocacheResample *resample, const GError *error)
{
  if (!resample->failed)
    robocache_post_error (GST_ELEMENT (resample), error);
  resample->failed = TRUE;
}
