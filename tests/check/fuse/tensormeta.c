/* robocache: the GstTensorMeta of samples, where GStreamer has it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fusescenario.h"
#include "tests/check/suite.h"

#ifdef HAVE_ANALYTICS
#include <gst/analytics/analytics.h>

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

static const Test tests[] = {
  CASES (test_meta, G_N_ELEMENTS (metas)),
  TEST (test_one_meta_a_sample),
};

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

static const Test tests[] = { TEST (test_absent) };
#endif

TESTS_MAIN (tensormeta);
