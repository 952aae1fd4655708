/* robocache: jobs of elements, which tests run on the CPU and on a GPU, into and from either memory
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/device/gpujobs.h"

gboolean
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

static gboolean
has_episodes (const Job *job)
{
  return job->form == EPISODES || job->form == EPISODES_IN_ONE;
}

gboolean
is_stream (const Job *job)
{
  return job->form <= FUSED_ROWS;
}

static gboolean
is_fused (const Job *job)
{
  return job->form == FUSED_ROWS || job->form == FUSED_FRAMES;
}

static gboolean
has_images (const Job *job)
{
  return job->form == DEPTH || job->form == FUSED_FRAMES;
}

gboolean
is_batch (const Job *job)
{
  return has_episodes (job) || (job->form == ITEMS && job->items > 1);
}

static gchar *
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

gchar *
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

static gsize
size_of (const gchar *type)
{
  return g_str_equal (type, "float64") ? 8 : g_str_has_suffix (type, "16") ? 2 : 4;
}

/* Small numbers, none of them a NaN. */
static void
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
static void
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
static void
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

GstBuffer *
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

GstElement *
job_element (const Job *job, const gchar *backend, const gchar *more)
{
  gchar *properties = g_strdup_printf ("backend=%s %s %s %s", backend, forms[job->form].properties, job->properties, more);
  GstElement *element = new_element (forms[job->form].element, properties);

  g_free (properties);
  return element;
}

Run
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

Run
run_new (const Job *job, const gchar *backend, const gchar *more, guint side)
{
  GstElement *element = job_element (job, backend, more);
  Run run = run_with (job, element, side);

  if (sides[side].in_is_offered)
    run.allocator = allocator_of (run.h);
  gst_object_unref (element);
  return run;
}

GstFlowReturn
run_try (Run *run, guint i)
{
  return gst_harness_push (run->h, job_buffer (run->job, i, run->random, run->allocator));
}

void
run_push (Run *run, guint i)
{
  fail_unless_equals_int (run_try (run, i), GST_FLOW_OK);
}

void
run_finish (Run *run)
{
  GstBuffer *buffer = NULL;

  fail_unless (gst_harness_push_event (run->h, gst_event_new_eos ()));
  while (gst_harness_pull_until_eos (run->h, &buffer) && buffer)
    add_output (run->bytes, buffer);
  expect_no_error (run->h);
}

void
run_clear (Run *run)
{
  gst_clear_object (&run->allocator);
  g_rand_free (run->random);
  g_byte_array_unref (run->bytes);
  gst_harness_teardown (run->h);
}

void
run_free (Run *run)
{
  drop_bus (run->h->element);
  run_clear (run);
}

void
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

GObject *
context_in (GstContext *context)
{
  return g_value_dup_object (gst_structure_get_value (gst_context_get_structure (context), CUDA_CONTEXT));
}

GObject *
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
