/* robocache: an element in a harness with a bus, fed from and read into system or device memory
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/device/deviceharness.h"

static gboolean gpus[MAX_GPUS];

static gint
probe_gpu (gint number)
{
  const RcWhere where = { RC_BACKEND_CUDA, number, RC_CPU_BEST, 0 };
  RcError failure;
  const gint status = rc_backend_probe (&where, &failure);

  if (status != RC_OK)
    g_print ("%s: %s\n", g_get_prgname (), failure.message);
  return status;
}

/* Asked before any test, and in a process of its own where tests are: CUDA does not survive a fork. Where they share this one
 * (CK_FORK=no), CUDA may be in use in it already. */
static gboolean
find_gpu (gint number)
{
  gint status = 0;
  pid_t child;

  if (g_strcmp0 (g_getenv ("CK_FORK"), "no") == 0)
    return probe_gpu (number) == RC_OK;
  fflush (NULL);
  child = fork ();
  if (child == 0) {
    status = probe_gpu (number);
    fflush (NULL);
    _exit (status);
  }
  return child > 0 && waitpid (child, &status, 0) == child && status == 0;
}

gboolean
has_gpu (gint number)
{
  if (!gpus[number])
    g_print ("SKIP %s: there is no GPU %d\n", g_get_prgname (), number);
  return gpus[number];
}

gboolean
few_cases (void)
{
  return g_getenv ("ROBOCACHE_FEW_CASES") != NULL;
}

gboolean
find_gpus (const gchar *program)
{
  g_set_prgname (program);
  for (gint i = 0; i < MAX_GPUS; i++)
    gpus[i] = find_gpu (i);
  return has_gpu (0);
}

GstElement *
new_element (const gchar *name, const gchar *properties)
{
  GstElement *element = gst_element_factory_make (name, NULL);
  GstBus *bus = gst_bus_new ();

  fail_unless (element != NULL);
  gst_object_ref_sink (element);
  set_properties (element, properties);
  gst_element_set_bus (element, bus);
  gst_object_unref (bus);
  return element;
}

void
drop_bus (GstElement *element)
{
  GstBus *bus = gst_element_get_bus (element);

  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
}

void
free_element (GstElement *element)
{
  drop_bus (element);
  gst_object_unref (element);
}

void
push_start (GstHarness *h, const gchar *caps_text)
{
  GstCaps *caps = gst_caps_from_string (caps_text);
  GstSegment segment;

  fail_unless (caps != NULL, "%s", caps_text);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (h, gst_event_new_stream_start ("test"));
  gst_harness_push_event (h, gst_event_new_caps (caps));
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

gchar *
expect_error_text (GstElement *element, GQuark domain, gint code, const gchar *words)
{
  GstBus *bus = gst_element_get_bus (element);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  gchar **items = g_strsplit (words, "|", -1), *text;
  GError *error = NULL;

  fail_unless (message != NULL, "no error was posted; expected \"%s\"", words);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (error->domain == domain && error->code == code, "error %s/%d: %s", g_quark_to_string (error->domain),
      error->code, error->message);
  for (gchar **item = items; *item; item++)
    fail_unless (strstr (error->message, *item) != NULL, "\"%s\" lacks \"%s\"", error->message, *item);
  text = g_strdup (error->message);
  g_strfreev (items);
  g_error_free (error);
  gst_message_unref (message);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message == NULL, "a second error");
  gst_object_unref (bus);
  return text;
}

void
expect_error (GstHarness *h, GQuark domain, gint code, const gchar *words)
{
  g_free (expect_error_text (h->element, domain, code, words));
}

void
expect_start_error (GstElement *element, GQuark domain, gint code, const gchar *words)
{
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  g_free (expect_error_text (element, domain, code, words));
  gst_element_set_state (element, GST_STATE_NULL);
}

void
expect_no_error (GstHarness *h)
{
  GstBus *bus = gst_element_get_bus (h->element);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *error = NULL;

  if (message)
    gst_message_parse_error (message, &error, NULL);
  fail_unless (message == NULL, "%s", error ? error->message : "");
  gst_object_unref (bus);
}

gint64
stat_of_element (GstElement *element, const gchar *field)
{
  GValue number = G_VALUE_INIT;
  GstStructure *stats;
  gint64 n;

  g_object_get (element, "stats", &stats, NULL);
  fail_unless (gst_structure_has_field (stats, field), "no %s in stats", field);
  g_value_init (&number, G_TYPE_INT64);
  fail_unless (g_value_transform (gst_structure_get_value (stats, field), &number));
  n = g_value_get_int64 (&number);
  gst_structure_free (stats);
  return n;
}

gint64
stat_of (GstHarness *h, const gchar *field)
{
  return stat_of_element (h->element, field);
}

void
expect_backend_of (GstElement *element, const gchar *backend)
{
  gchar *text = property_text (element, "active-backend");

  fail_unless_equals_string (text, backend);
  g_free (text);
}

void
expect_backend (GstHarness *h, const gchar *backend)
{
  expect_backend_of (h->element, backend);
}

GstAllocator *
allocator_of (GstHarness *h)
{
  GstCaps *caps = gst_pad_get_current_caps (h->srcpad);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstAllocator *allocator = NULL;

  fail_unless (gst_pad_peer_query (h->srcpad, query));
  if (gst_query_get_n_allocation_params (query) > 0)
    gst_query_parse_nth_allocation_param (query, 0, &allocator, NULL);
  gst_query_unref (query);
  gst_caps_unref (caps);
  return allocator;
}

GstMemory *
memory_of (GstAllocator *allocator, gconstpointer data, gsize size)
{
  GstMemory *memory = gst_allocator_alloc (allocator, size, NULL);
  GstMapInfo map;

  fail_unless (memory != NULL);
  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  memcpy (map.data, data, size);
  gst_memory_unmap (memory, &map);
  return memory;
}

GstBuffer *
device_buffer (GstAllocator *allocator, gconstpointer data, gsize size, GstClockTime pts)
{
  GstBuffer *buffer = gst_buffer_new ();

  if (size > 0)
    gst_buffer_append_memory (buffer, memory_of (allocator, data, size));
  GST_BUFFER_PTS (buffer) = pts;
  return buffer;
}

void
add_output (GByteArray *all, GstBuffer *buffer)
{
  const GstClockTime pts = GST_BUFFER_PTS (buffer);
  GstMapInfo map;

  g_byte_array_append (all, (const guint8 *) &pts, sizeof (pts));
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    fail_unless (gst_memory_map (gst_buffer_peek_memory (buffer, i), &map, GST_MAP_READ));
    g_byte_array_append (all, map.data, (guint) map.size);
    gst_memory_unmap (gst_buffer_peek_memory (buffer, i), &map);
  }
  gst_buffer_unref (buffer);
}

void
pull_all (GstHarness *h, GByteArray *all)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (h)))
    add_output (all, buffer);
}

void
expect_same (GByteArray *got, GByteArray *wanted, const gchar *what)
{
  fail_unless (wanted->len > 0, "%s: the CPU put nothing out", what);
  fail_unless (got->len == wanted->len, "%s: %u bytes, the CPU has %u", what, got->len, wanted->len);
  for (guint i = 0; memcmp (got->data, wanted->data, got->len) != 0 && i < got->len; i++)
    fail_unless (got->data[i] == wanted->data[i], "%s: byte %u of %u is %02x, the CPU has %02x", what, i, got->len,
        got->data[i], wanted->data[i]);
}
