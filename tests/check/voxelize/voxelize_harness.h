/* robocache: robocachevoxelize in a harness with a bus
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VOXELIZE_HARNESS_H
#define VOXELIZE_HARNESS_H

#include "tests/check/checks.h"
#include "tests/check/elementharness.h"

#define XYZ "application/x-pointcloud,fields=(string)\"x,y,z\",type=(string)float32,framerate=(fraction)10/1"
#define XYZI "application/x-pointcloud,fields=(string)\"x,y,z,intensity\",type=(string)float32,framerate=(fraction)10/1"
#define TENSORS "other/tensors,format=(string)static,num_tensors=(int)1,"
#define IMAGE(width, height) "video/x-raw,format=GRAY16_LE,width=" width ",height=" height ",framerate=30/1"
#define TENSOR(type, dimensions) TENSORS "types=(string)" type ",dimensions=(string)" dimensions
#define UNIT "origin=<0.0,0.0,0.0> voxel-size=<1.0,1.0,1.0> grid=4:3:2 "

/* ---- a harness with a bus ---- */

static inline GstHarness *
harness (const gchar *properties)
{
  return element_open ("robocachevoxelize", properties);
}

static inline GstHarness *
harness_with_caps (const gchar *properties, const gchar *caps)
{
  GstHarness *h = harness (properties);

  gst_harness_set_src_caps_str (h, caps);
  return h;
}

/* A fixture of tests in system memory; elementdevice.c is about others. */
static inline void
use_cpu (void)
{
  g_setenv ("ROBOCACHE_BACKEND", "cpu", TRUE);
}

/* One warning, of that code, whose text holds the words. */
static inline void
expect_posted_warning (GstHarness *h, const gchar *code, const gchar *words)
{
  gchar *fault = message_fault (h, GST_MESSAGE_WARNING, code, words);

  fail_unless (fault == NULL, "expected %s: \"%s\", but %s", code, words, fault);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_WARNING), 0);
}

/* The current output caps are a subset of these. */
static inline void
expect_output_caps (GstHarness *h, const gchar *text)
{
  GstCaps *wanted = gst_caps_from_string (text), *got = gst_pad_get_current_caps (h->sinkpad);

  fail_unless (got && gst_caps_is_subset (got, wanted), "%" GST_PTR_FORMAT ", expected %s", got, text);
  gst_caps_unref (wanted);
  gst_caps_unref (got);
}

static inline void
expect_no_error (GstHarness *h)
{
  GstMessage *message = pop_message (h, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);

  fail_unless (message == NULL, "%s", message ? gst_structure_to_string (gst_message_get_structure (message)) : "");
}

static inline GstBuffer *
untimed_buffer (const void *data, gsize size)
{
  return buffer_of (data, size, GST_CLOCK_TIME_NONE);
}

#define cloud(...) untimed_buffer ((const gfloat[]) { __VA_ARGS__ }, sizeof ((const gfloat[]) { __VA_ARGS__ }))

static inline GstBuffer *
at (GstBuffer *buffer, GstClockTime pts)
{
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = 100 * GST_MSECOND;
  return buffer;
}

/* The output, computed unless a test has it mapped: what it counts is in `stats`. */
static inline GstBuffer *
push_pull (GstHarness *h, GstBuffer *buffer)
{
  GstBuffer *output;
  GstMapInfo map;

  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  output = gst_harness_try_pull (h);
  fail_unless (output != NULL);
  if (gst_memory_map (gst_buffer_peek_memory (output, 0), &map, GST_MAP_READ))
    gst_memory_unmap (gst_buffer_peek_memory (output, 0), &map);
  return output;
}

/* The bytes of all memories, mapped to read. */
static inline GBytes *
bytes_of (GstBuffer *buffer)
{
  gpointer data;
  gsize size;

  gst_buffer_extract_dup (buffer, 0, (gsize) -1, &data, &size);
  return g_bytes_new_take (data, size);
}

/* Takes wanted. */
static inline void
expect_bytes (GstBuffer *buffer, GBytes *wanted, const gchar *what, guint round)
{
  GBytes *got = bytes_of (buffer);

  fail_unless (g_bytes_equal (wanted, got), "%s, round %u", what, round);
  g_bytes_unref (wanted);
  g_bytes_unref (got);
}

/* ---- between clouds ---- */

/* window: of buffers, which is empty then. */
static inline void
flush (GstHarness *h, GQueue *window)
{
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  push_segment_of (h, GST_FORMAT_TIME);
  g_queue_clear_full (window, (GDestroyNotify) gst_buffer_unref);
}

/* Takes an error that was posted, if one was. */
static inline gboolean
had_error (GstHarness *h)
{
  GstMessage *message = pop_message (h, GST_MESSAGE_ERROR);
  const gboolean had = message != NULL;

  gst_clear_message (&message);
  return had;
}

static inline void
push_a_wrong_cloud (GstHarness *h)
{
  gst_harness_set_live (h, FALSE);      /* live, it would be dropped without an error */
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_new_allocate (NULL, 7, NULL)), GST_FLOW_ERROR);
  fail_unless (had_error (h));
}

/* A weak reference to a buffer, which counts how many were freed. */
static inline void
count_release (gpointer n_released, GstMiniObject *buffer)
{
  ++*(guint *) n_released;
}

/* One of several, as a property and its value. */
static inline const gchar *
change_origin (GstHarness *h, GRand *random)
{
  static const gchar *const origins[] = { "origin=<0.0,0.0,0.0>", "origin=<2.0,1.0,-1.0>", "origin=<0.25,0.0,0.0>" };
  const gchar *change = origins[g_rand_int_range (random, 0, G_N_ELEMENTS (origins))];

  gst_util_set_object_arg (G_OBJECT (h->element), "origin", strchr (change, '=') + 1);
  return change;
}

#endif
