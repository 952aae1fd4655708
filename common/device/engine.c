/* robocache: the engine of an element: a backend, the element's stream on it, and statistics of its memory
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine.h"

#include "budget.h"
#include "threadpool.h"

struct _RobocacheEngine
{
  gatomicrefcount refs;
  RcBackend *backend;
  RcStream stream, transfer;
  guint64 max_bytes;            /* 0: no bound */
  gboolean is_host_addressable;
  RobocacheThreadPool *threads;          /* of the CPU's backend, or for uploads to a GPU; NULL: none */

  GMutex lock;
  RobocacheMemoryStatistics statistics;       /* bytes guarded by lock; hits and misses atomic, counted with every sample */
};

GstDebugCategory *
robocache_device_category (void)
{
  static GstDebugCategory *category = NULL;

  if (g_once_init_enter (&category)) {
    GstDebugCategory *made = _gst_debug_category_new ("robocachedevice", 0, "engines and their memory");

    g_once_init_leave (&category, made);
  }
  return category;
}

/* ---- life ---- */

gboolean
robocache_engine_check (RcStatus status, const RcError *failure, GError **error)
{
  if (status == RC_OK)
    return TRUE;
  if (status == RC_NO_SPACE)
    g_set_error_literal (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, failure->message);
  else if (status == RC_CALL_FAILED)
    g_set_error_literal (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, failure->message);
  else
    g_set_error_literal (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, failure->message);
  return FALSE;
}

gboolean
robocache_engine_check_settings (RcStatus status, const RcError *failure, RobocacheError code, GError **error)
{
  return status == RC_OK || (!robocache_setting_error (failure, code, error) && robocache_engine_check (status, failure, error));
}

RobocacheEngine *
robocache_engine_new_for_backend (RcBackend *backend, guint64 max_bytes, GError **error)
{
  RobocacheEngine *engine = g_new0 (RobocacheEngine, 1);
  RcMemoryInfo info;
  RcError failure;

  g_atomic_ref_count_init (&engine->refs);
  g_mutex_init (&engine->lock);
  engine->backend = backend;
  engine->max_bytes = max_bytes;
  if (!robocache_engine_check (rc_memory_info (backend, &info, &failure), &failure, error)
      || !robocache_engine_check (rc_stream_new (backend, &engine->stream, &failure), &failure, error)
      || !robocache_engine_check (rc_stream_new (backend, &engine->transfer, &failure), &failure, error)) {
    robocache_engine_unref (engine);
    return NULL;
  }
  engine->is_host_addressable = info.host_addressable;
  return engine;
}

void
robocache_engine_set_no_backend (const RcError *failure, GError **error)
{
  gchar *text = robocache_setting_text (failure);

  g_set_error_literal (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, text);
  g_free (text);
}

RobocacheEngine *
robocache_engine_new (const RcWhere *where, guint64 max_bytes, GError **error)
{
  RcBackend *backend;
  RcError failure;

  if (rc_backend_open (where, &backend, &failure) == RC_OK)
    return robocache_engine_new_for_backend (backend, max_bytes, error);
  robocache_engine_set_no_backend (&failure, error);
  return NULL;
}

RobocacheEngine *
robocache_engine_new_for_cpu (guint n_threads, GError **error)
{
  RobocacheThreadPool *threads = n_threads > 1 ? robocache_thread_pool_new (n_threads, error) : NULL;
  const RcWhere where = {.kind = RC_BACKEND_CPU,.threads = threads ? robocache_thread_pool_for_backend (threads) : NULL };
  RobocacheEngine *engine;

  if (n_threads > 1 && threads == NULL)
    return NULL;
  engine = robocache_engine_new (&where, 0, error);
  if (engine)
    engine->threads = threads;
  else
    robocache_thread_pool_free (threads);
  return engine;
}

gboolean
robocache_engine_start_threads (RobocacheEngine *engine, guint n_threads, GError **error)
{
  engine->threads = robocache_thread_pool_new (n_threads, error);
  return engine->threads != NULL;
}

const RcThreadPool *
robocache_engine_threads (const RobocacheEngine *engine)
{
  return engine->threads ? robocache_thread_pool_for_backend (engine->threads) : NULL;
}

RobocacheEngine *
robocache_engine_ref (RobocacheEngine *engine)
{
  g_atomic_ref_count_inc (&engine->refs);
  return engine;
}

void
robocache_engine_unref (RobocacheEngine *engine)
{
  if (!g_atomic_ref_count_dec (&engine->refs))
    return;
  rc_stream_free (engine->backend, engine->stream);
  rc_stream_free (engine->backend, engine->transfer);
  rc_backend_close (engine->backend);
  robocache_thread_pool_free (engine->threads);
  g_mutex_clear (&engine->lock);
  g_free (engine);
}

RcBackend *
robocache_engine_backend (const RobocacheEngine *engine)
{
  return engine->backend;
}

RcStream
robocache_engine_stream (const RobocacheEngine *engine)
{
  return engine->stream;
}

RcStream
robocache_engine_transfer_stream (const RobocacheEngine *engine)
{
  return engine->transfer;
}

gboolean
robocache_engine_is_gpu (const RobocacheEngine *engine)
{
  return rc_backend_kind (engine->backend) == RC_BACKEND_CUDA;
}

gboolean
robocache_engine_is_host_addressable (const RobocacheEngine *engine)
{
  return engine->is_host_addressable;
}

gint
robocache_engine_device (const RobocacheEngine *engine)
{
  return rc_backend_device (engine->backend);
}

/* ---- memory ---- */

guint64
robocache_engine_budget (RobocacheEngine *engine)
{
  RcMemoryInfo info;
  guint64 budget;

  if (rc_memory_info (engine->backend, &info, NULL) != RC_OK)
    return 0;                   /* the device has failed; the next call reports the error */
  budget = info.free_bytes;
  g_mutex_lock (&engine->lock);
  if (engine->max_bytes > 0)
    budget = MIN (budget, engine->max_bytes - MIN (engine->max_bytes, engine->statistics.bytes));
  g_mutex_unlock (&engine->lock);
  return budget;
}

gboolean
robocache_engine_check_budget (RobocacheEngine *engine, guint64 bytes, const gchar *what, const gchar *advice,
    GError **error)
{
  RcMemoryInfo info;
  RcError failure;
  guint64 budget;

  if (!robocache_engine_is_gpu (engine))
    return robocache_check_memory (bytes, what, advice, error);
  if (!robocache_engine_check (rc_memory_info (engine->backend, &info, &failure), &failure, error))
    return FALSE;
  budget = robocache_engine_budget (engine);
  if (bytes <= budget)
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "%s needs %" G_GUINT64_FORMAT " bytes, and "
      "device %d has %" G_GUINT64_FORMAT " free%s: %s", what, bytes, robocache_engine_device (engine), budget,
      engine->max_bytes > 0 ? " of max-device-memory" : "", advice);
  return FALSE;
}

/* FALSE: there would be more than max_bytes. */
static gboolean
count_alloc (RobocacheEngine *engine, RcMemoryKind kind, guint64 bytes)
{
  RobocacheMemoryStatistics *statistics = &engine->statistics;
  gboolean fits = TRUE;

  g_mutex_lock (&engine->lock);
  if (kind == RC_MEMORY_PINNED) {
    statistics->host_bytes += bytes;
  } else if (engine->max_bytes > 0 && robocache_bytes_add (statistics->bytes, bytes) > engine->max_bytes) {
    fits = FALSE;
  } else {
    statistics->bytes += bytes;
  }
  g_mutex_unlock (&engine->lock);
  return fits;
}

static void
note_peak (RobocacheEngine *engine)
{
  g_mutex_lock (&engine->lock);
  engine->statistics.peak_bytes = MAX (engine->statistics.peak_bytes, engine->statistics.bytes);
  g_mutex_unlock (&engine->lock);
}

static void
count_free (RobocacheEngine *engine, RcMemoryKind kind, guint64 bytes)
{
  g_mutex_lock (&engine->lock);
  if (kind == RC_MEMORY_PINNED)
    engine->statistics.host_bytes -= bytes;
  else
    engine->statistics.bytes -= bytes;
  g_mutex_unlock (&engine->lock);
}

gpointer
robocache_engine_alloc (RobocacheEngine *engine, RcMemoryKind kind, guint64 bytes, GError **error)
{
  gpointer memory;
  RcError failure;

  if (!count_alloc (engine, kind, bytes)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "%" G_GUINT64_FORMAT " bytes needed, and %"
        G_GUINT64_FORMAT " free of max-device-memory=%" G_GUINT64_FORMAT, bytes, robocache_engine_budget (engine),
        engine->max_bytes);
    return NULL;
  }
  if (!robocache_engine_check (rc_memory_alloc (engine->backend, kind, bytes, &memory, &failure), &failure, error)) {
    count_free (engine, kind, bytes);
    return NULL;
  }
  note_peak (engine);
  return memory;
}

void
robocache_engine_free (RobocacheEngine *engine, RcMemoryKind kind, gpointer memory, guint64 bytes)
{
  if (memory == NULL)
    return;
  rc_memory_free (engine->backend, kind, memory);
  count_free (engine, kind, bytes);
}

gboolean
robocache_engine_synchronize (RobocacheEngine *engine, GError **error)
{
  RcError failure;

  return robocache_engine_check (rc_stream_synchronize (engine->backend, engine->stream, &failure), &failure, error);
}

void
robocache_engine_wait_after_failure (RobocacheEngine *engine, GError **error)
{
  GError *of_device = NULL;

  robocache_engine_synchronize (engine, &of_device);
  if (of_device && error && !g_error_matches (*error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED)) {
    g_clear_error (error);
    *error = g_steal_pointer (&of_device);
  }
  g_clear_error (&of_device);
}

RcStatus
robocache_engine_copy (RobocacheEngine *engine, gpointer to, gconstpointer from, guint64 bytes, RcError *failure)
{
  const RcMemoryCopy copy = {.to = to,.from = from,.row_bytes = bytes,.rows = 1 };

  return rc_memory_copy (robocache_engine_backend (engine), &copy, robocache_engine_stream (engine), failure);
}

RcStatus
robocache_engine_fetch (RobocacheEngine *by, gpointer to, RobocacheEngine *engine, gconstpointer from, guint64 bytes,
    RcEvent written, RcEvent fetched, RcError *failure)
{
  RcBackend *backend = robocache_engine_backend (engine), *by_backend = robocache_engine_backend (by);
  const RcStream stream = robocache_engine_stream (engine), by_stream = robocache_engine_stream (by);
  RcStatus status = rc_event_record (backend, written, stream, failure);

  if (status == RC_OK)
    status = rc_event_wait (by_backend, written, by_stream, failure);
  if (status == RC_OK)
    status = rc_memory_copy_between (by_backend, to, backend, from, bytes, by_stream, failure);
  if (status == RC_OK)
    status = rc_event_record (by_backend, fetched, by_stream, failure);
  if (status == RC_OK)
    status = rc_event_wait (backend, fetched, stream, failure);
  return status;
}

void
robocache_engine_count_pool (RobocacheEngine *engine, gboolean hit)
{
  __atomic_fetch_add (hit ? &engine->statistics.pool_hits : &engine->statistics.pool_misses, 1, __ATOMIC_RELAXED);
}

void
robocache_engine_get_memory_statistics (RobocacheEngine *engine, RobocacheMemoryStatistics *statistics)
{
  g_mutex_lock (&engine->lock);
  statistics->bytes = engine->statistics.bytes;
  statistics->peak_bytes = engine->statistics.peak_bytes;
  statistics->host_bytes = engine->statistics.host_bytes;
  g_mutex_unlock (&engine->lock);
  statistics->pool_hits = __atomic_load_n (&engine->statistics.pool_hits, __ATOMIC_RELAXED);
  statistics->pool_misses = __atomic_load_n (&engine->statistics.pool_misses, __ATOMIC_RELAXED);
}
