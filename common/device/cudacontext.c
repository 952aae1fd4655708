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

#include "common/element/logs.h"
#include "engine.h"

/* The context keeps a backend, without which the primary context may go. */
static GstCudaContext *
open_context (const RcWhere *where, GError **error)
{
  GstCudaContext *context = NULL;
  RcBackend *backend;
  RcError failure;

  if (rc_backend_open (where, &backend, &failure) != RC_OK) {
    robocache_engine_set_no_backend (&failure, error);
    return NULL;
  }
  if (gst_cuda_load_library ())
    context = gst_cuda_context_new_wrapped (rc_backend_context (backend), where->device);
  if (context == NULL) {
    rc_backend_close (backend);
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, "gstreamer-cuda cannot use GPU %d; GST_DEBUG=cuda*:2 shows the reason",
        where->device);
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
  const RcWhere where = {.kind = RC_BACKEND_CUDA,.device = device };
  GWeakRef *known;
  GstCudaContext *context;
  RcError failure;

  if (rc_backend_probe (&where, &failure) != RC_OK) {   /* in a fork, too, whose contexts are its parent's */
    robocache_engine_set_no_backend (&failure, error);
    return NULL;
  }
  g_mutex_lock (&lock);
  if (contexts == NULL)
    contexts = g_hash_table_new (NULL, NULL);
  known = g_hash_table_lookup (contexts, GINT_TO_POINTER (device));
  if (known == NULL) {
    known = g_new (GWeakRef, 1);
    g_weak_ref_init (known, NULL);
    g_hash_table_insert (contexts, GINT_TO_POINTER (device), known);
  }
  context = g_weak_ref_get (known);
  if (context == NULL) {
    context = open_context (&where, error);
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

static GstObject *
get_or_log (gint device, GstElement *element)
{
  GError *error = NULL;
  GstObject *context = robocache_cuda_context_get (device, &error);

  if (context == NULL) {
    GST_CAT_INFO_OBJECT (robocache_category_of (element), element, "no context for CUDA elements: %s", error->message);
    g_error_free (error);
  }
  return context;
}

gboolean
robocache_cuda_context_answer (gint device, GstElement *element, GstQuery *query)
{
  GstObject *context = get_or_log (device, element);
  gboolean is_answered;

  if (context == NULL)
    return FALSE;
  is_answered = gst_cuda_handle_context_query (element, query, (GstCudaContext *) context);
  gst_object_unref (context);
  return is_answered;
}

void
robocache_cuda_context_announce (gint device, GstElement *element)
{
  GstContext *known = gst_element_get_context (element, GST_CUDA_CONTEXT_TYPE);
  GstObject *context = known ? NULL : get_or_log (device, element);

  if (context) {
    known = gst_context_new (GST_CUDA_CONTEXT_TYPE, FALSE);
    gst_structure_set (gst_context_writable_structure (known), GST_CUDA_CONTEXT_TYPE, GST_TYPE_CUDA_CONTEXT, context,
        "cuda-device-id", G_TYPE_UINT, (guint) device, NULL);
    gst_element_post_message (element, gst_message_new_have_context (GST_OBJECT_CAST (element), gst_context_ref (known)));
    gst_object_unref (context);
  }
  g_clear_pointer (&known, gst_context_unref);
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

void
robocache_cuda_context_announce (gint device, GstElement *element)
{
}

#endif
