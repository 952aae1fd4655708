/* robocache: flexible tensors, from robocachefuse to each element that takes tensors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/tensors/flexible.h"
#include "tests/check/lib/runpipeline.h"
#include "tests/check/lib/checks.h"

#define ROWS "robocachetestsrc kind=proprio channels=7 num-buffers=40 ! e.proprio_0 robocachefuse name=e rate=50/1 "
#define GRIDS "robocachetestsrc kind=points num-buffers=3 ! robocachevoxelize origin=<-5.0,-5.0,-1.0> grid=10:10:4 ! e.sink_0 " \
    "robocachefuse name=e reference-pad=sink_0 pads=\"sink_0,interpolation=previous\" "

/* ---- the same stream, static and flexible ---- */

static const struct
{
  const gchar *source, *element;
} pairs[] = {
  {ROWS, "robocacheresample rate=20/1"},
  {ROWS "type=float64", "robocacheresample rate=20/1 interpolation=cubic"},
  {ROWS "window=5", "robocachevoxelize origin=<-5.0,-5.0,-1.0> grid=10:10:4"},
  {GRIDS, "robocachevoxelview origin=<0.0,0.0,0.0> voxel-size=<1.0,1.0,1.0> ! video/x-raw,width=64,height=48"},
  {GRIDS, "h.sink_0 robocachefuse name=h rate=10/1 pads=\"sink_0,interpolation=nearest\""},
  {ROWS, "robocachefuse rate=10/1"},
  {ROWS "type=float64", "robocachekinematics urdf=" ROBOCACHE_EXAMPLES "/arm.urdf frames=tool"},
  {ROWS "info=tensor window=3 type=float16", "robocachemcapmux ! robocachemcapdemux"},
  {ROWS, "robocachemcapmux ! robocachemcapdemux"},
};

static Output
run_format (gint i, const gchar *format)
{
  gchar *launch = g_strdup_printf ("%s ! other/tensors,format=%s ! %s ! fakesink name=sink", pairs[i].source, format, pairs[i].element);
  Output out = run_pipeline (launch);

  fail_unless (out.n_errors == 0, "%s: %s", launch, out.error);
  g_free (launch);
  return out;
}

/* Some are options of the build. */
static gboolean
has_element (const gchar *description)
{
  gchar **words = g_strsplit (g_str_has_prefix (description, "h.") ? "robocachefuse" : description, " ", 2);
  GstElementFactory *factory = gst_element_factory_find (words[0]);
  const gboolean has = factory != NULL;

  gst_clear_object (&factory);
  g_strfreev (words);
  return has;
}

GST_START_TEST (test_same_output)
{
  GBytes *fixed_bytes, *flexible_bytes;
  Output fixed, flexible;

  if (!has_element (pairs[__i__].element))
    return;
  fixed = run_format (__i__, "static");
  flexible = run_format (__i__, "flexible");
  fail_unless (fixed.buffers->len > 0);
  fail_unless_equals_int (flexible.buffers->len, fixed.buffers->len);
  fail_unless (gst_caps_is_equal (flexible.caps, fixed.caps), "%s", gst_caps_to_string (flexible.caps));
  fixed_bytes = output_bytes (&fixed);
  flexible_bytes = output_bytes (&flexible);
  fail_unless (g_bytes_equal (fixed_bytes, flexible_bytes));
  g_bytes_unref (fixed_bytes);
  g_bytes_unref (flexible_bytes);
  output_clear (&fixed);
  output_clear (&flexible);
}

GST_END_TEST;

/* ---- samples ---- */

static const struct
{
  const gchar *settings;
  const gchar *downstream;      /* caps */
  const gchar *fields;          /* of the samples' caps, or words of the error */
  gboolean is_error;
} samples[] = {
  {"rate=50/1", "other/tensors,format=flexible", "format=(string)flexible, framerate=(fraction)50/1", FALSE},
  {"rate=50/1", "other/tensors,format=flexible,framerate=50/1", "format=(string)flexible", FALSE},
  {"rate=50/1 window=4", "other/tensors,format=flexible", "window=(int)4", FALSE},
  {"rate=50/1 layout=concat", "other/tensors,format=flexible", "streams=(string)\"proprio_0\\,force_0\"", FALSE},
  {"rate=50/1", "other/tensors,format={static,flexible}", "format=(string)static", FALSE},
  {"rate=50/1", "other/tensors,format={flexible,static}", "format=(string)static", FALSE},
  {"rate=50/1", "other/tensors", "format=(string)static", FALSE},
  /* a wrong shape is no reason for flexible tensors */
  {"rate=50/1", "other/tensors,format=static,dimensions=(string)\"2,2\";other/tensors,format=flexible", "downstream accepts only", TRUE},
  {"rate=50/1", "other/tensors,format=flexible,framerate=20/1", "downstream accepts only", TRUE},
  {"rate=50/1 type=bfloat16", "other/tensors,format=flexible", "set type=float32 or float16", TRUE},
};

GST_START_TEST (test_samples)
{
  gchar *launch = g_strdup_printf ("robocachetestsrc kind=proprio channels=3 num-buffers=9 ! e.proprio_0 "
      "robocachetestsrc kind=force num-buffers=9 ! e.force_0 robocachefuse name=e %s ! capsfilter caps=\"%s\" ! fakesink name=sink",
      samples[__i__].settings, samples[__i__].downstream);
  Output out = run_pipeline (launch);

  if (samples[__i__].is_error) {
    fail_unless (out.n_errors > 0 && strstr (out.error, samples[__i__].fields), "%s: %s", launch, out.error);
  } else {
    gchar *caps = gst_caps_to_string (out.caps);

    fail_unless (out.n_errors == 0, "%s: %s", launch, out.error);
    fail_unless (strstr (caps, samples[__i__].fields) != NULL, "%s", caps);
    fail_unless (strstr (caps, "flexible") == NULL || !strstr (caps, "dimensions"), "%s", caps);
    g_free (caps);
  }
  output_clear (&out);
  g_free (launch);
}

GST_END_TEST;

/* ---- headers ---- */

static const struct
{
  RobocacheTensorInfo tensor;
  gboolean is_described;
  guint32 type;                 /* of NNStreamer */
} tensors[] = {
  {{RC_INT32, 1, {3}}, TRUE, 0}, {{RC_UINT32, 1, {3}}, TRUE, 1}, {{RC_INT16, 1, {3}}, TRUE, 2}, {{RC_UINT16, 1, {3}}, TRUE, 3},
  {{RC_INT8, 1, {3}}, TRUE, 4}, {{RC_UINT8, 3, {3, 64, 48}}, TRUE, 5}, {{RC_FLOAT64, 1, {1}}, TRUE, 6}, {{RC_FLOAT32, 2, {14, 4}}, TRUE, 7},
  {{RC_INT64, 8, {1, 2, 3, 4, 5, 6, 7, 8}}, TRUE, 8}, {{RC_UINT64, 1, {3}}, TRUE, 9}, {{RC_FLOAT16, 1, {G_MAXUINT32}}, TRUE, 10},
  {{RC_BFLOAT16, 1, {3}}, FALSE, 0}, {{RC_UINT8, 1, {(guint64) G_MAXUINT32 + 1}}, FALSE, 0},
};

GST_START_TEST (test_header)
{
  const RobocacheTensorInfo *tensor = &tensors[__i__].tensor;
  const RobocacheTensorsInfo info = { 1, {*tensor}, 0, 1 };
  guint32 words[ROBOCACHE_FLEXIBLE_HEADER_BYTES / 4], wanted[ROBOCACHE_FLEXIBLE_HEADER_BYTES / 4] = { 0xfeedcced, 0xde001000,
    tensors[__i__].type
  };

  fail_unless_equals_int (robocache_flexible_describes (&info), tensors[__i__].is_described);
  if (!tensors[__i__].is_described)
    return;
  for (guint axis = 0; axis < tensor->rank; axis++)
    wanted[3 + axis] = (guint32) tensor->dims[axis];
  wanted[19] = 1;
  wanted[20] = 4;
  robocache_flexible_write_header ((guint8 *) words, tensor);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    fail_unless (words[i] == wanted[i], "word %u is %x, expected %x", i, words[i], wanted[i]);
}

GST_END_TEST;

CHECK_MAIN (flexible, NULL, NULL, EACH (pairs, test_same_output), EACH (samples, test_samples), EACH (tensors, test_header))
