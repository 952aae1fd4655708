/* robocache: robocachefuse, many streams in, one aligned sample a tick out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
/**
 * SECTION:element-robocachefuse
 * @title: robocachefuse
 *
 * Aligns camera, proprioception and force streams with any rates and jitter to common ticks, and sends one buffer of tensors per tick. In
 * a live pipeline a tick leaves no later than its time plus the latency, with the rows that have arrived; otherwise the output depends
 * only on the input.
 *
 * |[
 * gst-launch-1.0 robocachefuse name=fuse rate=50/1 ! fakesink silent=false \
 *     videotestsrc is-live=true ! video/x-raw,format=RGB,width=640,height=480,framerate=30/1 ! fuse.camera_0 \
 *     robocachetestsrc kind=proprio is-live=true rate=100/1 ! fuse.proprio_0
 * ]|
 * |[
 * gst-launch-1.0 robocachefuse name=fuse rate=100/1 layout=concat ! filesink location=aligned.f32 \
 *     filesrc location=joints.csv ! robocacheparse ! fuse.proprio_0 \
 *     filesrc location=torque.csv ! robocacheparse ! fuse.force_0
 * ]|
 */
#include "gstrobocachefuse.h"

#include <string.h>

#include "common/element/linkadvice.h"
#include "common/element/propertytypes.h"
#include "common/element/fixedcapsquery.h"
#include "common/tensors/tensorcaps.h"
#include "common/tensors/tensormeta.h"
#include "debug.h"
#include "downstream.h"
#include "firsttickwait.h"
#include "flush.h"
#include "gst/fuse/checks/checks.h"
#include "gst/fuse/core/control.h"
#include "gst/fuse/core/ticklatency.h"
#include "gst/fuse/core/status.h"
#include "gst/fuse/input/cameraformats.h"
#include "gst/fuse/pads/padsettings.h"
#include "negotiation.h"
#include "padinput.h"
#include "properties.h"
#include "reports.h"
#include "settingsevent.h"
#include "sources.h"
#include "task.h"
#include "robocache/robocache.h"

GST_DEBUG_CATEGORY (gst_robocache_fuse_debug);

/* sink comes first: a tensor stream that is linked without a pad name gets it. */
static GstStaticPadTemplate sink_templates[] = {
  GST_STATIC_PAD_TEMPLATE ("sink_%u", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS (ROBOCACHE_TENSORS_TEMPLATE_CAPS)),
  GST_STATIC_PAD_TEMPLATE ("camera_%u", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS (FUSE_CAMERA_CAPS)),
  GST_STATIC_PAD_TEMPLATE ("proprio_%u", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS (ROBOCACHE_TENSORS_TEMPLATE_CAPS)),
  GST_STATIC_PAD_TEMPLATE ("force_%u", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS (ROBOCACHE_TENSORS_TEMPLATE_CAPS)),
};

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (ROBOCACHE_TENSORS_SRC_TEMPLATE_CAPS));

static void gst_robocache_fuse_child_proxy_init (gpointer iface, gpointer data);

G_DEFINE_TYPE_WITH_CODE (GstRobocacheFuse, gst_robocache_fuse, GST_TYPE_ELEMENT,
    G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY, gst_robocache_fuse_child_proxy_init)
    GST_DEBUG_CATEGORY_INIT (gst_robocache_fuse_debug, "robocachefuse", 0, "many streams, one aligned sample per tick"));
GST_ELEMENT_REGISTER_DEFINE (robocachefuse, "robocachefuse", GST_RANK_NONE, GST_TYPE_ROBOCACHE_FUSE);

/* ---- pads ---- */

/* Tells the core of a pad's settings. Called with the lock. */
static void
send_settings (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  FuseEvent settings, timestamps;

  gst_robocache_fuse_pad_get_settings (pad, &settings, &timestamps);
  fuse_core_event (fuse->core, pad->stream, &settings, NULL);
  fuse_core_event (fuse->core, pad->stream, &timestamps, NULL);
}

/* Sets the format of a declared stream. FALSE and an error: its caps are invalid. Called with the lock. */
static gboolean
declare (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GError **error)
{
  GError *failure = NULL;
  FuseEvent event;

  if (gst_robocache_fuse_pad_declare (pad, &event, &failure))
    fuse_core_event (fuse->core, pad->stream, &event, NULL);
  else if (failure)
    g_propagate_error (error, failure);
  return failure == NULL;
}

/* A pad that is requested while the element runs is declared when its property is set. */
static void
pad_settings_changed (GstElement *element, GstRobocacheFusePad *pad)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (element);
  GError *error = NULL;

  FUSE_LOCK (fuse);
  if (!pad->stream->is_removed)
    send_settings (fuse, pad);  /* the next row is judged by them */
  if (fuse->is_started && !pad->stream->is_removed) {
    declare (fuse, pad, &error);
    gst_robocache_fuse_note_settings (fuse);
  }
  FUSE_UNLOCK (fuse);
  if (error)
    gst_robocache_fuse_fail (fuse, pad, GST_FLOW_NOT_NEGOTIATED, error);
  gst_robocache_fuse_update_latency (fuse);
}

static const GstRobocacheFusePadCallbacks pad_callbacks = {
  .settings_changed = pad_settings_changed,
  .make_statistics = gst_robocache_fuse_make_pad_statistics,
};

/* The number after the highest one of a role; or -1 if wanted is one of them. */
static gint64
next_number (const GPtrArray *pads, GstRobocacheFuseRole role, gint64 wanted)
{
  gint64 next = 0;

  for (guint i = 0; i < pads->len; i++) {
    const GstRobocacheFusePad *pad = g_ptr_array_index (pads, i);

    if (pad->role == role && pad->number == wanted)
      return -1;
    if (pad->role == role)
      next = MAX (next, (gint64) pad->number + 1);
  }
  return next;
}

/* The number after the highest one, or the first free one where that is the last of all. */
static gint64
free_number (GstRobocacheFuse *fuse, GstRobocacheFuseRole role)
{
  gint64 number = MAX (next_number (fuse->pads, role, -1), next_number (fuse->leaving_pads, role, -1));

  if (number <= G_MAXUINT)
    return number;
  for (number = 0; next_number (fuse->pads, role, number) < 0 || next_number (fuse->leaving_pads, role, number) < 0;)
    number++;
  return number;
}

/* The number in a requested name like camera_3, or one that is free. -1: the name is no such name, or taken. Called with the lock, so that two
 * requests do not get one name. */
static gint64
pad_number (GstRobocacheFuse *fuse, GstRobocacheFuseRole role, const gchar *requested)
{
  GstRobocacheFuseRole role_of_name;
  guint wanted;

  if (requested == NULL || strchr (requested, '%'))
    return free_number (fuse, role);
  if (!gst_robocache_fuse_pad_parse_name (requested, &role_of_name, &wanted) || role_of_name != role
      || next_number (fuse->pads, role, wanted) < 0 || next_number (fuse->leaving_pads, role, wanted) < 0)
    return -1;
  return wanted;
}

/* Its place in the order of tensors. Called with the lock. */
static void
add_in_order (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  guint i = fuse->pads->len;

  while (i > 0 && gst_robocache_fuse_pad_compare (pad, gst_robocache_fuse_nth_pad (fuse, i - 1)) < 0)
    i--;
  g_ptr_array_insert (fuse->pads, (gint) i, gst_object_ref_sink (pad));
}

static gboolean
sink_activate_mode (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  robocache_forget_refused_caps (pad);
  if (parent)                   /* a pad that is requested while playing is activated before it has one */
    gst_robocache_fuse_activate_sink (GST_ROBOCACHE_FUSE (parent), GST_ROBOCACHE_FUSE_PAD (pad), active);
  return TRUE;
}

static GstRobocacheFuseRole
role_of (const GstPadTemplate *pad_template)
{
  GstRobocacheFuseRole role = 0;

  while (!g_str_has_prefix (GST_PAD_TEMPLATE_NAME_TEMPLATE (pad_template), gst_robocache_fuse_role_names[role]))
    role++;
  return role;
}

/* A new pad among those of the element, not yet added to it. NULL: it cannot have that name. Called with the lock. */
static GstRobocacheFusePad *
make_pad (GstRobocacheFuse *fuse, GstPadTemplate *pad_template, const gchar *name)
{
  const GstRobocacheFuseRole role = role_of (pad_template);
  const gint64 number = pad_number (fuse, role, name);
  GstRobocacheFusePad *pad;

  if (number < 0)
    return NULL;
  pad = gst_robocache_fuse_pad_new (pad_template, role, (guint) number, &pad_callbacks);
  gst_pad_set_chain_function (GST_PAD (pad), gst_robocache_fuse_sink_chain);
  gst_pad_set_event_function (GST_PAD (pad), gst_robocache_fuse_sink_event);
  gst_pad_set_query_function (GST_PAD (pad), gst_robocache_fuse_sink_query);
  gst_pad_set_activatemode_function (GST_PAD (pad), sink_activate_mode);
  pad->flow = fuse->ended;
  gst_robocache_fuse_apply_pad_settings (fuse, pad);
  fuse_core_add_stream (fuse->core, pad->stream);
  send_settings (fuse, pad);
  add_in_order (fuse, pad);
  gst_robocache_fuse_count_expected_pads (fuse);
  return pad;
}

/* gst_robocache_fuse_request_new_pad cannot make a pad of that name. */
static void
warn_of_name (GstRobocacheFuse *fuse, GstPadTemplate *pad_template, const gchar *name)
{
  const gchar *of_template = GST_PAD_TEMPLATE_NAME_TEMPLATE (pad_template);
  GstPad *taken = gst_element_get_static_pad (GST_ELEMENT (fuse), name);

  if (taken)
    GST_ELEMENT_WARNING (fuse, CORE, PAD, ("the pad %s is in use: release it, or request %s for the next free number", name, of_template),
        (NULL));
  else
    GST_ELEMENT_WARNING (fuse, CORE, PAD, ("\"%s\" is not a pad name of %s: sink pads are camera_%%u, proprio_%%u, force_%%u and sink_%%u, "
            "with a number for %%u", name, of_template), (NULL));
  gst_clear_object (&taken);
}

/* Called with the lock. */
static void
remove_stream (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, FuseReports *reports)
{
  gst_robocache_fuse_count_thinned (fuse, pad);
  fuse_core_remove_stream (fuse->core, pad->stream, &reports->notes);
  gst_robocache_fuse_collect_reports (fuse, reports);
  g_ptr_array_add (fuse->leaving_pads, gst_object_ref (pad));
  g_ptr_array_remove (fuse->pads, pad);
  gst_robocache_fuse_look_for_failure (fuse);
  gst_robocache_fuse_note_settings (fuse);
  g_cond_broadcast (&fuse->progress);
}

/* The element does not have the pad any more: its name is free. */
static void
free_name (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  FUSE_LOCK (fuse);
  g_ptr_array_remove (fuse->leaving_pads, pad);
  FUSE_UNLOCK (fuse);
}

/* The element did not accept a new pad: an application itself added a pad of that name. */
static void
forget_pad (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  FuseReports reports = FUSE_REPORTS_INIT;

  gst_object_ref (pad);
  FUSE_LOCK (fuse);
  remove_stream (fuse, pad, &reports);
  FUSE_UNLOCK (fuse);
  g_queue_clear_full (&reports.messages, (GDestroyNotify) gst_message_unref);
  gst_pad_set_active (GST_PAD (pad), FALSE);
  free_name (fuse, pad);
  gst_object_unref (pad);
}

static GstPad *
gst_robocache_fuse_request_new_pad (GstElement *element, GstPadTemplate *pad_template, const gchar *name, const GstCaps *caps)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (element);
  GstRobocacheFusePad *pad;

  FUSE_LOCK (fuse);
  pad = make_pad (fuse, pad_template, name);
  FUSE_UNLOCK (fuse);
  if (pad == NULL) {
    warn_of_name (fuse, pad_template, name);
    return NULL;
  }
  if (GST_STATE (fuse) > GST_STATE_READY || GST_STATE_TARGET (fuse) > GST_STATE_READY)
    gst_pad_set_active (GST_PAD (pad), TRUE);
  if (!gst_element_add_pad (element, GST_PAD (pad))) {
    forget_pad (fuse, pad);
    return NULL;
  }
  pad_settings_changed (element, pad);  /* it may be declared already */
  gst_robocache_fuse_check_late_pad (fuse, pad);
  gst_child_proxy_child_added (GST_CHILD_PROXY (element), G_OBJECT (pad), GST_OBJECT_NAME (pad));
  gst_robocache_fuse_excuse_from_flush (fuse, pad);
  gst_robocache_fuse_watch_new_pad (fuse);
  return GST_PAD (pad);
}

static void
gst_robocache_fuse_release_pad (GstElement *element, GstPad *gstpad)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (element);
  GstRobocacheFusePad *pad = GST_ROBOCACHE_FUSE_PAD (gstpad);
  FuseReports reports = FUSE_REPORTS_INIT;

  gst_object_ref (pad);
  gst_child_proxy_child_removed (GST_CHILD_PROXY (element), G_OBJECT (pad), GST_OBJECT_NAME (pad));
  FUSE_LOCK (fuse);
  remove_stream (fuse, pad, &reports);
  FUSE_UNLOCK (fuse);

  gst_robocache_fuse_excuse_from_flush (fuse, pad);
  if (GST_STATE (fuse) > GST_STATE_READY)
    gst_robocache_fuse_post_reports (fuse, &reports);
  g_queue_clear_full (&reports.messages, (GDestroyNotify) gst_message_unref);
  gst_pad_set_active (gstpad, FALSE);
  gst_robocache_fuse_end_thinning (fuse, pad);  /* its streaming thread has ended */
  gst_element_remove_pad (element, gstpad);
  free_name (fuse, pad);
  gst_object_unref (pad);
  gst_robocache_fuse_update_latency (fuse);
}

static GObject *
gst_robocache_fuse_child_by_index (GstChildProxy *proxy, guint index)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (proxy);
  GObject *child = NULL;

  FUSE_LOCK (fuse);
  if (index < fuse->pads->len)
    child = g_object_ref (g_ptr_array_index (fuse->pads, index));
  FUSE_UNLOCK (fuse);
  return child;
}

static guint
gst_robocache_fuse_children_count (GstChildProxy *proxy)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (proxy);
  guint n;

  FUSE_LOCK (fuse);
  n = fuse->pads->len;
  FUSE_UNLOCK (fuse);
  return n;
}

static void
gst_robocache_fuse_child_proxy_init (gpointer iface, gpointer data)
{
  GstChildProxyInterface *proxy = iface;

  proxy->get_child_by_index = gst_robocache_fuse_child_by_index;
  proxy->get_children_count = gst_robocache_fuse_children_count;
}

/* ---- downstream's events and queries ---- */

static gboolean
src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEEK:
      return gst_robocache_fuse_seek (GST_ROBOCACHE_FUSE (parent), event);
    case GST_EVENT_NAVIGATION:
      gst_event_unref (event);
      return FALSE;
    default:
      return gst_pad_event_default (pad, parent, event);
  }
}

static gboolean
gst_robocache_fuse_send_event (GstElement *element, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
    return gst_robocache_fuse_seek (GST_ROBOCACHE_FUSE (element), event);
  return GST_ELEMENT_CLASS (gst_robocache_fuse_parent_class)->send_event (element, event);
}

/* The last tick. */
static gboolean
answer_position (GstRobocacheFuse *fuse, GstQuery *query)
{
  GstClockTime position;
  GstFormat format;

  gst_query_parse_position (query, &format, NULL);
  if (format != GST_FORMAT_TIME)
    return FALSE;
  FUSE_LOCK (fuse);
  position = gst_segment_to_stream_time (&fuse->segment, GST_FORMAT_TIME, fuse->segment.position);
  FUSE_UNLOCK (fuse);
  if (!GST_CLOCK_TIME_IS_VALID (position))
    return FALSE;
  gst_query_set_position (query, format, (gint64) position);
  return TRUE;
}

/* Running time at which a source ends; GST_CLOCK_TIME_NONE: unknown. */
static GstClockTime
end_of_source (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  GstClockTime end = GST_CLOCK_TIME_NONE, position;
  const GstSegment *segment;
  gint64 duration;

  if (!gst_pad_peer_query_duration (GST_PAD (pad), GST_FORMAT_TIME, &duration) || duration < 0)
    return end;
  FUSE_LOCK (fuse);
  segment = &pad->reader.clock.segment;
  if (segment->format == GST_FORMAT_TIME) {
    position = gst_segment_position_from_stream_time (segment, GST_FORMAT_TIME, (guint64) duration);
    end = gst_segment_to_running_time (segment, GST_FORMAT_TIME, position);
  } else {
    end = (GstClockTime) duration;
  }
  if (GST_CLOCK_TIME_IS_VALID (end))
    end = (GstClockTime) MAX (rc_add_saturating (fuse_time_of_clock (end), pad->stream->origin_shift - pad->stream->sought_by), 0);
  FUSE_UNLOCK (fuse);
  return end;
}

/* The maximum of the sources' in running time; unknown where one of them is. */
static gboolean
answer_duration (GstRobocacheFuse *fuse, GstQuery *query)
{
  GPtrArray *pads = gst_robocache_fuse_ref_pads (fuse);
  GstClockTime longest = 0, end;
  gboolean known = FALSE;
  GstFormat format;

  gst_query_parse_duration (query, &format, NULL);
  for (guint i = 0; i < pads->len; i++) {
    if (!gst_pad_is_linked (g_ptr_array_index (pads, i)))
      continue;
    end = end_of_source (fuse, g_ptr_array_index (pads, i));
    known = GST_CLOCK_TIME_IS_VALID (end);
    if (!known)
      break;
    longest = MAX (longest, end);
  }
  g_ptr_array_unref (pads);
  if (!known || format != GST_FORMAT_TIME)
    return FALSE;
  gst_query_set_duration (query, format, (gint64) longest);
  return TRUE;
}

static gboolean
answer_seeking (GstRobocacheFuse *fuse, GstQuery *query)
{
  const gboolean seekable = gst_robocache_fuse_sources_seek (fuse);
  gint64 duration = -1;
  GstFormat format;
  GstQuery *length;

  gst_query_parse_seeking (query, &format, NULL, NULL, NULL);
  if (format != GST_FORMAT_TIME)
    return FALSE;
  length = gst_query_new_duration (GST_FORMAT_TIME);
  if (seekable && answer_duration (fuse, length))
    gst_query_parse_duration (length, NULL, &duration);
  gst_query_unref (length);
  gst_query_set_seeking (query, format, seekable, 0, duration);
  return TRUE;
}

static gboolean
src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (parent);

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_LATENCY:
      return gst_robocache_fuse_answer_latency (fuse, query);
    case GST_QUERY_POSITION:
      return answer_position (fuse, query);
    case GST_QUERY_DURATION:
      return answer_duration (fuse, query);
    case GST_QUERY_SEEKING:
      return answer_seeking (fuse, query);
    default:
      return robocache_device_answer_context (fuse->device, GST_ELEMENT (fuse), query)
          || robocache_fixed_caps_query (pad, parent, query);
  }
}

static gboolean
src_activate_mode (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  gst_robocache_fuse_activate_src (GST_ROBOCACHE_FUSE (parent), active);
  return TRUE;
}

/* ---- states ---- */

/* FALSE: the settings contradict each other, and an error is posted. */
static gboolean
check_settings (GstRobocacheFuse *fuse)
{
  gboolean both, lacks_meta;

  GST_OBJECT_LOCK (fuse);
  both = fuse->settings.rate.num > 0 && fuse->settings.reference;
  lacks_meta = fuse->settings.output.has_tensor_meta && !robocache_tensor_meta_is_available ();
  GST_OBJECT_UNLOCK (fuse);
  if (both)
    GST_ELEMENT_ERROR (fuse, LIBRARY, SETTINGS, ("rate and reference-pad are both set: unset one of them"), (NULL));
  else if (lacks_meta)
    GST_ELEMENT_ERROR (fuse, LIBRARY, SETTINGS, ("tensor-meta=true needs a plugin built with gstreamer-analytics-1.0 of GStreamer "
        "1.26 or later: set tensor-meta=false"), (NULL));
  return !both && !lacks_meta;
}

/* FALSE: settings of pads cannot be read, and an error is posted. */
static gboolean
start_pad_settings (GstRobocacheFuse *fuse)
{
  GError *error = NULL;

  if (gst_robocache_fuse_start_pad_settings (fuse, &error))
    return TRUE;
  gst_robocache_fuse_post_failure (fuse, NULL, error);
  return FALSE;
}

/* Called with the lock. */
static void
start_core (GstRobocacheFuse *fuse)
{
  GST_OBJECT_LOCK (fuse);
  fuse_core_start (fuse->core, &fuse->settings);
  GST_OBJECT_UNLOCK (fuse);
}

/* FALSE: the expected caps of a pad are invalid, and an error was posted. */
static gboolean
start_streams (GstRobocacheFuse *fuse)
{
  GError *error = NULL;
  GstRobocacheFusePad *wrong = NULL;

  FUSE_LOCK (fuse);
  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);

    gst_robocache_fuse_pad_reset (pad);
    if (wrong == NULL && !declare (fuse, pad, &error))
      wrong = gst_object_ref (pad);
  }
  FUSE_UNLOCK (fuse);
  if (wrong)
    gst_robocache_fuse_post_failure (fuse, wrong, error);
  gst_clear_object (&wrong);
  return error == NULL;
}

static gboolean
has_cameras (GstRobocacheFuse *fuse)
{
  gboolean found = FALSE;

  FUSE_LOCK (fuse);
  for (guint i = 0; !found && i < fuse->pads->len; i++)
    found = gst_robocache_fuse_nth_pad (fuse, i)->role == GST_ROBOCACHE_FUSE_CAMERA;
  FUSE_UNLOCK (fuse);
  return found;
}

gboolean
gst_robocache_fuse_start (GstRobocacheFuse *fuse)
{
  if (!start_pad_settings (fuse) || !check_settings (fuse) || !robocache_device_open (fuse->device, GST_ELEMENT (fuse)))
    return FALSE;
  FUSE_LOCK (fuse);
  start_core (fuse);
  gst_robocache_fuse_begin_downstream (fuse);
  gst_robocache_fuse_begin_streams (fuse);
  gst_robocache_fuse_reset_stats_timer (fuse);
  fuse->watch_is_over = FALSE;
  fuse->no_pad_is_reported = fuse->expected_pads_are_reported = fuse->unused_settings_are_reported = FALSE;
  FUSE_UNLOCK (fuse);
  if (start_streams (fuse)) {
    gst_robocache_fuse_expect_pads (fuse);
    FUSE_LOCK (fuse);
    fuse->is_started = TRUE;
    FUSE_UNLOCK (fuse);
    gst_robocache_fuse_update_latency (fuse);
    if (has_cameras (fuse))
      robocache_device_announce_context (fuse->device, GST_ELEMENT (fuse));
    return TRUE;
  }
  robocache_device_close (fuse->device, GST_ELEMENT (fuse));
  return FALSE;
}

void
gst_robocache_fuse_stop (GstRobocacheFuse *fuse)
{
  gst_robocache_fuse_expect_no_pads (fuse);
  gst_robocache_fuse_drop_composition (fuse);
  FUSE_LOCK (fuse);
  fuse->is_started = FALSE;
  for (guint i = 0; i < fuse->pads->len; i++)
    gst_robocache_fuse_count_thinned (fuse, gst_robocache_fuse_nth_pad (fuse, i));
  fuse_core_stop (fuse->core);
  gst_robocache_fuse_release_events (fuse);
  FUSE_UNLOCK (fuse);
  robocache_device_close (fuse->device, GST_ELEMENT (fuse));
}

/* Live, ticks leave in PLAYING alone: in PAUSED running time stands still. */
static void
set_playing (GstRobocacheFuse *fuse, gboolean playing)
{
  const gint64 base_time = fuse_time_of_clock (gst_element_get_base_time (GST_ELEMENT (fuse)));

  FUSE_LOCK (fuse);
  if (playing)
    fuse_core_play (fuse->core, base_time);
  else
    fuse_core_pause (fuse->core, base_time);
  FUSE_UNLOCK (fuse);
}

static GstStateChangeReturn
gst_robocache_fuse_change_state (GstElement *element, GstStateChange transition)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (element);
  GstStateChangeReturn changed;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !gst_robocache_fuse_start (fuse))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED) {
    gst_robocache_fuse_end_watch (fuse);
    set_playing (fuse, FALSE);
  }
  changed = GST_ELEMENT_CLASS (gst_robocache_fuse_parent_class)->change_state (element, transition);
  if (changed == GST_STATE_CHANGE_FAILURE && transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    gst_pad_set_active (fuse->src, FALSE);
    gst_robocache_fuse_stop (fuse);
  }
  if (changed == GST_STATE_CHANGE_FAILURE)
    return changed;
  switch (transition) {
    case GST_STATE_CHANGE_PAUSED_TO_PLAYING:
      set_playing (fuse, TRUE);
      gst_robocache_fuse_begin_watch (fuse);
      break;
    case GST_STATE_CHANGE_PAUSED_TO_READY:
      gst_robocache_fuse_end_watch (fuse);
      gst_robocache_fuse_stop (fuse);
      break;
    case GST_STATE_CHANGE_READY_TO_PAUSED:
      gst_robocache_fuse_begin_watch (fuse);
      /* fall through */
    case GST_STATE_CHANGE_PLAYING_TO_PAUSED:
      FUSE_LOCK (fuse);
      if (fuse_core_is_live (fuse->core))
        changed = GST_STATE_CHANGE_NO_PREROLL;
      FUSE_UNLOCK (fuse);
      break;
    default:
      break;
  }
  return changed;
}

/* ---- life ---- */

static void
gst_robocache_fuse_finalize (GObject *object)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (object);

  g_ptr_array_unref (fuse->pads);
  g_ptr_array_unref (fuse->leaving_pads);
  fuse_core_free (fuse->core);
  g_ptr_array_unref (fuse->released);
  gst_robocache_fuse_clear_properties (fuse);
  gst_robocache_fuse_clear_pad_settings (fuse);
  g_cond_clear (&fuse->progress);
  g_cond_clear (&fuse->work);
  g_mutex_clear (&fuse->lock);
  g_rec_mutex_clear (&fuse->flush_lock);
  G_OBJECT_CLASS (gst_robocache_fuse_parent_class)->finalize (object);
}

/* Pads that were never released go with the element. */
static void
gst_robocache_fuse_dispose (GObject *object)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (object);
  GQueue notes = G_QUEUE_INIT;

  FUSE_LOCK (fuse);
  for (guint i = 0; i < fuse->pads->len; i++)
    fuse_core_remove_stream (fuse->core, gst_robocache_fuse_nth_pad (fuse, i)->stream, &notes);
  g_ptr_array_set_size (fuse->pads, 0);
  FUSE_UNLOCK (fuse);
  g_queue_clear_full (&notes, (GDestroyNotify) fuse_note_free);
  G_OBJECT_CLASS (gst_robocache_fuse_parent_class)->dispose (object);
}

static void
gst_robocache_fuse_class_init (GstRobocacheFuseClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = gst_robocache_fuse_set_property;
  object_class->get_property = gst_robocache_fuse_get_property;
  object_class->dispose = gst_robocache_fuse_dispose;
  object_class->finalize = gst_robocache_fuse_finalize;
  gst_robocache_fuse_install_properties (object_class);

  element_class->request_new_pad = gst_robocache_fuse_request_new_pad;
  element_class->release_pad = gst_robocache_fuse_release_pad;
  element_class->send_event = gst_robocache_fuse_send_event;
  element_class->change_state = gst_robocache_fuse_change_state;
  for (guint i = 0; i < G_N_ELEMENTS (sink_templates); i++)
    robocache_add_pad_template (element_class, &sink_templates[i],
        g_str_has_prefix (sink_templates[i].name_template, "camera") ? GST_TYPE_ROBOCACHE_FUSE_CAMERA_PAD
        : GST_TYPE_ROBOCACHE_FUSE_PAD);
  robocache_add_pad_template (element_class, &src_template, GST_TYPE_PAD);
  gst_element_class_set_static_metadata (element_class, "Robot sensor fusion", "Mixer/Tensor",
      "Aligns many sensor streams in time: one sample per tick", "The robocache authors");

  robocache_sample_meta_register ();
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_INTERPOLATION, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_ROBOCACHE_FUSE_PAD, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_ROBOCACHE_FUSE_CAMERA_PAD, 0);
}

G_STATIC_ASSERT ((gint) FUSE_LOG_WARNING == (gint) GST_LEVEL_WARNING && (gint) FUSE_LOG_INFO == (gint) GST_LEVEL_INFO
    && (gint) FUSE_LOG_DEBUG == (gint) GST_LEVEL_DEBUG && (gint) FUSE_LOG_LOG == (gint) GST_LEVEL_LOG);

/* A line of the core, on the pad that it is about. Called with the lock. */
static void
write_log (gpointer fuse, FuseLogLevel level, const gchar *file, const gchar *function, gint line, gconstpointer of, const gchar *format, ...)
{
  GstRobocacheFusePad *pad = of ? gst_robocache_fuse_pad_of_stream (fuse, of) : NULL;
  va_list args;

  va_start (args, format);
  gst_debug_log_valist (gst_robocache_fuse_debug, (GstDebugLevel) level, file, function, line, pad ? (gpointer) pad : fuse, format, args);
  va_end (args);
}

static void
gst_robocache_fuse_init (GstRobocacheFuse *fuse)
{
  const FuseLog log = { &gst_robocache_fuse_debug->threshold, write_log, fuse };

  g_mutex_init (&fuse->lock);
  g_cond_init (&fuse->work);
  g_cond_init (&fuse->progress);
  g_rec_mutex_init (&fuse->flush_lock);
  g_queue_init (&fuse->events);
  fuse->pads = g_ptr_array_new_with_free_func (gst_object_unref);
  fuse->leaving_pads = g_ptr_array_new_with_free_func (gst_object_unref);
  fuse->released = gst_robocache_fuse_released_new ();
  fuse->core = fuse_core_new (fuse->released, &log);
  gst_robocache_fuse_init_properties (fuse);
  fuse_core_set_settings (fuse->core, &fuse->settings);
  fuse_core_update_latency (fuse->core);
  fuse->flushing = TRUE;
  gst_robocache_fuse_begin_downstream (fuse);
  gst_robocache_fuse_reset_stats_timer (fuse);

  fuse->src = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_event_function (fuse->src, src_event);
  gst_pad_set_query_function (fuse->src, src_query);
  gst_pad_set_activatemode_function (fuse->src, src_activate_mode);
  gst_pad_use_fixed_caps (fuse->src);
  gst_element_add_pad (GST_ELEMENT (fuse), fuse->src);
}
