/* robocache: elements on a GPU that fails while data flows: one error, nothing afterwards, and a new start helps
 *
 * The driver is told which call fails (../gpu/faultydriver.c), or the emulated one is; with any other the program is skipped.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "deviceharness.h"

#include <dlfcn.h>

/* CUresult, and the same as a cudaError_t */
#define OUT_OF_MEMORY 2
#define ILLEGAL_ADDRESS 700
#define LAUNCH_FAILED 719

#define N_BUFFERS 20            /* of a run without faults */
#define MAX_BUFFERS 1000       /* that a fault may take until it is noticed */

/* ---- the driver ---- */

static struct
{
  int (*arm) (const char *name, int nth, int result);
  const char *(*name) (int number);
} driver;

static gboolean
find_driver (void)
{
  gpointer library = dlopen ("libcuda.so.1", RTLD_NOW);

  if (library) {
    driver.arm = (int (*) (const char *, int, int)) dlsym (library, "robocache_fault_arm");
    driver.name = (const char *(*) (int)) dlsym (library, "robocache_fault_name");
  }
  return driver.arm && driver.name;
}

/* All of "a|b|c": the next call, or every one from now on. */
static void
arm (const gchar *names, gboolean for_good, gint result)
{
  gchar **items = g_strsplit (names, "|", -1);

  for (gchar **item = items; *item; item++)
    fail_unless (driver.arm (*item, for_good ? -1 : 1, result), "%s cannot fail", *item);
  g_strfreev (items);
}

static void
disarm_all (void)
{
  for (gint i = 0; driver.name (i); i++)
    driver.arm (driver.name (i), 0, 0);
}

typedef struct
{
  const gchar *functions;
  gboolean for_good;            /* what there is no memory for is tried again */
  gint result;
  const gchar *out;             /* where outputs are */
} Fault;

static const Fault faults[] = {
  {"cuLaunchKernel|cuLaunchKernelEx", FALSE, LAUNCH_FAILED, DEVICE},
  {"cuLaunchKernel|cuLaunchKernelEx", FALSE, LAUNCH_FAILED, SYSTEM},
  {"cuMemcpyAsync|cuMemcpyHtoDAsync", FALSE, ILLEGAL_ADDRESS, DEVICE},
  {"cuStreamSynchronize", FALSE, LAUNCH_FAILED, SYSTEM},
  {"cuEventRecord|cuEventRecordWithFlags", FALSE, LAUNCH_FAILED, DEVICE},
  {"cuMemAlloc|cuMemAllocAsync|cuMemAllocFromPoolAsync", TRUE, OUT_OF_MEMORY, DEVICE},
  {"cuMemHostAlloc|cuMemAllocHost", TRUE, OUT_OF_MEMORY, SYSTEM},
};

/* ---- elements ---- */

typedef struct
{
  const gchar *element, *sink, *properties, *caps;
  guint bytes;                  /* of the first buffer */
  guint more_bytes;             /* of each one than of the one before */
  gboolean has_times;           /* episodes */
} Subject;

#define STREAM(types, dimensions) SYSTEM ",format=(string)static,num_tensors=(int)1,types=(string)" types ",dimensions=" \
    "(string)\"" dimensions "\",framerate=(fraction)0/1"
#define CLOUDS "application/x-pointcloud,fields=(string)\"x,y,z\",type=(string)float32,framerate=(fraction)10/1"
#define GRID "origin=<-1.0,-1.0,-1.0> voxel-size=<0.25,0.25,0.5> "

/* Of episodes: 2 of 8 rows of 3 channels, and 4 ticks. */
#define EPISODES 2
#define ROWS 8
#define TICKS 4
#define ROW_BYTES (EPISODES * ROWS * 3 * sizeof (gfloat))

static const Subject subjects[] = {
  {"robocacheresample", "sink", "rate=70/1", STREAM ("float32", "14:1"), 56, 0, FALSE},
  {"robocacheresample", "sink", "gap-policy=hold", SYSTEM ",format=(string)static,num_tensors=(int)3,types=(string)"
        "\"float32,int64,int64\",dimensions=(string)\"3:8:2,8:2,4:2\",framerate=(fraction)0/1",
      ROW_BYTES + EPISODES * (ROWS + TICKS) * sizeof (gint64), 0, TRUE},
  {"robocachevoxelize", "sink", GRID "grid=16:16:8 mode=mean", STREAM ("float32", "4:300:1"), 4800, 0, FALSE},
  {"robocachevoxelize", "sink", GRID "grid=16:16:8 output=sparse max-voxels=500",
      CLOUDS, 12000, 1200, FALSE},
  {"robocachevoxelize", "sink", GRID "grid=16:16:8 output=index", CLOUDS, 12000, 1200, FALSE},
  {"robocachefuse", "proprio_0", "rate=70/1", STREAM ("float32", "14:1"), 56, 0, FALSE},
};

static GstBuffer *
make_buffer (const Subject *s, guint i)
{
  const guint bytes = s->bytes + i * s->more_bytes, n = (s->has_times ? ROW_BYTES : bytes) / sizeof (gfloat);
  gpointer data = g_malloc0 (bytes);
  gint64 *times = (gint64 *) ((guint8 *) data + ROW_BYTES);
  GstBuffer *buffer;

  for (guint k = 0; k < n; k++)
    ((gfloat *) data)[k] = (gfloat) ((i * 31 + k * 17) % 97) / 32 - 1;
  for (guint k = 0; s->has_times && k < EPISODES * ROWS; k++)
    times[k] = k % ROWS * 10;
  for (guint k = 0; s->has_times && k < EPISODES * TICKS; k++)
    times[EPISODES * ROWS + k] = k % TICKS * 13;
  buffer = device_buffer (NULL, data, bytes, i * 10 * GST_MSECOND);
  g_free (data);
  return buffer;
}

static GstElement *
make_element (const Subject *s, const gchar *backend)
{
  GstElement *element = gst_element_factory_make (s->element, NULL);
  gchar *properties = g_strdup_printf ("backend=%s %s", backend, s->properties);
  GstBus *bus = gst_bus_new ();

  fail_unless (element != NULL);
  gst_object_ref_sink (element);
  set_properties (element, properties);
  gst_element_set_bus (element, bus);
  gst_object_unref (bus);
  g_free (properties);
  return element;
}

static void
free_element (GstElement *element)
{
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
}

/* Plays, with caps and all. Maps of clouds are clouds, in the same memory. */
static GstHarness *
start (const Subject *s, GstElement *element, const gchar *out)
{
  GstHarness *h = gst_harness_new_with_element (element, s->sink, "src");
  gchar *caps;

  gst_harness_set_live (h, FALSE);
  caps = g_strdup_printf ("%s; application/x-pointcloud%s", out, strlen (SYSTEM) + out);
  gst_harness_set_sink_caps_str (h, caps);
  g_free (caps);
  push_start (h, s->caps);
  return h;
}

static void
stop (GstHarness *h)
{
  GstElement *element = gst_object_ref (h->element);

  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  gst_harness_teardown (h);
  gst_object_unref (element);
}

/* What comes out of a run without faults. */
static GByteArray *
run (const Subject *s, GstElement *element, const gchar *out)
{
  GstHarness *h = start (s, element, out);
  GByteArray *all = g_byte_array_new ();
  GstBuffer *buffer;

  for (guint i = 0; i < N_BUFFERS; i++)
    fail_unless_equals_int (gst_harness_push (h, make_buffer (s, i)), GST_FLOW_OK);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  do {
    fail_unless (gst_harness_pull_until_eos (h, &buffer));
    if (buffer)
      add_output (all, buffer);
  } while (buffer);
  expect_no_error (h);
  stop (h);
  return all;
}

static GByteArray *
run_on_cpu (const Subject *s)
{
  GstElement *element = make_element (s, "cpu");
  GByteArray *all = run (s, element, SYSTEM);

  free_element (element);
  return all;
}

/* ---- faults while data flows ---- */

/* All outputs are kept, so that there is none to use again. */
static void
push_until_it_fails (const Subject *s, GstHarness *h, const Fault *fault)
{
  GstFlowReturn flow = GST_FLOW_OK;
  guint i = 0;

  for (; i < 5; i++)
    fail_unless_equals_int (gst_harness_push (h, make_buffer (s, i)), GST_FLOW_OK);
  expect_no_error (h);
  arm (fault->functions, fault->for_good, fault->result);
  for (; i < MAX_BUFFERS && flow == GST_FLOW_OK; i++)
    flow = gst_harness_push (h, make_buffer (s, i));
  fail_unless_equals_int (flow, GST_FLOW_ERROR);
  disarm_all ();
}

/* Nothing comes from what is pushed now, nor from the end of the stream. */
static void
expect_end (const Subject *s, GstHarness *h)
{
  const guint n = gst_harness_buffers_received (h);

  fail_unless_equals_int (gst_harness_push (h, make_buffer (s, MAX_BUFFERS)), GST_FLOW_ERROR);
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless_equals_int (gst_element_set_state (h->element, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  fail_unless_equals_int (gst_harness_buffers_received (h), n);
}

GST_START_TEST (test_fault)
{
  const Subject *s = &subjects[__i__ / G_N_ELEMENTS (faults)];
  const Fault *fault = &faults[__i__ % G_N_ELEMENTS (faults)];
  const gboolean no_space = fault->result == OUT_OF_MEMORY;
  GByteArray *wanted = run_on_cpu (s), *got;
  GstElement *element = make_element (s, "cuda");
  GstHarness *h = start (s, element, fault->out);

  push_until_it_fails (s, h, fault);
  expect_end (s, h);
  expect_error (h, no_space ? GST_RESOURCE_ERROR : GST_LIBRARY_ERROR,
      no_space ? (gint) GST_RESOURCE_ERROR_NO_SPACE_LEFT : (gint) GST_LIBRARY_ERROR_FAILED, "device 0");
  stop (h);
  got = run (s, element, fault->out);
  expect_same (got, wanted, s->properties);
  free_element (element);
  g_byte_array_unref (got);
  g_byte_array_unref (wanted);
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
  const Subject *s = &subjects[__i__];
  GstElement *element = make_element (s, "cuda");
  GstBus *bus = gst_element_get_bus (element);
  GstMessage *message;
  GError *error;

  if (take_code_away ()) {
    fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    fail_unless (message != NULL);
    gst_message_parse_error (message, &error, NULL);
    fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND), "%s", error->message);
    fail_unless (strstr (error->message, "has compute capability 9.0, and this build has code for ") != NULL, "%s",
        error->message);
    fail_unless (strstr (error->message, "set backend=auto or backend=cpu") != NULL, "%s", error->message);
    fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
    g_error_free (error);
    gst_message_unref (message);
    g_unsetenv ("ROBOCACHE_EMULATED_CODE");
  }
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (bus);
  free_element (element);
}

GST_END_TEST;

/* With auto the CPU does it, where the GPU would be worth it too: 1 MiB of points and more, which is counted. */
GST_START_TEST (test_no_code_but_auto)
{
  static const Subject large = { "robocachevoxelize", "sink", GRID "grid=16:16:8", STREAM ("float32", "4:100000:1"),
    1600000, 0, FALSE
  };
  const Subject *s = __i__ > 0 ? &subjects[__i__ - 1] : &large;

  if (take_code_away ()) {
    GstElement *element = make_element (s, "auto");
    GByteArray *wanted = run_on_cpu (s), *got = run (s, element, SYSTEM);
    GstStructure *stats;
    guint64 fallbacks;

    expect_same (got, wanted, s->properties);
    g_object_get (element, "stats", &stats, NULL);
    fail_unless (gst_structure_get_uint64 (stats, "fallbacks", &fallbacks));
    fail_unless_equals_uint64 (fallbacks, s == &large ? 1 : 0);
    gst_structure_free (stats);
    free_element (element);
    g_byte_array_unref (got);
    g_byte_array_unref (wanted);
    g_unsetenv ("ROBOCACHE_EMULATED_CODE");
  }
}

GST_END_TEST;

static Suite *
gpufaults_suite (void)
{
  Suite *suite = suite_create ("gpufaults");
  TCase *tc = tcase_create ("gpu");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_fault, 0, G_N_ELEMENTS (subjects) * G_N_ELEMENTS (faults));
  tcase_add_loop_test (tc, test_no_code, 0, G_N_ELEMENTS (subjects));
  tcase_add_loop_test (tc, test_no_code_but_auto, 0, 1 + G_N_ELEMENTS (subjects));
  return suite;
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  g_set_prgname ("gpufaults");
  gpus[0] = find_gpu (0);
  if (!has_gpu (0))
    return 77;
  if (!find_driver ()) {
    g_print ("SKIP gpufaults: the driver cannot be told to fail\n");
    return 77;
  }
  return gst_check_run_suite (gpufaults_suite (), "gpufaults", __FILE__);
}
