/* robocache: inference elements of GStreamer 1.28 before robocachefuse, and a tensor decoder behind it
 *
 * The network is made here: it averages each colour of a frame, in 0 to 8. Skipped where GStreamer lacks one of these elements.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/runpipeline.h"
#include "tests/check/lib/checks.h"

#define ID "classification-generic-out"

#if defined (HAVE_ANALYTICS) && GST_CHECK_VERSION (1, 28, 0)
#include <gst/analytics/analytics.h>

/* Of samples for the decoder: the frame is the first memory, and the tensor has the id. */
#define DECODED_CAPS "video/x-raw,format=RGB,width=8,height=8,framerate=10/1,tensors=(structure)[tensorgroups," ID "=(/uniquelist){" \
    "(GstCaps)[tensor/strided,tensor-id=" ID ",dims=<(int)3>,dims-order=row-major,type=float32]}]"

static const gchar *const needed[] = { "onnxinference", "classifiertensordecoder", "capssetter", "videotestsrc" };

/* ---- an ONNX file: a ModelProto of onnx.proto3 (github.com/onnx/onnx), in the encoding of protocol buffers ---- */

static void
put_varint (GByteArray *to, guint64 number)
{
  for (; number > 127; number >>= 7) {
    const guint8 byte = (guint8) (number & 127) | 128;

    g_byte_array_append (to, &byte, 1);
  }
  g_byte_array_append (to, (const guint8 *) &(guint8) { (guint8) number }, 1);
}

static void
put_number (GByteArray *to, guint field, guint64 number)
{
  put_varint (to, field << 3);
  put_varint (to, number);
}

static void
put_bytes (GByteArray *to, guint field, gconstpointer data, gsize n)
{
  put_varint (to, field << 3 | 2);
  put_varint (to, n);
  g_byte_array_append (to, data, (guint) n);
}

static void
put_text (GByteArray *to, guint field, const gchar *text)
{
  put_bytes (to, field, text, strlen (text));
}

/* Takes message. */
static void
put_message (GByteArray *to, guint field, GByteArray *message)
{
  put_bytes (to, field, message->data, message->len);
  g_byte_array_unref (message);
}

/* A ValueInfoProto of float32. axes end with 0. */
static GByteArray *
make_tensor (const gchar *name, const guint *axes)
{
  GByteArray *value = g_byte_array_new (), *type = g_byte_array_new (), *tensor = g_byte_array_new (), *shape = g_byte_array_new ();

  for (; *axes; axes++) {
    GByteArray *dim = g_byte_array_new ();

    put_number (dim, 1, *axes);
    put_message (shape, 1, dim);
  }
  put_number (tensor, 1, 1);
  put_message (tensor, 2, shape);
  put_message (type, 1, tensor);
  put_text (value, 1, name);
  put_message (value, 2, type);
  return value;
}

/* An AttributeProto of type INT (2), or INTS (7), whose numbers are in another field. */
static GByteArray *
make_attribute (const gchar *name, guint type, const guint *numbers, guint n)
{
  GByteArray *attribute = g_byte_array_new ();

  put_text (attribute, 1, name);
  for (guint i = 0; i < n; i++)
    put_number (attribute, type == 7 ? 8 : 3, numbers[i]);
  put_number (attribute, 20, type);
  return attribute;
}

static GByteArray *
make_node (void)
{
  const guint axes[] = { 1, 2 }, no[] = { 0 };
  GByteArray *node = g_byte_array_new ();

  put_text (node, 1, "in");
  put_text (node, 2, "out");
  put_text (node, 4, "ReduceMean");
  put_message (node, 5, make_attribute ("axes", 7, axes, 2));
  put_message (node, 5, make_attribute ("keepdims", 2, no, 1));
  return node;
}

static GByteArray *
make_model (void)
{
  const guint frame[] = { 1, 8, 8, 3, 0 }, means[] = { 1, 3, 0 };
  GByteArray *model = g_byte_array_new (), *graph = g_byte_array_new (), *operators = g_byte_array_new ();

  put_message (graph, 1, make_node ());
  put_text (graph, 2, "means");
  put_message (graph, 11, make_tensor ("in", frame));
  put_message (graph, 12, make_tensor ("out", means));
  put_text (operators, 1, "");
  put_number (operators, 2, 13);
  put_number (model, 1, 8);
  put_message (model, 7, graph);
  put_message (model, 8, operators);
  return model;
}

/* ---- the pipeline ---- */

typedef struct
{
  gchar *folder, *model, *info, *labels;
} Files;

static Files
write_files (void)
{
  GByteArray *model = make_model ();
  Files files = {.folder = g_dir_make_tmp ("robocache-XXXXXX", NULL) };

  files.model = g_build_filename (files.folder, "means.onnx", NULL);
  files.info = g_strconcat (files.model, ".modelinfo", NULL);
  files.labels = g_build_filename (files.folder, "labels", NULL);
  fail_unless (g_file_set_contents (files.model, (const gchar *) model->data, model->len, NULL));
  fail_unless (g_file_set_contents (files.info, "[modelinfo]\nversion=1.0\ngroup-id=" ID "\n[in]\ntype=float32\ndims=1,8,8,3\ndir=input\n"
          "ranges=0.0,8.0;0.0,8.0;0.0,8.0\n[out]\nid=" ID "\ntype=float32\ndims=1,3\ndir=output\n", -1, NULL));
  fail_unless (g_file_set_contents (files.labels, "red\ngreen\nblue\n", -1, NULL));
  g_byte_array_unref (model);
  return files;
}

static void
remove_files (Files *files)
{
  gchar *const names[] = { files->model, files->info, files->labels };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_unlink (names[i]);
    g_free (names[i]);
  }
  g_rmdir (files->folder);
  g_free (files->folder);
}

static gboolean
has_elements (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (needed); i++) {
    GstElementFactory *factory = gst_element_factory_find (needed[i]);

    if (factory == NULL) {
      g_print ("SKIP inference: there is no element %s\n", needed[i]);
      return FALSE;
    }
    gst_object_unref (factory);
  }
  return TRUE;
}

/* What the decoder found in a sample. */
static const gchar *
label_of (GstBuffer *sample)
{
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta (sample);
  GstAnalyticsClsMtd classes;

  fail_unless (meta && gst_analytics_relation_meta_iterate (meta, &(gpointer) { NULL }, gst_analytics_cls_mtd_get_mtd_type (), &classes));
  return g_quark_to_string (gst_analytics_cls_mtd_get_quark (&classes, 0));
}

static const gchar *const colours[] = { "red", "green", "blue" };

/* A frame and the network's result for it come into one sample, and the decoder names its colour. */
GST_START_TEST (test_result_is_decoded_behind_fuse)
{
  Files files;
  gchar *launch;
  Run run;
  Output out;

  if (!has_elements ())
    return;
  files = write_files ();
  launch = g_strdup_printf ("videotestsrc num-buffers=5 pattern=%s ! video/x-raw,format=RGB,width=8,height=8,framerate=10/1 "
      "! onnxinference model-file=%s ! tee name=t ! queue ! e.camera_0 t. ! queue ! e.camera_1 "
      "robocachefuse name=e reference-pad=camera_0 tensor-meta=true pads=\"camera_1,tensor-id=" ID "\" "
      "! capssetter replace=true join=false caps=\"" DECODED_CAPS "\" ! classifiertensordecoder labels-file=%s ! fakesink name=sink",
      colours[__i__], files.model, files.labels);
  run = run_begin (launch);
  out = play_to_end (run.pipeline);
  fail_unless (out.n_errors == 0, "%s", out.error);
  fail_unless_equals_int (out.buffers->len, 5);
  for (guint i = 0; i < out.buffers->len; i++) {
    gfloat means[3];

    fail_unless_equals_int (gst_buffer_extract (output_buffer (&out, i), 8 * 8 * 3, means, sizeof means), sizeof means);
    for (gint c = 0; c < 3; c++)
      fail_unless (c == __i__ ? means[c] > 7.5f : means[c] < 0.5f, "sample %u: %g %g %g", i, means[0], means[1], means[2]);
    fail_unless_equals_string (label_of (output_buffer (&out, i)), colours[__i__]);
  }
  output_clear (&out);
  run_end (&run);
  remove_files (&files);
}

GST_END_TEST;

CHECK_MAIN (inference, NULL, NULL, EACH (colours, test_result_is_decoded_behind_fuse))

#else

GST_START_TEST (test_absent)
{
  g_print ("SKIP inference: this build lacks gstreamer-analytics-1.0 of GStreamer 1.28\n");
}

GST_END_TEST;

CHECK_MAIN (inference, NULL, NULL, ONCE (test_absent))
#endif
