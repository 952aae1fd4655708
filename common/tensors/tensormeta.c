/* robocache: tensors in the GstTensorMeta of buffers, of GStreamer 1.26 and later
 *
 * The only file that knows gstreamer-analytics-1.0. Caps have the fastest axis first. A GstTensor in row-major order has it last.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tensormeta.h"

#include <string.h>

#ifdef HAVE_ANALYTICS
#include <gst/analytics/analytics.h>

/* ---- samples ---- */

static const GstTensorDataType types[RC_N_DTYPES] = {
  [RC_INT8] = GST_TENSOR_DATA_TYPE_INT8,
  [RC_UINT8] = GST_TENSOR_DATA_TYPE_UINT8,
  [RC_INT16] = GST_TENSOR_DATA_TYPE_INT16,
  [RC_UINT16] = GST_TENSOR_DATA_TYPE_UINT16,
  [RC_INT32] = GST_TENSOR_DATA_TYPE_INT32,
  [RC_UINT32] = GST_TENSOR_DATA_TYPE_UINT32,
  [RC_INT64] = GST_TENSOR_DATA_TYPE_INT64,
  [RC_UINT64] = GST_TENSOR_DATA_TYPE_UINT64,
  [RC_FLOAT16] = GST_TENSOR_DATA_TYPE_FLOAT16,
  [RC_BFLOAT16] = GST_TENSOR_DATA_TYPE_BFLOAT16,
  [RC_FLOAT32] = GST_TENSOR_DATA_TYPE_FLOAT32,
  [RC_FLOAT64] = GST_TENSOR_DATA_TYPE_FLOAT64,
};

static GstMemory *
memory_behind (GstMemory *memory, gsize header_bytes)
{
  return header_bytes == 0 ? gst_memory_ref (memory) : gst_memory_share (memory, (gssize) header_bytes, -1);
}

static GstTensor *
tensor_of_memory (GQuark id, const RobocacheTensorInfo *info, GstMemory *memory)
{
  gsize dims[ROBOCACHE_MAX_RANK];
  GstBuffer *data = gst_buffer_new ();

  for (guint i = 0; i < info->rank; i++)
    dims[i] = (gsize) info->dims[info->rank - 1 - i];
  gst_buffer_append_memory (data, memory);
  return gst_tensor_new_simple (id, types[info->dtype], data, GST_TENSOR_DIM_ORDER_ROW_MAJOR, info->rank, dims);
}

gboolean
robocache_tensor_meta_is_available (void)
{
  return TRUE;
}

void
robocache_tensor_meta_add (GstBuffer *sample, const RobocacheTensorsInfo *info, const GQuark *ids, gsize header_bytes)
{
  GstTensor **tensors = g_new (GstTensor *, info->n_tensors);

  for (guint i = 0; i < info->n_tensors; i++)
    tensors[i] = tensor_of_memory (ids[i], &info->tensors[i], memory_behind (gst_buffer_peek_memory (sample, i), header_bytes));
  gst_tensor_meta_set (gst_buffer_add_tensor_meta (sample), info->n_tensors, tensors);
}

/* ---- tensors of frames ---- */

static RcDtype
dtype_of_type (GstTensorDataType type)
{
  RcDtype dtype = 0;

  while (dtype < RC_N_DTYPES && types[dtype] != type)
    dtype++;
  return dtype;
}

/* FALSE: the type or the shape is not one of ours. */
static gboolean
describe_tensor (RobocacheTensorInfo *info, const GstTensor *tensor)
{
  const RcDtype dtype = dtype_of_type (tensor->data_type);
  const gboolean reversed = tensor->dims_order == GST_TENSOR_DIM_ORDER_ROW_MAJOR;
  guint64 dims[ROBOCACHE_MAX_RANK];

  if (dtype == RC_N_DTYPES || tensor->num_dims == 0 || tensor->num_dims > ROBOCACHE_MAX_RANK)
    return FALSE;
  for (gsize i = 0; i < tensor->num_dims; i++)
    dims[i] = tensor->dims[reversed ? tensor->num_dims - 1 - i : i];
  robocache_tensor_info_set (info, dtype, dims, (guint) tensor->num_dims);
  return TRUE;
}

static gboolean
is_as_described (const GstTensor *tensor, const RobocacheTensorInfo *info)
{
  RobocacheTensorInfo came;

  return describe_tensor (&came, tensor) && came.dtype == info->dtype && came.rank == info->rank
      && memcmp (came.dims, info->dims, info->rank * sizeof (info->dims[0])) == 0;
}

/* A frame may have the tensors of several networks. */
static const GstTensor *
find_tensor (GstBuffer *frame, GQuark id)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (frame, &state, GST_TENSOR_META_API_TYPE))) {
    const GstTensorMeta *tensors = (GstTensorMeta *) meta;

    for (gsize i = 0; i < tensors->num_tensors; i++) {
      if (tensors->tensors[i]->id == id)
        return tensors->tensors[i];
    }
  }
  return NULL;
}

static void
copy_reference_timestamps (GstBuffer *to, GstBuffer *from)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (from, &state, GST_REFERENCE_TIMESTAMP_META_API_TYPE))) {
    const GstReferenceTimestampMeta *reference = (GstReferenceTimestampMeta *) meta;

    gst_buffer_add_reference_timestamp_meta (to, reference->reference, reference->timestamp, reference->duration);
  }
}

GstBuffer *
robocache_tensor_meta_extract (GstBuffer *frame, const RobocacheTensorsInfo *info, GQuark id, GError **error)
{
  const GstTensor *tensor = find_tensor (frame, id);
  GstBuffer *rows;

  if (tensor == NULL || !is_as_described (tensor, &info->tensors[0])) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, tensor ? "the tensor %s of a frame has another type or other axes "
        "than in the caps" : "a frame has no tensor %s, but its caps have", g_quark_to_string (id));
    return NULL;
  }
  rows = gst_buffer_new ();
  gst_buffer_copy_into (rows, tensor->data, GST_BUFFER_COPY_MEMORY, 0, (gsize) - 1);
  gst_buffer_copy_into (rows, frame, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, (gsize) - 1);
  copy_reference_timestamps (rows, frame);
  return rows;
}

#else

gboolean
robocache_tensor_meta_is_available (void)
{
  return FALSE;
}

void
robocache_tensor_meta_add (GstBuffer *sample, const RobocacheTensorsInfo *info, const GQuark *ids, gsize header_bytes)
{
}

GstBuffer *
robocache_tensor_meta_extract (GstBuffer *frame, const RobocacheTensorsInfo *info, GQuark id, GError **error)
{
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "this build cannot read tensors of frames");
  return NULL;
}
#endif

/* ---- tensors in caps ---- */

#if defined (HAVE_ANALYTICS) && GST_CHECK_VERSION (1, 28, 0)

/* Finds the tensor in a group, which is a set of caps. Appends the ids of the others to ids. */
static const GstStructure *
find_in_group (const GValue *group, const gchar *id, GString *ids)
{
  for (guint i = 0; GST_VALUE_HOLDS_UNIQUE_LIST (group) && i < gst_value_unique_list_get_size (group); i++) {
    const GstCaps *caps = gst_value_get_caps (gst_value_unique_list_get_value (group, i));

    for (guint k = 0; k < gst_caps_get_size (caps); k++) {
      const GstStructure *tensor = gst_caps_get_structure (caps, k);
      const gchar *name = gst_structure_get_string (tensor, "tensor-id");

      if (g_strcmp0 (name, id) == 0)
        return tensor;
      g_string_append_printf (ids, "%s%s", ids->len > 0 ? ", " : "", name ? name : "unnamed");
    }
  }
  return NULL;
}

static const GstStructure *
find_in_caps (const GstCaps *caps, const gchar *id, GError **error)
{
  const GValue *value = gst_structure_get_value (gst_caps_get_structure (caps, 0), "tensors");
  const GstStructure *groups = value && GST_VALUE_HOLDS_STRUCTURE (value) ? gst_value_get_structure (value) : NULL;
  const GstStructure *tensor = NULL;
  GString *ids = g_string_new (NULL);

  for (gint i = 0; groups && tensor == NULL && i < gst_structure_n_fields (groups); i++)
    tensor = find_in_group (gst_structure_get_value (groups, gst_structure_nth_field_name (groups, (guint) i)), id, ids);
  if (tensor == NULL)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, ids->len > 0 ? "tensor-id=%s: the tensors in the caps are %s"
        : "tensor-id=%s: the caps have no tensors%s: link an inference element of GStreamer 1.28", id, ids->str);
  g_string_free (ids, TRUE);
  return tensor;
}

/* The numbers of an array, the fastest axis first. FALSE: they are not fixed. */
static gboolean
read_axes (guint64 *axes, guint *rank, const GstStructure *tensor)
{
  const GValue *dims = gst_structure_get_value (tensor, "dims");
  const gboolean reversed = g_strcmp0 (gst_structure_get_string (tensor, "dims-order"), "col-major") != 0;

  *rank = dims && GST_VALUE_HOLDS_ARRAY (dims) ? gst_value_array_get_size (dims) : 0;
  if (*rank == 0 || *rank > ROBOCACHE_MAX_RANK)
    return FALSE;
  for (guint i = 0; i < *rank; i++) {
    const GValue *axis = gst_value_array_get_value (dims, reversed ? *rank - 1 - i : i);

    if (!G_VALUE_HOLDS_INT (axis) || g_value_get_int (axis) <= 0)
      return FALSE;
    axes[i] = (guint64) g_value_get_int (axis);
  }
  return TRUE;
}

gboolean
robocache_tensor_meta_parse_caps (RobocacheTensorsInfo *info, const GstCaps *caps, const gchar *id, GError **error)
{
  const GstStructure *tensor = find_in_caps (caps, id, error);
  guint64 axes[ROBOCACHE_MAX_RANK];
  const gchar *type;
  RcDtype dtype;
  guint rank;

  if (tensor == NULL)
    return FALSE;
  type = gst_structure_get_string (tensor, "type");
  dtype = type ? robocache_dtype_from_name (type) : RC_N_DTYPES;
  if (dtype == RC_N_DTYPES || !read_axes (axes, &rank, tensor)) {
    gchar *text = gst_structure_to_string (tensor);

    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "tensor-id=%s: the tensor is %s: expected fixed dims, at most %d, "
        "and a type of other/tensors", id, text, ROBOCACHE_MAX_RANK);
    g_free (text);
    return FALSE;
  }
  memset (info, 0, sizeof (*info));
  info->n_tensors = 1;
  robocache_tensor_info_set (&info->tensors[0], dtype, axes, rank);
  return robocache_framerate_parse (gst_caps_get_structure (caps, 0), &info->rate_num, &info->rate_den, error);
}

#else

gboolean
robocache_tensor_meta_parse_caps (RobocacheTensorsInfo *info, const GstCaps *caps, const gchar *id, GError **error)
{
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "tensor-id=%s needs a plugin built with gstreamer-analytics-1.0 of "
      "GStreamer 1.28 or later: unset tensor-id", id);
  return FALSE;
}
#endif
