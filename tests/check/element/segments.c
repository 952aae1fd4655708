/* robocache: segments without running times are one error of each element, and those that play backwards are none
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/elementharness.h"

#define TENSORS(n, types, dimensions) "other/tensors,format=(string)static,num_tensors=(int)" n ",types=(string)\"" types \
    "\",dimensions=(string)\"" dimensions "\",framerate=(fraction)10/1"

static const struct
{
  const gchar *factory, *properties, *sink, *caps;
  gsize bytes;                  /* of a buffer */
} elements[] = {
  {"robocacheparse", "format=kitti", "sink", "application/octet-stream,framerate=10/1", 16},
  {"robocacheparse", "", "sink", "text/csv", 4},
  {"robocacheresample", "rate=10/1", "sink", TENSORS ("1", "float32", "1"), 4},
  {"robocacheresample", "rate=10/1 gap-policy=nan", "sink", TENSORS ("3", "float32,int64,int64", "1:1:1,1:1,1:1"), 20},
  {"robocachevoxelize", "stats-interval=1000", "sink", "application/x-lidar,framerate=10/1", 16},
  {"robocachevoxelview", "", "sink", TENSORS ("1", "uint8", "4:3:2") ",voxel-output=dense,voxel-origin=<0.0,0.0,0.0>,"
        "voxel-size=<1.0,1.0,1.0>", 24},
  {"robocachefuse", "rate=10/1", "sink_0", TENSORS ("1", "float32", "1"), 4},
};

static const struct
{
  gdouble rate;
  gint64 start, stop, offset;   /* ms; stop -1: none */
  const gchar *error;           /* NULL: none */
} cases[] = {
  {-1.0, 0, -1, 0, "a segment of rate -1 has no stop to play back from: expected a rate above 0, or a stop"},
  {-0.5, 1000, -1, 0, "rate -0.5 has no stop"},
  {-1.0, 0, 1000, 2000, "rate -1 has no stop"},
  {1.0, 2000, 1000, 0, "a segment from 2000000000 to 1000000000 in time: its stop must not be before its start"},
  {-1.0, 2000, 1000, 0, "its stop must not be before its start"},
  {-1.0, 0, 1000, 0, NULL},
  {1.0, 1000, 1000, 0, NULL},
};

/* robocachevoxelview needs cairo. */
static gboolean
is_built (guint i)
{
  GstElementFactory *factory = gst_element_factory_find (elements[i].factory);
  const gboolean is_there = factory != NULL;

  gst_clear_object (&factory);
  return is_there;
}

static GstHarness *
open_element (guint i)
{
  GstElement *element = gst_element_factory_make (elements[i].factory, "e");
  GstBus *bus = gst_bus_new ();
  GstHarness *h;

  fail_unless (element != NULL);
  set_properties (element, elements[i].properties);
  gst_element_set_bus (element, bus);
  h = gst_harness_new_with_element (element, elements[i].sink, "src");
  gst_object_unref (element);
  gst_object_unref (bus);
  return h;
}

static void
push_segment (GstHarness *h, gdouble rate, gint64 start, gint64 stop, gint64 offset)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = rate;
  segment.start = segment.time = segment.position = NS (start);
  segment.stop = stop < 0 ? GST_CLOCK_TIME_NONE : NS (stop);
  segment.offset = NS (offset);
  gst_harness_push_event (h, gst_event_new_segment (&segment));
}

static GstFlowReturn
push_zeros (GstHarness *h, gsize bytes, GstClockTime pts)
{
  gpointer data = g_malloc0 (bytes);
  GstBuffer *buffer = buffer_of (data, bytes, pts);

  g_free (data);
  return gst_harness_push (h, buffer);
}

static void
expect_segment (guint element, guint i)
{
  GstHarness *h = open_element (element);

  gst_harness_push_event (h, gst_event_new_stream_start ("s"));
  push_caps (h, elements[element].caps);
  push_segment (h, cases[i].rate, cases[i].start, cases[i].stop, cases[i].offset);
  if (cases[i].error) {
    expect_posted_error (h, "format", cases[i].error);
    fail_unless (push_zeros (h, elements[element].bytes, NS (500)) < GST_FLOW_EOS, "%s takes a buffer", elements[element].factory);
    fail_unless_equals_int (gst_harness_buffers_received (h), 0);
  } else {
    fail_unless_equals_int (push_zeros (h, elements[element].bytes, NS (500)), GST_FLOW_OK);
    gst_harness_push_event (h, gst_event_new_gap (NS (600), NS (100)));
  }
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), 0);
  harness_close (h);
}

GST_START_TEST (segments)
{
  for (guint i = 0; is_built (__i__) && i < G_N_ELEMENTS (cases); i++)
    expect_segment (__i__, i);
}

GST_END_TEST;

/* After a flush the next segment counts. */
GST_START_TEST (segments_after_a_flush)
{
  GstHarness *h = is_built (__i__) ? open_element (__i__) : NULL;

  if (h == NULL)
    return;
  gst_harness_push_event (h, gst_event_new_stream_start ("s"));
  push_caps (h, elements[__i__].caps);
  push_segment (h, -1.0, 0, -1, 0);
  count_messages (h, GST_MESSAGE_ERROR);
  gst_harness_push_event (h, gst_event_new_flush_start ());
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  push_segment (h, 1.0, 0, -1, 0);
  fail_unless_equals_int (push_zeros (h, elements[__i__].bytes, NS (100)), GST_FLOW_OK);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), 0);
  harness_close (h);
}

GST_END_TEST;

CHECK_MAIN (elementsegments, NULL, NULL, EACH (elements, segments), EACH (elements, segments_after_a_flush))
