/* robocache: what tests of robocacheresample share: a harness with a bus, rows in, rows out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/resampleharness.h"

static GstPadQueryFunction harness_query;

static gboolean
query_of_file (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return harness_query (pad, parent, query);
  gst_query_set_latency (query, FALSE, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

GstHarness *
harness_open (gboolean live, const gchar *properties)
{
  GstHarness *h = element_open ("robocacheresample", properties);

  if (!live) {
    harness_query = GST_PAD_QUERYFUNC (h->srcpad);
    gst_pad_set_query_function (h->srcpad, query_of_file);
  }
  return h;
}

void
start_stream (GstHarness *h, const gchar *caps_text)
{
  gst_harness_push_event (h, gst_event_new_stream_start ("test"));
  push_caps (h, caps_text);
}

GstHarness *
resample_harness (gboolean live, const gchar *properties, const gchar *caps)
{
  GstHarness *h = harness_open (live, properties);

  start_stream (h, caps);
  push_segment_of (h, GST_FORMAT_TIME);
  return h;
}

void
push_ns (GstHarness *h, GstClockTime pts_ns, gfloat value)
{
  fail_unless_equals_int (gst_harness_push (h, buffer_of (&value, sizeof value, pts_ns)), GST_FLOW_OK);
}

void
push (GstHarness *h, gdouble ms, gfloat value)
{
  push_ns (h, NS (ms), value);
}

static gboolean
add_reason (GQuark field, const GValue *value, gpointer data)
{
  guint64 *sum = data;

  if (g_str_has_prefix (g_quark_to_string (field), "rows-dropped-"))
    *sum += g_value_get_uint64 (value);
  return TRUE;
}

void
expect_balance (GstHarness *h)
{
  static const gchar *const places[] = {
    "rows-used", "rows-late", "rows-duplicate", "rows-superseded", "rows-dropped", "rows-kept"
  };
  guint64 reasons = 0, sum = 0, count;
  GstStructure *stats;

  g_object_get (h->element, "stats", &stats, NULL);
  gst_structure_foreach (stats, add_reason, &reasons);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++, sum += count)
    fail_unless (gst_structure_get_uint64 (stats, places[i], &count), "no %s", places[i]);
  fail_unless (gst_structure_get_uint64 (stats, "rows-in", &count) && count == sum, "%" GST_PTR_FORMAT, stats);
  fail_unless (gst_structure_get_uint64 (stats, "rows-dropped", &count) && count == reasons, "%" GST_PTR_FORMAT, stats);
  gst_structure_free (stats);
}
