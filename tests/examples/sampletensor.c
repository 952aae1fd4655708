/* robocache: tensors of a sample read the same from one memory for each and from one for all
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>
#include <math.h>

#include "examples/sampletensor.h"

#define MAX_TENSORS 4

static const struct
{
  const gchar *fields;
  gsize sizes[MAX_TENSORS];     /* of the tensors; 0: no more */
} cases[] = {
  {"num_tensors=(int)3, types=(string)\"uint8,float32,int64\", dimensions=(string)\"3:5,7,4:2:1\"", {15, 28, 64}},
  {"num_tensors=(int)3, types=(string)\"uint8.bfloat16.float16\", dimensions=(string)\"3:640:480.1.3\"", {921600, 2, 6}},
  {"num_tensors=(int)1, types=(string)float64, dimensions=(int)14", {112}},
  {"num_tensors=(int)1, types=(string)uint32, dimensions=(string)0", {0}},
};

/* Byte k of all tensors. */
static guint8
byte_at (gsize k)
{
  return (guint8) (k * 31 + k / 256);
}

/* A sample whose buffer has a new memory before each tensor that a bit of `splits` names. */
static GstSample *
make_sample (guint c, guint splits)
{
  gchar *text = g_strdup_printf ("other/tensors, format=(string)static, %s", cases[c].fields);
  GstCaps *caps = gst_caps_from_string (text);
  GstBuffer *buffer = gst_buffer_new ();
  GByteArray *bytes = g_byte_array_new ();
  GstSample *sample;
  gsize k = 0;

  for (guint i = 0; i < MAX_TENSORS; i++) {
    for (gsize end = k + cases[c].sizes[i]; k < end; k++) {
      const guint8 byte = byte_at (k);

      g_byte_array_append (bytes, &byte, 1);
    }
    if (bytes->len > 0 && (splits >> i & 1 || i == MAX_TENSORS - 1)) {
      guint8 *copy = g_memdup2 (bytes->data, bytes->len);

      gst_buffer_append_memory (buffer, gst_memory_new_wrapped (0, copy, bytes->len, 0, bytes->len, copy, g_free));
      g_byte_array_set_size (bytes, 0);
    }
  }
  sample = gst_sample_new (buffer, caps, NULL, NULL);
  g_byte_array_unref (bytes);
  gst_buffer_unref (buffer);
  gst_caps_unref (caps);
  g_free (text);
  return sample;
}

GST_START_TEST (memories_of_all_kinds)
{
  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    for (guint splits = 0; splits < 1 << MAX_TENSORS; splits++) {
      GstSample *sample = make_sample (c, splits);
      SampleTensor tensor;
      gsize offset = 0;
      guint i = 0;

      for (; cases[c].sizes[i] > 0; offset += cases[c].sizes[i++]) {
        fail_unless (sample_tensor_map (&tensor, sample, i));
        fail_unless_equals_int (tensor.size, cases[c].sizes[i]);
        fail_unless ((guintptr) tensor.data % sizeof (gdouble) == 0);
        for (gsize k = 0; k < tensor.size; k++)
          fail_unless (tensor.data[k] == byte_at (offset + k));
        sample_tensor_unmap (&tensor);
      }
      if (i > 0)
        fail_unless_equals_int (sample_n_tensors (sample), i);
      fail_if (sample_tensor_map (&tensor, sample, MAX (i, 1)));
      gst_sample_unref (sample);
    }
  }
}

GST_END_TEST;

GST_START_TEST (samples_that_lack_a_tensor)
{
  static const gchar *const all_caps[] = { "video/x-raw", "other/tensors, num_tensors=(int)2, types=(string)\"uint8,uint8\"",
    "other/tensors, num_tensors=(int)1, types=(string)float32, dimensions=(string)3"
  };

  for (guint i = 0; i < G_N_ELEMENTS (all_caps); i++) {
    GstCaps *caps = gst_caps_from_string (all_caps[i]);
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 8, NULL);
    GstSample *sample = gst_sample_new (buffer, caps, NULL, NULL);
    SampleTensor tensor;

    fail_if (sample_tensor_map (&tensor, sample, 0));
    fail_unless (isnan (sample_tensor_value (sample, 0, 0)));
    gst_sample_unref (sample);
    gst_buffer_unref (buffer);
    gst_caps_unref (caps);
  }
}

GST_END_TEST;

/* Adds the values of both streams of each sample. */
static void
add_values (GstElement *sink, GstBuffer *buffer, GstPad *pad, GArray *values)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstSample *sample = gst_sample_new (buffer, caps, NULL, NULL);

  fail_unless_equals_int (sample_n_tensors (sample), 2);
  for (guint c = 0; c < 13; c++) {
    const gfloat value = c < 7 ? sample_tensor_value (sample, 0, c) : sample_tensor_value (sample, 1, c - 7);

    g_array_append_val (values, value);
  }
  fail_unless (isnan (sample_tensor_value (sample, 0, 7)));
  gst_sample_unref (sample);
  gst_caps_unref (caps);
}

static GArray *
run_fuse (const gchar *behind)
{
  gchar *line = g_strdup_printf ("robocachefuse name=fuse rate=50 ! %s fakesink name=sink signal-handoffs=true "
      "robocachetestsrc channels=7 num-buffers=20 ! fuse.proprio_0 robocachetestsrc kind=force num-buffers=200 ! fuse.force_0",
      behind);
  GstElement *pipeline = gst_parse_launch (line, NULL), *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GArray *values = g_array_new (FALSE, FALSE, sizeof (gfloat));
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  g_signal_connect (sink, "handoff", G_CALLBACK (add_values), values);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  g_free (line);
  return values;
}

GST_START_TEST (after_gdpdepay)
{
  GArray *direct = run_fuse (""), *received;

  fail_unless (direct->len >= 130);
  if (gst_registry_check_feature_version (gst_registry_get (), "gdppay", 1, 0, 0)) {
    received = run_fuse ("gdppay ! gdpdepay !");
    fail_unless_equals_int (received->len, direct->len);
    fail_unless (memcmp (received->data, direct->data, direct->len * sizeof (gfloat)) == 0);
    g_array_unref (received);
  } else {
    g_print ("SKIP after_gdpdepay: gdppay of the bad plugins is not there\n");
  }
  g_array_unref (direct);
}

GST_END_TEST;

static Suite *
sampletensor_suite (void)
{
  Suite *suite = suite_create ("sampletensor");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, memories_of_all_kinds);
  tcase_add_test (tc, samples_that_lack_a_tensor);
  tcase_add_test (tc, after_gdpdepay);
  return suite;
}

GST_CHECK_MAIN (sampletensor);
