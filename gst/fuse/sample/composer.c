/* robocache: makes a composer of robocachefuse: tensors, caps, plans, engine and window
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "composer.h"

#include <string.h>

#include "common/device/budget.h"
#include "common/tensors/flexible.h"
#include "composerparts.h"
#include "gst/fuse/input/cameraformats.h"
#include "samplepool.h"

/* ---- making a composer ---- */

static void
add_streams (FuseComposer *composer)
{
  const gboolean concat = composer->output.layout == FUSE_LAYOUT_CONCAT;

  composer->n_streams = composer->composition.n_inputs;
  composer->streams = g_new0 (FuseOutputStream, MAX (composer->n_streams, 1));
  for (guint i = 0; i < composer->n_streams; i++) {
    FuseOutputStream *stream = &composer->streams[i];
    const FuseFormat *format = composer->composition.inputs[i].format;

    stream->input = &composer->composition.inputs[i];
    if (format->rows.is_camera || (!concat && composer->output.dtype == ROBOCACHE_DTYPE_AUTO && fuse_format_is_whole (format)))
      stream->out = format->rows.dtype;
    else
      stream->out = concat ? RC_FLOAT32 : robocache_dtype_resolve (composer->output.dtype, format->rows.dtype);
    stream->row_bytes = format->rows.channels * rc_dtype_size (stream->out);
  }
}

/* The axes of a stream's tensor: those of its rows, and the window. */
static void
set_tensor (FuseOutputTensor *tensor, const FuseOutputStream *stream, guint window)
{
  const FuseFormat *format = stream->input->format;
  const RobocacheTensorInfo *whole = &format->tensors.tensors[0];
  guint64 dims[ROBOCACHE_MAX_RANK] = { format->rows.channels, window };
  guint n = 2;

  if (format->rows.is_camera) {
    dims[0] = fuse_camera_pixel_elements (&format->video);
    dims[1] = GST_VIDEO_INFO_WIDTH (&format->video);
    dims[2] = fuse_camera_lines (&format->video);
    dims[3] = window;
    n = 4;
  } else if (fuse_format_is_whole (format)) {
    memcpy (dims, whole->dims, whole->rank * sizeof (guint64));
    n = whole->rank;
    if (window > 1)
      dims[n++] = window;
  }
  robocache_tensor_info_set (&tensor->info, stream->out, dims, n);
  tensor->row_bytes = stream->row_bytes;
}

static gboolean
check_lowpass (const FuseInput *input, GError **error)
{
  if (input->search.interpolation != RC_LOWPASS)
    return TRUE;
  if (input->format->rows.is_camera)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "%s: interpolation=lowpass is for tensors, not for video: set "
        "%s::interpolation=nearest or mean", input->name, input->name);
  else if (input->search.cutoff_hz == 0 && input->search.period_ns <= 0)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "%s: the default cutoff of interpolation=lowpass is 0.4 times "
        "the rate of ticks, which is unknown: set %s::cutoff (Hz), rate, or a framerate in the caps of the reference pad",
        input->name,
        input->name);
  else
    return TRUE;
  return FALSE;
}

/* A mean is taken over one tick, whose length must be known. */
static gboolean
check_periods (const FuseComposer *composer, GError **error)
{
  for (guint i = 0; i < composer->n_streams; i++) {
    const RcSearch *search = &composer->streams[i].input->search;

    if (search->interpolation == RC_MEAN && search->period_ns <= 0) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "%s: interpolation=mean averages over one tick, whose "
          "length is unknown: set rate, or a framerate in the caps of the reference pad",
          composer->streams[i].input->name);
      return FALSE;
    }
    if (!check_lowpass (composer->streams[i].input, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
check_whole (const FuseComposer *composer, const FuseInput *input, GError **error)
{
  const gboolean is_chosen = input->search.interpolation == RC_NEAREST || input->search.interpolation == RC_PREVIOUS;
  const RobocacheTensorInfo *tensor = &input->format->tensors.tensors[0];
  const gboolean adds_axis = composer->output.window > 1 && composer->output.layout != FUSE_LAYOUT_CONCAT;
  const gboolean has_axes = !adds_axis || tensor->rank < ROBOCACHE_MAX_RANK;
  gchar *shape = robocache_dimensions_to_string (tensor);

  if (!is_chosen)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "%s: a tensor of dimensions %s is not interpolated: set "
        "%s::interpolation=nearest or previous", input->name, shape, input->name);
  else if (!has_axes)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "%s: a tensor of dimensions %s has no axis left for the "
        "window: set window=1", input->name, shape);
  g_free (shape);
  return is_chosen && has_axes;
}

/* Tensors of more than two axes are carried as they are. */
static gboolean
check_whole_tensors (const FuseComposer *composer, GError **error)
{
  for (guint i = 0; i < composer->n_streams; i++) {
    const FuseInput *input = composer->streams[i].input;

    if (fuse_format_is_whole (input->format) && !check_whole (composer, input, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
lay_out_tensors (FuseComposer *composer, GError **error)
{
  const guint n_max = ROBOCACHE_MAX_TENSORS - (composer->output.info == FUSE_INFO_TENSOR);

  if (composer->n_streams > n_max) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "%u streams need more than the %d tensors of a buffer "
        "(info=tensor needs one): set layout=concat", composer->n_streams, ROBOCACHE_MAX_TENSORS);
    return FALSE;
  }
  for (guint i = 0; i < composer->n_streams; i++) {
    composer->streams[i].tensor = i;
    set_tensor (&composer->tensors[i], &composer->streams[i], composer->output.window);
  }
  composer->n_tensors = composer->n_streams;
  return TRUE;
}

static gboolean
lay_out_concat (FuseComposer *composer, GError **error)
{
  FuseOutputTensor *tensor = &composer->tensors[0];
  guint64 dims[2] = { 0, composer->output.window };

  if (composer->output.dtype != ROBOCACHE_DTYPE_AUTO && composer->output.dtype != RC_FLOAT32) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "layout=concat makes one float32 tensor, but type is %s: set "
        "type=auto or float32", rc_dtype_name (composer->output.dtype));
    return FALSE;
  }
  for (guint i = 0; i < composer->n_streams; i++) {
    FuseOutputStream *stream = &composer->streams[i];

    stream->tensor = 0;
    stream->offset = tensor->row_bytes;
    tensor->row_bytes += stream->row_bytes;
    dims[0] += stream->input->format->rows.channels;
  }
  robocache_tensor_info_set (&tensor->info, RC_FLOAT32, dims, 2);
  composer->n_tensors = 1;
  return TRUE;
}

static GString *
append_name (GString *list, const gchar *name)
{
  if (list->len > 0)
    g_string_append_c (list, ',');
  return g_string_append (list, name);
}

/* The channels' names of all tensors one after another, when every stream has as many as it has channels. */
static gchar *
channel_names (const FuseComposer *composer)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < composer->n_streams; i++) {
    const FuseFormat *format = composer->streams[i].input->format;
    gchar **split;
    guint n;

    if (format->rows.is_camera)
      continue;
    split = g_strsplit (format->channels ? format->channels : "", ",", -1);
    n = g_strv_length (split);
    g_strfreev (split);
    if (n != format->rows.channels) {
      g_string_free (names, TRUE);
      return NULL;
    }
    append_name (names, format->channels);
  }
  return g_string_free (names, names->len == 0);
}

/* Frames have no kinds, nor have those that caps must not have. */
static gboolean
has_kinds (const FuseInput *input)
{
  return !input->format->rows.is_camera && !input->format->hides_kinds;
}

/* The kinds of the channels of the tensor of all streams; NULL: all channels are real, or some are hidden. */
static gchar *
joined_kinds (const FuseComposer *composer, const gchar *channels)
{
  const RobocacheChannelRoles **roles = g_new (const RobocacheChannelRoles *, composer->n_streams);
  gboolean have = TRUE;
  gchar *kinds;

  for (guint i = 0; i < composer->n_streams; i++) {
    roles[i] = &composer->streams[i].input->roles;
    have &= has_kinds (composer->streams[i].input);
  }
  kinds = have ? robocache_channel_roles_join (roles, composer->n_streams, channels) : NULL;
  g_free (roles);
  return kinds;
}

/* Those of a tensor for each stream, separated by semicolons; NULL: all channels are real. */
static gchar *
listed_kinds (const FuseComposer *composer)
{
  GString *list = g_string_new (NULL);
  gsize length = 0;             /* up to the last tensor with kinds */

  for (guint i = 0; i < composer->n_streams; i++) {
    const FuseInput *input = composer->streams[i].input;

    if (i > 0)
      g_string_append_c (list, ';');
    if (!has_kinds (input) || input->roles.used == NULL)
      continue;
    g_string_append (list, input->roles.used);
    length = list->len;
  }
  g_string_truncate (list, length);
  return g_string_free (list, length == 0);
}

/* In a GstTensorMeta. */
static GQuark
tensor_id (const FuseComposer *composer, guint i)
{
  const FuseInput *input = composer->streams[i].input;

  if (composer->output.layout == FUSE_LAYOUT_CONCAT)
    return g_quark_from_static_string ("concat");
  return input->format->tensor_id ? input->format->tensor_id : g_quark_from_string (input->name);
}

/* Streams whose rows are copies of the nearest one: consumers tell by it how old a row is. */
static void
name_nearest (const FuseComposer *composer)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < composer->n_streams; i++) {
    const FuseInput *input = composer->streams[i].input;

    if (input->search.interpolation == RC_NEAREST)
      g_string_append_printf (names, "%s%s", names->len > 0 ? "," : "", input->name);
  }
  if (names->len > 0)
    gst_caps_set_simple (composer->caps, "nearest", G_TYPE_STRING, names->str, NULL);
  g_string_free (names, TRUE);
}

static void
make_caps (FuseComposer *composer)
{
  const FuseComposition *composition = &composer->composition;
  RobocacheTensorsInfo *sample = &composer->sample;
  GString *names = g_string_new (NULL);
  gchar *channels = channel_names (composer);
  gchar *kinds = composer->n_tensors == 1 ? joined_kinds (composer, channels) : listed_kinds (composer);

  *sample = (RobocacheTensorsInfo) { composer->n_tensors, {{0}}, composition->rate_num, composition->rate_den };
  for (guint i = 0; i < composer->n_tensors; i++) {
    sample->tensors[i] = composer->tensors[i].info;
    composer->ids[i] = tensor_id (composer, i);
  }
  if (composer->output.info == FUSE_INFO_TENSOR) {
    const guint64 dims[] = { FUSE_INFO_FIELDS, composer->n_streams, composer->output.window };

    composer->ids[sample->n_tensors] = g_quark_from_static_string ("info");
    robocache_tensor_info_set (&sample->tensors[sample->n_tensors++], RC_INT64, dims, G_N_ELEMENTS (dims));
  }
  composer->caps = robocache_tensors_info_to_caps (sample);

  for (guint i = 0; i < composer->n_streams; i++)
    append_name (names, composer->streams[i].input->name);
  composer->names = g_string_free (names, FALSE);
  gst_caps_set_simple (composer->caps, "streams", G_TYPE_STRING, composer->names, NULL);
  name_nearest (composer);
  if (channels)
    gst_caps_set_simple (composer->caps, "channels", G_TYPE_STRING, channels, NULL);
  if (kinds)
    gst_caps_set_simple (composer->caps, ROBOCACHE_KINDS_FIELD, G_TYPE_STRING, kinds, NULL);
  if (composer->output.window > 1)
    gst_caps_set_simple (composer->caps, "window", G_TYPE_INT, (gint) composer->output.window, NULL);
  composer->caps = robocache_caps_in_memory (composer->caps, composer->memory);
  g_free (channels);
  g_free (kinds);
}

static RcAlignStreamSpec
stream_spec (const FuseOutputStream *stream)
{
  RcAlignStreamSpec spec = {
    .in = stream->input->format->rows.dtype,
    .out = stream->out,
    .channels = (gint64) stream->input->format->rows.channels,
    .search = stream->input->search,
  };

  robocache_channel_roles_apply (&stream->input->roles, &spec);
  return spec;
}

static gboolean
plan_streams (FuseComposer *composer, const RcAlignStreamSpec *specs, guint n, const gchar *name,
    RcAlignPlan **plan, GError **error)
{
  const RcAlignSpec spec = { specs, n };
  RcFootprint footprint = { 0 };
  RcError failure;
  RcStatus status;

  status = rc_align_plan (robocache_engine_backend (composer->engine), &spec, plan, &footprint, &failure);
  composer->scratch_bytes = MAX (composer->scratch_bytes, footprint.scratch_bytes);
  composer->unsupported = status == RC_UNSUPPORTED;
  if (robocache_engine_check_settings (status, &failure, ROBOCACHE_ERROR_PROPERTY, error))
    return TRUE;
  g_prefix_error (error, "%s: ", name);
  return FALSE;
}

static gboolean
parse_roles (FuseOutputStream *stream, GError **error)
{
  if (robocache_channel_roles_parse (&stream->input->roles, error))
    return TRUE;
  g_prefix_error (error, "%s: ", stream->input->name);
  return FALSE;
}

static gboolean
parse_all_roles (FuseComposer *composer, GError **error)
{
  for (guint i = 0; i < composer->n_streams; i++) {
    if (!parse_roles (&composer->streams[i], error))
      return FALSE;
  }
  return TRUE;
}

/* Each stream is planned alone first, so that a wrong channel list is reported with its pad's name. */
static gboolean
make_plans (FuseComposer *composer, GError **error)
{
  RcAlignStreamSpec *specs = g_new0 (RcAlignStreamSpec, composer->n_streams);
  guint n_planned = 0;
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < composer->n_streams; i++) {
    FuseOutputStream *stream = &composer->streams[i];
    RcAlignPlan *plan = NULL;

    specs[n_planned] = stream_spec (stream);
    ok = plan_streams (composer, &specs[n_planned], 1, stream->input->name, &plan, error);
    if (stream->input->format->rows.is_camera) {
      stream->camera_plan = plan;
    } else {
      g_clear_pointer (&plan, rc_align_plan_free);
      n_planned++;
    }
  }
  if (ok && n_planned > 0)
    ok = plan_streams (composer, specs, n_planned, "streams", &composer->plan, error);
  g_free (specs);
  return ok;
}

/* Rows of a stream for which every tick reserves memory. A mean reserves more when it has more rows. */
static guint64
rows_of_a_tick (const FuseOutputStream *stream)
{
  switch (stream->input->search.interpolation) {
    case RC_NEAREST:
    case RC_PREVIOUS:
      return 1;
    case RC_CUBIC:
      return 4;
    default:
      return 2;
  }
}

/* What a sample and the window take, before any of it is allocated. what: freed with g_free. */
static RobocacheJob
describe_job (const FuseComposer *composer, gchar **what)
{
  const guint window = composer->output.window;
  RobocacheJob job = {.out_memory = composer->memory,.advice = "lower window, or send smaller frames" };
  guint64 row_bytes = 0, gathered = 0;

  for (guint i = 0; i < composer->n_tensors; i++)
    row_bytes += composer->tensors[i].row_bytes;
  for (guint i = 0; i < composer->n_streams; i++) {
    const FuseOutputStream *stream = &composer->streams[i];

    job.in_on_device |= stream->input->format->rows.on_device;
    gathered += rows_of_a_tick (stream) * fuse_row_format_bytes (&stream->input->format->rows);
  }
  *what = g_strdup_printf ("a sample of %" G_GUINT64_FORMAT " bytes per tick with window=%u", row_bytes, window);
  job.what = *what;
  job.device_bytes = robocache_bytes_add (robocache_bytes_multiply (row_bytes, window > 1 ? 2 * (guint64) window : 1), gathered);
  return job;
}

static FuseWindowStream *
window_streams (const FuseComposer *composer)
{
  FuseWindowStream *streams = g_new (FuseWindowStream, composer->n_streams);

  for (guint i = 0; i < composer->n_streams; i++) {
    const FuseOutputStream *stream = &composer->streams[i];

    streams[i] = (FuseWindowStream) { stream->input->id, stream->out, stream->tensor, stream->offset, stream->row_bytes };
  }
  return streams;
}

static gboolean
make_window (FuseComposer *composer, GError **error)
{
  gsize row_bytes[ROBOCACHE_MAX_TENSORS];

  for (guint i = 0; i < composer->n_tensors; i++)
    row_bytes[i] = composer->tensors[i].row_bytes;
  return fuse_window_init (&composer->window, composer->engine, composer->output.window, window_streams (composer),
      composer->n_streams, row_bytes, composer->n_tensors, error);
}

static gboolean
make_buffers (FuseComposer *composer, GError **error)
{
  composer->blends = g_new0 (RobocacheBlendStream, composer->n_streams);
  if (!make_window (composer, error)
      || !robocache_blender_init (&composer->blender, composer->engine, composer->n_streams, composer->scratch_bytes, error)
      || !fuse_camera_frames_init (&composer->frames, composer->engine, error))
    return FALSE;
  return fuse_composer_forget_window (composer, error);
}

static gboolean
lay_out (FuseComposer *composer, GError **error)
{
  add_streams (composer);
  if (!check_whole_tensors (composer, error))
    return FALSE;
  if (composer->n_streams == 0) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "layout=concat omits camera pads, and there are no other pads: "
        "set layout=tensors");
    return FALSE;
  }
  if (composer->output.layout == FUSE_LAYOUT_CONCAT)
    return lay_out_concat (composer, error);
  return lay_out_tensors (composer, error);
}

static void
leave_engine (FuseComposer *composer)
{
  if (composer->engine == NULL)
    return;
  robocache_engine_synchronize (composer->engine, NULL);
  for (guint i = 0; i < composer->n_streams; i++)
    g_clear_pointer (&composer->streams[i].camera_plan, rc_align_plan_free);
  fuse_window_clear (&composer->window);
  g_clear_pointer (&composer->plan, rc_align_plan_free);
  robocache_blender_clear (&composer->blender);
  fuse_camera_frames_clear (&composer->frames);
  gst_clear_object (&composer->allocator);
  g_clear_pointer (&composer->engine, robocache_engine_unref);
  g_clear_pointer (&composer->blends, g_free);
}

/* Plans and memory on the device's active engine. */
static gboolean
enter_engine (FuseComposer *composer, const RobocacheJob *job, GError **error)
{
  leave_engine (composer);
  composer->engine = robocache_engine_ref (composer->device->active);
  composer->allocator = gst_object_ref (robocache_device_allocator (composer->device, composer->memory));
  return robocache_engine_check_budget (composer->engine, job->device_bytes, job->what, job->advice, error)
      && make_plans (composer, error) && make_buffers (composer, error);
}

/* On the GPU if it serves the job, and on the CPU where it may and the GPU turns out not to. */
static gboolean
choose_engine (FuseComposer *composer, GError **error)
{
  gchar *what;
  const RobocacheJob job = describe_job (composer, &what);
  GError *failure = NULL;
  gboolean ok = robocache_device_choose (composer->device, composer->element, &job, &failure)
      && enter_engine (composer, &job, &failure);

  if (!ok && composer->engine && robocache_device_fall_back (composer->device, composer->element, &job,
          composer->unsupported ? RC_UNSUPPORTED : RC_OK, failure)) {
    g_clear_error (&failure);
    ok = enter_engine (composer, &job, &failure);
  }
  if (!ok)
    g_propagate_error (error, failure);
  g_free (what);
  return ok;
}

static void
copy_composition (FuseComposition *to, const FuseComposition *from)
{
  *to = *from;
  to->inputs = g_new0 (FuseInput, MAX (from->n_inputs, 1));
  for (guint i = 0; i < from->n_inputs; i++) {
    to->inputs[i] = (FuseInput) {.id = from->inputs[i].id,.search = from->inputs[i].search };
    to->inputs[i].name = g_strdup (from->inputs[i].name);
    to->inputs[i].format = fuse_format_ref (from->inputs[i].format);
    robocache_channel_roles_copy (&to->inputs[i].roles, &from->inputs[i].roles);
  }
}

FuseComposer *
fuse_composer_new (const FuseComposition *composition, RobocacheCapsMemory memory, RobocacheDevice *device, GstElement *element,
    GError **error)
{
  FuseComposer *composer = g_new0 (FuseComposer, 1);

  copy_composition (&composer->composition, composition);
  composer->output = composition->output;
  composer->memory = memory;
  composer->device = device;
  composer->element = element;
  if (!lay_out (composer, error) || !check_periods (composer, error) || !parse_all_roles (composer, error)
      || !choose_engine (composer, error)) {
    fuse_composer_free (composer);
    return NULL;
  }
  make_caps (composer);
  composer->pool = fuse_sample_pool_new (composer->names, fuse_window_info_bytes (&composer->window));
  return composer;
}

static void
release_peer_memory (FuseComposer *composer)
{
  if (composer->peer_pool)
    gst_buffer_pool_set_active (composer->peer_pool, FALSE);
  gst_clear_object (&composer->peer_pool);
  gst_clear_object (&composer->peer_allocator);
}

void
fuse_composer_free (FuseComposer *composer)
{
  leave_engine (composer);
  release_peer_memory (composer);
  if (composer->pool)
    gst_buffer_pool_set_active (composer->pool, FALSE);
  gst_clear_object (&composer->pool);
  fuse_composition_clear (&composer->composition);
  g_free (composer->streams);
  g_free (composer->names);
  gst_clear_caps (&composer->caps);
  g_free (composer);
}

void
fuse_composition_clear (FuseComposition *composition)
{
  for (guint i = 0; i < composition->n_inputs; i++) {
    FuseInput *input = &composition->inputs[i];

    fuse_format_unref (input->format);
    robocache_channel_roles_clear (&input->roles);
    g_free (input->name);
  }
  g_clear_pointer (&composition->inputs, g_free);
  composition->n_inputs = 0;
}

gsize
fuse_composer_sample_bytes (const FuseComposer *composer)
{
  const gboolean one_memory = composer->n_tensors == 1 && composer->output.info == FUSE_INFO_NONE;

  if (!one_memory || composer->memory != ROBOCACHE_SYSTEM_MEMORY || robocache_engine_is_gpu (composer->engine))
    return 0;
  return composer->header_bytes + composer->output.window * composer->tensors[0].row_bytes;
}

void
fuse_composer_use_peer_memory (FuseComposer *composer, GstBufferPool *pool, GstAllocator *allocator,
    const GstAllocationParams *params)
{
  release_peer_memory (composer);
  if (composer->memory != ROBOCACHE_SYSTEM_MEMORY || robocache_engine_is_gpu (composer->engine))
    return;
  composer->peer_pool = pool ? gst_object_ref (pool) : NULL;
  composer->peer_allocator = allocator ? gst_object_ref (allocator) : NULL;
  composer->peer_params = *params;
}

GstCaps *
fuse_composer_caps (const FuseComposer *composer)
{
  return gst_caps_ref (composer->caps);
}

gboolean
fuse_composer_make_flexible (FuseComposer *composer)
{
  GstCaps *caps;

  if (composer->memory != ROBOCACHE_SYSTEM_MEMORY || !robocache_flexible_describes (&composer->sample))
    return FALSE;
  caps = robocache_flexible_caps_from_static (composer->caps);
  gst_caps_replace (&composer->caps, caps);
  gst_caps_unref (caps);
  composer->header_bytes = ROBOCACHE_FLEXIBLE_HEADER_BYTES;
  return TRUE;
}

gboolean
fuse_composer_has_window (const FuseComposer *composer)
{
  return composer->output.window > 1;
}

/* ---- the window ---- */

/* from NULL: all rows are forgotten. */
static gboolean
set_window (FuseComposer *composer, const FuseWindow *from, GError **error)
{
  return from ? fuse_window_adopt (&composer->window, from, error) : fuse_window_forget (&composer->window, error);
}

static gboolean
set_window_or_retry (FuseComposer *composer, const FuseWindow *from, GError **error)
{
  GError *failure = NULL;
  gboolean ok = set_window (composer, from, &failure);

  if (!ok && robocache_device_try_again (composer->device, composer->element, failure)) {
    g_clear_error (&failure);
    ok = set_window (composer, from, &failure);
  }
  if (!ok)
    g_propagate_error (error, failure);
  return ok;
}

gboolean
fuse_composer_forget_window (FuseComposer *composer, GError **error)
{
  return fuse_camera_frames_begin (&composer->frames, error) && set_window_or_retry (composer, NULL, error);
}

gboolean
fuse_composer_adopt_window (FuseComposer *composer, FuseComposer *from, GError **error)
{
  return set_window_or_retry (composer, &from->window, error);
}
