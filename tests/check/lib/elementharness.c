/* robocache: what tests of an element in a GstHarness with a bus share
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/elementharness.h"

void
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

GstHarness *
element_open (const gchar *factory, const gchar *properties)
{
  GstElement *element = gst_element_factory_make (factory, "e");
  GstPad *sink = gst_element_get_static_pad (element, "sink");
  GstBus *bus = gst_bus_new ();
  GstHarness *h;

  set_properties (element, properties);
  gst_element_set_bus (element, bus);
  h = gst_harness_new_with_element (element, sink ? "sink" : NULL, "src");
  gst_clear_object (&sink);
  gst_object_unref (element);
  gst_object_unref (bus);
  return h;
}

void
harness_close (GstHarness *h)
{
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
}

GstBuffer *
buffer_of (gconstpointer data, gsize size, GstClockTime pts_ns)
{
  GstBuffer *buffer = size > 0 ? gst_buffer_new_memdup (data, size) : gst_buffer_new ();

  GST_BUFFER_PTS (buffer) = pts_ns;
  return buffer;
}

void
push_caps (GstHarness *h, const gchar *caps_text)
{
  GstCaps *caps = gst_caps_from_string (caps_text);

  fail_unless (caps != NULL, "%s", caps_text);
  gst_harness_push_event (h, gst_event_new_caps (caps));
  gst_caps_unref (caps);
}

void
push_segment_of (GstHarness *h, GstFormat format)
{
  GstSegment segment;

  gst_segment_init (&segment, format);
  gst_harness_push_event (h, gst_event_new_segment (&segment));
}

GstEvent *
pull_event (GstHarness *h, GstEventType type)
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_event (h)) && GST_EVENT_TYPE (event) != type)
    gst_event_unref (event);
  return event;
}

gchar *
caps_text (GstHarness *h, const gchar *field)
{
  GstCaps *caps = gst_pad_get_current_caps (h->sinkpad);
  const GValue *value = caps ? gst_structure_get_value (gst_caps_get_structure (caps, 0), field) : NULL;
  gchar *text = value ? gst_value_serialize (value) : NULL;

  gst_clear_caps (&caps);
  return text;
}

void
expect_caps_field (GstHarness *h, const gchar *field, const gchar *value)
{
  gchar *text = caps_text (h, field);

  fail_unless_equals_string (text, value);
  g_free (text);
}

/* The first messages of that type, up to so many. The others stay, in their order. */
static GQueue
take_messages (GstHarness *h, GstMessageType type, guint most)
{
  GstBus *bus = gst_element_get_bus (h->element);
  GQueue taken = G_QUEUE_INIT, others = G_QUEUE_INIT;
  GstMessage *message;

  while ((message = gst_bus_pop (bus)))
    g_queue_push_tail (GST_MESSAGE_TYPE (message) & type && taken.length < most ? &taken : &others, message);
  while ((message = g_queue_pop_head (&others)))
    gst_bus_post (bus, message);
  gst_object_unref (bus);
  return taken;
}

GstMessage *
pop_message (GstHarness *h, GstMessageType type)
{
  GQueue taken = take_messages (h, type, 1);

  return g_queue_pop_head (&taken);
}

guint
count_messages (GstHarness *h, GstMessageType type)
{
  GQueue taken = take_messages (h, type, G_MAXUINT);
  const guint n = taken.length;

  g_queue_clear_full (&taken, (GDestroyNotify) gst_message_unref);
  return n;
}

/* The code of an error, by its name in GStreamer: "format", "settings", "negotiation". */
static const gchar *
error_code_name (const GError *error)
{
  const GType types[] = { GST_TYPE_CORE_ERROR, GST_TYPE_LIBRARY_ERROR, GST_TYPE_RESOURCE_ERROR, GST_TYPE_STREAM_ERROR };
  const GQuark domains[] = { GST_CORE_ERROR, GST_LIBRARY_ERROR, GST_RESOURCE_ERROR, GST_STREAM_ERROR };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (error->domain == domains[i])
      return g_enum_get_value (g_type_class_peek_static (types[i]), error->code)->value_nick;
  return "";
}

gchar *
message_fault (GstHarness *h, GstMessageType type, const gchar *code, const gchar *words)
{
  GstMessage *message = pop_message (h, type);
  gchar *fault = NULL, *debug = NULL;
  GError *error = NULL;

  if (!message)
    return g_strdup_printf ("no %s was posted", gst_message_type_get_name (type));
  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, &debug);
  else
    gst_message_parse_warning (message, &error, &debug);
  if (!g_str_equal (error_code_name (error), code) || !strstr (error->message, words))
    fault = g_strdup_printf ("the %s is %s: %s", gst_message_type_get_name (type), error_code_name (error), error->message);
  else if (debug && strstr (debug, "common/element/errors.c"))
    fault = g_strdup_printf ("the origin of \"%s\" is %s", error->message, debug);
  g_free (debug);
  g_error_free (error);
  gst_message_unref (message);
  return fault;
}

void
expect_posted_error (GstHarness *h, const gchar *code, const gchar *words)
{
  gchar *fault = message_fault (h, GST_MESSAGE_ERROR, code, words);

  fail_unless (fault == NULL, "expected %s: \"%s\", but %s", code, words, fault);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), 0);
}

gchar *
query_text (GstHarness *h, const gchar *name)
{
  gboolean live = FALSE, seekable = FALSE;
  GstClockTime min, max;
  gint64 time = -1;

  if (g_str_equal (name, "live") || g_str_has_prefix (name, "latency")) {
    GstQuery *query = gst_query_new_latency ();

    fail_unless (gst_pad_peer_query (h->sinkpad, query));
    gst_query_parse_latency (query, &live, &min, &max);
    gst_query_unref (query);
    if (g_str_equal (name, "live"))
      return g_strdup_printf ("%d", live);
    time = (gint64) (g_str_equal (name, "latency") ? min : max);
  } else if (g_str_equal (name, "seekable")) {
    GstQuery *query = gst_query_new_seeking (GST_FORMAT_TIME);

    fail_unless (gst_pad_peer_query (h->sinkpad, query));
    gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
    gst_query_unref (query);
    return g_strdup_printf ("%d", seekable);
  } else if (g_str_equal (name, "duration")) {
    gst_pad_peer_query_duration (h->sinkpad, GST_FORMAT_TIME, &time);
  } else if (g_str_equal (name, "position")) {
    gst_pad_peer_query_position (h->sinkpad, GST_FORMAT_TIME, &time);
  } else {
    return NULL;
  }
  return time < 0 ? g_strdup ("none") : g_strdup_printf ("%.15g", (gdouble) time / 1e6);
}

gchar *
property_text (GstElement *element, const gchar *name)
{
  GValue value = G_VALUE_INIT;
  gchar *text;

  if (!g_object_class_find_property (G_OBJECT_GET_CLASS (element), name))
    return NULL;
  g_object_get_property (G_OBJECT (element), name, &value);
  text = gst_value_serialize (&value);
  g_value_unset (&value);
  return text ? text : g_strdup ("");
}

gchar *
stats_text (GstElement *element, const gchar *field)
{
  GstStructure *stats;
  const GValue *value;
  gchar *text;

  g_object_get (element, "stats", &stats, NULL);
  value = gst_structure_get_value (stats, field);
  text = value ? gst_value_serialize (value) : NULL;
  gst_structure_free (stats);
  return text;
}

guint64
count_of (GstHarness *h, const gchar *field)
{
  gchar *text = stats_text (h->element, field);
  const guint64 count = text ? g_ascii_strtoull (text, NULL, 10) : 0;

  fail_unless (text != NULL, "no %s", field);
  g_free (text);
  return count;
}
