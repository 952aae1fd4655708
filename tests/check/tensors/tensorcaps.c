/* robocache: other/tensors caps, and the tensors of a buffer
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "common/tensors/tensorbuffer.h"
#include "tests/check/lib/checks.h"

#define ONE "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, "

/* ---- dimensions ---- */

static const struct
{
  const gchar *text, *shortest; /* NULL: an error that quotes the text */
} dimensions[] = {
  {"1", "1"}, {"14", "14"}, {"14:1", "14"}, {"14:1:1:1:1:1:1:1", "14"}, {"14:1:1:1:1:1:1:1:1:1:1", "14"}, {"14:100", "14:100"},
  {"1:100", "1:100"}, {"3:640:480:2", "3:640:480:2"}, {"1:1:5:1", "1:1:5"}, {"0014", "14"}, {"70368744177664", "70368744177664"},
  {""}, {"0"}, {"14:0"}, {"0:14"}, {"-1"}, {"+1"}, {" 14"}, {"14 "}, {"14:"}, {":14"}, {"14::2"}, {"x"}, {"14x"}, {"1.5"},
      {"0x10"},
  {"1:2:3:4:5:6:7:8:9"}, {"18446744073709551616"}, {"99999999999999999999999999"}, {"70368744177665"}, {"8388608:8388609"},
  {"4294967296:4294967296"}, {"65536:65536:65536:65536:65536"},
};

static void
expect_caps_error (GError *error, const gchar *words)
{
  fail_unless (g_error_matches (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS));
  fail_unless (strstr (error->message, words) != NULL, "\"%s\" lacks \"%s\"", error->message, words);
  g_error_free (error);
}

GST_START_TEST (test_dimensions)
{
  const gchar *shortest = dimensions[__i__].shortest;
  gchar **wanted = g_strsplit (shortest ? shortest : "", ":", -1), *text, *quoted;
  RobocacheTensorInfo tensor = { RC_UINT8 };
  GError *error = NULL;

  fail_unless_equals_int (robocache_dimensions_parse (dimensions[__i__].text, tensor.dims, &tensor.rank, &error),
      shortest != NULL);
  if (shortest) {
    fail_unless (error == NULL);
    fail_unless_equals_int (tensor.rank, g_strv_length (wanted));
    for (guint i = 0; i < tensor.rank; i++)
      fail_unless_equals_uint64 (tensor.dims[i], g_ascii_strtoull (wanted[i], NULL, 10));
    fail_unless_equals_uint64 (robocache_tensor_info_dim (&tensor, 7), 1);
    text = robocache_dimensions_to_string (&tensor);
    fail_unless_equals_string (text, shortest);
    g_free (text);
  } else {
    quoted = g_strdup_printf ("\"%s\"", dimensions[__i__].text);
    expect_caps_error (error, quoted);
    g_free (quoted);
  }
  g_strfreev (wanted);
}

GST_END_TEST;

/* ---- types ---- */

GST_START_TEST (test_type_names)
{
  static const gchar *const no_types[] = { "", "float", "Float32", "float32 ", "int128", "uint", "bfloat" };

  for (guint i = 0; i < RC_N_DTYPES; i++) {
    fail_unless_equals_int (robocache_dtype_from_name (rc_dtype_name (i)), i);
    fail_unless (rc_dtype_size (i) > 0);
  }
  for (guint i = 0; i < G_N_ELEMENTS (no_types); i++)
    fail_unless (robocache_dtype_from_name (no_types[i]) == RC_N_DTYPES, "\"%s\" is a type", no_types[i]);
}

GST_END_TEST;

/* ---- caps ---- */

/* Caps become an info, and the info the same caps in their shortest spelling. */
static const struct
{
  const gchar *caps, *error;    /* words of it; NULL: none */
  guint n;
  gsize size;
  const gchar *types, *dimensions;
} caps_cases[] = {
  {ONE "dimensions=(string)14", NULL, 1, 56, "float32", "14"},
  {ONE "dimensions=(int)14", NULL, 1, 56, "float32", "14"},
  {ONE "dimensions=(string)14:1:1:1", NULL, 1, 56, "float32", "14"},
  {ONE "dimensions=(string)\" 14:2 \"", NULL, 1, 112, "float32", "14:2"},
  {"other/tensors, format=(string)static, num_tensors=(int)2, types=(string)\"float64.uint8\", "
        "dimensions=(string)\"2.3:4:5\"", NULL, 2, 76, "float64,uint8", "2,3:4:5"},
  {"other/tensors, format=(string)static, num_tensors=(int)2, types=(string)\"bfloat16, int64\", "
        "dimensions=(string)\"2, 3\"", NULL, 2, 28, "bfloat16,int64", "2,3"},
  {"other/tensor, format=(string)static", "other/tensors"},
  {"ANY", "other/tensors"},
  {"EMPTY", "other/tensors"},
  {"other/tensors", "format"},
  {"other/tensors, format=(string)sparse", "sparse"},
  {"other/tensors, format=(string)static", "num_tensors"},
  {"other/tensors, format=(string)static, num_tensors=(string)1", "num_tensors"},
  {"other/tensors, format=(string)static, num_tensors=(int)99", "99"},
  {ONE "framerate=(fraction)0/1", "dimensions"},
  {ONE "dimensions=(float)14", "(string)14:1"},
  {ONE "dimensions=14:1", "(string)14:1"},
  {ONE "dimensions=14:100", "(string)14:1"},
  {ONE "dimensions=(string){ 14, 15 }", "(string)14:1"},
  {ONE "dimensions=(string)14, framerate=(fraction)-1/1", "framerate"},
  {ONE "dimensions=(string)14, framerate=(int)30", "framerate"},
  {ONE "dimensions=(string)14, framerate=(fraction)[0/1, 10/1]", "framerate"},
  {ONE "dimensions=(string)\"14,15\"", "2 items"},
  {ONE "dimensions=(string)20000000000000", "bytes"},
  {"other/tensors, format=(string)static, num_tensors=(int)1, types=(int)3, dimensions=(string)1", "\"3\""},
  {"other/tensors, format=(string)static, num_tensors=(int)1, types=(boolean)true, dimensions=(string)1", "(string)float32"},
};

GST_START_TEST (test_caps)
{
  GstCaps *caps = gst_caps_from_string (caps_cases[__i__].caps), *again;
  RobocacheTensorsInfo info;
  GError *error = NULL;
  const GstStructure *structure;

  fail_unless (caps != NULL);
  fail_unless_equals_int (robocache_tensors_info_from_caps (&info, caps, &error), caps_cases[__i__].error == NULL);
  gst_caps_unref (caps);
  if (error) {
    expect_caps_error (error, caps_cases[__i__].error);
    return;
  }
  fail_unless_equals_int (info.n_tensors, caps_cases[__i__].n);
  fail_unless_equals_int (robocache_tensors_info_size (&info), caps_cases[__i__].size);
  fail_unless_equals_int (info.rate_num, 0);
  fail_unless_equals_int (info.rate_den, 1);
  again = robocache_tensors_info_to_caps (&info);
  structure = gst_caps_get_structure (again, 0);
  fail_unless (gst_caps_is_fixed (again));
  fail_unless_equals_string (gst_structure_get_string (structure, "types"), caps_cases[__i__].types);
  fail_unless_equals_string (gst_structure_get_string (structure, "dimensions"), caps_cases[__i__].dimensions);
  fail_unless (gst_structure_has_field_typed (structure, "framerate", GST_TYPE_FRACTION));
  gst_caps_unref (again);
}

GST_END_TEST;

/* ---- spellings ---- */

static const struct
{
  const gchar *peer;
  gboolean compatible;
  const gchar *dimensions;      /* of ours, 14, after the peer */
} peers[] = {
  {"ANY", TRUE, "14"},
  {"other/tensors", TRUE, "14"},
  {ONE "dimensions=(string)14", TRUE, "14"},
  {ONE "dimensions=(string)14:1", TRUE, "14:1"},
  {ONE "dimensions=(string)14:1:1:1", TRUE, "14:1:1:1"},
  {ONE "dimensions=(string){ 14:2, 14 }", TRUE, "14"},
  {ONE "dimensions=(string)14:2", FALSE, "14"},
  {ONE "dimensions=(string)15; " ONE "dimensions=(string)14:1:1", TRUE, "14:1:1"},
  {"other/tensors(memory:RobocacheCUDA)", FALSE, "14"},
  {"video/x-raw", FALSE, "14"},
  {"EMPTY", FALSE, "14"},
  {ONE "dimensions=(string)14, framerate=(fraction)100/1", TRUE, "14"},
  {ONE "dimensions=(string)14, framerate=(fraction)50/1", FALSE, "14"},
};

GST_START_TEST (test_spelling)
{
  GstCaps *ours = gst_caps_from_string (ONE "dimensions=(string)14, framerate=(fraction)100/1");
  GstCaps *peer = gst_caps_from_string (peers[__i__].peer), *spelled;

  fail_unless_equals_int (robocache_tensors_caps_compatible (ours, peer), peers[__i__].compatible);
  spelled = robocache_tensors_caps_in_spelling_of (ours, peer);
  fail_unless_equals_string (gst_structure_get_string (gst_caps_get_structure (spelled, 0), "dimensions"),
      peers[__i__].dimensions);
  fail_unless_equals_string (gst_structure_get_string (gst_caps_get_structure (ours, 0), "dimensions"), "14");
  gst_caps_unref (spelled);
  gst_caps_unref (peer);
  gst_caps_unref (ours);
}

GST_END_TEST;

/* NNStreamer separates the types of tensors by commas or dots. */
GST_START_TEST (test_spelling_of_several)
{
  const gchar *ours_text = "other/tensors, format=(string)static, num_tensors=(int)2, types=(string)\"float32,int8\", "
      "dimensions=(string)\"2,3:4\", framerate=(fraction)0/1";
  const gchar *peer_text = "other/tensors, format=(string)static, num_tensors=(int)2, types=(string)\"float32.int8\", "
      "dimensions=(string)\"2:1:1:1.3:4:1:1\"";
  GstCaps *ours = gst_caps_from_string (ours_text), *peer = gst_caps_from_string (peer_text);
  GstCaps *spelled = robocache_tensors_caps_in_spelling_of (ours, peer);

  fail_unless (gst_caps_can_intersect (spelled, peer));
  gst_caps_unref (spelled);
  gst_caps_unref (peer);
  gst_caps_unref (ours);
}

GST_END_TEST;

/* ---- buffers ---- */

/* Two tensors: float32 of 2:3 and int8 of 5. */
static const RobocacheTensorsInfo two = { 2, {{RC_FLOAT32, 2, {2, 3}}, {RC_INT8, 1, {5}}}, 0, 1 };

static GstBuffer *
buffer_of (const gint *sizes)
{
  GstBuffer *buffer = gst_buffer_new ();

  for (; *sizes >= 0; sizes++)
    gst_buffer_append_memory (buffer, gst_allocator_alloc (NULL, *sizes, NULL));
  return buffer;
}

static const struct
{
  gint sizes[4];
  gboolean ok;
  const gchar *words[2];
} layouts[] = {
  {{24, 5, -1}, TRUE, {NULL}},
  {{29, -1}, TRUE, {NULL}},
  {{28, -1}, FALSE, {"28", "29"}},
  {{30, -1}, FALSE, {"30", "29"}},
  {{-1}, FALSE, {"0 bytes", "29"}},
  {{24, 4, 1, -1}, TRUE, {NULL}},
  {{23, 6, -1}, FALSE, {"23", "24"}},
  {{24, 6, -1}, FALSE, {"30", "29"}},
};

GST_START_TEST (test_map)
{
  GstBuffer *buffer = buffer_of (layouts[__i__].sizes);
  RobocacheTensorsMap map;
  GError *error = NULL;

  fail_unless_equals_int (robocache_tensors_map (&map, buffer, &two, GST_MAP_READ, &error), layouts[__i__].ok);
  if (layouts[__i__].ok) {
    fail_unless (map.data[0] != NULL && map.data[1] != NULL);
    if (gst_buffer_n_memory (buffer) == 1)
      fail_unless ((guint8 *) map.data[1] == (guint8 *) map.data[0] + 24);
    robocache_tensors_unmap (&map);
  } else {
    fail_unless (g_error_matches (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA));
    for (guint i = 0; i < 2; i++)
      fail_unless (strstr (error->message, layouts[__i__].words[i]) != NULL, "%s", error->message);
    g_error_free (error);
  }
  ASSERT_MINI_OBJECT_REFCOUNT (buffer, "buffer", 1);
  gst_buffer_unref (buffer);
}

GST_END_TEST;

CHECK_MAIN (tensorcaps, NULL, NULL, EACH (dimensions, test_dimensions), ONCE (test_type_names), EACH (caps_cases, test_caps),
    EACH (peers, test_spelling), ONCE (test_spelling_of_several), EACH (layouts, test_map))
