/* robocache: elements on a GPU that fails while data flows: one error, nothing afterwards, and a new start helps
 *
 * The driver is told which call fails (tests/gpu/faultydriver.c), or the emulated one is; with any other the program is skipped.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/device/gpujobs.h"
#include "tests/gpu/faultydriver.h"

/* CUresult, and the same as a cudaError_t */
#define OUT_OF_MEMORY 2
#define OPERATING_SYSTEM 304    /* no reason to think that the device is lost */
#define ILLEGAL_ADDRESS 700
#define LAUNCH_FAILED 719

#define N_BUFFERS 20            /* of a run without faults */
#define MAX_BUFFERS 1000       /* that a fault may take until it is noticed */

static gboolean
find_driver (void)
{
  const gboolean is_faulty = find_faulty ();

  if (!is_faulty)
    g_print ("SKIP gpufaults: the driver cannot be told to fail\n");
  return is_faulty;
}

typedef struct
{
  const gchar *functions;       /* all of them */
  gint nth;                     /* call, or -1, all: what there is no memory for is tried again */
  gint result;
  guint side;                   /* where outputs are */
  gboolean is_of_copies;        /* of rows, which few rows do not need */
  gboolean at_start;            /* armed before the first buffer, not in the middle */
} Fault;

static const Fault faults[] = {
  {"cuLaunchKernel|cuLaunchKernelEx", 1, LAUNCH_FAILED, SYSTEM_TO_DEVICE},
  {"cuLaunchKernel|cuLaunchKernelEx", 1, LAUNCH_FAILED, SYSTEM_TO_SYSTEM},
  {"cuMemcpyAsync|cuMemcpyHtoDAsync", 1, ILLEGAL_ADDRESS, SYSTEM_TO_DEVICE, TRUE},
  {"cuStreamSynchronize", 1, LAUNCH_FAILED, SYSTEM_TO_SYSTEM},
  {"cuEventRecord|cuEventRecordWithFlags", 1, LAUNCH_FAILED, SYSTEM_TO_DEVICE},
  {"cuMemAlloc|cuMemAllocAsync|cuMemAllocFromPoolAsync", -1, OUT_OF_MEMORY, SYSTEM_TO_DEVICE},
  {"cuMemHostAlloc|cuMemAllocHost", -1, OUT_OF_MEMORY, SYSTEM_TO_SYSTEM},
};

/* ---- jobs ---- */

#define FEW_CHANNELS 14         /* a GPU reads such rows in place */

static const Job subjects[] = {
  {ROWS, "float32", FEW_CHANNELS, 1, 1, ""},
  {ROWS, "float32", 3000, 1, 1, ""},
  {FUSED_ROWS, "float32", FEW_CHANNELS, 1, 1, ""},
  {FUSED_ROWS, "float32", 3000, 1, 1, ""},
  {EPISODES_IN_ONE, "float32", 3, 8, 2, "gap-policy=hold", 4},
  {ITEMS, "float32", 4, 300, 1, "grid=16:16:8 mode=mean"},
  {CLOUDS, "float32", 3, 1000, 1, "grid=16:16:8 output=sparse max-voxels=500"},
  {CLOUDS, "float32", 3, 1000, 1, "grid=16:16:8 output=index"},
  {CLOUDS, "float32", 5, 1000, 1, "grid=16:16:8 mode=mean accumulate=3"},
  {FUSED_ROWS, "float32", FEW_CHANNELS, 1, 1, "window=3"},
};

/* What a run without faults outputs is the CPU's. */
static void
expect_cpu_bytes (const Job *job, GstElement *element, guint side)
{
  Run got = run_with (job, element, side), wanted = run_new (job, "cpu", "", SYSTEM_TO_SYSTEM);

  for (guint i = 0; i < N_BUFFERS; i++) {
    run_push (&got, i);
    run_push (&wanted, i);
  }
  run_finish (&got);
  run_finish (&wanted);
  expect_same (got.bytes, wanted.bytes, job->properties);
  run_clear (&got);
  run_free (&wanted);
}

/* ---- faults while data flows ---- */

/* All outputs are kept, so that there is none to use again. Returns the number of the next buffer. */
static guint
push_until_it_fails (Run *run, const Fault *fault)
{
  GstFlowReturn flow = GST_FLOW_OK;
  guint i = 0;

  for (; i < 5; i++)
    run_push (run, i);
  expect_no_error (run->h);
  fail_unless (faulty.arm (fault->functions, fault->nth, fault->result), "%s cannot fail", fault->functions);
  for (; i < MAX_BUFFERS && flow == GST_FLOW_OK; i++)
    flow = run_try (run, i);
  fail_unless_equals_int (flow, GST_FLOW_ERROR);
  faulty.disarm ();
  return i;
}

/* Nothing comes from what is pushed then, nor from the end of the stream. A new start helps. */
GST_START_TEST (test_fault)
{
  const Job *job = &subjects[__i__ / G_N_ELEMENTS (faults)];
  const Fault *fault = &faults[__i__ % G_N_ELEMENTS (faults)];
  const gboolean no_space = fault->result == OUT_OF_MEMORY;
  GstElement *element;
  gchar *text;
  Run run;
  guint next, n;

  if (fault->is_of_copies && job->channels == FEW_CHANNELS)
    return;
  element = job_element (job, "cuda", "");
  run = run_with (job, element, fault->side);
  next = push_until_it_fails (&run, fault);
  n = gst_harness_buffers_received (run.h);

  fail_unless_equals_int (run_try (&run, next), GST_FLOW_ERROR);
  gst_harness_push_event (run.h, gst_event_new_eos ());
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  fail_unless_equals_int (gst_harness_buffers_received (run.h), n);
  text = expect_error_text (element, no_space ? GST_RESOURCE_ERROR : GST_LIBRARY_ERROR,
      no_space ? (gint) GST_RESOURCE_ERROR_NO_SPACE_LEFT : (gint) GST_LIBRARY_ERROR_FAILED, "device 0");
  fail_unless (strstr (text, "failed before") == NULL, "it does not say what failed: %s", text);
  g_free (text);
  run_clear (&run);
  expect_cpu_bytes (job, element, fault->side);
  free_element (element);
}

GST_END_TEST;

/* ---- calls that fail while the device answers ---- */

static const Fault failing_calls[] = {
  {"cuLaunchKernel|cuLaunchKernelEx", 1, OPERATING_SYSTEM, SYSTEM_TO_DEVICE},
  {"cuLaunchKernel|cuLaunchKernelEx", 1, OPERATING_SYSTEM, SYSTEM_TO_SYSTEM},
  {"cuLaunchKernel|cuLaunchKernelEx", 2, OPERATING_SYSTEM, SYSTEM_TO_DEVICE},
  {"cuLaunchKernel|cuLaunchKernelEx", 4, OPERATING_SYSTEM, SYSTEM_TO_SYSTEM},
  {"cuMemcpyAsync|cuMemcpyHtoDAsync", 1, OPERATING_SYSTEM, SYSTEM_TO_DEVICE, TRUE},
  {"cuEventRecord|cuEventRecordWithFlags", 1, OPERATING_SYSTEM, SYSTEM_TO_DEVICE},
};
/* For rows of few channels, this call is the copy into CUDA memory. */
static const Fault failing_move = { "cuMemcpyAsync|cuMemcpyHtoDAsync|cuMemcpyDtoDAsync", 1, OPERATING_SYSTEM, SYSTEM_TO_CUDA };
/* Before the first row, it is the one that makes the rows of a window missing. */
static const Fault failing_window = { "cuMemcpyAsync|cuMemcpyHtoDAsync", 1, OPERATING_SYSTEM, SYSTEM_TO_DEVICE,.at_start = TRUE };

static void
expect_warning (GstElement *element, const gchar *words)
{
  GstBus *bus = gst_element_get_bus (element);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_WARNING);
  GError *warning = NULL;

  fail_unless (message != NULL);
  gst_message_parse_warning (message, &warning, NULL);
  fail_unless (g_error_matches (warning, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED), "%s", warning->message);
  fail_unless (strstr (warning->message, words) != NULL, "%s", warning->message);
  g_error_free (warning);
  gst_message_unref (message);
  gst_object_unref (bus);
}

/* Pushes buffers until the fault has come, and as many as the CPU makes, so that all outputs can be compared. */
static void
push_past_fault (Run *run, Run *wanted, const Fault *fault)
{
  gint calls = 0;

  for (guint i = 0; i < N_BUFFERS || (faulty.calls (fault->functions) < calls + fault->nth && i < MAX_BUFFERS); i++) {
    if (i == (fault->at_start ? 0 : N_BUFFERS / 2)) {
      calls = faulty.calls (fault->functions);
      fail_unless (faulty.arm (fault->functions, fault->nth, fault->result), "%s cannot fail", fault->functions);
    }
    run_push (run, i);
    run_push (wanted, i);
  }
  expect_warning (run->h->element, "device 0");
  run_finish (run);
  run_finish (wanted);
}

/* The output is made again: none is lost, wrong or counted twice, and a warning tells. */
static void
expect_retry (const Job *job, const Fault *fault)
{
  GstElement *element = job_element (job, "cuda", "");
  Run run = run_with (job, element, fault->side), wanted = run_new (job, "cpu", "", SYSTEM_TO_SYSTEM);

  push_past_fault (&run, &wanted, fault);
  faulty.disarm ();
  expect_same (run.bytes, wanted.bytes, job->properties);
  expect_same_stats (run.h, wanted.h, FALSE, FALSE, job->properties);
  fail_unless_equals_int64 (stat_of_element (element, "retries"), 1);
  run_clear (&run);
  run_free (&wanted);
  free_element (element);
}

GST_START_TEST (test_call)
{
  const Job *job = &subjects[__i__ / G_N_ELEMENTS (failing_calls)];
  const Fault *fault = &failing_calls[__i__ % G_N_ELEMENTS (failing_calls)];

  if (!fault->is_of_copies || job->channels != FEW_CHANNELS)
    expect_retry (job, fault);
}

GST_END_TEST;

/* But for maps of clouds, which have no CUDA memory. */
GST_START_TEST (test_move)
{
  if (has_cuda_memory () && strstr (subjects[__i__].properties, "output=index") == NULL)
    expect_retry (&subjects[__i__], &failing_move);
}

GST_END_TEST;

GST_START_TEST (test_window)
{
  static const Job job = { FUSED_ROWS, "float32", FEW_CHANNELS, 1, 1, "window=3" };

  expect_retry (&job, &failing_window);
}

GST_END_TEST;

/* 1 MiB of points and more, for which auto takes a GPU. */
static const Job large = { ITEMS, "float32", 4, 100000, 1, "grid=16:16:8" };

/* Every time: with auto the CPU goes on. */
GST_START_TEST (test_calls_but_auto)
{
  GstElement *element = job_element (&large, "auto", "");
  Run run = run_with (&large, element, SYSTEM_TO_SYSTEM), wanted = run_new (&large, "cpu", "", SYSTEM_TO_SYSTEM);
  Fault fault = failing_calls[1];

  fault.nth = -1;
  push_past_fault (&run, &wanted, &fault);
  faulty.disarm ();
  expect_same (run.bytes, wanted.bytes, large.properties);
  fail_unless_equals_int64 (stat_of_element (element, "retries"), 1);
  fail_unless_equals_int64 (stat_of_element (element, "fallbacks"), 1);
  run_clear (&run);
  run_free (&wanted);
  free_element (element);
}

GST_END_TEST;

/* ---- copies ---- */

#define COPIES "cuMemcpyAsync|cuMemcpyHtoDAsync|cuMemcpyDtoHAsync"

/* For N_BUFFERS more clouds of a window that is full. */
static gint
count_copies (const gchar *properties)
{
  const Job job = { CLOUDS, "float32", 5, 1000, 1, properties };
  Run run = run_new (&job, "cuda", "", SYSTEM_TO_DEVICE);
  gint before = 0, n;

  for (guint i = 0; i < 2 * N_BUFFERS; i++) {
    if (i == N_BUFFERS)
      before = faulty.calls (COPIES);
    run_push (&run, i);
  }
  n = faulty.calls (COPIES) - before;
  run_free (&run);
  return n;
}

/* A cloud that is measured first is not copied twice: there is a copy more, of its range, and few where the scale changes. */
GST_START_TEST (test_copies)
{
  const gint n = count_copies ("grid=16:16:8 mode=mean feature-range=2 accumulate=3");
  const gint measured = count_copies ("grid=16:16:8 mode=mean accumulate=3");

  fail_unless (measured >= n + N_BUFFERS && measured < n + 2 * N_BUFFERS, "%d copies, and %d of a known range", measured, n);
}

GST_END_TEST;

/* ---- frames in memory:CUDAMemory ---- */

#ifdef HAVE_GSTCUDA

#define FRAME_FORMAT ",format=RGB,width=64,height=48,framerate=50/1"
#define FRAME_BYTES (64 * 48 * 3)

/* In the context; NULL: in system memory. */
static GstBuffer *
new_frame (GstCudaContext *context, const GstVideoInfo *video, guint i)
{
  GstAllocator *allocator = context ? gst_allocator_find (GST_CUDA_MEMORY_TYPE_NAME) : NULL;
  GstBuffer *frame = gst_buffer_new ();

#if GST_CHECK_VERSION (1, 24, 0)
  gst_buffer_append_memory (frame, context ? gst_cuda_allocator_alloc (GST_CUDA_ALLOCATOR_CAST (allocator), context, NULL, video)
      : gst_allocator_alloc (NULL, FRAME_BYTES, NULL));
#else
  gst_buffer_append_memory (frame, context ? gst_cuda_allocator_alloc (GST_CUDA_ALLOCATOR_CAST (allocator), context, video)
      : gst_allocator_alloc (NULL, FRAME_BYTES, NULL));
#endif
  gst_buffer_memset (frame, 0, (guint8) (i + 1), gst_buffer_get_size (frame));
  GST_BUFFER_PTS (frame) = i * 20 * MS;
  gst_clear_object (&allocator);
  return frame;
}

/* Takes the element. What comes out of it. */
static GByteArray *
fuse_frames (GstElement *element, GstCudaContext *context)
{
  GstHarness *h = gst_harness_new_with_element (element, "camera_0", "src");
  GstCaps *caps = gst_caps_from_string (context ? "video/x-raw(memory:CUDAMemory)" FRAME_FORMAT : "video/x-raw" FRAME_FORMAT);
  GByteArray *bytes = g_byte_array_new ();
  GstBuffer *buffer = NULL;
  GstVideoInfo video;

  fail_unless (gst_video_info_from_caps (&video, caps));
  gst_harness_set_live (h, FALSE);
  gst_harness_set_sink_caps_str (h, context ? ANY_DEVICE : ANY_SYSTEM);
  gst_harness_set_src_caps (h, caps);
  for (guint i = 0; i < N_BUFFERS; i++)
    fail_unless_equals_int (gst_harness_push (h, new_frame (context, &video, i)), GST_FLOW_OK);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  while (gst_harness_pull_until_eos (h, &buffer) && buffer)
    add_output (bytes, buffer);
  expect_no_error (h);
  gst_harness_teardown (h);
  free_element (element);
  return bytes;
}

/* The element's, as a decoder upstream gets it. */
static GstCudaContext *
context_of (GstElement *element)
{
  GstPad *pad = gst_element_request_pad_simple (element, "camera_0");
  GObject *context = context_at (pad);

  fail_unless (context != NULL);
  gst_element_release_request_pad (element, pad);
  gst_object_unref (pad);
  return GST_CUDA_CONTEXT (context);
}

static void
expect_copies_between_contexts (gboolean is_other)
{
  GstElement *element = new_element ("robocachefuse", "backend=cuda rate=50/1");
  GByteArray *wanted = fuse_frames (new_element ("robocachefuse", "backend=cpu rate=50/1"), NULL), *got;
  GstCudaContext *context;
  gint before, n;

  gst_cuda_memory_init_once ();
  context = is_other ? gst_cuda_context_new (0) : context_of (element);
  before = faulty.calls ("cuMemcpy3DPeerAsync");
  got = fuse_frames (element, context);
  n = faulty.calls ("cuMemcpy3DPeerAsync") - before;
  expect_same (got, wanted, is_other ? "another context" : "the element's context");
  fail_unless (is_other ? n >= N_BUFFERS : n == 0, "%d copies between contexts", n);
  gst_object_unref (context);
  g_byte_array_unref (got);
  g_byte_array_unref (wanted);
}

#else

static void
expect_copies_between_contexts (gboolean is_other)
{
}

#endif

/* Frames of the context that the element offers come into the sample without a change of contexts, which those of another one need. */
GST_START_TEST (test_contexts_of_frames)
{
  if (has_cuda_memory ())
    expect_copies_between_contexts (__i__);
}

GST_END_TEST;

/* ---- a build that has no code for the device ---- */

static gboolean
take_code_away (void)
{
  if (g_getenv ("ROBOCACHE_EMULATED_DEVICES") == NULL) {
    g_print ("SKIP gpufaults: only of an emulated device code can be taken away\n");
    return FALSE;
  }
  g_setenv ("ROBOCACHE_EMULATED_CODE", "none", TRUE);
  return TRUE;
}

GST_START_TEST (test_no_code)
{
  GstElement *element = job_element (&subjects[__i__], "cuda", "");

  if (take_code_away ()) {
    expect_start_error (element, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
        "has compute capability 9.0, and this build has code for |set backend=auto or backend=cpu");
    g_unsetenv ("ROBOCACHE_EMULATED_CODE");
  }
  free_element (element);
}

GST_END_TEST;

/* With auto the CPU does it, where the GPU would be worth it too, which is counted. */
GST_START_TEST (test_no_code_but_auto)
{
  const Job *job = __i__ > 0 ? &subjects[__i__ - 1] : &large;

  if (take_code_away ()) {
    GstElement *element = job_element (job, "auto", "");

    expect_cpu_bytes (job, element, SYSTEM_TO_SYSTEM);
    fail_unless_equals_int64 (stat_of_element (element, "fallbacks"), job == &large);
    free_element (element);
    g_unsetenv ("ROBOCACHE_EMULATED_CODE");
  }
}

GST_END_TEST;

GPU_CHECK_MAIN (gpufaults, find_driver (),
    TIMES (G_N_ELEMENTS (subjects) * G_N_ELEMENTS (faults), test_fault),
    TIMES (G_N_ELEMENTS (subjects) * G_N_ELEMENTS (failing_calls), test_call), EACH (subjects, test_move),
    ONCE (test_window), ONCE (test_calls_but_auto), ONCE (test_copies), TIMES (2, test_contexts_of_frames), EACH (subjects, test_no_code),
    TIMES (1 + G_N_ELEMENTS (subjects), test_no_code_but_auto))
