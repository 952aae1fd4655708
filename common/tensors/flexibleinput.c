/* robocache: flexible tensors as input of elements that know static ones
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "flexibleinput.h"

#include <string.h>

#include "common/element/errors.h"
#include "common/element/linkadvice.h"
#include "flexible.h"
#include "memorycaps.h"

/* ---- caps ---- */

gboolean
robocache_flexible_input_accepts (const GstCaps *caps)
{
  return robocache_caps_are_flexible (caps) && !robocache_caps_on_device (caps);
}

static void
set_caps (RobocacheFlexibleInput *input, GstCaps *caps, GstCaps *fixed)
{
  GST_OBJECT_LOCK (input->pad);
  gst_caps_replace (&input->caps, caps);
  gst_caps_replace (&input->fixed, fixed);
  GST_OBJECT_UNLOCK (input->pad);
}

GstCaps *
robocache_flexible_input_resolve (RobocacheFlexibleInput *input, GstCaps *caps)
{
  GstCaps *resolved;

  GST_OBJECT_LOCK (input->pad);
  resolved = gst_caps_ref (input->fixed && gst_caps_is_equal (caps, input->caps) ? input->fixed : caps);
  GST_OBJECT_UNLOCK (input->pad);
  return resolved;
}

/* ---- events ---- */

static gboolean
handle (RobocacheFlexibleInput *input, GstEvent *event)
{
  return GST_PAD_EVENTFUNC (input->pad) (input->pad, GST_OBJECT_PARENT (input->pad), event);
}

static void
release_events (RobocacheFlexibleInput *input)
{
  GstEvent *event;

  while ((event = robocache_held_events_release (&input->held)))
    handle (input, event);
}

/* Static caps follow with the first buffer. */
static void
expect_buffer (RobocacheFlexibleInput *input, GstCaps *caps, GError **error)
{
  memset (&input->info, 0, sizeof (input->info));
  set_caps (input, caps, NULL);
  robocache_held_events_begin (&input->held);
  robocache_framerate_parse (gst_caps_get_structure (caps, 0), &input->info.rate_num, &input->info.rate_den, error);
}

static gboolean
take_caps (RobocacheFlexibleInput *input, GstEvent *event, GError **error)
{
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (input->is_passing)
    return FALSE;
  if (!robocache_flexible_input_accepts (caps)) {
    set_caps (input, NULL, NULL);
    return FALSE;
  }
  expect_buffer (input, caps, error);
  gst_event_unref (event);
  return TRUE;
}

gboolean
robocache_flexible_input_take_event (RobocacheFlexibleInput *input, GstEvent *event, GError **error)
{
  if (robocache_held_events_take (&input->held, event))
    return TRUE;
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS)
    return take_caps (input, event, error);
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    release_events (input);
  /* a pad that was stopped has lost its caps */
  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START && !gst_pad_has_current_caps (input->pad))
    set_caps (input, NULL, NULL);
  return FALSE;
}

/* ---- buffers ---- */

static gboolean
pass_caps (RobocacheFlexibleInput *input, const RobocacheTensorsInfo *info)
{
  GstCaps *fixed = robocache_flexible_caps_to_static (input->caps, info), *caps = gst_caps_ref (input->caps);
  gboolean is_handled;

  input->info = *info;
  set_caps (input, caps, fixed);
  input->is_passing = TRUE;
  is_handled = handle (input, gst_event_new_caps (fixed));
  input->is_passing = FALSE;
  if (!is_handled)
    set_caps (input, caps, NULL);
  gst_caps_unref (fixed);
  gst_caps_unref (caps);
  return is_handled;
}

GstFlowReturn
robocache_flexible_input_strip (RobocacheFlexibleInput *input, GstBuffer **buffer, GError **error)
{
  RobocacheTensorsInfo info = input->info;
  GstBuffer *tensors;

  if (input->caps) {
    tensors = robocache_flexible_strip (*buffer, &info, error);
    if (tensors == NULL)
      return GST_FLOW_ERROR;
    gst_buffer_unref (*buffer);
    *buffer = tensors;
    if ((input->fixed == NULL || memcmp (&info, &input->info, sizeof (info)) != 0) && !pass_caps (input, &info))
      return GST_PAD_IS_FLUSHING (input->pad) ? GST_FLOW_FLUSHING : GST_FLOW_NOT_NEGOTIATED;
  }
  release_events (input);
  return GST_FLOW_OK;
}

/* ---- queries ---- */

/* The element would negotiate for it, before it has caps; and buffers have headers. */
gboolean
robocache_flexible_input_refuses (const RobocacheFlexibleInput *input, GstQuery *query)
{
  return GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION && input->caps;
}

void
robocache_flexible_input_add_caps (GstQuery *query)
{
  GstCaps *pattern = gst_caps_new_simple (ROBOCACHE_TENSORS_MEDIA_TYPE, "format", G_TYPE_STRING, "flexible", NULL);
  GstCaps *tensors = gst_caps_new_empty_simple (ROBOCACHE_TENSORS_MEDIA_TYPE), *caps, *filter;

  gst_query_parse_caps_result (query, &caps);
  gst_query_parse_caps (query, &filter);
  if (gst_caps_can_intersect (caps, tensors) && !gst_caps_can_intersect (caps, pattern)) {
    GstCaps *added = filter ? gst_caps_intersect_full (filter, pattern, GST_CAPS_INTERSECT_FIRST) : gst_caps_ref (pattern);

    caps = gst_caps_merge (gst_caps_copy (caps), added);
    gst_query_set_caps_result (query, caps);
    gst_caps_unref (caps);
  }
  gst_caps_unref (tensors);
  gst_caps_unref (pattern);
}

/* ---- virtual methods ---- */

gboolean
robocache_flexible_input_accept_caps (GstBaseTransform *trans, GstBaseTransformClass *parent, GstPadDirection direction, GstCaps *caps)
{
  const gboolean is_sink = direction == GST_PAD_SINK;
  const gboolean accepts = (is_sink && robocache_flexible_input_accepts (caps)) || parent->accept_caps (trans, direction, caps);
  GError *error = is_sink ? robocache_refused_caps (GST_BASE_TRANSFORM_SINK_PAD (trans), caps, accepts) : NULL;

  if (error)
    robocache_post_error_at (GST_ELEMENT (trans), "sink", error, GST_CLOCK_TIME_NONE);
  g_clear_error (&error);
  return accepts;
}

gboolean
robocache_flexible_input_query (const RobocacheFlexibleInput *input, GstBaseTransform *trans, GstBaseTransformClass *parent,
    GstPadDirection direction, GstQuery *query)
{
  const gboolean is_sink = direction == GST_PAD_SINK;
  const gboolean is_answered = !(is_sink && robocache_flexible_input_refuses (input, query)) && parent->query (trans, direction, query);

  if (is_answered && is_sink && GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
    robocache_flexible_input_add_caps (query);
  return is_answered;
}

/* ---- life ---- */

void
robocache_flexible_input_init (RobocacheFlexibleInput *input, GstPad *pad)
{
  *input = (RobocacheFlexibleInput) {.pad = pad };
}

void
robocache_flexible_input_clear (RobocacheFlexibleInput *input)
{
  set_caps (input, NULL, NULL);
  robocache_held_events_clear (&input->held);
  robocache_forget_refused_caps (input->pad);
}
