/* robocache: samples in device memory are recorded: one copy each, through pinned memory, before a lock is taken
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "devicefixture.h"

#include "gst/mcapmux/gstrobocachemcapmux.h"
#include "tests/check/mcapmux/muxrun.h"

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

CHECK_MAIN (recorder, setup, teardown, TIMES (2, test_samples), ONCE (test_failure))
