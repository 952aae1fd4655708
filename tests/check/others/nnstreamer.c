/* robocache: NNStreamer's tensor_filter behind robocachefuse, with a sensor that starts three seconds late; its flexible tensors
 *
 * Built where pkg-config finds nnstreamer. ROBOCACHE_NNSTREAMER names the folder of its plugin, libnnstreamer.so, where that is not
 * GStreamer's own folder. NNSTREAMER_CONF names its nnstreamer.ini, where that is not in /etc. Without the headers or the plugin the
 * test is skipped.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/runpipeline.h"
#include "tests/check/lib/checks.h"

#ifdef HAVE_NNSTREAMER
#include <gmodule.h>
#include <math.h>
#include <tensor_filter_custom_easy.h>

#define MODEL "first_values"
#define RATE 20
#define SAMPLES_BEFORE (3 * RATE)
#define SAMPLES_AFTER RATE      /* with a row of the late sensor */
#define LIMIT (60 * G_USEC_PER_SEC)

typedef int (*Register) (const char *, NNS_custom_invoke, void *, const GstTensorsInfo *, const GstTensorsInfo *);

/* What passes a pad. */
typedef struct
{
  guint n_caps;
  GArray *times;                /* of buffers */
} Passed;

typedef struct
{
  GMutex lock;
  GCond came;
  Passed samples, results;
  guint n_without, n_with;      /* results without and with the late sensor */
} Counts;

/* The network: the first value of each of two streams. */
static int
first_values (void *data, const GstTensorFilterProperties *properties, const GstTensorMemory *in, GstTensorMemory *out)
{
  gfloat *values = out[0].data;

  values[0] = *(const gfloat *) in[0].data;
  values[1] = *(const gfloat *) in[1].data;
  return 0;
}

/* Of one axis. */
static void
describe (GstTensorsInfo *info, guint i, guint32 length)
{
  info->num_tensors = i + 1;
  info->info[i].type = _NNS_FLOAT32;
  info->info[i].dimension[0] = length;
  /* an older NNStreamer has four axes, and no axis of zero */
  for (guint axis = 1; axis < NNS_TENSOR_RANK_LIMIT; axis++)
    info->info[i].dimension[axis] = NNS_TENSOR_RANK_LIMIT > 4 ? 0 : 1;
}

/* The plugin of NNStreamer, with the network; NULL and a line where there is none. */
static GstPlugin *
load_nnstreamer (void)
{
  const gchar *folder = g_getenv ("ROBOCACHE_NNSTREAMER");
  static GstTensorsInfo in, out;
  Register custom_easy_register;
  GstPlugin *plugin;
  GModule *module;

  if (folder)
    gst_registry_scan_path (gst_registry_get (), folder);
  plugin = gst_plugin_load_by_name ("nnstreamer");
  if (plugin == NULL) {
    g_print ("SKIP nnstreamer: the plugin nnstreamer is not found: set ROBOCACHE_NNSTREAMER to its folder\n");
    return NULL;
  }
  module = g_module_open (gst_plugin_get_filename (plugin), G_MODULE_BIND_LAZY);
  fail_unless (module && g_module_symbol (module, "NNS_custom_easy_register", (gpointer *) &custom_easy_register), "%s", g_module_error ());
  describe (&in, 0, 14);
  describe (&in, 1, 6);
  describe (&out, 0, 2);
  fail_unless_equals_int (custom_easy_register (MODEL, first_values, NULL, &in, &out), 0);
  return plugin;
}

static void
note (Passed *passed, GstPadProbeInfo *info)
{
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER)
    g_array_append_val (passed->times, GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)));
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_CAPS)
    passed->n_caps++;
}

static GstPadProbeReturn
note_sample (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Counts *counts = data;

  g_mutex_lock (&counts->lock);
  note (&counts->samples, info);
  g_mutex_unlock (&counts->lock);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
note_result (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Counts *counts = data;
  gfloat values[2] = { 0 };

  g_mutex_lock (&counts->lock);
  note (&counts->results, info);
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    gst_buffer_extract (GST_PAD_PROBE_INFO_BUFFER (info), 0, values, sizeof values);
    *(isnan (values[1]) ? &counts->n_without : &counts->n_with) += 1;
  }
  g_cond_signal (&counts->came);
  g_mutex_unlock (&counts->lock);
  return GST_PAD_PROBE_OK;
}

static void
watch (GstBin *pipeline, const gchar *name, const gchar *pad_name, GstPadProbeCallback callback, Counts *counts)
{
  GstElement *element = gst_bin_get_by_name (pipeline, name);
  GstPad *pad = gst_element_get_static_pad (element, pad_name);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, callback, counts, NULL);
  gst_object_unref (pad);
  gst_object_unref (element);
}

static void
wait_for (Counts *counts, const guint *n, guint target)
{
  const gint64 end = g_get_monotonic_time () + LIMIT;
  gboolean in_time = TRUE;

  g_mutex_lock (&counts->lock);
  while (*n < target && in_time)
    in_time = g_cond_wait_until (&counts->came, &counts->lock, end);
  fail_unless (*n >= target, "%u of %u results", *n, target);
  g_mutex_unlock (&counts->lock);
}

static void
expect_no_error (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);

  fail_unless (message == NULL, "%s", message ? gst_structure_to_string (gst_message_get_structure (message)) : "");
  gst_object_unref (bus);
}

/* Every tick has a sample, and every sample a result. */
static void
expect_each (const Counts *counts)
{
  const GArray *samples = counts->samples.times, *results = counts->results.times;

  fail_unless (samples->len - results->len <= 1, "%u samples, %u results", samples->len, results->len);
  for (guint i = 0; i < results->len; i++) {
    const GstClockTime t = g_array_index (samples, GstClockTime, i);

    fail_unless_equals_uint64 (g_array_index (results, GstClockTime, i), t);
    fail_unless_equals_uint64 (t, g_array_index (samples, GstClockTime, 0) + i * GST_SECOND / RATE);
  }
}

GST_START_TEST (test_late_sensor)
{
  GstPlugin *nnstreamer = load_nnstreamer ();
  GstElement *pipeline, *late;
  Counts counts = {.samples.times = g_array_new (FALSE, FALSE, sizeof (GstClockTime)),
    .results.times = g_array_new (FALSE, FALSE, sizeof (GstClockTime))
  };

  if (nnstreamer == NULL)
    return;
  g_mutex_init (&counts.lock);
  g_cond_init (&counts.came);
  pipeline = gst_parse_launch ("robocachefuse name=fuse rate=" G_STRINGIFY (RATE) "/1 "
      "pads=\"force_0,expected-caps=\\\"other/tensors,format=static,num_tensors=1,types=float32,dimensions=(string)6\\\"\" "
      "! tensor_filter framework=custom-easy model=" MODEL " ! fakesink name=out sync=false "
      "robocachetestsrc kind=proprio channels=14 is-live=true ! fuse.proprio_0 "
      "robocachetestsrc name=late kind=force is-live=true ! fuse.force_0", NULL);
  fail_unless (pipeline != NULL);
  watch (GST_BIN (pipeline), "fuse", "src", note_sample, &counts);
  watch (GST_BIN (pipeline), "out", "sink", note_result, &counts);
  late = gst_bin_get_by_name (GST_BIN (pipeline), "late");
  gst_element_set_locked_state (late, TRUE);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for (&counts, &counts.n_without, SAMPLES_BEFORE);
  fail_unless_equals_int (counts.n_with, 0);
  gst_element_set_locked_state (late, FALSE);
  fail_unless (gst_element_sync_state_with_parent (late));
  wait_for (&counts, &counts.n_with, SAMPLES_AFTER);
  gst_element_set_state (pipeline, GST_STATE_NULL);

  expect_no_error (pipeline);
  expect_each (&counts);
  fail_unless_equals_int (counts.samples.n_caps, 1);
  fail_unless_equals_int (counts.results.n_caps, 1);
  gst_object_unref (late);
  gst_object_unref (pipeline);
  gst_object_unref (nnstreamer);
  g_array_unref (counts.samples.times);
  g_array_unref (counts.results.times);
  g_mutex_clear (&counts.lock);
  g_cond_clear (&counts.came);
}

GST_END_TEST;

/* Frames as tensors come in as NNStreamer's converter made them, static or flexible. */
static const struct
{
  const gchar *format, *elements;
} converted[] = {
  {"static", "e.sink_0 robocachefuse name=e reference-pad=sink_0 pads=sink_0,interpolation=previous"},
  {"flexible", "e.sink_0 robocachefuse name=e reference-pad=sink_0 pads=sink_0,interpolation=previous"},
  {"static", "robocachemcapmux name=e ! robocachemcapdemux"},
  {"flexible", "robocachemcapmux name=e ! robocachemcapdemux"},
};

GST_START_TEST (test_converted_frames)
{
  GstPlugin *nnstreamer = load_nnstreamer ();
  gchar *launch;
  Output out;

  if (nnstreamer == NULL)
    return;
  launch = g_strdup_printf ("videotestsrc num-buffers=5 pattern=red ! video/x-raw,format=RGB,width=8,height=4,framerate=10/1 "
      "! tensor_converter ! other/tensors,format=%s ! %s ! fakesink name=sink", converted[__i__].format, converted[__i__].elements);
  out = run_pipeline (launch);
  fail_unless (out.n_errors == 0, "%s", out.error);
  fail_unless_equals_int (out.buffers->len, 5);
  /* NNStreamer's spelling has a fourth axis */
  fail_unless (g_str_has_prefix (gst_structure_get_string (gst_caps_get_structure (out.caps, 0), "dimensions"), "3:8:4"));
  for (guint i = 0; i < out.buffers->len; i++) {
    fail_unless_equals_int (gst_buffer_get_size (output_buffer (&out, i)), 3 * 8 * 4);
    fail_unless_equals_int (gst_buffer_memcmp (output_buffer (&out, i), 1, "\0\0", 2), 0);
  }
  output_clear (&out);
  g_free (launch);
  gst_object_unref (nnstreamer);
}

GST_END_TEST;

/* The second axis is the one to aggregate along. */
GST_START_TEST (test_aggregator)
{
  GstPlugin *nnstreamer = load_nnstreamer ();
  Output out;

  if (nnstreamer == NULL)
    return;
  out = run_pipeline ("robocachetestsrc kind=proprio channels=14 num-buffers=50 ! e.proprio_0 robocachefuse name=e "
      "rate=" G_STRINGIFY (RATE) "/1 ! other/tensors,dimensions=(string)14:1 ! tensor_aggregator frames-out=4 frames-dim=1 ! fakesink name=sink");
  fail_unless (out.n_errors == 0 && out.buffers->len > 0, "%s", out.error);
  fail_unless (g_str_has_prefix (gst_structure_get_string (gst_caps_get_structure (out.caps, 0), "dimensions"), "14:4"));
  fail_unless_equals_int (gst_buffer_get_size (output_buffer (&out, 0)), 14 * 4 * sizeof (gfloat));
  output_clear (&out);
  gst_object_unref (nnstreamer);
}

GST_END_TEST;

/* What NNStreamer makes of samples is the same, static or flexible. */
static const gchar *const behind[] = {
  "tensor_filter framework=custom-easy model=" MODEL,
  "tensor_filter framework=custom-easy model=" MODEL " ! robocacheresample rate=10/1",
  "tensor_demux tensorpick=1 ! robocacheresample rate=10/1",
  "tensor_demux tensorpick=0 ! tensor_transform mode=arithmetic option=mul:2 ! robocachefuse rate=10/1",
};

static Output
run_format (gint i, const gchar *format)
{
  gchar *launch = g_strdup_printf ("robocachetestsrc kind=proprio channels=14 num-buffers=50 ! e.proprio_0 "
      "robocachetestsrc kind=force num-buffers=50 ! e.force_0 robocachefuse name=e rate=" G_STRINGIFY (RATE) "/1 "
      "! other/tensors,format=%s ! %s ! fakesink name=sink", format, behind[i]);
  Output out = run_pipeline (launch);

  fail_unless (out.n_errors == 0, "%s: %s", launch, out.error);
  fail_unless (out.buffers->len > 0, "%s", launch);
  g_free (launch);
  return out;
}

GST_START_TEST (test_flexible_samples)
{
  GstPlugin *nnstreamer = load_nnstreamer ();
  GBytes *fixed_bytes, *flexible_bytes;
  Output fixed, flexible;

  if (nnstreamer == NULL)
    return;
  fixed = run_format (__i__, "static");
  flexible = run_format (__i__, "flexible");
  fixed_bytes = output_bytes (&fixed);
  flexible_bytes = output_bytes (&flexible);
  fail_unless (g_bytes_equal (fixed_bytes, flexible_bytes));
  g_bytes_unref (fixed_bytes);
  g_bytes_unref (flexible_bytes);
  output_clear (&fixed);
  output_clear (&flexible);
  gst_object_unref (nnstreamer);
}

GST_END_TEST;

CHECK_MAIN (nnstreamer, NULL, NULL, ONCE (test_late_sensor), EACH (converted, test_converted_frames), ONCE (test_aggregator),
  EACH (behind, test_flexible_samples))

#else

GST_START_TEST (test_late_sensor)
{
  g_print ("SKIP nnstreamer: pkg-config finds no nnstreamer to build with\n");
}

GST_END_TEST;

CHECK_MAIN (nnstreamer, NULL, NULL, ONCE (test_late_sensor))
#endif
