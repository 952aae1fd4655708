/* robocache: elements on a GPU whose outputs leave in memory:CUDAMemory, GStreamer's own: the CPU's bytes, in memory that is kept and reused
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/device/gpujobs.h"

#define MAP_DEVICE (GST_MAP_FLAG_LAST << 1)

static const Job jobs[] = {
  {ROWS, "float32", 14, 1, 1, ""},
  {ROWS, "float64", 3, 1, 1, "interpolation=cubic"},
  {TIMED_ROWS, "float32", 5, 4, 1, ""},
  {FUSED_ROWS, "float32", 14, 1, 1, ""},
  {FUSED_ROWS, "float16", 3, 1, 1, "window=3 info=tensor"},        /* rows of 6 bytes */
  {FUSED_ROWS, "float32", 9, 1, 1, "layout=concat"},
  {EPISODES, "float32", 13, 100, 8, "gap-policy=nan interpolation=cubic", 77},
  {EPISODES, "float32", 3, 6000, 2, "gap-policy=nan", 3000},
  {CLOUDS, "float32", 3, 2000, 1, "grid=33:21:7"},
  {CLOUDS, "float32", 5, 2000, 1, "grid=32:20:8 mode=mean accumulate=4"},
  {CLOUDS, "float32", 4, 2000, 1, "grid=32:20:8 output=sparse max-voxels=5000 mode=mean accumulate=3"},
  {ITEMS, "float32", 4, 2000, 1, "grid=32:20:8 output=index"},
  {ITEMS, "float32", 4, 500, 7, "grid=32:20:8 mode=count type=float16"},
  {DEPTH, "uint16", 1, 1, 1, "grid=32:20:8 mode=count"},
};

static void
expect_cuda_memory (GstBuffer *buffer)
{
  GstMapInfo map;

  fail_unless (gst_buffer_n_memory (buffer) > 0);
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);

    fail_unless (gst_memory_is_type (memory, "gst.cuda.memory"), "memory %u is %s", i, memory->allocator->mem_type);
    fail_unless (gst_memory_map (memory, &map, (GstMapFlags) (GST_MAP_READ | MAP_DEVICE)));
    gst_memory_unmap (memory, &map);
  }
}

static void
take_outputs (Run *run)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (run->h))) {
    expect_cuda_memory (buffer);
    add_output (run->bytes, buffer);
  }
}

/* ---- tests ---- */

GST_START_TEST (test_same_as_the_cpu)
{
  const Job *job = &jobs[__i__ / 2];
  const gboolean in_on_device = __i__ % 2;
  const guint n = is_stream (job) ? 60 / job->rows + 3 : 6;
  Run wanted, got;

  if (in_on_device && (job->form == DEPTH || job->form == FUSED_ROWS))
    return;                     /* which offer no device memory */
  wanted = run_new (job, "cpu", "", SYSTEM_TO_SYSTEM);
  got = run_new (job, "cuda", "", in_on_device ? DEVICE_TO_CUDA : SYSTEM_TO_CUDA);
  for (guint i = 0; i < n; i++) {
    run_push (&wanted, i);
    run_push (&got, i);
    take_outputs (&got);
  }
  run_finish (&wanted);
  run_finish (&got);
  expect_same (got.bytes, wanted.bytes, job->properties);
  expect_backend (got.h, "cuda");
  run_free (&wanted);
  run_free (&got);
}

GST_END_TEST;

/* Outputs that are kept have their own bytes, also when the element and its engine are gone. */
GST_START_TEST (test_kept)
{
  const Job *job = &jobs[__i__];
  Run wanted = run_new (job, "cpu", "", SYSTEM_TO_SYSTEM), got = run_new (job, "cuda", "", SYSTEM_TO_CUDA);
  GPtrArray *kept = g_ptr_array_new ();
  GByteArray *bytes = g_byte_array_new ();
  GstBuffer *output;

  for (guint i = 0; i < 20; i++) {
    run_push (&wanted, i);
    run_push (&got, i);
  }
  run_finish (&wanted);
  fail_unless (gst_harness_push_event (got.h, gst_event_new_eos ()));
  while (gst_harness_pull_until_eos (got.h, &output) && output)
    g_ptr_array_add (kept, output);
  run_free (&got);
  for (guint i = 0; i < kept->len; i++) {
    expect_cuda_memory (kept->pdata[i]);
    add_output (bytes, kept->pdata[i]);
  }
  expect_same (bytes, wanted.bytes, job->properties);
  g_byte_array_unref (bytes);
  g_ptr_array_unref (kept);
  run_free (&wanted);
}

GST_END_TEST;

/* Outputs of one size that are given back are in the memory of the first one. What downstream cut, and so gave the library too small a copy
 * for the CPU, is not used again. */
GST_START_TEST (test_reused)
{
  static const Job job = { ITEMS, "float32", 3, 300, 1, "grid=32:20:8" };
  Run run = run_new (&job, "cuda", "", SYSTEM_TO_CUDA);
  GstMemory *used = NULL, *memory;
  GstBuffer *output;
  GstMapInfo map;

  for (guint i = 0; i < 20; i++) {
    run_push (&run, i);
    output = gst_harness_pull (run.h);
    memory = gst_buffer_peek_memory (output, 0);
    fail_unless_equals_uint64 (memory->size, 32 * 20 * 8);
    fail_unless (used == NULL || used == memory, "output %u is in memory of its own", i);
    fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
    gst_memory_unmap (memory, &map);
    used = memory;
    if (i == 10) {
      gst_memory_resize (memory, 100, 1000);
      used = NULL;
    }
    gst_buffer_unref (output);
  }
  run_free (&run);
}

GST_END_TEST;

static void
expect_bytes (GstBuffer *buffer, gconstpointer bytes, gsize size)
{
  fail_unless (gst_buffer_get_size (buffer) == size, "%" G_GSIZE_FORMAT " bytes", gst_buffer_get_size (buffer));
  fail_unless_equals_int (gst_buffer_memcmp (buffer, 0, bytes, size), 0);
  gst_buffer_unref (buffer);
}

/* A copy, and a copy of a part, have the bytes that they are to have, also on the CPU. */
GST_START_TEST (test_copied)
{
  static const Job job = { ITEMS, "float32", 3, 3000, 1, "grid=33:21:7" };
  Run run = run_new (&job, "cuda", "", SYSTEM_TO_CUDA);
  GstBuffer *output;
  gpointer bytes;
  gsize size;

  run_push (&run, 0);
  output = gst_harness_pull (run.h);
  gst_buffer_extract_dup (output, 0, gst_buffer_get_size (output), &bytes, &size);
  fail_unless_equals_uint64 (size, 33 * 21 * 7);
  expect_bytes (gst_buffer_copy_deep (output), bytes, size);
  expect_bytes (gst_buffer_copy_region (output, GST_BUFFER_COPY_MEMORY, 1001, 703), (guint8 *) bytes + 1001, 703);
  gst_buffer_unref (output);
  g_free (bytes);
  run_free (&run);
}

GST_END_TEST;

/* Outputs come back from another thread while the element stops. */
static gpointer
unref_all (gpointer data)
{
  GPtrArray *outputs = data;

  for (guint i = 0; i < outputs->len; i++)
    gst_buffer_unref (outputs->pdata[i]);
  return NULL;
}

GST_START_TEST (test_stopped)
{
  static const Job job = { ITEMS, "float32", 3, 300, 1, "grid=32:20:8" };
  Run run = run_new (&job, "cuda", "", SYSTEM_TO_CUDA);
  GPtrArray *outputs = g_ptr_array_new ();
  GThread *thread;

  for (guint i = 0; i < 200; i++) {     /* more than are kept */
    run_push (&run, i);
    g_ptr_array_add (outputs, gst_harness_pull (run.h));
  }
  thread = g_thread_new ("unref", unref_all, outputs);
  gst_element_set_state (run.h->element, GST_STATE_NULL);
  g_thread_join (thread);
  g_ptr_array_unref (outputs);
  run_free (&run);
}

GST_END_TEST;

/* Downstream changes what it accepts: each output is in the memory of its caps. */
GST_START_TEST (test_renegotiated)
{
  static const Job jobs_to_change[] = {
    {ITEMS, "float32", 3, 300, 1, "grid=32:20:8"},
    {EPISODES, "float32", 2, 4, 3, "gap-policy=nan", 5},
  };
  static const gchar *const memories[] = { ANY_CUDA, ANY_DEVICE, ANY_CUDA, ANY_SYSTEM, ANY_CUDA };
  static const gchar *const types[] = { "gst.cuda.memory", "RobocacheMemory", "gst.cuda.memory", NULL, "gst.cuda.memory" };
  Run run = run_new (&jobs_to_change[__i__], "cuda", "", SYSTEM_TO_CUDA);
  GstBuffer *output;

  for (guint i = 0; i < G_N_ELEMENTS (memories); i++) {
    gst_harness_set_sink_caps_str (run.h, memories[i]);
    run_push (&run, i);
    output = gst_harness_pull (run.h);
    fail_unless (types[i] == NULL || gst_memory_is_type (gst_buffer_peek_memory (output, 0), types[i]), "output %u is not in %s", i,
        types[i]);
    gst_buffer_unref (output);
  }
  run_free (&run);
}

GST_END_TEST;

/* A CPU has no such memory. */
GST_START_TEST (test_refused)
{
  static const Job job = { ITEMS, "float32", 3, 300, 1, "grid=32:20:8" };
  Run run = run_new (&job, "cpu", "", SYSTEM_TO_CUDA);

  fail_unless_equals_int (run_try (&run, 0), GST_FLOW_NOT_NEGOTIATED);
  expect_error (run.h, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "memory:CUDAMemory|backend=cpu offers no GPU memory");
  run_free (&run);
}

GST_END_TEST;

/* ---- the context of CUDA elements ---- */

static const struct
{
  const gchar *element, *pad;
} pads[] = {
  {"robocachefuse", "camera_0"}, {"robocachefuse", "proprio_0"}, {"robocachefuse", "src"}, {"robocacheresample", "sink"},
  {"robocacheresample", "src"}, {"robocachevoxelize", "sink"}, {"robocachevoxelize", "src"},
};

static GstPad *
pad_of (GstElement *element, const gchar *name)
{
  GstPad *pad = gst_element_get_static_pad (element, name);

  return pad ? pad : gst_element_request_pad_simple (element, name);
}

/* All pads of a device's elements give one context, before they start. */
GST_START_TEST (test_context)
{
  static const gchar *const backends[] = { "cuda", "auto" };
  GObject *first = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (pads) * G_N_ELEMENTS (backends); i++) {
    gchar *properties = g_strconcat ("backend=", backends[i % 2], NULL);
    GstElement *element = new_element (pads[i / 2].element, properties);
    GstPad *pad = pad_of (element, pads[i / 2].pad);
    GObject *context = context_at (pad);

    fail_unless (context != NULL, "%s of %s has no context", pads[i / 2].pad, pads[i / 2].element);
    fail_unless (first == NULL || context == first, "%s of %s has another context", pads[i / 2].pad, pads[i / 2].element);
    if (first)
      g_object_unref (context);
    first = context;
    gst_object_unref (pad);
    free_element (element);
    g_free (properties);
  }
  g_object_unref (first);
}

GST_END_TEST;

/* Outputs are in the context that the element gives. */
GST_START_TEST (test_context_of_outputs)
{
  static const Job job = { ITEMS, "float32", 3, 300, 1, "grid=32:20:8" };
  Run run = run_new (&job, "cuda", "", SYSTEM_TO_CUDA);
  GstPad *pad = pad_of (run.h->element, "src");
  GObject *context = context_at (pad);
  GstBuffer *output;

  run_push (&run, 0);
  output = gst_harness_pull (run.h);
#ifdef HAVE_GSTCUDA
  fail_unless ((GObject *) GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (output, 0))->context == context);
#endif
  gst_buffer_unref (output);
  gst_object_unref (pad);
  g_object_unref (context);
  run_free (&run);
}

GST_END_TEST;

/* Whether the pipeline knows a context, which an element that asks for one gets; context: this one. */
static void
expect_known (GstElement *pipeline, gboolean is_known, GObject *context)
{
  GstContext *known = gst_element_get_context (pipeline, CUDA_CONTEXT);
  GObject *found = known ? context_in (known) : NULL;

  fail_unless ((found != NULL) == is_known && (context == NULL || found == context));
  g_clear_object (&found);
  g_clear_pointer (&known, gst_context_unref);
}

static const struct
{
  const gchar *pad, *backend;
  gboolean is_announced;
} announcements[] = {
  {"camera_0", "backend=cuda", TRUE}, {"proprio_0", "backend=cuda", FALSE}, {"camera_0", "backend=auto", FALSE},
  {"camera_0", "backend=cpu", FALSE},
};

/* For elements that decodebin adds later, robocachefuse announces its context where its GPU is open; that of an application stays. */
GST_START_TEST (test_announced)
{
  const gboolean is_announced = announcements[__i__].is_announced;
  GstElement *pipeline = gst_pipeline_new (NULL), *fuse = new_element ("robocachefuse", announcements[__i__].backend);
  GstPad *pad = pad_of (fuse, announcements[__i__].pad);
  GObject *context = context_at (pad), *others = g_object_new (GST_TYPE_BIN, NULL);
  GstContext *set = gst_context_new (CUDA_CONTEXT, TRUE);

  gst_bin_add (GST_BIN (pipeline), fuse);
  fail_if (gst_element_set_state (pipeline, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE);
  expect_known (pipeline, is_announced, is_announced ? context : NULL);
  gst_element_set_state (pipeline, GST_STATE_READY);
  expect_known (pipeline, FALSE, NULL);
  gst_structure_set (gst_context_writable_structure (set), CUDA_CONTEXT, GST_TYPE_OBJECT, others, NULL);
  gst_element_set_context (pipeline, set);
  fail_if (gst_element_set_state (pipeline, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE);
  expect_known (pipeline, TRUE, others);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_context_unref (set);
  gst_object_unref (others);
  g_clear_object (&context);
  gst_object_unref (pad);
  gst_object_unref (pipeline);
  gst_object_unref (fuse);
}

GST_END_TEST;

/* Another device has another context, a CPU has none, and other contexts are not ours to give. */
GST_START_TEST (test_other_contexts)
{
  static const gchar *const settings[] = { "backend=cuda device-id=0", "backend=cuda device-id=1", "backend=cpu", "backend=cuda devices=1,0" };
  GObject *contexts[G_N_ELEMENTS (settings)] = { NULL };
  GstElement *element;

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    GstPad *pad;

    element = new_element ("robocacheresample", settings[i]);
    pad = pad_of (element, "src");
    contexts[i] = context_at (pad);
    if (i == 0) {
      GstQuery *query = gst_query_new_context ("gst.gl.GLDisplay");

      fail_if (gst_pad_query (pad, query));
      gst_query_unref (query);
    }
    gst_object_unref (pad);
    free_element (element);
  }
  fail_unless (contexts[0] != NULL && contexts[2] == NULL);
  if (has_gpu (1))
    fail_unless (contexts[1] != NULL && contexts[1] != contexts[0] && contexts[3] == contexts[1]);
  else
    fail_unless (contexts[1] == NULL && contexts[3] == NULL);
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    g_clear_object (&contexts[i]);
}

GST_END_TEST;

GPU_CHECK_MAIN (cudamemory, has_cuda_memory (),
    TIMES (2 * G_N_ELEMENTS (jobs), test_same_as_the_cpu), TIMES (G_N_ELEMENTS (jobs), test_kept),
    ONCE (test_reused), ONCE (test_copied), TIMES (5, test_stopped), TIMES (2, test_renegotiated), ONCE (test_refused),
    ONCE (test_context), ONCE (test_context_of_outputs), EACH (announcements, test_announced), ONCE (test_other_contexts))
