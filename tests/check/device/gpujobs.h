/* robocache: jobs of elements, which tests run on the CPU and on a GPU, into and from either memory
 *
 * A job is an element with its properties and what its buffers hold. Two runs of a job get the same random buffers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GPU_JOBS_H
#define GPU_JOBS_H

#include <math.h>

#include "deviceharness.h"

#ifdef HAVE_GSTCUDA
#define GST_USE_UNSTABLE_API
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#endif

#define MS G_GINT64_CONSTANT (1000000)
#define PERIOD (10 * MS)        /* of rows */

/* ---- where inputs come from and outputs go: maps of clouds are clouds ---- */

typedef struct
{
  const gchar *name;
  gboolean in_on_device, in_is_offered; /* in memory that the element offers upstream */
  const gchar *out;
} Side;

#define ANY_SYSTEM SYSTEM "; application/x-pointcloud"
#define ANY_DEVICE DEVICE "; application/x-pointcloud(memory:RobocacheCUDA)"
#define ANY_CUDA "other/tensors(memory:CUDAMemory)"

enum
{
  SYSTEM_TO_SYSTEM,
  SYSTEM_TO_DEVICE,
  DEVICE_TO_SYSTEM,
  DEVICE_TO_DEVICE,
  PINNED_TO_SYSTEM,
  PINNED_TO_DEVICE,
  N_SIDES,
  /* of some tests only */
  SYSTEM_TO_ANY = N_SIDES,
  SYSTEM_TO_CUDA,
  DEVICE_TO_CUDA
};

static const Side sides[] = {
  {"system to system", FALSE, FALSE, ANY_SYSTEM},
  {"system to device", FALSE, FALSE, ANY_DEVICE},
  {"device to system", TRUE, TRUE, ANY_SYSTEM},
  {"device to device", TRUE, TRUE, ANY_DEVICE},
  {"pinned to system", FALSE, TRUE, ANY_SYSTEM},
  {"pinned to device", FALSE, TRUE, ANY_DEVICE},
  {"system to any", FALSE, FALSE, NULL},
  {"system to GStreamer's CUDA memory", FALSE, FALSE, ANY_CUDA},
  {"device to GStreamer's CUDA memory", TRUE, TRUE, ANY_CUDA},
};

/* Whether this build and its driver have memory:CUDAMemory. The emulated driver and the faulty one have the functions that GStreamer
 * 1.22 calls. */
static inline gboolean
has_cuda_memory (void)
{
#ifdef HAVE_GSTCUDA
  if (gst_cuda_load_library ())
    return TRUE;
  g_assert_true (GST_CHECK_VERSION (1, 24, 0));
#endif
  g_print ("SKIP %s: built without gstreamer-cuda, or for a later one than this driver\n", g_get_prgname ());
  return FALSE;
}

/* ---- jobs ---- */

typedef enum
{
  ROWS,
  TIMED_ROWS,                   /* with a tensor of their times */
  FUSED_ROWS,
  FUSED_FRAMES,                 /* as DEPTH */
  EPISODES,                     /* rows, their times and target times */
  EPISODES_IN_ONE,              /* the same in one memory */
  CLOUDS,                       /* of any number of points */
  ITEMS,                        /* clouds in a tensor */
  DEPTH                         /* in system memory only */
} Form;

static const struct
{
  const gchar *element, *sink, *properties;
} forms[] = {
  [ROWS] = {"robocacheresample", "sink", "rate=70/1"},
  [TIMED_ROWS] = {"robocacheresample", "sink", "rate=70/1"},
  [FUSED_ROWS] = {"robocachefuse", "proprio_0", "rate=70/1"},
  [FUSED_FRAMES] = {"robocachefuse", "camera_0", "rate=70/1"},
  [EPISODES] = {"robocacheresample", "sink", ""},
  [EPISODES_IN_ONE] = {"robocacheresample", "sink", ""},
  [CLOUDS] = {"robocachevoxelize", "sink", "origin=<-1.0,-2.0,0.0> voxel-size=<0.25,0.2,0.5>"},
  [ITEMS] = {"robocachevoxelize", "sink", "origin=<-1.0,-2.0,0.0> voxel-size=<0.25,0.2,0.5>"},
  [DEPTH] = {"robocachevoxelize", "sink", "origin=<-1.0,-2.0,0.0> voxel-size=<0.25,0.2,0.5> fx=40 fy=40 cx=32 cy=24"},
};

typedef struct
{
  Form form;
  const gchar *type;
  guint channels, rows, items;  /* of a buffer: fields and points of clouds; clouds of a stream have that many points, or fewer */
  const gchar *properties;
  guint ticks;                  /* of an episode */
} Job;

#define IMAGE_WIDTH 64
#define IMAGE_HEIGHT 48

/* Pushed as the buffer of this number, a cloud has all points. */
#define FULL_CLOUD G_MAXUINT

static inline gboolean
has_episodes (const Job *job)
{
  return job->form == EPISODES || job->form == EPISODES_IN_ONE;
}

static inline gboolean
is_stream (const Job *job)
{
  return job->form <= FUSED_ROWS;
}

static inline gboolean
is_fused (const Job *job)
{
  return job->form == FUSED_ROWS || job->form == FUSED_FRAMES;
}

static inline gboolean
has_images (const Job *job)
{
  return job->form == DEPTH || job->form == FUSED_FRAMES;
}

static inline gboolean
is_batch (const Job *job)
{
  return has_episodes (job) || (job->form == ITEMS && job->items > 1);
}

static inline gchar *
tensor_caps (const Job *job, const gchar *memory)
{
  const guint n_tensors = has_episodes (job) ? 3 : job->form == TIMED_ROWS ? 2 : 1;
  GString *types = g_string_new (job->type), *dimensions = g_string_new (NULL);
  gchar *caps;

  g_string_append_printf (dimensions, "%u:%u:%u", job->channels, job->rows, job->items);
  if (n_tensors > 1) {
    g_string_append (types, ",int64");
    g_string_append_printf (dimensions, ",%u:%u", job->rows, job->items);
  }
  if (n_tensors > 2) {
    g_string_append (types, ",int64");
    g_string_append_printf (dimensions, ",%u:%u", job->ticks, job->items);
  }
  caps = g_strdup_printf ("other/tensors%s,format=(string)static,num_tensors=(int)%u,types=(string)\"%s\",dimensions=(string)"
      "\"%s\",framerate=(fraction)0/1", memory, n_tensors, types->str, dimensions->str);
  g_string_free (types, TRUE);
  g_string_free (dimensions, TRUE);
  return caps;
}

static inline gchar *
job_caps (const Job *job, gboolean on_device)
{
  static const gchar *const features[] = { "", ",a", ",a,b", ",a,b,c" };
  const gchar *memory = on_device ? "(memory:RobocacheCUDA)" : "";

  if (job->form == CLOUDS)
    return g_strdup_printf ("application/x-pointcloud%s,fields=(string)\"x,y,z%s\",type=(string)%s,framerate=(fraction)10/1",
        memory, features[job->channels - 3], job->type);
  if (has_images (job))
    return g_strdup_printf ("video/x-raw,format=GRAY16_LE,width=%d,height=%d,framerate=10/1", IMAGE_WIDTH, IMAGE_HEIGHT);
  return tensor_caps (job, memory);
}

/* ---- buffers ---- */

static inline gsize
size_of (const gchar *type)
{
  return g_str_equal (type, "float64") ? 8 : g_str_has_suffix (type, "16") ? 2 : 4;
}

/* Small numbers, none of them a NaN. */
static inline void
fill_random (const gchar *type, gpointer data, gsize n, GRand *random)
{
  for (gsize i = 0; i < n; i++) {
    if (g_str_equal (type, "float32"))
      ((gfloat *) data)[i] = (gfloat) g_rand_double_range (random, -3, 6);
    else if (g_str_equal (type, "float64"))
      ((gdouble *) data)[i] = g_rand_double_range (random, -3, 6);
    else if (g_str_has_suffix (type, "float16"))
      ((guint16 *) data)[i] = (guint16) (g_rand_int_range (random, 0x3000, 0x4000) + (g_rand_boolean (random) ? 0x8000 : 0));
    else
      ((gint32 *) data)[i] = g_rand_int_range (random, -1000000, 1000000);
  }
}

/* Of clouds of float32 or float64. */
static inline void
lose_some_points (const Job *job, gpointer data, guint n)
{
  for (guint i = 13; i < n; i += 97) {
    const gsize at = (gsize) i * job->channels + i % job->channels;

    if (g_str_equal (job->type, "float64"))
      ((gdouble *) data)[at] = i % 2 ? NAN : INFINITY;
    else if (g_str_equal (job->type, "float32"))
      ((gfloat *) data)[at] = i % 2 ? NAN : INFINITY;
  }
}

/* Rows of TIMED_ROWS end before the next buffer. Every fifth episode goes back in time once. */
static inline void
make_times (const Job *job, gint64 start, gint64 *times, gint64 *targets, GRand *random)
{
  const gint32 shortest = job->form == TIMED_ROWS ? 8 * MS : 0, longest = job->form == TIMED_ROWS ? PERIOD : 2 * PERIOD;

  for (guint e = 0; e < job->items; e++, times += job->rows, targets += job->ticks) {
    gint64 t = start;

    for (guint i = 0; i < job->rows; i++, t += g_rand_int_range (random, shortest, longest))
      times[i] = t;
    for (guint i = 0; i < job->ticks; i++)
      targets[i] = start + (gint64) (g_rand_double_range (random, -0.05, 1.05) * (gdouble) (t - start + 1));
    if (e % 5 == 4 && job->rows > 2)
      times[1] = times[0] - 1;
  }
}

static inline GstBuffer *
job_buffer (const Job *job, guint i, GRand *random, GstAllocator *allocator)
{
  const gint64 pts = i == FULL_CLOUD ? 0 : i * job->rows * PERIOD + g_rand_int_range (random, 0, 3 * MS);
  const gboolean is_any_number = job->form == CLOUDS && i != FULL_CLOUD;
  const guint rows = is_any_number ? (guint) g_rand_int_range (random, 0, (gint) job->rows + 1) : job->rows * job->items;
  const gsize n_rows = has_images (job) ? IMAGE_WIDTH * IMAGE_HEIGHT * sizeof (guint16)
      : (gsize) rows * job->channels * size_of (job->type);
  const gsize n_times = job->form == TIMED_ROWS || has_episodes (job) ? rows * sizeof (gint64) : 0;
  const gsize n_targets = job->items * job->ticks * sizeof (gint64);
  guint8 *all = g_malloc0 (n_rows + n_times + n_targets + 8);
  gint64 *times = g_malloc0 (n_times + n_targets + 8), *targets = times + n_times / sizeof (gint64);
  GstBuffer *buffer;

  if (has_images (job)) {
    for (guint k = 0; k < IMAGE_WIDTH * IMAGE_HEIGHT; k++)
      ((guint16 *) all)[k] = (guint16) g_rand_int_range (random, 0, 4000);
  } else {
    fill_random (job->type, all, (gsize) rows * job->channels, random);
  }
  if (job->form == CLOUDS || job->form == ITEMS)
    lose_some_points (job, all, rows);
  if (n_times > 0)
    make_times (job, job->form == TIMED_ROWS ? pts : 0, times, targets, random);
  memcpy (all + n_rows, times, n_times + n_targets);
  if (job->form == EPISODES_IN_ONE) {
    buffer = device_buffer (allocator, all, n_rows + n_times + n_targets, (GstClockTime) pts);
  } else {
    buffer = device_buffer (allocator, all, n_rows, (GstClockTime) pts);
    if (n_times > 0)
      gst_buffer_append_memory (buffer, memory_of (allocator, times, n_times));
    if (n_targets > 0)
      gst_buffer_append_memory (buffer, memory_of (allocator, targets, n_targets));
  }
  GST_BUFFER_DURATION (buffer) = (GstClockTime) (job->rows * PERIOD);
  g_free (times);
  g_free (all);
  return buffer;
}

/* ---- runs ---- */

typedef struct
{
  const Job *job;
  GstHarness *h;
  GstAllocator *allocator;      /* of inputs; NULL: of system memory */
  GRand *random;
  GByteArray *bytes;            /* what comes out */
} Run;

/* more: properties beside the job's, and in place of them. */
static inline GstElement *
job_element (const Job *job, const gchar *backend, const gchar *more)
{
  gchar *properties = g_strdup_printf ("backend=%s %s %s %s", backend, forms[job->form].properties, job->properties, more);
  GstElement *element = new_element (forms[job->form].element, properties);

  g_free (properties);
  return element;
}

/* The element plays; caps may be refused. */
static inline Run
run_with (const Job *job, GstElement *element, guint side)
{
  GstHarness *h = gst_harness_new_with_element (element, forms[job->form].sink, "src");
  gchar *caps = job_caps (job, sides[side].in_on_device);

  if (is_fused (job))
    gst_harness_set_live (h, FALSE);
  if (sides[side].out)
    gst_harness_set_sink_caps_str (h, sides[side].out);
  push_start (h, caps);
  g_free (caps);
  return (Run) { job, h, NULL, g_rand_new_with_seed (17), g_byte_array_new () };
}

/* Inputs are where the side says if the element has a device. */
static inline Run
run_new (const Job *job, const gchar *backend, const gchar *more, guint side)
{
  GstElement *element = job_element (job, backend, more);
  Run run = run_with (job, element, side);

  if (sides[side].in_is_offered)
    run.allocator = allocator_of (run.h);
  gst_object_unref (element);
  return run;
}

static inline GstFlowReturn
run_try (Run *run, guint i)
{
  return gst_harness_push (run->h, job_buffer (run->job, i, run->random, run->allocator));
}

static inline void
run_push (Run *run, guint i)
{
  fail_unless_equals_int (run_try (run, i), GST_FLOW_OK);
}

/* To the end of the stream. */
static inline void
run_finish (Run *run)
{
  GstBuffer *buffer = NULL;

  fail_unless (gst_harness_push_event (run->h, gst_event_new_eos ()));
  while (gst_harness_pull_until_eos (run->h, &buffer) && buffer)
    add_output (run->bytes, buffer);
  expect_no_error (run->h);
}

/* The element stays. */
static inline void
run_clear (Run *run)
{
  gst_clear_object (&run->allocator);
  g_rand_free (run->random);
  g_byte_array_unref (run->bytes);
  gst_harness_teardown (run->h);
}

static inline void
run_free (Run *run)
{
  drop_bus (run->h->element);
  run_clear (run);
}

/* The statistics of the GPU's run are the CPU's, but for those of devices, of lengths of quaternions in device memory, which are not checked, and,
 * in pieces, of how often points were read. */
static inline void
expect_same_stats (GstHarness *got_h, GstHarness *wanted_h, gboolean in_on_device, gboolean is_whole, const gchar *what)
{
  static const gchar *const others = " active-backend device fell-back fallbacks retries chunks device-memory device-memory-peak "
      "pinned-memory pool-hits pool-misses ";
  GstStructure *got, *wanted;

  g_object_get (got_h->element, "stats", &got, NULL);
  g_object_get (wanted_h->element, "stats", &wanted, NULL);
  for (gint i = 0; i < gst_structure_n_fields (wanted); i++) {
    const gchar *field = gst_structure_nth_field_name (wanted, (guint) i);
    const GValue *theirs = gst_structure_get_value (wanted, field), *ours = gst_structure_get_value (got, field);
    gchar *word = g_strdup_printf (" %s ", field);

    if (strstr (others, word) == NULL && (!in_on_device || !g_str_has_prefix (field, "quaternions-") || g_str_equal (field, "quaternions-scattered"))
        && (is_whole || !g_str_equal (field, "points-read"))) {
      gchar *text = gst_value_serialize (ours), *wanted_text = gst_value_serialize (theirs);

      fail_unless (gst_value_compare (ours, theirs) == GST_VALUE_EQUAL, "%s: %s is %s, the CPU has %s", what, field, text,
          wanted_text);
      g_free (wanted_text);
      g_free (text);
    }
    g_free (word);
  }
  gst_structure_free (wanted);
  gst_structure_free (got);
}

/* ---- the context of CUDA elements ---- */

#define CUDA_CONTEXT "gst.cuda.context"

static inline GObject *
context_in (GstContext *context)
{
  return g_value_dup_object (gst_structure_get_value (gst_context_get_structure (context), CUDA_CONTEXT));
}

/* The GstCudaContext that a CUDA element linked to the pad gets: a reference, or NULL. */
static inline GObject *
context_at (GstPad *pad)
{
  GstQuery *query = gst_query_new_context (CUDA_CONTEXT);
  GstContext *answer;
  GObject *context = NULL;

  if (gst_pad_query (pad, query)) {
    gst_query_parse_context (query, &answer);
    context = context_in (answer);
  }
  gst_query_unref (query);
  return context;
}

#endif
