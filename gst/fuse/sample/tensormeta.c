/* robocache: the tensors of a sample as a GstTensorMeta, for elements of GStreamer 1.26 and later
 *
 * The only file that knows gstreamer-analytics-1.0.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tensormeta.h"

#ifdef HAVE_ANALYTICS
#include <gst/analytics/analytics.h>

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

/* Caps have the fastest axis first, a GstTensor has it last. */
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
fuse_tensor_meta_is_available (void)
{
  return TRUE;
}

void
fuse_tensor_meta_add (GstBuffer *sample, const RobocacheTensorsInfo *info, const GQuark *ids)
{
  GstTensor **tensors = g_new (GstTensor *, info->n_tensors);

  for (guint i = 0; i < info->n_tensors; i++)
    tensors[i] = tensor_of_memory (ids[i], &info->tensors[i], gst_buffer_get_memory (sample, i));
  gst_tensor_meta_set (gst_buffer_add_tensor_meta (sample), info->n_tensors, tensors);
}

#else

gboolean
fuse_tensor_meta_is_available (void)
{
  return FALSE;
}

void
fuse_tensor_meta_add (GstBuffer *sample, const RobocacheTensorsInfo *info, const GQuark *ids)
{
}
#endif
