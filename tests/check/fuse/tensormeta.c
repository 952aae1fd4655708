/* robocache: the GstTensorMeta of samples, and of frames that come in, where GStreamer has it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/tensors/tensormeta.h"
#include "tests/check/lib/fuse/fusescenario.h"

/* ---- tensors in caps of frames ---- */

#define FRAMES "video/x-raw,format=RGB,width=8,height=8,framerate=10/1"
#define TENSOR(id, dims, order, type) "(GstCaps)[tensor/strided,tensor-id=" id ",dims=" dims ",dims-order=" order ",type=" type "]"
#define GROUP(tensors) FRAMES ",tensors=(structure)[tensorgroups,group=(/uniquelist){" tensors "}]"

static const struct
{
  const gchar *caps, *id, *dims, *error;        /* of both one is NULL */
} described[] = {
#if defined (HAVE_ANALYTICS) && GST_CHECK_VERSION (1, 28, 0)
  {GROUP (TENSOR ("a", "<(int)1,(int)3>", "row-major", "float32")), "a", "3", NULL},
  {GROUP (TENSOR ("a", "<(int)2,(int)3>", "row-major", "float32")), "a", "3:2", NULL},
  {GROUP (TENSOR ("a", "<(int)2,(int)3>", "col-major", "float32")), "a", "2:3", NULL},
  {GROUP (TENSOR ("a", "<(int)2>", "row-major", "float32") "," TENSOR ("b", "<(int)4,(int)5,(int)6>", "row-major", "float32")), "b", "6:5:4", NULL},
  {FRAMES, "a", NULL, "tensor-id=a: the caps have no tensors: link an inference element of GStreamer 1.28"},
  {GROUP (TENSOR ("a", "<(int)2>", "row-major", "float32") "," TENSOR ("b", "<(int)2>", "row-major", "float32")), "c", NULL,
      "tensor-id=c: the tensors in the caps are a, b"},
  {GROUP (TENSOR ("a", "<(int)[1,5],(int)3>", "row-major", "float32")), "a", NULL, "expected fixed dims"},
  {GROUP (TENSOR ("a", "<(int)0>", "row-major", "float32")), "a", NULL, "expected fixed dims"},
  {GROUP (TENSOR ("a", "<1,1,1,1,1,1,1,1,1>", "row-major", "float32")), "a", NULL, "at most 8"},
  {GROUP (TENSOR ("a", "<(int)2>", "row-major", "float8e5m2")), "a", NULL, "a type of other/tensors"},
  {FRAMES ",tensors=(structure)[tensorgroups,group=(/uniquelist){(GstCaps)[tensor/strided,tensor-id=a,type=float32]}]", "a", NULL, "expected fixed dims"},
#else
  {FRAMES, "a", NULL, "tensor-id=a needs a plugin built with gstreamer-analytics-1.0 of GStreamer 1.28 or later: unset tensor-id"},
#endif
};

GST_START_TEST (test_tensor_of_caps)
{
  GstCaps *caps = gst_caps_from_string (described[__i__].caps);
  RobocacheTensorsInfo info;
  GError *error = NULL;

  fail_unless (caps != NULL, "%s", described[__i__].caps);
  if (described[__i__].error) {
    fail_if (robocache_tensor_meta_parse_caps (&info, caps, described[__i__].id, &error));
    fail_unless (g_error_matches (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS));
    fail_unless (strstr (error->message, described[__i__].error) != NULL, "%s", error->message);
    g_error_free (error);
  } else {
    gchar *dims;

    fail_unless (robocache_tensor_meta_parse_caps (&info, caps, described[__i__].id, &error), "%s", error ? error->message : "");
    dims = robocache_dimensions_to_string (&info.tensors[0]);
    fail_unless_equals_string (dims, described[__i__].dims);
    fail_unless (info.n_tensors == 1 && info.tensors[0].dtype == RC_FLOAT32 && info.rate_num == 10 && info.rate_den == 1);
    g_free (dims);
  }
  gst_caps_unref (caps);
}

GST_END_TEST;

#ifdef HAVE_ANALYTICS
#include <gst/analytics/analytics.h>

/* ---- tensors of frames ---- */

static const struct
{
  const gchar *id;
  GstTensorDataType type;
  GstTensorDimOrder order;
  gsize dims[2];
  const gchar *error;           /* or NULL */
} frames[] = {
  {"a", GST_TENSOR_DATA_TYPE_FLOAT32, GST_TENSOR_DIM_ORDER_ROW_MAJOR, {2, 3}, NULL},
  {"a", GST_TENSOR_DATA_TYPE_FLOAT32, GST_TENSOR_DIM_ORDER_COL_MAJOR, {3, 2}, NULL},
  {"b", GST_TENSOR_DATA_TYPE_FLOAT32, GST_TENSOR_DIM_ORDER_ROW_MAJOR, {2, 3}, "a frame has no tensor a"},
  {"a", GST_TENSOR_DATA_TYPE_FLOAT32, GST_TENSOR_DIM_ORDER_ROW_MAJOR, {3, 2}, "the tensor a of a frame has another type or other axes"},
  {"a", GST_TENSOR_DATA_TYPE_INT32, GST_TENSOR_DIM_ORDER_ROW_MAJOR, {2, 3}, "the tensor a of a frame has another type or other axes"},
};

/* A frame with a reference timestamp and with two metas, the second of which has the tensor. */
static GstBuffer *
make_frame (GstCaps *reference, gint i)
{
  GstBuffer *frame = gst_buffer_new_allocate (NULL, 8 * 8 * 3, NULL), *data = gst_buffer_new_allocate (NULL, 24, NULL);
  GstTensor **none = g_new (GstTensor *, 1), **tensors = g_new (GstTensor *, 1);

  gst_buffer_memset (data, 0, 0x11, 24);
  none[0] = gst_tensor_new_simple (g_quark_from_string ("other"), GST_TENSOR_DATA_TYPE_UINT8, gst_buffer_new_allocate (NULL, 1, NULL),
      GST_TENSOR_DIM_ORDER_ROW_MAJOR, 1, (gsize[]) { 1 });
  gst_tensor_meta_set (gst_buffer_add_tensor_meta (frame), 1, none);
  tensors[0] = gst_tensor_new_simple (g_quark_from_string (frames[i].id), frames[i].type, data, frames[i].order, 2, (gsize *) frames[i].dims);
  gst_tensor_meta_set (gst_buffer_add_tensor_meta (frame), 1, tensors);
  gst_buffer_add_reference_timestamp_meta (frame, reference, 42, GST_CLOCK_TIME_NONE);
  GST_BUFFER_PTS (frame) = 7;
  GST_BUFFER_DURATION (frame) = 8;
  GST_BUFFER_FLAG_SET (frame, GST_BUFFER_FLAG_CORRUPTED);
  return frame;
}

GST_START_TEST (test_tensor_of_frame)
{
  const RobocacheTensorsInfo info = { 1, {{RC_FLOAT32, 2, {3, 2}}}, 10, 1 };
  GstCaps *reference = gst_caps_new_empty_simple ("timestamp/x-unix");
  GstBuffer *frame = make_frame (reference, __i__), *rows;
  GError *error = NULL;

  rows = robocache_tensor_meta_extract (frame, &info, g_quark_from_string ("a"), &error);
  gst_buffer_unref (frame);
  if (frames[__i__].error) {
    fail_unless (rows == NULL && g_error_matches (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA));
    fail_unless (g_str_has_prefix (error->message, frames[__i__].error), "%s", error->message);
    g_error_free (error);
  } else {
    fail_unless (rows != NULL && gst_buffer_get_size (rows) == 24 && gst_buffer_memcmp (rows, 20, "\x11\x11\x11\x11", 4) == 0);
    fail_unless (GST_BUFFER_PTS (rows) == 7 && GST_BUFFER_DURATION (rows) == 8 && GST_BUFFER_FLAG_IS_SET (rows, GST_BUFFER_FLAG_CORRUPTED));
    fail_unless_equals_uint64 (gst_buffer_get_reference_timestamp_meta (rows, reference)->timestamp, 42);
    gst_buffer_unref (rows);
  }
  gst_caps_unref (reference);
}

GST_END_TEST;

/* ---- samples ---- */

/* The id and axes of a tensor, which shares memory i of the sample. */
static gchar *
describe (GstBuffer *sample, const GstTensor *tensor, guint i)
{
  GString *text = g_string_new (g_quark_to_string (tensor->id));

  for (gsize d = 0; d < tensor->num_dims; d++)
    g_string_append_printf (text, "%c%" G_GSIZE_FORMAT, d > 0 ? 'x' : ' ', tensor->dims[d]);
  fail_unless (tensor->dims_order == GST_TENSOR_DIM_ORDER_ROW_MAJOR && tensor->layout == GST_TENSOR_LAYOUT_CONTIGUOUS);
  fail_unless (gst_buffer_peek_memory (tensor->data, 0) == gst_buffer_peek_memory (sample, i));
  return g_string_free (text, FALSE);
}

static const struct
{
  const gchar *settings, *pads;
  GstTensorDataType types[3];
  const gchar *tensors[3];      /* ids and axes, the slowest first */
} metas[] = {
  {"rate=100/1 pads=proprio_0,tensor-id=joints", "a b", {GST_TENSOR_DATA_TYPE_FLOAT32, GST_TENSOR_DATA_TYPE_FLOAT32}, {"joints 1", "proprio_1 1"}},
  {"rate=100/1", "a b", {GST_TENSOR_DATA_TYPE_FLOAT32, GST_TENSOR_DATA_TYPE_FLOAT32}, {"proprio_0 1", "proprio_1 1"}},
  {"rate=100/1 type=bfloat16", "a", {GST_TENSOR_DATA_TYPE_BFLOAT16}, {"proprio_0 1"}},
  {"rate=100/1 type=float64 window=3 info=tensor", "a", {GST_TENSOR_DATA_TYPE_FLOAT64, GST_TENSOR_DATA_TYPE_INT64},
        {"proprio_0 3x1", "info 3x1x4"}},
  {"rate=100/1 layout=concat", "a b", {GST_TENSOR_DATA_TYPE_FLOAT32}, {"concat 2"}},
};

GST_START_TEST (test_meta)
{
  gchar *settings = g_strconcat (metas[__i__].settings, " tensor-meta=true", NULL);
  Play *play = play_new (settings, metas[__i__].pads);
  GstTensorMeta *meta;
  GstBuffer *sample;
  guint n = 0;

  play_words (play, strstr (metas[__i__].pads, "b") ? "ab+8 ab+12 eos" : "a+8 a+12 eos");
  sample = pull (play->rig);
  meta = gst_buffer_get_tensor_meta (sample);
  fail_unless (meta != NULL);
  for (; n < 3 && metas[__i__].tensors[n]; n++) {
    const GstTensor *tensor = gst_tensor_meta_get (meta, n);
    gchar *text = describe (sample, tensor, n);

    fail_unless_equals_string (text, metas[__i__].tensors[n]);
    fail_unless_equals_int (tensor->data_type, metas[__i__].types[n]);
    g_free (text);
  }
  fail_unless_equals_int (meta->num_tensors, n);
  gst_buffer_unref (sample);
  play_free (play);
  g_free (settings);
}

GST_END_TEST;

/* Buffers of the pool come back without the meta of the sample before. */
GST_START_TEST (test_one_meta_a_sample)
{
  Play *play = play_new ("rate=100/1 tensor-meta=true", "a");

  play_words (play, "a+0..100/10 eos");
  for (guint k = 0; k < 10; k++) {
    GstBuffer *sample = pull (play->rig);

    fail_unless_equals_int (gst_buffer_get_n_meta (sample, GST_TENSOR_META_API_TYPE), 1);
    gst_buffer_unref (sample);
  }
  play_free (play);
}

GST_END_TEST;

CHECK_MAIN (tensormeta, NULL, NULL, EACH (described, test_tensor_of_caps), EACH (frames, test_tensor_of_frame), EACH (metas, test_meta),
  ONCE (test_one_meta_a_sample))

#else

GST_START_TEST (test_absent)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error;

  gst_element_set_bus (fuse, bus);
  g_object_set (fuse, "tensor-meta", TRUE, NULL);
  fail_unless_equals_int (gst_element_set_state (fuse, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS), "%s", error->message);
  fail_unless (strstr (error->message, "tensor-meta=false") != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_state (fuse, GST_STATE_NULL);
  gst_element_set_bus (fuse, NULL);
  gst_object_unref (bus);
  gst_object_unref (fuse);
}

GST_END_TEST;

CHECK_MAIN (tensormeta, NULL, NULL, EACH (described, test_tensor_of_caps), ONCE (test_absent))
#endif
