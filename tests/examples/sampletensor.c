/* robocache: tensors of a sample read the same from one memory for each and from one for all
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>

#include "examples/tools/sampletensor.h"
#include "tests/check/lib/runpipeline.h"
#include "tests/check/lib/checks.h"

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
      guint8 *copy = memcpy (g_malloc (bytes->len), bytes->data, bytes->len);

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

/* Caps and buffers that are not seven float32 numbers, and one that is. Sizes wrap around 2^64 in some of them. */
static const struct
{
  const gchar *caps;
  gsize bytes;
  const gchar *error;           /* NULL: none */
} rows[] = {
  {"num_tensors=(int)1, types=(string)float32, dimensions=(string)7", 28, NULL},
  {"num_tensors=(int)1, types=(string)float32, dimensions=(int)7", 28, NULL},
  {"num_tensors=(int)1, types=(string)float32, dimensions=(string)7:1", 28, NULL},
  {"num_tensors=(int)1, types=(string)float32, dimensions=(string)3", 12, "expected 7 float32 numbers"},
  {"num_tensors=(int)1, types=(string)float32, dimensions=(string)8", 32, "expected 7 float32 numbers"},
  {"num_tensors=(int)1, types=(string)float64, dimensions=(string)7", 56, "expected 7 float32 numbers"},
  {"num_tensors=(int)1, types=(string)int32, dimensions=(string)7", 28, "expected 7 float32 numbers"},
  {"num_tensors=(int)0, types=(string)float32, dimensions=(string)7", 28, "expected 7 float32 numbers"},
  {"num_tensors=(int)1, types=(string)float32", 28, "expected 7 float32 numbers"},
  {"num_tensors=(int)1, types=(string)float32, dimensions=(string)\"\"", 28, "expected 7 float32 numbers"},
  {"num_tensors=(int)1, types=(string)float32, dimensions=(string)-1", 28, "expected 7 float32 numbers"},
  {"num_tensors=(int)1, types=(string)float32, dimensions=(string)4294967296:4294967296:7", 28, "expected 7 float32 numbers"},
  {"num_tensors=(int)1, types=(string)uint8, dimensions=(string)18446744073709551615", 28, "expected 7 float32 numbers"},
  {"num_tensors=(int)1, types=(string)float32, dimensions=(string)7", 12, "the buffer lacks its 7 float32 numbers"},
  {"num_tensors=(int)1, types=(string)float32, dimensions=(string)7", 0, "the buffer lacks its 7 float32 numbers"},
};

GST_START_TEST (sizes_are_those_of_the_caps)
{
  static const guint8 zeros[64];

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    gchar *text = g_strdup_printf ("other/tensors, format=(string)static, %s", rows[i].caps);
    GstCaps *caps = gst_caps_from_string (text);
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, sizeof (zeros), NULL);
    GstSample *sample;
    const gboolean ok = rows[i].error == NULL;
    GError *error = NULL;
    SampleTensor row;

    gst_buffer_fill (buffer, 0, zeros, sizeof (zeros));
    gst_buffer_set_size (buffer, (gssize) rows[i].bytes);
    sample = gst_sample_new (buffer, caps, NULL, NULL);
    fail_unless (sample_tensor_map_floats (&row, sample, 0, 7, &error) == ok, "%s", text);
    if (ok) {
      fail_unless_equals_int (row.size, 28);
      fail_unless (sample_tensor_value (sample, 0, 6) == 0.0f);
      sample_tensor_unmap (&row);
    } else {
      fail_unless (strstr (error->message, rows[i].error) != NULL, "%s: %s", text, error->message);
      fail_unless (isnan (sample_tensor_value (sample, 0, 8)));
      g_clear_error (&error);
      if (sample_tensor_map (&row, sample, 0)) {
        fail_unless (row.size <= rows[i].bytes);
        sample_tensor_unmap (&row);
      }
    }
    gst_sample_unref (sample);
    gst_buffer_unref (buffer);
    gst_caps_unref (caps);
    g_free (text);
  }
}

GST_END_TEST;

/* The values of both streams of each sample. */
static GArray *
run_fuse (const gchar *behind)
{
  gchar *line = g_strdup_printf ("robocachefuse name=fuse rate=50 ! %s fakesink name=sink robocachetestsrc channels=7 num-buffers=20 "
      "! fuse.proprio_0 robocachetestsrc kind=force num-buffers=200 ! fuse.force_0", behind);
  Output out = run_pipeline (line);
  GArray *values = g_array_new (FALSE, FALSE, sizeof (gfloat));

  for (guint i = 0; i < out.buffers->len; i++) {
    GstSample *sample = gst_sample_new (output_buffer (&out, i), out.caps, NULL, NULL);

    fail_unless_equals_int (sample_n_tensors (sample), 2);
    for (guint c = 0; c < 13; c++) {
      const gfloat value = c < 7 ? sample_tensor_value (sample, 0, c) : sample_tensor_value (sample, 1, c - 7);

      g_array_append_val (values, value);
    }
    fail_unless (isnan (sample_tensor_value (sample, 0, 7)));
    gst_sample_unref (sample);
  }
  output_clear (&out);
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

CHECK_MAIN (sampletensor, NULL, NULL, ONCE (memories_of_all_kinds), ONCE (samples_that_lack_a_tensor), ONCE (sizes_are_those_of_the_caps),
  ONCE (after_gdpdepay))
