/* robocache: robocachevoxelize in a harness with a bus
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/points/voxelizeharness.h"

GstHarness *
voxelize_harness (const gchar *properties)
{
  return element_open ("robocachevoxelize", properties);
}

GstHarness *
harness_with_caps (const gchar *properties, const gchar *caps)
{
  GstHarness *h = voxelize_harness (properties);

  gst_harness_set_src_caps_str (h, caps);
  return h;
}

void
use_cpu (void)
{
  g_setenv ("ROBOCACHE_BACKEND", "cpu", TRUE);
}

void
expect_posted_warning (GstHarness *h, const gchar *code, const gchar *words)
{
  gchar *fault = message_fault (h, GST_MESSAGE_WARNING, code, words);

  fail_unless (fault == NULL, "expected %s: \"%s\", but %s", code, words, fault);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_WARNING), 0);
}

void
expect_output_caps (GstHarness *h, const gchar *text)
{
  GstCaps *wanted = gst_caps_from_string (text), *got = gst_pad_get_current_caps (h->sinkpad);

  fail_unless (got && gst_caps_is_subset (got, wanted), "%" GST_PTR_FORMAT ", expected %s", got, text);
  gst_caps_unref (wanted);
  gst_caps_unref (got);
}

void
expect_no_complaint (GstHarness *h)
{
  GstMessage *message = pop_message (h, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);

  fail_unless (message == NULL, "%s", message ? gst_structure_to_string (gst_message_get_structure (message)) : "");
}

GstBuffer *
untimed_buffer (const void *data, gsize size)
{
  return buffer_of (data, size, GST_CLOCK_TIME_NONE);
}

GstBuffer *
at (GstBuffer *buffer, GstClockTime pts)
{
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = 100 * GST_MSECOND;
  return buffer;
}

GstBuffer *
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

GBytes *
bytes_of (GstBuffer *buffer)
{
  gpointer data;
  gsize size;

  gst_buffer_extract_dup (buffer, 0, (gsize) -1, &data, &size);
  return g_bytes_new_take (data, size);
}

void
expect_bytes (GstBuffer *buffer, GBytes *wanted, const gchar *what, guint round)
{
  GBytes *got = bytes_of (buffer);

  fail_unless (g_bytes_equal (wanted, got), "%s, round %u", what, round);
  g_bytes_unref (wanted);
  g_bytes_unref (got);
}

void
flush (GstHarness *h, GQueue *window)
{
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  push_segment_of (h, GST_FORMAT_TIME);
  g_queue_clear_full (window, (GDestroyNotify) gst_buffer_unref);
}

gboolean
had_error (GstHarness *h)
{
  GstMessage *message = pop_message (h, GST_MESSAGE_ERROR);
  const gboolean had = message != NULL;

  gst_clear_message (&message);
  return had;
}

void
push_a_wrong_cloud (GstHarness *h)
{
  gst_harness_set_live (h, FALSE);      /* live, it would be dropped without an error */
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_new_allocate (NULL, 7, NULL)), GST_FLOW_ERROR);
  fail_unless (had_error (h));
}

void
count_release (gpointer n_released, GstMiniObject *buffer)
{
  ++*(guint *) n_released;
}

const gchar *
change_origin (GstHarness *h, GRand *random)
{
  static const gchar *const origins[] = { "origin=<0.0,0.0,0.0>", "origin=<2.0,1.0,-1.0>", "origin=<0.25,0.0,0.0>" };
  const gchar *change = origins[g_rand_int_range (random, 0, G_N_ELEMENTS (origins))];

  gst_util_set_object_arg (G_OBJECT (h->element), "origin", strchr (change, '=') + 1);
  return change;
}
