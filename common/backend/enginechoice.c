/* robocache: the choice of an element's backend
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "enginechoice.h"

#include "common/device/cudacontext.h"
#include "common/element/logs.h"
#include "common/transfers/upload.h"
#include "common/tensors/tensorpool.h"

/* ---- properties ---- */

void
robocache_device_init (RobocacheDevice *device, GstElement *element, gint priority)
{
  *device = (RobocacheDevice) { 0 };
  robocache_device_properties_init (&device->properties, element);
  device->properties.settings.priority = priority;
}

void
robocache_device_finalize (RobocacheDevice *device)
{
  robocache_device_properties_clear (&device->properties);
}

static RobocacheBackend
active_backend (const RobocacheDevice *device)
{
  if (device->active == NULL)
    return ROBOCACHE_BACKEND_AUTO;
  return robocache_engine_is_gpu (device->active) ? ROBOCACHE_BACKEND_CUDA : ROBOCACHE_BACKEND_CPU;
}

void
robocache_device_set_property (RobocacheDevice *device, guint prop, const GValue *value)
{
  robocache_device_properties_set (&device->properties, prop, value);
}

void
robocache_device_get_property (RobocacheDevice *device, guint prop, GValue *value)
{
  if (prop == ROBOCACHE_DEVICE_PROP_ACTIVE_BACKEND)
    g_value_set_enum (value, active_backend (device));
  else
    robocache_device_properties_get (&device->properties, prop, value);
}

/* Number of the device that computes first, or alone. */
static gint
first_device (const RobocacheDeviceSettings *settings)
{
  return settings->n_devices > 0 ? settings->devices[0] : MAX (settings->device_id, 0);
}

/* ---- engines ---- */

/* The properties as they were when the element was started: later changes apply to the next start. */
static RobocacheDeviceSettings
get_settings (RobocacheDevice *device, GstElement *element)
{
  RobocacheDeviceSettings settings;

  GST_OBJECT_LOCK (element);
  settings = device->is_open ? device->started : device->properties.settings;
  GST_OBJECT_UNLOCK (element);
  return settings;
}

/* *engine, which any streaming thread may open. */
static RobocacheEngine *
look_at (RobocacheEngine *const *engine, GstElement *element)
{
  RobocacheEngine *now;

  GST_OBJECT_LOCK (element);
  now = *engine;
  GST_OBJECT_UNLOCK (element);
  return now;
}

static guint
count_threads (const RobocacheDeviceSettings *settings)
{
  const guint n_threads = settings->n_threads > 0 ? settings->n_threads : g_get_num_processors ();

  return MIN (n_threads, ROBOCACHE_MAX_THREADS);
}

static RobocacheEngine *
open_cpu (const RobocacheDeviceSettings *settings, GError **error)
{
  RobocacheEngine *engine = robocache_engine_new_for_cpu (count_threads (settings), error);

  if (engine == NULL)
    g_prefix_error (error, "n-threads=%u: ", settings->n_threads);
  return engine;
}

static RobocacheEngine *
open_device (const RobocacheDeviceSettings *settings, GstElement *element, gint number, GError **error)
{
  const RcWhere where = {.kind = RC_BACKEND_CUDA,.device = number,.priority = settings->priority };
  const guint n_threads = MIN (count_threads (settings), ROBOCACHE_UPLOAD_MAX_THREADS);
  RobocacheEngine *engine = robocache_engine_new (&where, settings->max_device_memory, error);

  if (engine && n_threads > 1 && !robocache_engine_start_threads (engine, n_threads, error)) {
    g_prefix_error (error, "n-threads=%u: ", settings->n_threads);
    g_clear_pointer (&engine, robocache_engine_unref);
  }
  if (engine)
    GST_CAT_INFO_OBJECT (robocache_category_of (element), element, "opened GPU %d: at most %" G_GUINT64_FORMAT " bytes of its memory are used "
        "(max-device-memory=%" G_GUINT64_FORMAT ")", number, robocache_engine_budget (engine), settings->max_device_memory);
  return engine;
}

/* From any streaming thread; the first one that comes opens it for all. */
static gboolean
open_gpu (RobocacheDevice *device, GstElement *element, const RobocacheDeviceSettings *settings, GError **error)
{
  RobocacheEngine *engine;

  if (look_at (&device->gpu, element))
    return TRUE;
  engine = open_device (settings, element, first_device (settings), error);
  if (engine == NULL)
    return FALSE;
  GST_OBJECT_LOCK (element);
  if (device->gpu == NULL)
    device->gpu = g_steal_pointer (&engine);
  GST_OBJECT_UNLOCK (element);
  g_clear_pointer (&engine, robocache_engine_unref);
  return TRUE;
}

/* Those of a split batch. */
static gboolean
open_others (RobocacheDevice *device, GstElement *element, const RobocacheDeviceSettings *settings, guint n, GError **error)
{
  for (guint i = 1; i < n; i++) {
    RobocacheEngine *engine;

    if (look_at (&device->others[i], element))
      continue;
    engine = open_device (settings, element, settings->devices[i], error);
    if (engine == NULL)
      return FALSE;
    GST_OBJECT_LOCK (element);
    device->others[i] = engine;
    GST_OBJECT_UNLOCK (element);
  }
  return TRUE;
}

/* Why there is no GPU to offer its memory, or NULL where there is one; it costs no context. */
static gchar *
look_for_gpu (const RobocacheDeviceSettings *settings)
{
  const RcWhere where = { RC_BACKEND_CUDA, first_device (settings), RC_CPU_BEST, 0 };
  RcError failure;

  if (settings->choice == ROBOCACHE_BACKEND_CPU)
    return g_strdup ("backend=cpu offers no GPU memory");
  if (rc_backend_probe (&where, &failure) == RC_OK)
    return NULL;
  return robocache_setting_text (&failure);
}

/* Called with the object lock. The previously active engine goes to old, to be released without the lock, since its memory waits for work
 * that still uses it. */
static void
set_active (RobocacheDevice *device, RobocacheEngine *engine, GstAllocator *old[2])
{
  old[FALSE] = old[TRUE] = NULL;
  if (device->active == engine)
    return;
  device->active = engine;
  old[FALSE] = g_steal_pointer (&device->outputs[FALSE]);
  old[TRUE] = g_steal_pointer (&device->outputs[TRUE]);
  if (engine == NULL)
    return;
  device->outputs[FALSE] = robocache_allocator_new (engine, robocache_engine_is_gpu (engine) ? RC_MEMORY_PINNED
      : RC_MEMORY_DEVICE);
  device->outputs[TRUE] = robocache_allocator_new (engine, RC_MEMORY_DEVICE);
}

static void
let_go (GstAllocator *old[2])
{
  gst_clear_object (&old[FALSE]);
  gst_clear_object (&old[TRUE]);
}

static gboolean
check_properties (RobocacheDevice *device, GstElement *element)
{
  GError *error = NULL;
  gboolean ok;

  GST_OBJECT_LOCK (element);
  ok = robocache_device_properties_check (&device->properties, &error);
  GST_OBJECT_UNLOCK (element);
  if (!ok)
    GST_ELEMENT_ERROR (element, LIBRARY, SETTINGS, ("%s", error->message), (NULL));
  g_clear_error (&error);
  return ok;
}

gboolean
robocache_device_open (RobocacheDevice *device, GstElement *element)
{
  RobocacheDeviceSettings settings;
  GstAllocator *old[2];
  GError *error = NULL;
  RobocacheEngine *cpu = NULL;
  gboolean gpu_is_usable = FALSE;
  gchar *no_gpu = NULL;

  if (!check_properties (device, element))
    return FALSE;
  settings = get_settings (device, element);
  if (settings.choice == ROBOCACHE_BACKEND_CUDA) {
    gpu_is_usable = open_gpu (device, element, &settings, &error);
  } else {
    no_gpu = look_for_gpu (&settings);
    gpu_is_usable = no_gpu == NULL;
    cpu = open_cpu (&settings, &error);
  }
  if (error) {
    GST_ELEMENT_ERROR (element, RESOURCE, NOT_FOUND, ("%s%s", error->message,
            settings.choice == ROBOCACHE_BACKEND_CUDA ? ": set backend=auto or backend=cpu to compute on the CPU" : ""),
        (NULL));
    g_error_free (error);
    g_free (no_gpu);
    return FALSE;
  }
  GST_CAT_INFO_OBJECT (robocache_category_of (element), element, "GPU memory is %s%s", gpu_is_usable ? "offered" : "not offered: ",
      no_gpu ? no_gpu : "");
  GST_OBJECT_LOCK (element);
  device->started = settings;
  device->is_open = TRUE;
  device->cpu = cpu;
  device->gpu_is_usable = gpu_is_usable;
  device->no_gpu = no_gpu;
  device->fell_back = FALSE;
  device->n_fallbacks = device->n_retries = device->n_chunks = 0;
  set_active (device, gpu_is_usable ? device->gpu : cpu, old);  /* where only one can serve, it will */
  GST_OBJECT_UNLOCK (element);
  let_go (old);
  return TRUE;
}

void
robocache_device_close (RobocacheDevice *device, GstElement *element)
{
  RobocacheEngine *engines[2 + ROBOCACHE_MAX_DEVICES];
  GstAllocator *old[2];

  g_clear_pointer (&device->cuda_pool, robocache_cuda_pool_free);
  GST_OBJECT_LOCK (element);
  set_active (device, NULL, old);
  device->is_open = device->gpu_is_usable = FALSE;
  g_clear_pointer (&device->no_gpu, g_free);
  engines[0] = g_steal_pointer (&device->cpu);
  engines[1] = g_steal_pointer (&device->gpu);
  for (guint i = 0; i < ROBOCACHE_MAX_DEVICES; i++)
    engines[2 + i] = g_steal_pointer (&device->others[i]);
  GST_OBJECT_UNLOCK (element);
  let_go (old);
  for (guint i = 0; i < G_N_ELEMENTS (engines); i++)
    g_clear_pointer (&engines[i], robocache_engine_unref);
}

/* ---- negotiation ---- */

RobocacheOffer
robocache_device_offer (RobocacheDevice *device, GstElement *element)
{
  const RobocacheDeviceSettings settings = get_settings (device, element);
  gboolean may_be_usable;

  GST_OBJECT_LOCK (element);
  may_be_usable = device->is_open ? device->gpu_is_usable : rc_backend_is_built (RC_BACKEND_CUDA);
  GST_OBJECT_UNLOCK (element);
  if (settings.choice == ROBOCACHE_BACKEND_CPU || !may_be_usable)
    return ROBOCACHE_OFFER_SYSTEM;
  return settings.choice == ROBOCACHE_BACKEND_CUDA ? ROBOCACHE_OFFER_DEVICE_FIRST : ROBOCACHE_OFFER_SYSTEM_FIRST;
}

RobocacheOffer
robocache_device_offer_as (RobocacheDevice *device, GstElement *element, const GstCaps *sink_caps)
{
  const RobocacheOffer offer = robocache_device_offer (device, element);

  return offer != ROBOCACHE_OFFER_SYSTEM && robocache_caps_on_device (sink_caps) ? ROBOCACHE_OFFER_DEVICE_FIRST : offer;
}

gchar *
robocache_device_explain (RobocacheDevice *device, GstElement *element, const GstCaps *peer)
{
  gchar *why = NULL;

  if (robocache_caps_are_all_on_device (peer)) {
    GST_OBJECT_LOCK (element);
    if (device->no_gpu)
      why = g_strconcat (": ", device->no_gpu, NULL);
    GST_OBJECT_UNLOCK (element);
  }
  return why ? why : g_strdup ("");
}

gboolean
robocache_device_answer_context (RobocacheDevice *device, GstElement *element, GstQuery *query)
{
  RobocacheDeviceSettings settings;

  if (!robocache_cuda_context_is_queried (query) || robocache_device_offer (device, element) == ROBOCACHE_OFFER_SYSTEM)
    return FALSE;
  settings = get_settings (device, element);
  return robocache_cuda_context_answer (first_device (&settings), element, query);
}

void
robocache_device_announce_context (RobocacheDevice *device, GstElement *element)
{
  const RobocacheDeviceSettings settings = get_settings (device, element);

  if (settings.choice == ROBOCACHE_BACKEND_CUDA)
    robocache_cuda_context_announce (first_device (&settings), element);
}

void
robocache_device_prepare (RobocacheDevice *device, GstElement *element, gboolean on_device)
{
  const RobocacheDeviceSettings settings = get_settings (device, element);

  if (on_device && device->gpu_is_usable)
    open_gpu (device, element, &settings, NULL);
}

/* The links of a GPU bring fewer bytes to others than it computes itself. From system memory, one thread copies to pinned memory, no faster
 * for several GPUs than for one. So only backend=cuda splits batches (docs/explanation/measurements.md#several-gpus-and-energy). */
guint
robocache_device_shards (const RobocacheDeviceSettings *settings, const RobocacheJob *job)
{
  return job->splits && settings->choice == ROBOCACHE_BACKEND_CUDA ? MAX (settings->n_devices, 1) : 1;
}

/* Whether the GPU serves the job: TRUE, or FALSE and the reason. */
static gboolean
gpu_serves (RobocacheDevice *device, GstElement *element, const RobocacheDeviceSettings *settings, const RobocacheJob *job,
    GError **error)
{
  if (!device->gpu_is_usable) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "there is no usable GPU");
    return FALSE;
  }
  if (!open_gpu (device, element, settings, error)
      || !robocache_engine_check_budget (device->gpu, job->device_bytes, job->what, job->advice, error))
    return FALSE;
  return open_others (device, element, settings, robocache_device_shards (settings, job), error);
}

static void
activate (RobocacheDevice *device, GstElement *element, RobocacheEngine *engine, const GError *reason)
{
  GstAllocator *old[2];

  GST_OBJECT_LOCK (element);
  set_active (device, engine, old);
  device->fell_back = reason != NULL;
  device->n_fallbacks += reason != NULL;
  GST_OBJECT_UNLOCK (element);
  let_go (old);
}

/* Returns why an engine was chosen. reason: why it is not the preferred GPU. */
static const gchar *
why_chosen (const RobocacheDeviceSettings *settings, const RobocacheJob *job, const GError *reason)
{
  if (reason)
    return reason->message;
  if (settings->choice != ROBOCACHE_BACKEND_AUTO)
    return settings->choice == ROBOCACHE_BACKEND_CUDA ? "backend=cuda" : "backend=cpu";
  if (job->out_memory != ROBOCACHE_SYSTEM_MEMORY)
    return "its output is in GPU memory";
  if (job->in_on_device)
    return "its input is in GPU memory";
  if (job->splits && settings->n_devices > 0)
    return "devices is set";
  return job->work_bytes >= ROBOCACHE_BREAK_EVEN_BYTES ? "its buffers are large" : "its buffers are small";
}

static void
log_choice (GstElement *element, const RobocacheEngine *engine, const RobocacheDeviceSettings *settings, const RobocacheJob *job,
    const GError *reason)
{
  const gboolean is_gpu = robocache_engine_is_gpu (engine);

  GST_CAT_INFO_OBJECT (robocache_category_of (element), element, "the %s computes: %s; %" G_GUINT64_FORMAT " bytes of work a buffer, a GPU is "
      "faster from %" G_GUINT64_FORMAT " on; device %d, %u threads", is_gpu ? "GPU" : "CPU", why_chosen (settings, job, reason),
      job->work_bytes, ROBOCACHE_BREAK_EVEN_BYTES, robocache_engine_device (engine), count_threads (settings));
}

gboolean
robocache_device_choose (RobocacheDevice *device, GstElement *element, const RobocacheJob *job, GError **error)
{
  const RobocacheDeviceSettings settings = get_settings (device, element);
  const gboolean must = settings.choice == ROBOCACHE_BACKEND_CUDA || job->out_memory != ROBOCACHE_SYSTEM_MEMORY;
  const gboolean is_worth_it = (job->splits && settings.n_devices > 0) || job->work_bytes >= ROBOCACHE_BREAK_EVEN_BYTES;
  const gboolean wanted = must || (settings.choice == ROBOCACHE_BACKEND_AUTO && (job->in_on_device || is_worth_it));
  RobocacheEngine *engine = device->cpu;
  GError *reason = NULL;

  /* outputs of another size than is needed now */
  for (guint i = 0; device->active && i < G_N_ELEMENTS (device->outputs); i++)
    robocache_allocator_trim (device->outputs[i]);
  g_clear_pointer (&device->cuda_pool, robocache_cuda_pool_free);
  if (wanted && gpu_serves (device, element, &settings, job, &reason))
    engine = device->gpu;
  if (reason && (must || device->cpu == NULL)) {
    g_propagate_error (error, reason);
    return FALSE;
  }
  log_choice (element, engine, &settings, job, reason);
  activate (device, element, engine, reason);
  device->moves_to_cuda_memory = job->out_memory == ROBOCACHE_CUDA_MEMORY;
  g_clear_error (&reason);
  return TRUE;
}

/* The active engine, and those of the other devices that are open, up to n in all. */
static guint
first_engines (const RobocacheDevice *device, guint n, RobocacheEngine *engines[ROBOCACHE_MAX_DEVICES])
{
  guint found = 1;

  engines[0] = device->active;
  while (device->active == device->gpu && found < n && device->others[found]) {
    engines[found] = device->others[found];
    found++;
  }
  return found;
}

guint
robocache_device_engines (const RobocacheDevice *device, const RobocacheJob *job,
    RobocacheEngine *engines[ROBOCACHE_MAX_DEVICES])
{
  return first_engines (device, robocache_device_shards (&device->started, job), engines);
}

gboolean
robocache_device_try_again (RobocacheDevice *device, GstElement *element, const GError *failure)
{
  guint64 n;

  if (!g_error_matches (failure, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED))
    return FALSE;
  GST_OBJECT_LOCK (element);
  n = ++device->n_retries;
  GST_OBJECT_UNLOCK (element);
  if (n == 1)
    GST_ELEMENT_WARNING (element, RESOURCE, FAILED, ("%s; the device still answers, so the work is repeated. Later "
            "failures of this kind are only counted (retries in stats)", failure->message), (NULL));
  else
    GST_CAT_WARNING_OBJECT (robocache_category_of (element), element, "%s; the work is repeated, retry %" G_GUINT64_FORMAT,
        failure->message, n);
  return TRUE;
}

gboolean
robocache_device_fall_back (RobocacheDevice *device, GstElement *element, const RobocacheJob *job, RcStatus status,
    const GError *reason)
{
  if (status != RC_UNSUPPORTED && !g_error_matches (reason, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT)
      && !g_error_matches (reason, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED))
    return FALSE;
  if (device->cpu == NULL || device->active != device->gpu || job->out_memory != ROBOCACHE_SYSTEM_MEMORY)
    return FALSE;
  GST_CAT_INFO_OBJECT (robocache_category_of (element), element, "the CPU computes from here on: %s", reason ? reason->message
      : "the GPU does not support it");
  activate (device, element, device->cpu, reason);
  return TRUE;
}

GstAllocator *
robocache_device_allocator (const RobocacheDevice *device, RobocacheCapsMemory memory)
{
  return device->outputs[memory != ROBOCACHE_SYSTEM_MEMORY];
}

gboolean
robocache_device_move_output (RobocacheDevice *device, GstElement *element, GstBuffer *output, GError **error)
{
  GError *failure = NULL;
  gboolean ok;

  if (!device->moves_to_cuda_memory)
    return TRUE;
  if (device->cuda_pool == NULL)
    device->cuda_pool = robocache_cuda_pool_new (device->active, error);
  if (device->cuda_pool == NULL)
    return FALSE;
  ok = robocache_cuda_pool_move (device->cuda_pool, output, &failure);
  if (!ok && robocache_device_try_again (device, element, failure)) {
    g_clear_error (&failure);
    ok = robocache_cuda_pool_move (device->cuda_pool, output, &failure);
  }
  if (!ok)
    g_propagate_error (error, failure);
  return ok;
}

void
robocache_device_propose_pinned (const RobocacheDevice *device, GstElement *element, GstQuery *query)
{
  GstAllocator *pinned = NULL;

  GST_OBJECT_LOCK (element);
  if (device->active && robocache_engine_is_gpu (device->active))
    pinned = gst_object_ref (device->outputs[FALSE]);
  GST_OBJECT_UNLOCK (element);
  if (pinned == NULL)
    return;
  gst_query_add_allocation_param (query, pinned, NULL);
  gst_object_unref (pinned);
}

void
robocache_device_propose (const RobocacheDevice *device, GstQuery *query, guint min_buffers)
{
  GstAllocator *allocator;
  GstBufferPool *pool;
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  if (!robocache_caps_on_device (caps) || device->active == NULL || !robocache_engine_is_gpu (device->active))
    return;
  allocator = robocache_allocator_new (device->active, RC_MEMORY_DEVICE);
  pool = robocache_tensor_pool_new (caps, allocator, NULL, min_buffers, 0, NULL);
  if (pool) {
    gst_query_add_allocation_pool (query, pool, robocache_tensor_pool_buffer_size (ROBOCACHE_TENSOR_POOL (pool)),
        min_buffers, 0);
    gst_object_unref (pool);
  }
  gst_query_add_allocation_param (query, allocator, NULL);
  gst_object_unref (allocator);
}

/* ---- statistics ---- */

/* Of the engines that compute, together. */
static RobocacheMemoryStatistics
sum_memory_statistics (const RobocacheDevice *device)
{
  RobocacheEngine *engines[ROBOCACHE_MAX_DEVICES];
  const guint n = device->active ? first_engines (device, ROBOCACHE_MAX_DEVICES, engines) : 0;
  RobocacheMemoryStatistics sum = { 0 };

  for (guint i = 0; i < n; i++) {
    RobocacheMemoryStatistics statistics;

    robocache_engine_get_memory_statistics (engines[i], &statistics);
    if (robocache_engine_is_gpu (engines[i])) { /* the CPU's is the machine's memory, not a device's */
      sum.bytes += statistics.bytes;
      sum.peak_bytes += statistics.peak_bytes;
    }
    sum.host_bytes += statistics.host_bytes;
    sum.pool_hits += statistics.pool_hits;
    sum.pool_misses += statistics.pool_misses;
  }
  return sum;
}

void
robocache_device_to_structure (const RobocacheDevice *device, GstStructure *structure)
{
  const RobocacheMemoryStatistics memory = sum_memory_statistics (device);

  gst_structure_set (structure, "active-backend", ROBOCACHE_TYPE_BACKEND, active_backend (device),
      "device", G_TYPE_INT, device->active ? robocache_engine_device (device->active) : -1,
      "fell-back", G_TYPE_BOOLEAN, device->fell_back, "fallbacks", G_TYPE_UINT64, device->n_fallbacks,
      "retries", G_TYPE_UINT64, device->n_retries,
      "chunks", G_TYPE_UINT64, device->n_chunks, "device-memory", G_TYPE_UINT64, memory.bytes,
      "device-memory-peak", G_TYPE_UINT64, memory.peak_bytes, "pinned-memory", G_TYPE_UINT64, memory.host_bytes,
      "pool-hits", G_TYPE_UINT64, memory.pool_hits, "pool-misses", G_TYPE_UINT64, memory.pool_misses, NULL);
}
