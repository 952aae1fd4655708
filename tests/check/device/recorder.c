/* robocache: samples in device memory are recorded: one copy each, through pinned memory, before a lock is taken
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "devicefixture.h"

#include "gst/mcapmux/gstrobocachemcapmux.h"
#include "tests/check/lib/recordings/muxrun.h"

#define BYTES 64
#define N_SAMPLES 20
#define FIELDS ", format=(string)static, num_tensors=(int)1, types=(string)uint8, " \
    "dimensions=(string)64, framerate=(fraction)100/1"

/* The feature is for builds with CUDA; the memory decides how it is read. */
static void
begin (MuxSource *source)
{
  mux_begin (source, rc_backend_is_built (RC_BACKEND_CUDA) ? "other/tensors(memory:RobocacheCUDA)" FIELDS : "other/tensors" FIELDS);
}

/* The objects of this program, which know the fake device. */
static GstElement *
new_recorder (void)
{
  fail_unless (GST_ELEMENT_REGISTER (robocachemcapmux, NULL));
  return g_object_new (g_type_from_name ("GstRobocacheMcapMux"), "name", "m", NULL);
}

/* Its write is enqueued, not done. */
static GstBuffer *
new_sample (guint i)
{
  GstMemory *memory = alloc_memory (allocator, BYTES);
  GstBuffer *buffer = gst_buffer_new ();

  write_with (memory, engine, (guint8) (i + 1));
  gst_buffer_append_memory (buffer, memory);
  GST_BUFFER_PTS (buffer) = i * 10 * MS;
  return buffer;
}

static gboolean
has_values (const GByteArray *file, guint8 value)
{
  guint8 values[BYTES];

  memset (values, value, sizeof (values));
  return memmem (file->data, file->len, values, sizeof (values)) != NULL;
}

/* Live, and not. */
GST_START_TEST (test_samples)
{
  MuxSource *source;
  guint copies;
  MuxRun run;

  mux_open_element (&run, new_recorder (), "time-origin=0");
  source = mux_add (&run, __i__);
  mux_play (&run);
  begin (source);
  copies = device->counts.copies;
  for (guint i = 0; i < N_SAMPLES; i++)
    fail_unless_equals_int (gst_pad_push (source->pad, new_sample (i)), GST_FLOW_OK);
  mux_end (&run);
  fail_unless_equals_int (device->counts.copies - copies, N_SAMPLES);
  for (guint i = 0; i < N_SAMPLES; i++)
    fail_unless (has_values (run.file, (guint8) (i + 1)), "sample %u is not in the file", i);
  EXPECT_MESSAGES (&run, "");
  mux_close (&run);
}

GST_END_TEST;

/* ---- while a copy takes long ---- */

#define PATIENCE (10 * G_TIME_SPAN_SECOND)

/* The write of a sample that goes on until it is told to end; what reads the sample waits for it. */
typedef struct
{
  GMutex lock;
  GCond changed;
  gboolean has_begun, may_end;
  guint n_others;               /* rows of the other source that were taken in */
} LongWrite;

static void
write_long (guint8 *to, const guint8 *from, gsize bytes, gpointer data)
{
  LongWrite *write = data;

  g_mutex_lock (&write->lock);
  write->has_begun = TRUE;
  g_cond_broadcast (&write->changed);
  while (!write->may_end)
    g_cond_wait (&write->changed, &write->lock);
  g_mutex_unlock (&write->lock);
  memset (to, 1, bytes);
}

static GstBuffer *
new_long_sample (LongWrite *write)
{
  GstMemory *memory = alloc_memory (allocator, BYTES);
  GstBuffer *buffer = gst_buffer_new ();

  fail_unless (robocache_memory_begin_write (memory, engine, NULL));
  fake_launch (robocache_engine_stream (engine), write_long, robocache_memory_data (memory), NULL, memory->size, write);
  fail_unless (robocache_memory_end_write (memory, engine, NULL));
  gst_buffer_append_memory (buffer, memory);
  GST_BUFFER_PTS (buffer) = 0;
  return buffer;
}

typedef struct
{
  MuxSource *source;
  LongWrite *write;
  GstBuffer *buffer;            /* NULL: rows of the host */
} Pushing;

static gpointer
push_sample (gpointer data)
{
  Pushing *pushing = data;

  return GINT_TO_POINTER (gst_pad_push (pushing->source->pad, pushing->buffer));
}

static gpointer
push_others (gpointer data)
{
  Pushing *pushing = data;
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint i = 0; i < N_SAMPLES && flow == GST_FLOW_OK; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, BYTES, NULL);

    gst_buffer_memset (buffer, 0, 2, BYTES);
    GST_BUFFER_PTS (buffer) = i * 10 * MS;
    flow = gst_pad_push (pushing->source->pad, buffer);
    g_mutex_lock (&pushing->write->lock);
    pushing->write->n_others++;
    g_cond_broadcast (&pushing->write->changed);
    g_mutex_unlock (&pushing->write->lock);
  }
  return GINT_TO_POINTER (flow);
}

/* Whether it comes to be in time. */
static gboolean
wait_for (LongWrite *write, const gboolean *has_begun, guint n_others)
{
  const gint64 until = g_get_monotonic_time () + PATIENCE;
  gboolean is_so;

  g_mutex_lock (&write->lock);
  while (!(is_so = *has_begun && write->n_others >= n_others) && g_cond_wait_until (&write->changed, &write->lock, until));
  g_mutex_unlock (&write->lock);
  return is_so;
}

static void
end_write (LongWrite *write)
{
  g_mutex_lock (&write->lock);
  write->may_end = TRUE;
  g_cond_broadcast (&write->changed);
  g_mutex_unlock (&write->lock);
}

/* A sample whose copy takes long holds its own source alone: rows of others are recorded meanwhile. */
GST_START_TEST (test_long_copy)
{
  LongWrite write = { .has_begun = FALSE };
  Pushing sample = {.write = &write }, others = {.write = &write };
  GThread *sample_thread, *others_thread;
  gboolean has_begun, were_taken;
  MuxRun run;

  mux_open_element (&run, new_recorder (), "time-origin=0");
  sample.source = mux_add (&run, TRUE);
  others.source = mux_add (&run, TRUE);
  mux_play (&run);
  begin (sample.source);
  mux_begin (others.source, "other/tensors" FIELDS);
  sample.buffer = new_long_sample (&write);
  sample_thread = g_thread_new ("sample", push_sample, &sample);
  has_begun = wait_for (&write, &write.has_begun, 0);
  others_thread = g_thread_new ("others", push_others, &others);
  were_taken = wait_for (&write, &write.has_begun, N_SAMPLES);
  end_write (&write);
  fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (sample_thread)), GST_FLOW_OK);
  fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (others_thread)), GST_FLOW_OK);
  fail_unless (has_begun, "nobody reads the sample");
  fail_unless (were_taken, "rows wait for the copy of another source's sample");
  mux_end (&run);
  fail_unless (has_values (run.file, 1) && has_values (run.file, 2));
  EXPECT_MESSAGES (&run, "");
  mux_close (&run);
}

GST_END_TEST;

/* A device that fails is an error. */
GST_START_TEST (test_failure)
{
  MuxSource *source;
  GstBuffer *lost;
  MuxRun run;

  mux_open_element (&run, new_recorder (), "time-origin=0");
  source = mux_add (&run, TRUE);
  mux_play (&run);
  begin (source);
  fail_unless_equals_int (gst_pad_push (source->pad, new_sample (0)), GST_FLOW_OK);
  lost = new_sample (1);
  device->failing_call = 1;
  fail_unless_equals_int (gst_pad_push (source->pad, lost), GST_FLOW_ERROR);
  EXPECT_MESSAGES (&run, "cannot be mapped");
  mux_close (&run);
}

GST_END_TEST;

CHECK_MAIN (recorder, setup, teardown, TIMES (2, test_samples), ONCE (test_long_copy), ONCE (test_failure))
