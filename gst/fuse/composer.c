/* robocache: the sample that robocachefuse hands out: which tensors it has, and one of them filled
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "composer.h"

#include <string.h>

#include "common/rows/blender.h"
#include "common/device/allocator.h"
#include "common/tensors/memorycaps.h"
#include "common/device/budget.h"
#include "cameraframes.h"
#include "samplepool.h"
#include "kernels/arithmetic.h"

#define INFO_FIELDS 4           /* tick, before, after, status */

/* One pad's part of the output. */
typedef struct
{
  GstRobocacheFusePad *pad;
  GstRobocacheFuseFormat format;
  RobocacheChannelRoles roles;
  RcDtype out;
  guint tensor;                 /* the output tensor its rows go to */
  gsize offset;                 /* bytes before them in a row of that tensor */
  gsize row_bytes;
  RcAlignPlan *camera_plan;     /* of a camera whose frames are blended */
  RobocacheAlignment alignment; /* at the tick that is being made */
} Stream;

typedef struct
{
  RobocacheTensorInfo info;
  gsize row_bytes;              /* of one tick */
  guint8 *window;               /* of the engine: a ring of [window][row_bytes]; NULL for a window of one */
} Tensor;

struct _GstRobocacheFuseComposer
{
  GstRobocacheFuseOutput output;
  Stream *streams;
  guint n_streams;
  Tensor tensors[ROBOCACHE_MAX_TENSORS];
  guint n_tensors;              /* without info */

  RobocacheEngine *engine;
  GstBufferPool *pool;          /* of the buffers */
  GstAllocator *allocator;      /* of the tensors */
  gboolean on_device;           /* they are in device memory */
  RcAlignPlan *plan;            /* of all streams that are no cameras; NULL when there are none */
  RobocacheBlendStream *blends; /* [n_streams], those of the plan first */
  RobocacheBlender blender;
  GstRobocacheFuseFrames frames;
  guint64 scratch_bytes;
  gboolean unsupported;         /* the last plan was more than its engine can do */
  guint newest;                 /* the window's slot of the last tick */

  gint64 *info;                 /* [window][n_streams][INFO_FIELDS] */
  gchar *names;                 /* of the pads, separated by commas */
  GstCaps *caps;
};

/* ---- making a composer ---- */

static gboolean
add_streams (GstRobocacheFuseComposer *composer, GPtrArray *pads)
{
  const gboolean concat = composer->output.layout == GST_ROBOCACHE_FUSE_LAYOUT_CONCAT;

  composer->streams = g_new0 (Stream, MAX (pads->len, 1));
  for (guint i = 0; i < pads->len; i++) {
    GstRobocacheFusePad *pad = g_ptr_array_index (pads, i);
    const GstRobocacheFuseFormat *format = &gst_robocache_fuse_pad_epoch (pad)->format;
    Stream *stream;

    if (concat && format->is_camera)
      continue;
    stream = &composer->streams[composer->n_streams++];
    stream->pad = gst_object_ref (pad);
    stream->format = *format;
    stream->format.channels = g_strdup (format->channels);
    GST_OBJECT_LOCK (pad);
    robocache_channel_roles_copy (&stream->roles, &pad->roles);
    GST_OBJECT_UNLOCK (pad);
    if (format->is_camera)
      stream->out = format->rows.dtype;
    else
      stream->out = concat ? RC_FLOAT32 : robocache_dtype_resolve (composer->output.dtype, format->rows.dtype);
    stream->row_bytes = format->rows.channels * rc_dtype_size (stream->out);
  }
  return composer->n_streams > 0;
}

/* The axes of a stream's tensor: those of its rows, and the window. */
static void
set_tensor (Tensor *tensor, const Stream *stream, guint window)
{
  const GstRobocacheFuseFormat *format = &stream->format;
  guint64 dims[4] = { format->rows.channels, window };
  guint n = 2;

  if (format->is_camera) {
    dims[0] = GST_VIDEO_INFO_N_COMPONENTS (&format->video);
    dims[1] = GST_VIDEO_INFO_WIDTH (&format->video);
    dims[2] = GST_VIDEO_INFO_HEIGHT (&format->video);
    dims[3] = window;
    n = 4;
  }
  robocache_tensor_info_set (&tensor->info, stream->out, dims, n);
  tensor->row_bytes = stream->row_bytes;
}

/* A mean is taken over one tick, so somebody has to say how long that is. */
static gboolean
check_periods (const GstRobocacheFuseComposer *composer, GError **error)
{
  for (guint i = 0; i < composer->n_streams; i++) {
    const RcSearch *search = &composer->streams[i].pad->active.search;

    if (search->interpolation == RC_MEAN && search->period_ns <= 0) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "%s: interpolation=mean averages over one tick, and the "
          "reference pad has no framerate that says how long that is: set rate, or a framerate in its caps",
          GST_OBJECT_NAME (composer->streams[i].pad));
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
lay_out_tensors (GstRobocacheFuseComposer *composer, GError **error)
{
  const guint n_max = ROBOCACHE_MAX_TENSORS - (composer->output.info == GST_ROBOCACHE_FUSE_INFO_TENSOR);

  if (composer->n_streams > n_max) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "%u streams do not fit into the %d tensors of a buffer "
        "(info=tensor takes one): set layout=concat", composer->n_streams, ROBOCACHE_MAX_TENSORS);
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
lay_out_concat (GstRobocacheFuseComposer *composer, GError **error)
{
  Tensor *tensor = &composer->tensors[0];
  guint64 dims[2] = { 0, composer->output.window };

  if (composer->output.dtype != ROBOCACHE_DTYPE_AUTO && composer->output.dtype != RC_FLOAT32) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "layout=concat makes one float32 tensor, but type is %s: set "
        "type=auto or float32", rc_dtype_name (composer->output.dtype));
    return FALSE;
  }
  for (guint i = 0; i < composer->n_streams; i++) {
    Stream *stream = &composer->streams[i];

    stream->tensor = 0;
    stream->offset = tensor->row_bytes;
    tensor->row_bytes += stream->row_bytes;
    dims[0] += stream->format.rows.channels;
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
channel_names (const GstRobocacheFuseComposer *composer)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < composer->n_streams; i++) {
    const GstRobocacheFuseFormat *format = &composer->streams[i].format;
    gchar **split;
    guint n;

    if (format->is_camera)
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

static void
make_caps (GstRobocacheFuseComposer *composer, gint rate_num, gint rate_den)
{
  RobocacheTensorsInfo info = { composer->n_tensors, {{0}}, rate_num, rate_den };
  GString *names = g_string_new (NULL);
  gchar *channels = channel_names (composer);

  for (guint i = 0; i < composer->n_tensors; i++)
    info.tensors[i] = composer->tensors[i].info;
  if (composer->output.info == GST_ROBOCACHE_FUSE_INFO_TENSOR) {
    const guint64 dims[] = { INFO_FIELDS, composer->n_streams, composer->output.window };

    robocache_tensor_info_set (&info.tensors[info.n_tensors++], RC_INT64, dims, G_N_ELEMENTS (dims));
  }
  composer->caps = robocache_tensors_info_to_caps (&info);

  for (guint i = 0; i < composer->n_streams; i++)
    append_name (names, GST_OBJECT_NAME (composer->streams[i].pad));
  composer->names = g_string_free (names, FALSE);
  gst_caps_set_simple (composer->caps, "streams", G_TYPE_STRING, composer->names, NULL);
  if (channels)
    gst_caps_set_simple (composer->caps, "channels", G_TYPE_STRING, channels, NULL);
  if (composer->output.window > 1)
    gst_caps_set_simple (composer->caps, "window", G_TYPE_INT, (gint) composer->output.window, NULL);
  composer->caps = robocache_caps_in_memory (composer->caps, composer->on_device);
  g_free (channels);
}

static RcAlignStreamSpec
stream_spec (const Stream *stream)
{
  RcAlignStreamSpec spec = {
    .in = stream->format.rows.dtype,
    .out = stream->out,
    .channels = (gint64) stream->format.rows.channels,
    .search = stream->pad->active.search,
  };

  robocache_channel_roles_apply (&stream->roles, &spec);
  return spec;
}

/* A spec that makes no sense is a property's fault. */
static gboolean
plan_streams (GstRobocacheFuseComposer *composer, const RcAlignStreamSpec *specs, guint n, const gchar *name,
    RcAlignPlan **plan, GError **error)
{
  const RcAlignSpec spec = { specs, n };
  RcFootprint footprint = { 0 };
  RcError failure;
  RcStatus status;

  status = rc_align_plan (robocache_engine_backend (composer->engine), &spec, plan, &footprint, &failure);
  composer->scratch_bytes = MAX (composer->scratch_bytes, footprint.scratch_bytes);
  composer->unsupported = status == RC_UNSUPPORTED;
  if (status == RC_INVALID_ARGUMENT || status == RC_UNSUPPORTED)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "%s: %s", name, failure.message);
  else if (!robocache_engine_check (status, &failure, error))
    g_prefix_error (error, "%s: ", name);
  return status == RC_OK;
}

static gboolean
parse_roles (Stream *stream, GError **error)
{
  if (robocache_channel_roles_parse (&stream->roles, error))
    return TRUE;
  g_prefix_error (error, "%s: ", GST_OBJECT_NAME (stream->pad));
  return FALSE;
}

static gboolean
parse_all_roles (GstRobocacheFuseComposer *composer, GError **error)
{
  for (guint i = 0; i < composer->n_streams; i++) {
    if (!parse_roles (&composer->streams[i], error))
      return FALSE;
  }
  return TRUE;
}

/* Each stream is planned alone first, so that a wrong channel list is reported with its pad's name. */
static gboolean
make_plans (GstRobocacheFuseComposer *composer, GError **error)
{
  RcAlignStreamSpec *specs = g_new0 (RcAlignStreamSpec, composer->n_streams);
  guint n_planned = 0;
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < composer->n_streams; i++) {
    Stream *stream = &composer->streams[i];
    RcAlignPlan *plan = NULL;

    specs[n_planned] = stream_spec (stream);
    ok = plan_streams (composer, &specs[n_planned], 1, GST_OBJECT_NAME (stream->pad), &plan, error);
    if (stream->format.is_camera) {
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

/* Rows of a stream that a tick is made of, at most. */
static guint64
rows_of_a_tick (const Stream *stream)
{
  const RcSearch *search = &stream->pad->active.search;
  const gint64 spacing = gst_robocache_fuse_pad_period (stream->pad);

  switch (search->interpolation) {
    case RC_NEAREST:
    case RC_PREVIOUS:
      return 1;
    case RC_CUBIC:
      return 4;
    case RC_MEAN:
      return spacing > 0 ? (guint64) (search->period_ns / spacing) + 2 : 2;
    default:
      return 2;
  }
}

/* What a sample and the window take, before any of it is allocated. what: freed with g_free. */
static RobocacheJob
describe_job (const GstRobocacheFuseComposer *composer, gchar **what)
{
  const guint window = composer->output.window;
  RobocacheJob job = {.out_on_device = composer->on_device,.advice = "take a smaller window, or smaller frames" };
  guint64 row_bytes = 0, gathered = 0;

  for (guint i = 0; i < composer->n_tensors; i++)
    row_bytes += composer->tensors[i].row_bytes;
  for (guint i = 0; i < composer->n_streams; i++) {
    const Stream *stream = &composer->streams[i];

    job.in_on_device |= stream->format.on_device;
    gathered += rows_of_a_tick (stream) * stream->format.rows.channels * rc_dtype_size (stream->format.rows.dtype);
  }
  *what = g_strdup_printf ("a sample of %" G_GUINT64_FORMAT " bytes a tick and window=%u", row_bytes, window);
  job.what = *what;
  job.device_bytes = robocache_bytes_add (robocache_bytes_multiply (row_bytes, window > 1 ? 2 * (guint64) window : 1), gathered);
  return job;
}

static gsize
info_bytes (const GstRobocacheFuseComposer *composer)
{
  return (gsize) composer->output.window * composer->n_streams * INFO_FIELDS * sizeof (gint64);
}

static gboolean
make_buffers (GstRobocacheFuseComposer *composer, GError **error)
{
  const guint window = composer->output.window;

  composer->blends = g_new0 (RobocacheBlendStream, composer->n_streams);
  composer->info = g_malloc0 (info_bytes (composer));
  for (guint i = 0; window > 1 && i < composer->n_tensors; i++) {
    Tensor *tensor = &composer->tensors[i];

    tensor->window = robocache_engine_alloc (composer->engine, RC_MEMORY_DEVICE, window * tensor->row_bytes, error);
    if (tensor->window == NULL)
      return FALSE;
  }
  if (!robocache_blender_init (&composer->blender, composer->engine, composer->n_streams, composer->scratch_bytes, error)
      || !gst_robocache_fuse_frames_init (&composer->frames, composer->engine, error))
    return FALSE;
  gst_robocache_fuse_composer_forget_window (composer);
  return TRUE;
}

static gboolean
lay_out (GstRobocacheFuseComposer *composer, GPtrArray *pads, GError **error)
{
  if (!add_streams (composer, pads)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "layout=concat leaves camera pads out, and there are no others: "
        "set layout=tensors");
    return FALSE;
  }
  if (composer->output.layout == GST_ROBOCACHE_FUSE_LAYOUT_CONCAT)
    return lay_out_concat (composer, error);
  return lay_out_tensors (composer, error);
}

static void
leave_engine (GstRobocacheFuseComposer *composer)
{
  if (composer->engine == NULL)
    return;
  robocache_engine_synchronize (composer->engine, NULL);
  for (guint i = 0; i < composer->n_streams; i++)
    g_clear_pointer (&composer->streams[i].camera_plan, rc_align_plan_free);
  for (guint i = 0; i < composer->n_tensors; i++) {
    Tensor *tensor = &composer->tensors[i];

    if (tensor->window)
      robocache_engine_free (composer->engine, RC_MEMORY_DEVICE, tensor->window, composer->output.window
          * tensor->row_bytes);
    tensor->window = NULL;
  }
  g_clear_pointer (&composer->plan, rc_align_plan_free);
  robocache_blender_clear (&composer->blender);
  gst_robocache_fuse_frames_clear (&composer->frames);
  gst_clear_object (&composer->allocator);
  g_clear_pointer (&composer->engine, robocache_engine_unref);
  g_clear_pointer (&composer->blends, g_free);
  g_clear_pointer (&composer->info, g_free);
}

/* Plans and memory on the device's active engine. */
static gboolean
enter_engine (GstRobocacheFuseComposer *composer, const RobocacheDevice *device, const RobocacheJob *job, GError **error)
{
  leave_engine (composer);
  composer->engine = robocache_engine_ref (device->active);
  composer->allocator = gst_object_ref (robocache_device_allocator (device, composer->on_device));
  return robocache_engine_check_budget (composer->engine, job->device_bytes, job->what, job->advice, error)
      && make_plans (composer, error) && make_buffers (composer, error);
}

/* On the GPU if it serves the job, and on the CPU where it may and the GPU turns out not to. */
static gboolean
choose_engine (GstRobocacheFuseComposer *composer, RobocacheDevice *device, GstElement *element, GError **error)
{
  gchar *what;
  const RobocacheJob job = describe_job (composer, &what);
  GError *failure = NULL;
  gboolean ok = robocache_device_choose (device, element, &job, &failure) && enter_engine (composer, device, &job, &failure);

  if (!ok && composer->engine && (composer->unsupported
          || g_error_matches (failure, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT))
      && robocache_device_fall_back (device, element, &job, failure)) {
    g_clear_error (&failure);
    ok = enter_engine (composer, device, &job, &failure);
  }
  if (!ok)
    g_propagate_error (error, failure);
  g_free (what);
  return ok;
}

GstRobocacheFuseComposer *
gst_robocache_fuse_composer_new (GPtrArray *pads, const GstRobocacheFuseOutput *output, gboolean on_device,
    RobocacheDevice *device, GstElement *element, gint rate_num, gint rate_den, GError **error)
{
  GstRobocacheFuseComposer *composer = g_new0 (GstRobocacheFuseComposer, 1);

  composer->output = *output;
  composer->on_device = on_device;
  if (!lay_out (composer, pads, error) || !check_periods (composer, error) || !parse_all_roles (composer, error)
      || !choose_engine (composer, device, element, error)) {
    gst_robocache_fuse_composer_free (composer);
    return NULL;
  }
  make_caps (composer, rate_num, rate_den);
  composer->pool = gst_robocache_fuse_pool_new (composer->names, info_bytes (composer));
  return composer;
}

void
gst_robocache_fuse_composer_free (GstRobocacheFuseComposer *composer)
{
  leave_engine (composer);
  for (guint i = 0; i < composer->n_streams; i++) {
    Stream *stream = &composer->streams[i];

    gst_robocache_fuse_format_clear (&stream->format);
    robocache_channel_roles_clear (&stream->roles);
    gst_object_unref (stream->pad);
  }
  if (composer->pool)
    gst_buffer_pool_set_active (composer->pool, FALSE);
  gst_clear_object (&composer->pool);
  g_free (composer->streams);
  g_free (composer->names);
  gst_clear_caps (&composer->caps);
  g_free (composer);
}

GstCaps *
gst_robocache_fuse_composer_caps (const GstRobocacheFuseComposer *composer)
{
  return gst_caps_ref (composer->caps);
}

gboolean
gst_robocache_fuse_composer_has_window (const GstRobocacheFuseComposer *composer)
{
  return composer->output.window > 1;
}

RobocacheEngine *
gst_robocache_fuse_composer_unfinished (const GstRobocacheFuseComposer *composer)
{
  return robocache_engine_is_gpu (composer->engine) && !composer->on_device ? robocache_engine_ref (composer->engine) : NULL;
}

/* ---- the window ---- */

static gint64 *
info_of (const GstRobocacheFuseComposer *composer, guint slot, guint stream)
{
  return composer->info + ((gsize) slot * composer->n_streams + stream) * INFO_FIELDS;
}

/* slot 0 is the oldest; the ring begins after the newest. */
static guint8 *
window_row (const GstRobocacheFuseComposer *composer, const Stream *stream, guint slot)
{
  const Tensor *tensor = &composer->tensors[stream->tensor];
  const guint place = (composer->newest + 1 + slot) % composer->output.window;

  return tensor->window + place * tensor->row_bytes + stream->offset;
}

static gboolean
copy_bytes (RobocacheEngine *engine, gpointer to, gconstpointer from, gsize bytes, GError **error)
{
  const RcMemoryCopy copy = {.to = to,.from = from,.row_bytes = bytes,.rows = 1 };
  RcError failure;

  return robocache_engine_check (rc_memory_copy (robocache_engine_backend (engine), &copy, robocache_engine_stream (engine),
          &failure), &failure, error);
}

/* A row of NaN, or of 0 for integers. */
static void
write_missing (guint8 *row, RcDtype dtype, guint64 n)
{
  static const guint16 float16_nan = RC_NAN_FLOAT16, bfloat16_nan = RC_NAN_BFLOAT16;
  static const guint32 float32_nan = RC_NAN32_BITS;
  static const guint64 float64_nan = RC_NAN64_BITS;
  const void *const nans[RC_N_DTYPES] = {
    [RC_FLOAT16] = &float16_nan,
    [RC_BFLOAT16] = &bfloat16_nan,
    [RC_FLOAT32] = &float32_nan,
    [RC_FLOAT64] = &float64_nan,
  };
  const gsize size = rc_dtype_size (dtype);

  if (nans[dtype] == NULL) {
    memset (row, 0, n * size);
    return;
  }
  for (guint64 i = 0; i < n; i++)
    memcpy (row + i * size, nans[dtype], size);
}

/* A device that fails here fails the next tick, which reports it. */
static void
fill_window (GstRobocacheFuseComposer *composer, const Stream *stream)
{
  guint8 *missing = g_malloc (stream->row_bytes);

  write_missing (missing, stream->out, stream->format.rows.channels);
  for (guint slot = 0; slot < composer->output.window; slot++)
    copy_bytes (composer->engine, window_row (composer, stream, slot), missing, stream->row_bytes, NULL);
  robocache_engine_synchronize (composer->engine, NULL);
  g_free (missing);
}

void
gst_robocache_fuse_composer_forget_window (GstRobocacheFuseComposer *composer)
{
  gst_robocache_fuse_frames_begin (&composer->frames, NULL);
  for (guint i = 0; i < composer->n_streams; i++) {
    for (guint slot = 0; slot < composer->output.window; slot++) {
      gint64 *info = info_of (composer, slot, i);

      info[0] = info[1] = info[2] = ROBOCACHE_NO_TIME;
      info[3] = RC_MISSING;
    }
    if (composer->output.window > 1)
      fill_window (composer, &composer->streams[i]);
  }
}

void
gst_robocache_fuse_composer_adopt_window (GstRobocacheFuseComposer *composer, GstRobocacheFuseComposer *from)
{
  const guint window = composer->output.window;
  RobocacheEngine *copier = robocache_engine_is_gpu (from->engine) ? from->engine : composer->engine;

  if (window == 1 || from->output.window != window)
    return;
  robocache_engine_synchronize (from->engine, NULL);
  for (guint i = 0; i < composer->n_streams; i++) {
    for (guint j = 0; j < from->n_streams; j++) {
      const Stream *ours = &composer->streams[i], *theirs = &from->streams[j];

      if (ours->pad != theirs->pad || ours->out != theirs->out || ours->row_bytes != theirs->row_bytes)
        continue;
      for (guint slot = 0; slot < window; slot++) {
        copy_bytes (copier, window_row (composer, ours, slot), window_row (from, theirs, slot), ours->row_bytes, NULL);
        memcpy (info_of (composer, slot, i), info_of (from, slot, j), INFO_FIELDS * sizeof (gint64));
      }
    }
  }
  robocache_engine_synchronize (copier, NULL);
}

/* The oldest slot becomes the newest. */
static void
shift_window (GstRobocacheFuseComposer *composer)
{
  const gsize older = composer->output.window - 1;

  composer->newest = (composer->newest + 1) % composer->output.window;
  memmove (composer->info, info_of (composer, 1, 0), older * composer->n_streams * INFO_FIELDS * sizeof (gint64));
}

/* ---- rows of a tick ---- */

static gboolean
align_streams (GstRobocacheFuseComposer *composer, gint64 tick)
{
  gboolean complete = TRUE;

  for (guint i = 0; i < composer->n_streams; i++) {
    Stream *stream = &composer->streams[i];
    RobocacheAlignment *alignment = &stream->alignment;

    gst_robocache_fuse_pad_align (stream->pad, tick, alignment);
    if (alignment->bracket.status == RC_MISSING && stream->pad->active.required)
      complete = FALSE;
  }
  return complete;
}

static void
write_info (GstRobocacheFuseComposer *composer, gint64 tick)
{
  for (guint i = 0; i < composer->n_streams; i++) {
    const RobocacheAlignment *alignment = &composer->streams[i].alignment;
    gint64 *info = info_of (composer, composer->output.window - 1, i);

    info[0] = tick;
    info[1] = alignment->before;
    info[2] = alignment->after;
    info[3] = alignment->bracket.status;
  }
}

/* targets[i]: the row of tensor i that is being made. */
static gboolean
blend_tensor_streams (GstRobocacheFuseComposer *composer, guint8 *const *targets, GError **error)
{
  guint n = 0;

  for (guint i = 0; i < composer->n_streams; i++) {
    const Stream *stream = &composer->streams[i];

    if (stream->format.is_camera)
      continue;
    composer->blends[n++] = (RobocacheBlendStream) {
      .rows = robocache_history_rows (&gst_robocache_fuse_pad_epoch (stream->pad)->history),
      .n_rows = gst_robocache_fuse_pad_epoch (stream->pad)->history.n,
      .rows_on_device = stream->format.on_device,
      .row_bytes = stream->format.rows.channels * rc_dtype_size (stream->format.rows.dtype),
      .bracket = &stream->alignment.bracket,
      .out = targets[stream->tensor] + stream->offset,
      .out_row_bytes = stream->row_bytes,
    };
  }
  return n == 0 || robocache_blender_run (&composer->blender, composer->plan, composer->blends, n, error);
}

static gboolean
write_frame (GstRobocacheFuseComposer *composer, const Stream *stream, gpointer to, GError **error)
{
  if (gst_robocache_fuse_frames_write (&composer->frames, gst_robocache_fuse_pad_epoch (stream->pad),
          &stream->alignment.bracket, stream->camera_plan, composer->blender.plan_scratch.data, to, error))
    return TRUE;
  g_prefix_error (error, "%s: ", GST_OBJECT_NAME (stream->pad));
  return FALSE;
}

/* The frame that becomes the tensor as it is, or NULL. */
static GstBuffer *
frame_to_hand_on (const GstRobocacheFuseComposer *composer, const Stream *stream)
{
  const RcBracket *bracket = &stream->alignment.bracket;
  GstBuffer *const *frame;

  if (!stream->format.is_camera || composer->on_device || composer->output.window > 1 || bracket->blend != RC_BLEND_COPY)
    return NULL;
  frame = robocache_history_row (&gst_robocache_fuse_pad_epoch (stream->pad)->history, bracket->row);
  return gst_robocache_fuse_frame_is_dense (&stream->format.video, stream->row_bytes, *frame) ? *frame : NULL;
}

/* ---- the sample ---- */

/* Memories of the output tensors while they are written. */
typedef struct
{
  GstMemory *memory[ROBOCACHE_MAX_TENSORS];
  guint8 *target[ROBOCACHE_MAX_TENSORS];        /* the row of this tick */
  GstBuffer *frame[ROBOCACHE_MAX_TENSORS];      /* handed on instead of a memory */
} Output;

static gboolean
begin_output (GstRobocacheFuseComposer *composer, Output *output, GError **error)
{
  if (composer->output.layout == GST_ROBOCACHE_FUSE_LAYOUT_TENSORS) {
    for (guint i = 0; i < composer->n_streams; i++)
      output->frame[i] = frame_to_hand_on (composer, &composer->streams[i]);
  }
  for (guint i = 0; i < composer->n_tensors; i++) {
    const gsize bytes = composer->output.window * composer->tensors[i].row_bytes;

    if (output->frame[i])
      continue;
    output->memory[i] = robocache_allocator_alloc (composer->allocator, bytes, error);
    if (output->memory[i] == NULL || !robocache_memory_begin_write (output->memory[i], composer->engine, error))
      return FALSE;
    output->target[i] = robocache_memory_data (output->memory[i]);
  }
  return TRUE;
}

static void
abandon_output (const GstRobocacheFuseComposer *composer, Output *output)
{
  for (guint i = 0; i < composer->n_tensors; i++)
    g_clear_pointer (&output->memory[i], gst_memory_unref);
}

/* With a window the row is made in the window and copied out with the older ones. */
static void
target_window (const GstRobocacheFuseComposer *composer, Output *output)
{
  for (guint i = 0; composer->output.window > 1 && i < composer->n_tensors; i++)
    output->target[i] = composer->tensors[i].window + composer->newest * composer->tensors[i].row_bytes;
}

static gboolean
write_rows (GstRobocacheFuseComposer *composer, Output *output, GError **error)
{
  for (guint i = 0; i < composer->n_streams; i++) {
    const Stream *stream = &composer->streams[i];

    if (stream->format.is_camera && !output->frame[stream->tensor]
        && !write_frame (composer, stream, output->target[stream->tensor], error))
      return FALSE;
  }
  return gst_robocache_fuse_frames_end (&composer->frames, error) && blend_tensor_streams (composer, output->target, error);
}

/* The info of the buffer's meta as the last tensor. */
static void
append_info (GstBuffer *buffer)
{
  GBytes *info = gst_robocache_fuse_pool_info (buffer);
  gsize bytes;
  gconstpointer data = g_bytes_get_data (info, &bytes);

  gst_buffer_append_memory (buffer, gst_memory_new_wrapped (GST_MEMORY_FLAG_READONLY, (gpointer) data, bytes, 0, bytes, info,
          (GDestroyNotify) g_bytes_unref));
}

/* The ring, oldest first. */
static gboolean
copy_window (const GstRobocacheFuseComposer *composer, const Tensor *tensor, guint8 *to, GError **error)
{
  const guint oldest = (composer->newest + 1) % composer->output.window;
  const gsize first = (composer->output.window - oldest) * tensor->row_bytes, rest = oldest * tensor->row_bytes;

  return copy_bytes (composer->engine, to, tensor->window + rest, first, error)
      && (rest == 0 || copy_bytes (composer->engine, to + first, tensor->window, rest, error));
}

static gboolean
end_output (const GstRobocacheFuseComposer *composer, Output *output, GError **error)
{
  for (guint i = 0; i < composer->n_tensors; i++) {
    const Tensor *tensor = &composer->tensors[i];
    GstMemory *memory = output->memory[i];

    if (memory == NULL)
      continue;
    if ((tensor->window && !copy_window (composer, tensor, robocache_memory_data (memory), error))
        || !robocache_memory_end_write (memory, composer->engine, error))
      return FALSE;
  }
  return TRUE;
}

static GstBuffer *
make_buffer (const GstRobocacheFuseComposer *composer, Output *output)
{
  GstBuffer *buffer = gst_robocache_fuse_pool_acquire (composer->pool, *info_of (composer, composer->output.window - 1, 0),
      composer->info);

  for (guint i = 0; i < composer->n_tensors; i++) {
    if (output->frame[i]) {
      /* the parent meta keeps the frame out of its pool for as long as its memory is in use */
      gst_buffer_append_memory (buffer, gst_buffer_get_memory (output->frame[i], 0));
      gst_buffer_add_parent_buffer_meta (buffer, output->frame[i]);
    } else {
      gst_buffer_append_memory (buffer, output->memory[i]);
    }
  }
  if (composer->output.info == GST_ROBOCACHE_FUSE_INFO_TENSOR)
    append_info (buffer);
  return buffer;
}

GstBuffer *
gst_robocache_fuse_composer_sample (GstRobocacheFuseComposer *composer, gint64 tick, GError **error)
{
  const gboolean complete = align_streams (composer, tick);
  Output output = { {NULL} };

  if (!gst_robocache_fuse_frames_begin (&composer->frames, error) || (!complete && composer->output.window == 1))
    return NULL;
  shift_window (composer);
  write_info (composer, tick);
  if (complete && !begin_output (composer, &output, error))
    goto failed;
  target_window (composer, &output);
  if (!write_rows (composer, &output, error) || !end_output (composer, &output, error))
    goto failed;
  return complete ? make_buffer (composer, &output) : NULL;

failed:
  robocache_engine_synchronize (composer->engine, NULL);        /* nobody else would know what it still reads and writes */
  abandon_output (composer, &output);
  return NULL;
}
