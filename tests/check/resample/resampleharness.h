/* robocache: what tests of robocacheresample share: a harness with a bus, rows in, rows out
 *
 * A harness answers a LATENCY query of the element as a live source does; with live FALSE it answers as a file does.
 * Times are in ms unless a name says ns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RESAMPLE_HARNESS_H
#define RESAMPLE_HARNESS_H

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <math.h>
#include <string.h>

#define NS(ms) ((GstClockTime) ((ms) * 1000000.0))
#define TENSORS(n, types, dims, rate) "other/tensors,format=(string)static,num_tensors=(int)" n ",types=(string)\"" types \
    "\",dimensions=(string)\"" dims "\",framerate=(fraction)" rate
#define F32(dims, rate) TENSORS ("1", "float32", dims, rate)
#define ONE F32 ("1", "0/1")

#define LIVE TRUE
#define NOT_LIVE FALSE

static GstPadQueryFunction harness_query;

static gboolean
query_of_file (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return harness_query (pad, parent, query);
  gst_query_set_latency (query, FALSE, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

/* properties: NAME=VALUE, separated by blanks. */
static inline void
set_properties (GstElement *element, const gchar *properties)
{
  gchar **items = g_strsplit (properties, " ", -1);

  for (gchar **item = items; *item; item++) {
    gchar **pair = g_strsplit (*item, "=", 2);

    if (**item)
      gst_util_set_object_arg (G_OBJECT (element), pair[0], pair[1]);
    g_strfreev (pair);
  }
  g_strfreev (items);
}

/* Without caps and segment. */
static inline GstHarness *
harness_open (gboolean live, const gchar *properties)
{
  GstElement *element = gst_element_factory_make ("robocacheresample", NULL);
  GstHarness *h;
  GstBus *bus = gst_bus_new ();

  fail_unless (element != NULL);
  set_properties (element, properties);
  h = gst_harness_new_with_element (element, "sink", "src");
  gst_object_unref (element);
  gst_element_set_bus (h->element, bus);
  gst_object_unref (bus);
  if (!live) {
    harness_query = GST_PAD_QUERYFUNC (h->srcpad);
    gst_pad_set_query_function (h->srcpad, query_of_file);
  }
  return h;
}

/* Caps that are refused stay with the pad, which sends them again before a buffer. */
static inline void
push_caps (GstHarness *h, const gchar *caps_text)
{
  GstCaps *caps = gst_caps_from_string (caps_text);

  fail_unless (caps != NULL, "%s", caps_text);
  gst_harness_push_event (h, gst_event_new_caps (caps));
  gst_caps_unref (caps);
}

static inline void
push_segment (GstHarness *h, const GstSegment *segment)
{
  gst_harness_push_event (h, gst_event_new_segment (segment));
}

static inline void
push_time_segment (GstHarness *h)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  push_segment (h, &segment);
}

static inline void
start_stream (GstHarness *h, const gchar *caps_text)
{
  gst_harness_push_event (h, gst_event_new_stream_start ("test"));
  push_caps (h, caps_text);
}

static inline GstHarness *
harness (gboolean live, const gchar *properties, const gchar *caps)
{
  GstHarness *h = harness_open (live, properties);

  start_stream (h, caps);
  push_time_segment (h);
  return h;
}

/* The bus holds messages that hold the element. */
static inline void
harness_close (GstHarness *h)
{
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
}

/* ---- rows in ---- */

static inline GstBuffer *
buffer_of (gconstpointer data, gsize size, GstClockTime pts_ns)
{
  GstBuffer *buffer = size > 0 ? gst_buffer_new_memdup (data, size) : gst_buffer_new ();

  GST_BUFFER_PTS (buffer) = pts_ns;
  return buffer;
}

static inline void
push_ns (GstHarness *h, GstClockTime pts_ns, gfloat value)
{
  fail_unless_equals_int (gst_harness_push (h, buffer_of (&value, sizeof value, pts_ns)), GST_FLOW_OK);
}

static inline void
push (GstHarness *h, gdouble ms, gfloat value)
{
  push_ns (h, NS (ms), value);
}

/* ---- rows out ---- */

static inline void
expect_ns (GstHarness *h, GstClockTime pts_ns, gfloat value)
{
  GstBuffer *buffer = gst_harness_try_pull (h);
  gfloat got = 0;

  fail_unless (buffer != NULL, "no row at %" G_GUINT64_FORMAT, pts_ns);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), pts_ns);
  fail_unless_equals_int (gst_buffer_extract (buffer, 0, &got, sizeof got), sizeof got);
  fail_unless (isnan (value) ? isnan (got) : got == value, "at %" G_GUINT64_FORMAT " %g, not %g", pts_ns, got, value);
  gst_buffer_unref (buffer);
}

static inline void
expect (GstHarness *h, gdouble ms, gfloat value)
{
  expect_ns (h, NS (ms), value);
}

static inline void
expect_nothing (GstHarness *h)
{
  GstBuffer *buffer = gst_harness_try_pull (h);

  fail_unless (buffer == NULL, "a row at %" G_GUINT64_FORMAT, buffer ? GST_BUFFER_PTS (buffer) : 0);
}

/* The next event of that type, or NULL; those before it are gone. */
static inline GstEvent *
pull_event (GstHarness *h, GstEventType type)
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_event (h)) && GST_EVENT_TYPE (event) != type)
    gst_event_unref (event);
  return event;
}

static inline void
expect_gap (GstHarness *h, gdouble ms, gdouble duration_ms)
{
  GstEvent *event = pull_event (h, GST_EVENT_GAP);
  GstClockTime start, duration;

  fail_unless (event != NULL, "no GAP at %g", ms);
  gst_event_parse_gap (event, &start, &duration);
  fail_unless_equals_uint64 (start, NS (ms));
  fail_unless_equals_uint64 (duration, NS (duration_ms));
  gst_event_unref (event);
}

/* ---- messages and stats ---- */

static inline GstMessage *
pop_message (GstHarness *h, GstMessageType type)
{
  GstBus *bus = gst_element_get_bus (h->element);
  GstMessage *message = gst_bus_pop_filtered (bus, type);

  gst_object_unref (bus);
  return message;
}

static inline guint
count_messages (GstHarness *h, GstMessageType type)
{
  GstMessage *message;
  guint n = 0;

  for (; (message = pop_message (h, type)); n++)
    gst_message_unref (message);
  return n;
}

/* One error, of that domain and code, whose text holds the words. */
static inline void
expect_message (GstHarness *h, GQuark domain, gint code, const gchar *words)
{
  GstMessage *message = pop_message (h, GST_MESSAGE_ERROR);
  GError *error = NULL;

  fail_unless (message != NULL, "no error was posted; expected \"%s\"", words);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (error->domain == domain && error->code == code, "error %s/%d: %s", g_quark_to_string (error->domain),
      error->code, error->message);
  fail_unless (strstr (error->message, words) != NULL, "\"%s\" lacks \"%s\"", error->message, words);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), 0);
}

static inline void
expect_refused_caps (GstHarness *h, const gchar *words)
{
  expect_message (h, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, words);
}

static inline void
expect_refused_property (GstHarness *h, const gchar *words)
{
  expect_message (h, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, words);
}

static inline guint64
field_of (const GstStructure *stats, const gchar *field)
{
  guint64 value = 0;

  fail_unless (gst_structure_get_uint64 (stats, field, &value), "no %s", field);
  return value;
}

static inline guint64
count_of (GstHarness *h, const gchar *field)
{
  GstStructure *stats;
  guint64 value;

  g_object_get (h->element, "stats", &stats, NULL);
  value = field_of (stats, field);
  gst_structure_free (stats);
  return value;
}

static inline gboolean
add_reason (GQuark field, const GValue *value, gpointer data)
{
  guint64 *sum = data;

  if (g_str_has_prefix (g_quark_to_string (field), "rows-dropped-"))
    *sum += g_value_get_uint64 (value);
  return TRUE;
}

/* Every row that came in is in one of the others, and every dropped one has a reason. */
static inline void
expect_balance (GstHarness *h)
{
  GstStructure *stats;
  guint64 reasons = 0;

  g_object_get (h->element, "stats", &stats, NULL);
  gst_structure_foreach (stats, add_reason, &reasons);
  fail_unless_equals_uint64 (field_of (stats, "rows-dropped"), reasons);
  fail_unless_equals_uint64 (field_of (stats, "rows-in"), field_of (stats, "rows-used") + field_of (stats, "rows-late")
      + field_of (stats, "rows-duplicate") + field_of (stats, "rows-superseded") + field_of (stats, "rows-dropped")
      + field_of (stats, "rows-kept"));
  gst_structure_free (stats);
}

static inline void
expect_caps_field (GstHarness *h, const gchar *field, const gchar *value)
{
  GstCaps *caps = gst_pad_get_current_caps (h->sinkpad);
  gchar *text;

  fail_unless (caps != NULL);
  text = gst_value_serialize (gst_structure_get_value (gst_caps_get_structure (caps, 0), field));
  fail_unless_equals_string (text, value);
  g_free (text);
  gst_caps_unref (caps);
}

#endif
