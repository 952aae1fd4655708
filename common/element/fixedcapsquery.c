/* robocache: queries that a source pad with fixed caps leaves to the core
 *
 * gst_pad_query_caps_default of GStreamer (1.22, 1.29) intersects a pad's caps without a reference to them. A CAPS event of the streaming
 * thread frees them meanwhile. tests/soak/capsquery.c shows it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fixedcapsquery.h"

static gboolean
answer_caps (GstPad *pad, GstQuery *query)
{
  GstCaps *caps = gst_pad_get_current_caps (pad), *filter, *answer;

  if (caps == NULL)
    caps = gst_pad_get_pad_template_caps (pad);
  gst_query_parse_caps (query, &filter);
  answer = filter ? gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST) : gst_caps_ref (caps);
  gst_query_set_caps_result (query, answer);
  gst_caps_unref (answer);
  gst_caps_unref (caps);
  return TRUE;
}

gboolean
robocache_fixed_caps_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  return GST_QUERY_TYPE (query) == GST_QUERY_CAPS ? answer_caps (pad, query) : gst_pad_query_default (pad, parent, query);
}
