/* robocache: flexible tensors on the sink pads of elements that know static ones
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "flexibleinput.h"

#include <string.h>

#include "common/element/heldevents.h"
#include "flexible.h"
#include "memorycaps.h"

/* Of a pad: its chaindata. Used under its stream lock. */
typedef struct
{
  GstPadChainFunction chain;
  GstPadEventFunction event;
  GstPadQueryFunction query;
  RobocacheFailPad fail;

  GstCaps *caps;                /* flexible ones that came last; NULL: static ones did */
  RobocacheTensorsInfo info;    /* of the last buffer */
  gboolean has_sent;            /* the pad has the caps of info */
  gboolean is_sending;
  gchar *posted;                /* the last error; NULL: none since good caps */
  RobocacheHeldEvents held;     /* until the first buffer */
} FlexibleInput;

static gboolean
are_for_us (const GstCaps *caps)
{
  return robocache_caps_are_flexible (caps) && !robocache_caps_on_device (caps);
}

static void
report (GstPad *sink, FlexibleInput *input, GError *error)
{
  GstElement *element = gst_pad_get_parent_element (sink);

  if (input->fail) {
    input->fail (sink, error);
  } else {
    robocache_post_error_once (element, error, &input->posted);
    g_error_free (error);
  }
  gst_clear_object (&element);
}

/* ---- events ---- */

static gboolean
release (GstPad *sink, GstObject *parent, FlexibleInput *input)
{
  gboolean is_handled = TRUE;
  GstEvent *event;

  while ((event = robocache_held_events_release (&input->held)))
    is_handled &= input->event (sink, parent, event);
  return is_handled;
}

/* Static caps follow with the first buffer. */
static gboolean
expect_buffer (GstPad *sink, FlexibleInput *input, GstCaps *caps)
{
  GError *error = NULL;

  memset (&input->info, 0, sizeof (input->info));
  input->has_sent = FALSE;
  gst_caps_replace (&input->caps, caps);
  robocache_held_events_begin (&input->held);
  if (robocache_framerate_parse (gst_caps_get_structure (caps, 0), &input->info.rate_num, &input->info.rate_den, &error))
    return TRUE;
  report (sink, input, error);
  return FALSE;
}

static gboolean
handle_caps (GstPad *sink, GstObject *parent, FlexibleInput *input, GstEvent *event)
{
  gboolean is_handled;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (input->is_sending || !are_for_us (caps)) {
    if (!input->is_sending)
      gst_clear_caps (&input->caps);
    is_handled = input->event (sink, parent, event);
    return release (sink, parent, input) && is_handled;
  }
  is_handled = expect_buffer (sink, input, caps);
  gst_event_unref (event);
  return is_handled;
}

static gboolean
handle_event (GstPad *sink, GstObject *parent, GstEvent *event)
{
  FlexibleInput *input = sink->chaindata;

  if (robocache_held_events_take (&input->held, event))
    return TRUE;
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS)
    return handle_caps (sink, parent, input, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    release (sink, parent, input);
  /* a pad that was stopped has lost its caps */
  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START && !gst_pad_has_current_caps (sink))
    gst_clear_caps (&input->caps);
  return input->event (sink, parent, event);
}

/* ---- buffers ---- */

/* The core keeps them as the pad's caps, and elements find them there. */
static gboolean
send_caps (GstPad *sink, FlexibleInput *input)
{
  GstCaps *caps = robocache_flexible_caps_to_static (input->caps, &input->info);

  input->is_sending = TRUE;
  input->has_sent = gst_pad_send_event (sink, gst_event_new_caps (caps));
  if (input->has_sent)
    g_clear_pointer (&input->posted, g_free);
  input->is_sending = FALSE;
  gst_caps_unref (caps);
  return input->has_sent;
}

static GstFlowReturn
handle_buffer (GstPad *sink, GstObject *parent, GstBuffer *buffer)
{
  FlexibleInput *input = sink->chaindata;
  RobocacheTensorsInfo info = input->info;
  GError *error = NULL;
  GstBuffer *tensors;

  if (input->caps == NULL)
    return input->chain (sink, parent, buffer);
  tensors = robocache_flexible_strip (buffer, &info, &error);
  gst_buffer_unref (buffer);
  if (tensors == NULL) {
    report (sink, input, error);
    return GST_FLOW_ERROR;
  }
  if (!input->has_sent || memcmp (&info, &input->info, sizeof (info)) != 0) {
    input->info = info;
    if (!send_caps (sink, input)) {
      gst_buffer_unref (tensors);
      return GST_PAD_IS_FLUSHING (sink) ? GST_FLOW_FLUSHING : GST_FLOW_NOT_NEGOTIATED;
    }
  }
  return input->chain (sink, parent, tensors);
}

/* ---- queries ---- */

/* Where the pad accepts static tensors, it accepts flexible ones as well. */
static void
add_flexible (GstQuery *query)
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

static gboolean
handle_query (GstPad *sink, GstObject *parent, GstQuery *query)
{
  const FlexibleInput *input = sink->chaindata;
  gboolean is_answered;
  GstCaps *caps;

  /* the element would negotiate for it, before it has caps; and buffers have headers */
  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION && input->caps)
    return FALSE;
  if (GST_QUERY_TYPE (query) == GST_QUERY_ACCEPT_CAPS) {
    gst_query_parse_accept_caps (query, &caps);
    if (are_for_us (caps)) {
      gst_query_set_accept_caps_result (query, TRUE);
      return TRUE;
    }
  }
  is_answered = input->query (sink, parent, query);
  if (is_answered && GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
    add_flexible (query);
  return is_answered;
}

/* ---- life ---- */

static void
free_input (gpointer data)
{
  FlexibleInput *input = data;

  gst_clear_caps (&input->caps);
  robocache_held_events_clear (&input->held);
  g_free (input->posted);
  g_free (input);
}

void
robocache_accept_flexible (GstPad *sink, RobocacheFailPad fail)
{
  FlexibleInput *input = g_new0 (FlexibleInput, 1);

  input->chain = GST_PAD_CHAINFUNC (sink);
  input->event = GST_PAD_EVENTFUNC (sink);
  input->query = GST_PAD_QUERYFUNC (sink);
  input->fail = fail;
  gst_pad_set_chain_function_full (sink, handle_buffer, input, free_input);
  gst_pad_set_event_function (sink, handle_event);
  gst_pad_set_query_function (sink, handle_query);
}
