/* robocache: the context in which elements of gstreamer-cuda and ours share a device
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudacontext.h"

#ifdef HAVE_GSTCUDA

/* The library calls itself unstable: what changed since 1.22 is guarded. */
#define GST_USE_UNSTABLE_API
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudautils.h>

#include "engine.h"

/* The context keeps a backend, without which the primary context may go. */
static GstCudaContext *
open_context (gint device, GError **error)
{
  const RcWhere where = {.kind = RC_BACKEND_CUDA,.device = device };
  GstCudaContext *context = NULL;
  RcBackend *backend;
  RcError failure;

  if (rc_backend_open (&where, &backend, &failure) != RC_OK) {
    g_set_error_literal (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, failure.message);
    return NULL;
  }
  if (gst_cuda_load_library ())
    context = gst_cuda_context_new_wrapped (rc_backend_context (backend), device);
  if (context == NULL) {
    rc_backend_close (backend);
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, "gstreamer-cuda cannot use GPU %d; GST_DEBUG=cuda*:2 shows the reason",
        device);
    return NULL;
  }
  g_object_set_data_full (G_OBJECT (context), "robocache-backend", backend, (GDestroyNotify) rc_backend_close);
  return context;
}

GstObject *
robocache_cuda_context_get (gint device, GError **error)
{
  static GMutex lock;
  static GHashTable *contexts = NULL;   /* from device to GWeakRef */
  GWeakRef *known;
  GstCudaContext *context;

  g_mutex_lock (&lock);
  if (contexts == NULL)
    contexts = g_hash_table_new (NULL, NULL);
  known = g_hash_table_lookup (contexts, GINT_TO_POINTER (device));
  if (known == NULL) {
    known = g_new0 (GWeakRef, 1);
    g_hash_table_insert (contexts, GINT_TO_POINTER (device), known);
  }
  context = g_weak_ref_get (known);
  if (context == NULL) {
    context = open_context (device, error);
    g_weak_ref_set (known, context);
  }
  g_mutex_unlock (&lock);
  return GST_OBJECT_CAST (context);
}

gboolean
robocache_cuda_context_is_queried (GstQuery *query)
{
  const gchar *type;

  return GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT && gst_query_parse_context_type (query, &type)
      && g_str_equal (type, GST_CUDA_CONTEXT_TYPE);
}

gboolean
robocache_cuda_context_answer (gint device, GstElement *element, GstQuery *query)
{
  GError *error = NULL;
  GstObject *context = robocache_cuda_context_get (device, &error);
  gboolean is_answered;

  if (context == NULL) {
    GST_CAT_INFO_OBJECT (robocache_device_category (), element, "no context for a CUDA element: %s", error->message);
    g_error_free (error);
    return FALSE;
  }
  is_answered = gst_cuda_handle_context_query (element, query, (GstCudaContext *) context);
  gst_object_unref (context);
  return is_answered;
}

#else

GstObject *
robocache_cuda_context_get (gint device, GError **error)
{
  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, "this build does not support memory:CUDAMemory");
  return NULL;
}

gboolean
robocache_cuda_context_is_queried (GstQuery *query)
{
  return FALSE;
}

gboolean
robocache_cuda_context_answer (gint device, GstElement *element, GstQuery *query)
{
  return FALSE;
}

#endif
