/* robocache: robocachevoxelize in a harness with a bus
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VOXELIZE_HARNESS_H
#define VOXELIZE_HARNESS_H

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <string.h>

#define XYZ "application/x-pointcloud,fields=(string)\"x,y,z\",type=(string)float32,framerate=(fraction)10/1"
#define XYZI "application/x-pointcloud,fields=(string)\"x,y,z,intensity\",type=(string)float32,framerate=(fraction)10/1"
#define TENSORS "other/tensors,format=(string)static,num_tensors=(int)1,"
#define UNIT "origin=<0.0,0.0,0.0> voxel-size=<1.0,1.0,1.0> grid=4:3:2 "

/* ---- a harness with a bus ---- */

/* properties: NAME=VALUE, separated by spaces. */
static inline GstHarness *
harness_of (const gchar *factory, const gchar *properties)
{
  GstElement *element = gst_element_factory_make (factory, NULL);
  gchar **items = g_strsplit (properties, " ", -1);
  GstBus *bus = gst_bus_new ();
  GstHarness *h;

  fail_unless (element != NULL);
  for (gchar **item = items; *item; item++) {
    gchar **pair = g_strsplit (*item, "=", 2);

    if (**item)
      gst_util_set_object_arg (G_OBJECT (element), pair[0], pair[1]);
    g_strfreev (pair);
  }
  g_strfreev (items);
  h = gst_harness_new_with_element (element, "sink", "src");
  gst_object_unref (element);
  gst_element_set_bus (h->element, bus);
  gst_object_unref (bus);
  return h;
}

static inline GstHarness *
harness (const gchar *properties)
{
  return harness_of ("robocachevoxelize", properties);
}

static inline GstHarness *
harness_with_caps (const gchar *properties, const gchar *caps)
{
  GstHarness *h = harness (properties);

  gst_harness_set_src_caps_str (h, caps);
  return h;
}

/* The bus holds messages that hold the element. */
static inline void
harness_free (GstHarness *h)
{
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
}

static inline GstMessage *
pop_message (GstHarness *h, GstMessageType type)
{
  GstBus *bus = gst_element_get_bus (h->element);
  GstMessage *message = gst_bus_pop_filtered (bus, type);

  gst_object_unref (bus);
  return message;
}

/* One message, of that type, domain and code, whose text has the words. */
static inline void
expect_message (GstHarness *h, GstMessageType type, GQuark domain, gint code, const gchar *words)
{
  GstMessage *message = pop_message (h, type);
  GError *error = NULL;

  fail_unless (message != NULL, "no message; expected \"%s\"", words);
  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  fail_unless (error->domain == domain && error->code == code, "error %s/%d: %s", g_quark_to_string (error->domain),
      error->code, error->message);
  fail_unless (strstr (error->message, words) != NULL, "\"%s\" lacks \"%s\"", error->message, words);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless (pop_message (h, type) == NULL, "a second message");
}

#define expect_error(h, domain, code, words) expect_message (h, GST_MESSAGE_ERROR, domain, code, words)
#define expect_warning(h, domain, code, words) expect_message (h, GST_MESSAGE_WARNING, domain, code, words)

/* The current output caps are a subset of these. */
static inline void
expect_caps (GstHarness *h, const gchar *text)
{
  GstCaps *wanted = gst_caps_from_string (text), *got = gst_pad_get_current_caps (h->sinkpad);

  fail_unless (got && gst_caps_is_subset (got, wanted), "%" GST_PTR_FORMAT ", expected %s", got, text);
  gst_caps_unref (wanted);
  gst_caps_unref (got);
}

static inline void
expect_no_error (GstHarness *h)
{
  fail_unless (pop_message (h, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING) == NULL);
}

static inline GstBuffer *
buffer_of (const void *data, gsize size)
{
  return gst_buffer_new_memdup (data, size);
}

#define cloud(...) buffer_of ((const gfloat[]) { __VA_ARGS__ }, sizeof ((const gfloat[]) { __VA_ARGS__ }))

static inline GstBuffer *
at (GstBuffer *buffer, GstClockTime pts)
{
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = 100 * GST_MSECOND;
  return buffer;
}

static inline GstBuffer *
push_pull (GstHarness *h, GstBuffer *buffer)
{
  GstBuffer *output;

  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  output = gst_harness_try_pull (h);
  fail_unless (output != NULL);
  return output;
}

/* Number of occupied voxels of a dense uint8 grid. */
static inline guint
occupied (GstBuffer *buffer)
{
  GstMapInfo map;
  guint n = 0;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  for (gsize i = 0; i < map.size; i++)
    n += map.data[i];
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  return n;
}

static inline gint64
stat_of (GstHarness *h, const gchar *field)
{
  GstStructure *stats;
  const GValue *value;
  gint64 n;

  g_object_get (h->element, "stats", &stats, NULL);
  value = gst_structure_get_value (stats, field);
  fail_unless (value != NULL, "no %s in stats", field);
  n = G_VALUE_HOLDS_UINT64 (value) ? (gint64) g_value_get_uint64 (value) : g_value_get_int64 (value);
  gst_structure_free (stats);
  return n;
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
  GstSegment segment;

  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  g_queue_clear_full (window, (GDestroyNotify) gst_buffer_unref);
}

static inline void
push_a_wrong_cloud (GstHarness *h)
{
  GstMessage *message;

  fail_unless_equals_int (gst_harness_push (h, gst_buffer_new_allocate (NULL, 7, NULL)), GST_FLOW_ERROR);
  message = pop_message (h, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_unref (message);
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
