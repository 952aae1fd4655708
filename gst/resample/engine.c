/* robocache: robocacheresample, the engine for a format, and its plans
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine.h"

#include "common/element/errors.h"

/* ---- jobs ---- */

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
episode_bytes (const GstRobocacheResampleEngine *engine)
{
  const RobocacheEpisodesShape shape = batch_shape (&engine->format);
  guint64 bytes = engine->format.out_memory != ROBOCACHE_SYSTEM_MEMORY ? engine->format.out_bytes
      : robocache_episodes_part_bytes (&engine->spec, &shape, ROBOCACHE_EPISODES_OUT);

  for (guint part = 0; part < ROBOCACHE_EPISODES_OUT && !engine->format.in_on_device; part++)
    bytes += robocache_episodes_part_bytes (&engine->spec, &shape, part);
  return bytes;
}

static RobocacheJob
describe_job (const GstRobocacheResampleEngine *engine)
{
  const GstRobocacheResampleFormat *format = &engine->format;
  const guint64 row = (guint64) engine->spec.channels * rc_dtype_size (engine->spec.in);
  RobocacheJob job = {.in_on_device = format->in_on_device,.out_memory = format->out_memory };

  if (format->batch) {
    job.splits = TRUE;
    job.device_bytes = episode_bytes (engine);
    job.what = format->out_memory != ROBOCACHE_SYSTEM_MEMORY ? "one episode and the whole output" : "one episode";
    job.advice = "send shorter episodes or fewer target times, or raise max-device-memory";
  } else {
    job.device_bytes = 4 * row + format->out_bytes;
    job.what = "one tick";
    job.advice = "send fewer channels, or raise max-device-memory";
  }
  return job;
}

/* ---- plans ---- */

static gboolean
plan_stream (GstRobocacheResampleEngine *engine, RcStatus *status, GError **error)
{
  RobocacheEngine *active = engine->device->active;
  const RcAlignSpec spec = { &engine->spec, 1 };
  RcFootprint footprint = { 0 };
  RcError failure;

  *status = rc_align_plan (robocache_engine_backend (active), &spec, &engine->plan, &footprint, &failure);
  return robocache_engine_check_settings (*status, &failure, ROBOCACHE_ERROR_PROPERTY, error)
      && robocache_blender_init (&engine->blender, active, 1, footprint.scratch_bytes, error);
}

static gboolean
plan_batch (GstRobocacheResampleEngine *engine, RcStatus *status, GError **error)
{
  const RobocacheEpisodesShape shape = batch_shape (&engine->format);
  RobocacheEngine *engines[ROBOCACHE_MAX_DEVICES];
  const RobocacheJob job = describe_job (engine);
  const guint n = robocache_device_engines (engine->device, &job, engines);
  RobocacheReadback *readback;

  engine->episodes = robocache_episodes_new (engines, n, &engine->spec, &shape, status, error);
  if (engine->episodes == NULL)
    return FALSE;
  readback = robocache_readback_new (engines, n, ROBOCACHE_EPISODES_N_COUNTERS, error);
  GST_OBJECT_LOCK (engine->element);
  engine->readback = readback;
  GST_OBJECT_UNLOCK (engine->element);
  return readback != NULL;
}

static void
free_plans (GstRobocacheResampleEngine *engine)
{
  RobocacheReadback *readback;

  robocache_blender_clear (&engine->blender);
  g_clear_pointer (&engine->plan, rc_align_plan_free);
  g_clear_pointer (&engine->episodes, robocache_episodes_free);
  GST_OBJECT_LOCK (engine->element);
  readback = g_steal_pointer (&engine->readback);
  GST_OBJECT_UNLOCK (engine->element);
  robocache_readback_free (readback);
}

static gboolean
plan_on_active (GstRobocacheResampleEngine *engine, RcStatus *status, GError **error)
{
  *status = RC_OK;
  if (engine->format.batch ? plan_batch (engine, status, error) : plan_stream (engine, status, error))
    return TRUE;
  free_plans (engine);
  return FALSE;
}

static gboolean
make_plans (GstRobocacheResampleEngine *engine, const RobocacheJob *job, GError **error)
{
  GError *failure = NULL;
  RcStatus status;

  if (plan_on_active (engine, &status, &failure))
    return TRUE;
  if (robocache_device_fall_back (engine->device, engine->element, job, status, failure)) {
    g_clear_error (&failure);
    if (plan_on_active (engine, &status, &failure))
      return TRUE;
  }
  g_propagate_error (error, failure);
  return FALSE;
}

/* ---- life ---- */

gboolean
gst_robocache_resample_engine_open (GstRobocacheResampleEngine *engine, const GstRobocacheResampleFormat *format,
    const GstRobocacheResampleSettings *settings, const RobocacheChannelRoles *roles, GError **error)
{
  RobocacheJob job;

  gst_robocache_resample_engine_close (engine);
  engine->format = *format;
  engine->spec = (RcAlignStreamSpec) {
    .in = format->in.tensors[0].dtype,
    .out = format->out.dtype,
    .channels = (gint64) robocache_tensor_info_dim (&format->in.tensors[0], 0),
  };
  robocache_channel_roles_copy (&engine->roles, roles);
  if (!robocache_channel_roles_parse (&engine->roles, error))
    return FALSE;
  engine->spec.search = gst_robocache_resample_search (settings, format, &engine->roles);
  job = describe_job (engine);
  engine->is_open = robocache_device_choose (engine->device, engine->element, &job, error);
  if (engine->is_open) {
    robocache_channel_roles_apply (&engine->roles, &engine->spec);
    engine->is_open = make_plans (engine, &job, error);
  }
  return engine->is_open;
}

void
gst_robocache_resample_engine_close (GstRobocacheResampleEngine *engine)
{
  free_plans (engine);
  robocache_channel_roles_clear (&engine->roles);
  engine->is_open = FALSE;
}

gboolean
gst_robocache_resample_engine_is_gpu (const GstRobocacheResampleEngine *engine)
{
  return robocache_engine_is_gpu (engine->device->active);
}

gboolean
gst_robocache_resample_engine_keeps_device_rows (const GstRobocacheResampleEngine *engine)
{
  return engine->is_open && !engine->format.batch && engine->format.in_on_device
      && gst_robocache_resample_engine_is_gpu (engine);
}

gboolean
gst_robocache_resample_engine_fall_back (GstRobocacheResampleEngine *engine, const GError *error)
{
  const RobocacheJob job = describe_job (engine);

  if (!robocache_device_fall_back (engine->device, engine->element, &job, RC_OK, error))
    return FALSE;
  free_plans (engine);
  engine->is_open = make_plans (engine, &job, NULL);
  return engine->is_open;
}

gboolean
gst_robocache_resample_engine_blend (GstRobocacheResampleEngine *engine, const RobocacheHistory *history,
    const RobocacheAlignment *alignment, gpointer out, GError **error)
{
  const RobocacheRowLayout *layout = &engine->format.layout;
  const RobocacheBlendStream stream = {
    .rows = robocache_history_has_rows (history) ? robocache_history_rows (history) : NULL,
    .n_rows = history->n,
    .times = robocache_history_times (history),
    .rows_on_device = gst_robocache_resample_engine_keeps_device_rows (engine),
    .row_bytes = layout->channels * rc_dtype_size (layout->dtype),
    .bracket = &alignment->bracket,
    .out = out,
    .out_row_bytes = engine->format.out_bytes,
  };

  return robocache_blender_run (&engine->blender, engine->plan, &stream, 1, error);
}
