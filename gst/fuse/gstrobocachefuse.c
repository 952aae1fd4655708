/* robocache: robocachefuse, many streams in, one aligned sample a tick out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
/**
 * SECTION:element-robocachefuse
 * @title: robocachefuse
 *
 * Brings camera, proprioception and force streams onto common ticks, whatever their rates and jitter, and hands out one
 * buffer of tensors a tick. In a live pipeline a tick leaves no later than its time plus the latency, with whatever is
 * there; otherwise the output is a function of the input alone.
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

#include "common/tensors/cudaframe.h"
#include "common/element/errors.h"
#include "common/element/properties.h"
#include "common/tensors/tensorcaps.h"

GST_DEBUG_CATEGORY (gst_robocache_fuse_debug);
#define GST_CAT_DEFAULT gst_robocache_fuse_debug

#define DEFAULT_WINDOW 1
#define MAX_WINDOW 4096
#define DEFAULT_LAYOUT GST_ROBOCACHE_FUSE_LAYOUT_TENSORS
#define DEFAULT_INFO GST_ROBOCACHE_FUSE_INFO_NONE
#define DEFAULT_QOS_MESSAGES TRUE
#define DEFAULT_LATENCY (5 * GST_MSECOND)

enum
{
  PROP_0,
  PROP_RATE,
  PROP_REFERENCE_PAD,
  PROP_WINDOW,
  PROP_LAYOUT,
  PROP_INFO,
  PROP_TYPE,
  PROP_STATS,
  PROP_STATS_INTERVAL,
  PROP_QOS_MESSAGES,
  PROP_BUSY_WAIT,
  PROP_DEVICE
};

#define FRAME_FIELDS "format = (string) { RGB, BGR, RGBA, GRAY8, GRAY16_LE }, width = (int) [ 1, MAX ], " \
    "height = (int) [ 1, MAX ], framerate = (fraction) [ 0, MAX ]"
#define CAMERA_CAPS "video/x-raw, " FRAME_FIELDS "; video/x-raw(" ROBOCACHE_CAPS_FEATURE_CUDA_FRAMES "), " FRAME_FIELDS

/* sink comes first: a tensor stream that is linked without a pad name gets it. */
static GstStaticPadTemplate sink_templates[] = {
  GST_STATIC_PAD_TEMPLATE ("sink_%u", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS (ROBOCACHE_TENSORS_TEMPLATE_CAPS)),
  GST_STATIC_PAD_TEMPLATE ("camera_%u", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS (CAMERA_CAPS)),
  GST_STATIC_PAD_TEMPLATE ("proprio_%u", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS (ROBOCACHE_TENSORS_TEMPLATE_CAPS)),
  GST_STATIC_PAD_TEMPLATE ("force_%u", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS (ROBOCACHE_TENSORS_TEMPLATE_CAPS)),
};

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (ROBOCACHE_TENSORS_TEMPLATE_CAPS));

static void gst_robocache_fuse_child_proxy_init (gpointer iface, gpointer data);

G_DEFINE_FINAL_TYPE_WITH_CODE (GstRobocacheFuse, gst_robocache_fuse, GST_TYPE_AGGREGATOR,
    G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY, gst_robocache_fuse_child_proxy_init)
    GST_DEBUG_CATEGORY_INIT (gst_robocache_fuse_debug, "robocachefuse", 0, "many streams, one aligned sample a tick"));
GST_ELEMENT_REGISTER_DEFINE (robocachefuse, "robocachefuse", GST_RANK_NONE, GST_TYPE_ROBOCACHE_FUSE);

/* ---- failures ---- */

gboolean
gst_robocache_fuse_end_streams (GstRobocacheFuse *fuse, GstFlowReturn flow)
{
  gboolean failed = FALSE;

  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = g_ptr_array_index (fuse->pads, i);

    failed |= pad->flow <= GST_FLOW_NOT_NEGOTIATED;
    if (pad->flow > GST_FLOW_NOT_NEGOTIATED)
      pad->flow = flow;
  }
  fuse->failed |= flow <= GST_FLOW_NOT_NEGOTIATED;
  g_cond_broadcast (&fuse->progress);
  return !failed;
}

/* Called with the lock, when a pad is well again or gone. */
static void
look_for_failure (GstRobocacheFuse *fuse)
{
  fuse->failed = FALSE;
  for (guint i = 0; i < fuse->pads->len; i++)
    fuse->failed |= ((GstRobocacheFusePad *) g_ptr_array_index (fuse->pads, i))->flow <= GST_FLOW_NOT_NEGOTIATED;
}

void
gst_robocache_fuse_post_failure (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GError *error)
{
  const GstSegment *segment = &GST_AGGREGATOR_PAD (fuse->parent.srcpad)->segment;
  gchar *name = gst_object_get_name (pad ? GST_OBJECT (pad) : GST_OBJECT (fuse));
  GstClockTime position;

  GST_OBJECT_LOCK (fuse);
  position = segment->format == GST_FORMAT_TIME ? gst_segment_to_stream_time (segment, GST_FORMAT_TIME, segment->position)
      : GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (fuse);
  robocache_post_error_at (GST_ELEMENT (fuse), name, error, position);
  g_free (name);
  g_error_free (error);
}

/* ---- ticks out ---- */

static GstClockTime
gst_robocache_fuse_get_next_time (GstAggregator *agg)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (agg);
  GstClockTime next = GST_CLOCK_TIME_NONE;
  gint64 tick;

  FUSE_LOCK (fuse);
  if (gst_robocache_fuse_next_tick (fuse, &tick)) {
    fuse->deadline_tick = tick;
    next = MAX (tick, 0);
  }
  FUSE_UNLOCK (fuse);
  return next;
}

/* Called with the lock. Lets pads move on to the rows and settings that hold at tick. FALSE: a required one has no caps. */
static gboolean
enter_tick (GstRobocacheFuse *fuse, gint64 tick)
{
  gboolean all_required = TRUE;

  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = g_ptr_array_index (fuse->pads, i);

    if (gst_robocache_fuse_pad_enter_epoch (pad, tick))
      fuse->composition_changed = TRUE;
    if (pad->active.required && gst_robocache_fuse_pad_epoch (pad) == NULL)
      all_required = FALSE;
  }
  return all_required;
}

/* How long after the tick it is; 0 when nothing says. */
static gint64
measure_lag (GstRobocacheFuse *fuse, gint64 tick, GstClockTime latency)
{
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (fuse));
  GstClockTimeDiff lag;

  if (clock == NULL)
    return 0;
  lag = GST_CLOCK_DIFF (gst_element_get_base_time (GST_ELEMENT (fuse)) + tick, gst_clock_get_time (clock));
  robocache_histogram_add (&fuse->lag, lag);
  robocache_histogram_add (&fuse->lateness, rc_add_saturating (lag, -(gint64) MIN (latency, G_MAXINT64)));
  gst_object_unref (clock);
  return lag;
}

/* What leaves the element after a tick. */
typedef struct
{
  GstBuffer *sample;            /* or NULL for a tick that is dropped */
  gint64 tick, index;           /* index: of the grid */
  GstClockTime duration;
  gboolean discont;
  gboolean gap;                 /* a dropped tick that downstream is told of */
  GstStructure *stats;          /* of an element message, or NULL */
  GQueue messages;              /* about rows and ticks that were dropped */
  RobocacheEngine *unfinished;  /* still computes the sample; or NULL */
  gboolean withdrawn;           /* the streams went while downstream was asked: the tick is none */
} Departure;

/* Called with the lock. The tick is over: counts it, and lets go of rows that no later one needs. */
static void
leave_tick (GstRobocacheFuse *fuse, Departure *departure, GstClockTime latency)
{
  const RobocacheTickGrid grid = gst_robocache_fuse_grid (fuse);
  const gint64 tick = departure->tick;
  const gint64 lag = fuse->live ? measure_lag (fuse, tick, latency) : 0;
  gint64 next = rc_add_saturating (tick, 1);

  fuse->ticking = TRUE;
  fuse->last_tick = tick;
  if (grid.num > 0)
    next = robocache_tick_time (&grid, fuse->next_index = rc_add_saturating (departure->index, 1));
  if (departure->sample) {
    fuse->ticks_out++;
  } else {
    fuse->ticks_dropped++;
    gst_robocache_fuse_collect_qos_of_tick (fuse, tick, departure->duration, lag, &departure->messages);
  }
  gst_robocache_fuse_sync_period (fuse);
  for (guint i = 0; i < fuse->pads->len; i++)
    gst_robocache_fuse_pad_prune (g_ptr_array_index (fuse->pads, i), next);
}

/* Called with the lock. */
static gboolean
make_departure (GstRobocacheFuse *fuse, gint64 tick, GstClockTime latency, Departure *departure, GError **error)
{
  const RobocacheTickGrid grid = gst_robocache_fuse_grid (fuse);
  const gboolean all_required = enter_tick (fuse, tick);
  gint64 period;

  departure->tick = tick;
  departure->index = fuse->next_index;  /* which a row may change while downstream is asked about caps */
  if (all_required) {
    while (fuse->composition_changed || fuse->composer == NULL) {
      if (!gst_robocache_fuse_has_streams (fuse)) {
        departure->withdrawn = TRUE;
        return TRUE;
      }
      if (!gst_robocache_fuse_change_composition (fuse, error))
        return FALSE;
    }
    departure->sample = gst_robocache_fuse_composer_sample (fuse->composer, tick, error);
    if (*error)
      return FALSE;
    GST_TRACE_OBJECT (fuse, "sample %" G_GINT64_FORMAT " is made", tick);
    if (departure->sample)
      departure->unfinished = gst_robocache_fuse_composer_unfinished (fuse->composer);
  }
  if (grid.num > 0)
    period = robocache_tick_time (&grid, rc_add_saturating (departure->index, 1)) - tick;
  else
    period = gst_robocache_fuse_tick_period (fuse);
  departure->duration = period > 0 ? (GstClockTime) period : GST_CLOCK_TIME_NONE;
  departure->discont = departure->sample && fuse->discont;
  departure->gap = departure->sample == NULL && fuse->sent_buffer;
  fuse->discont = departure->sample == NULL;
  fuse->sent_buffer |= departure->sample != NULL;

  leave_tick (fuse, departure, latency);
  if (robocache_statistics_timer_due (&fuse->stats_timer, tick))
    departure->stats = gst_robocache_fuse_make_stats (fuse);
  return TRUE;
}

/* Called without the lock. A sample in system memory is complete before it leaves. */
static gboolean
complete_sample (Departure *departure, GError **error)
{
  gboolean ok = TRUE;

  if (departure->unfinished)
    ok = robocache_engine_synchronize (departure->unfinished, error);
  g_clear_pointer (&departure->unfinished, robocache_engine_unref);
  if (!ok)
    gst_clear_buffer (&departure->sample);
  return ok;
}

/* Called without the lock. */
static GstFlowReturn
depart (GstRobocacheFuse *fuse, Departure *departure)
{
  GstAggregator *agg = GST_AGGREGATOR (fuse);
  GstSegment *segment = &GST_AGGREGATOR_PAD (agg->srcpad)->segment;
  GstClockTime pts;

  GST_OBJECT_LOCK (fuse);
  pts = gst_segment_position_from_running_time (segment, GST_FORMAT_TIME, departure->tick);
  segment->position = GST_CLOCK_TIME_IS_VALID (departure->duration) ? pts + departure->duration : pts;
  GST_OBJECT_UNLOCK (fuse);

  if (departure->stats)
    robocache_statistics_post (GST_ELEMENT (fuse), departure->stats);
  if (departure->gap)
    gst_pad_push_event (agg->srcpad, gst_event_new_gap (pts, departure->duration));
  if (departure->sample == NULL)
    return GST_FLOW_OK;
  GST_BUFFER_PTS (departure->sample) = pts;
  GST_BUFFER_DURATION (departure->sample) = departure->duration;
  if (departure->discont)
    GST_BUFFER_FLAG_SET (departure->sample, GST_BUFFER_FLAG_DISCONT);
  gst_aggregator_selected_samples (agg, pts, GST_CLOCK_TIME_NONE, departure->duration, NULL);
  return gst_aggregator_finish_buffer (agg, departure->sample);
}

static void
remember_flow (GstRobocacheFuse *fuse, GstFlowReturn flow)
{
  if (flow == GST_FLOW_OK || flow == GST_FLOW_FLUSHING)
    return;
  FUSE_LOCK (fuse);
  gst_robocache_fuse_end_streams (fuse, flow);
  FUSE_UNLOCK (fuse);
}

/* Called without the lock. What is lost on the way out; error is taken. */
static GstFlowReturn
fail (GstRobocacheFuse *fuse, GError *error)
{
  gboolean first_failure;

  FUSE_LOCK (fuse);
  first_failure = gst_robocache_fuse_end_streams (fuse, GST_FLOW_ERROR);
  FUSE_UNLOCK (fuse);
  if (first_failure)
    gst_robocache_fuse_post_failure (fuse, NULL, error);
  else
    g_error_free (error);
  return GST_FLOW_ERROR;
}

/* Whether a seek asked for what is before tick only, and it is the sources that go on. */
static gboolean
is_past_the_end (GstRobocacheFuse *fuse, gint64 tick)
{
  const GstSegment *segment = &GST_AGGREGATOR_PAD (fuse->parent.srcpad)->segment;
  gboolean past = FALSE;

  GST_OBJECT_LOCK (fuse);
  if (GST_CLOCK_TIME_IS_VALID (segment->stop))
    past = tick >= (gint64) gst_segment_to_running_time (segment, GST_FORMAT_TIME, segment->stop);
  GST_OBJECT_UNLOCK (fuse);
  return past;
}

/* The next tick, if it is complete or its deadline has come. */
static GstFlowReturn
make_tick (GstRobocacheFuse *fuse, gboolean timeout)
{
  GstAggregator *agg = GST_AGGREGATOR (fuse);
  const GstClockTime latency = gst_aggregator_get_latency (agg);
  GstFlowReturn flow = GST_AGGREGATOR_FLOW_NEED_DATA;
  Departure departure = { .sample = NULL, .messages = G_QUEUE_INIT };
  GError *error = NULL;
  gboolean over, due = FALSE, first_failure = FALSE, latency_off;
  gint64 tick;

  FUSE_LOCK (fuse);
  fuse->total_latency = latency;
  fuse->live = GST_CLOCK_TIME_IS_VALID (latency);
  for (guint i = 0; i < fuse->pads->len; i++) {
    if (gst_robocache_fuse_pad_sync_settings (g_ptr_array_index (fuse->pads, i)))
      fuse->composition_changed = TRUE;
  }
  over = gst_robocache_fuse_ticks_are_over (fuse);
  if (!over && gst_robocache_fuse_next_tick (fuse, &tick)) {
    over = is_past_the_end (fuse, tick);
    due = !over && (gst_robocache_fuse_tick_is_complete (fuse, tick) || (timeout && tick <= fuse->deadline_tick));
  }
  if (over) {
    for (guint i = 0; i < fuse->pads->len; i++)
      gst_robocache_fuse_pad_settle (g_ptr_array_index (fuse->pads, i));
    flow = GST_FLOW_EOS;
  }
  if (due)
    GST_TRACE_OBJECT (fuse, "tick %" G_GINT64_FORMAT " is due", tick);
  if (due && !make_departure (fuse, tick, latency, &departure, &error)) {
    flow = error->domain == ROBOCACHE_ERROR ? GST_FLOW_NOT_NEGOTIATED : GST_FLOW_ERROR;
    first_failure = gst_robocache_fuse_end_streams (fuse, flow);
  }
  for (guint i = 0; i < fuse->pads->len; i++)
    gst_robocache_fuse_collect_qos (fuse, g_ptr_array_index (fuse->pads, i), &departure.messages);
  gst_robocache_fuse_choose_src_tokens (fuse);
  latency_off = gst_robocache_fuse_tick_period_is_new (fuse);
  FUSE_UNLOCK (fuse);

  gst_robocache_fuse_push_src_tokens (fuse);
  if (latency_off)
    gst_robocache_fuse_update_latency (fuse);
  gst_robocache_fuse_post_messages (fuse, &departure.messages);
  if (first_failure)
    gst_robocache_fuse_post_failure (fuse, NULL, error);
  else if (error)
    g_error_free (error);
  else if (departure.withdrawn)
    flow = GST_AGGREGATOR_FLOW_NEED_DATA;
  else if (due && complete_sample (&departure, &error))
    flow = depart (fuse, &departure);
  else if (due)
    flow = fail (fuse, error);
  if (over)
    robocache_statistics_post_last (GST_ELEMENT (fuse));
  if (flow != GST_AGGREGATOR_FLOW_NEED_DATA)
    remember_flow (fuse, flow);
  return flow;
}

static GstFlowReturn
gst_robocache_fuse_aggregate (GstAggregator *agg, gboolean timeout)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (agg);
  GstFlowReturn flow;

  g_atomic_pointer_set (&fuse->src_thread, g_thread_self ());
  gst_robocache_fuse_begin_turn (fuse);
  flow = make_tick (fuse, timeout);
  while (flow == GST_FLOW_OK && gst_robocache_fuse_stay_awake (fuse))
    flow = make_tick (fuse, FALSE);
  return flow;
}

/* ---- pads ---- */

/* The number in a requested name like camera_3, or the first one that is free. -1: the name is no such name, or taken. */
static gint64
pad_number (GstRobocacheFuse *fuse, GstRobocacheFuseRole role, const gchar *requested)
{
  const gchar *prefix = gst_robocache_fuse_role_names[role];
  gint64 number = 0;
  guint64 parsed;

  if (requested && strchr (requested, '%') == NULL) {
    const gsize length = strlen (prefix);

    if (!g_str_has_prefix (requested, prefix) || requested[length] != '_'
        || !g_ascii_string_to_unsigned (requested + length + 1, 10, 0, G_MAXUINT32, &parsed, NULL))
      return -1;
    number = (gint64) parsed;
  }
  FUSE_LOCK (fuse);
  for (guint i = 0; i < fuse->pads->len; i++) {
    const GstRobocacheFusePad *pad = g_ptr_array_index (fuse->pads, i);

    if (pad->role == role && pad->number == number)
      number = requested && strchr (requested, '%') == NULL ? -1 : number + 1;
  }
  FUSE_UNLOCK (fuse);
  return number;
}

static gint
compare_pads (gconstpointer a, gconstpointer b)
{
  return gst_robocache_fuse_pad_compare (*(GstRobocacheFusePad *const *) a, *(GstRobocacheFusePad *const *) b);
}

static gboolean
gst_robocache_fuse_pad_activate_mode (GstPad *gstpad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstRobocacheFusePad *pad = GST_ROBOCACHE_FUSE_PAD (gstpad);

  if (parent) {                 /* a pad that is requested while playing is activated before it has one */
    GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (parent);

    FUSE_LOCK (fuse);
    if (active)                 /* the base class emptied its queue when it was deactivated */
      pad->token_out = FALSE;
    FUSE_UNLOCK (fuse);
    gst_robocache_fuse_set_flushing (fuse, pad, !active);
    if (!active) {
      gst_robocache_fuse_await_tokens (fuse, pad);
      gst_robocache_fuse_excuse_from_flush (fuse, pad);
    }
  }
  return pad->base_activate_mode (gstpad, parent, mode, active);
}

static GstAggregatorPad *
gst_robocache_fuse_create_new_pad (GstAggregator *agg, GstPadTemplate *template, const gchar *requested,
    const GstCaps *caps)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (agg);
  GstRobocacheFusePad *pad;
  gint64 number;

  for (GstRobocacheFuseRole role = 0; role < GST_ROBOCACHE_FUSE_N_ROLES; role++) {
    if (!g_str_has_prefix (GST_PAD_TEMPLATE_NAME_TEMPLATE (template), gst_robocache_fuse_role_names[role]))
      continue;
    number = pad_number (fuse, role, requested);
    if (number < 0) {
      GST_ERROR_OBJECT (fuse, "a pad cannot be named \"%s\": it is taken, or not %s_ and a number", requested,
          gst_robocache_fuse_role_names[role]);
      return NULL;
    }
    pad = gst_robocache_fuse_pad_new (template, role, (guint) number);
    FUSE_LOCK (fuse);
    pad->base_chain = GST_PAD_CHAINFUNC (pad);
    pad->base_activate_mode = GST_PAD_ACTIVATEMODEFUNC (pad);
    gst_pad_set_chain_function (GST_PAD (pad), gst_robocache_fuse_chain);
    gst_pad_set_activatemode_function (GST_PAD (pad), gst_robocache_fuse_pad_activate_mode);
    g_ptr_array_add (fuse->pads, gst_object_ref (pad));
    g_ptr_array_sort (fuse->pads, compare_pads);
    fuse->tick_known = FALSE;   /* it may bring an earlier row */
    FUSE_UNLOCK (fuse);
    return GST_AGGREGATOR_PAD (pad);
  }
  return NULL;
}

static GstPad *
gst_robocache_fuse_request_new_pad (GstElement *element, GstPadTemplate *template, const gchar *name, const GstCaps *caps)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (element);
  GstPad *pad = GST_ELEMENT_CLASS (gst_robocache_fuse_parent_class)->request_new_pad (element, template, name, caps);

  if (pad == NULL)
    return NULL;
  FUSE_LOCK (fuse);
  GST_ROBOCACHE_FUSE_PAD (pad)->added = TRUE;
  FUSE_UNLOCK (fuse);
  gst_child_proxy_child_added (GST_CHILD_PROXY (element), G_OBJECT (pad), GST_OBJECT_NAME (pad));
  gst_robocache_fuse_excuse_from_flush (fuse, GST_ROBOCACHE_FUSE_PAD (pad));
  gst_robocache_fuse_refresh_tokens (fuse);
  return pad;
}

/* Called with the lock. With no stream left, the ticks start anew with the next row, and nothing is made up for the time
 * between. */
static void
pause_ticks_without_streams (GstRobocacheFuse *fuse)
{
  if (gst_robocache_fuse_has_streams (fuse))
    return;
  fuse->ticking = fuse->tick_known = FALSE;
  fuse->earliest_start = ROBOCACHE_NO_TIME;
  fuse->discont = TRUE;
}

static void
gst_robocache_fuse_release_pad (GstElement *element, GstPad *gstpad)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (element);
  GstRobocacheFusePad *pad = GST_ROBOCACHE_FUSE_PAD (gstpad);
  const GstClockTime latency = gst_aggregator_get_latency (GST_AGGREGATOR (fuse));
  gboolean was_reference;

  FUSE_LOCK (fuse);
  pad->flushing = TRUE;
  was_reference = fuse->reference == pad;
  if (was_reference) {
    fuse->reference = NULL;
    fuse->reference_lost = TRUE;
  }
  fuse->composition_changed = TRUE;
  gst_robocache_fuse_close_account (fuse, pad);
  g_ptr_array_remove (fuse->pads, pad);
  look_for_failure (fuse);
  pause_ticks_without_streams (fuse);
  g_cond_broadcast (&fuse->progress);
  FUSE_UNLOCK (fuse);

  if (was_reference && GST_STATE (fuse) >= GST_STATE_PAUSED)
    GST_ELEMENT_WARNING (fuse, CORE, PAD, ("%s, whose rows are the ticks, was removed: there are none until %s",
            GST_OBJECT_NAME (pad), pad->role == GST_ROBOCACHE_FUSE_CAMERA ? "it or another camera brings a frame"
            : "it is there again"), (NULL));

  gst_child_proxy_child_removed (GST_CHILD_PROXY (fuse), G_OBJECT (pad), GST_OBJECT_NAME (pad));
  gst_object_ref (pad);
  GST_ELEMENT_CLASS (gst_robocache_fuse_parent_class)->release_pad (element, gstpad);
  gst_robocache_fuse_excuse_from_flush (fuse, pad);
  gst_object_unref (pad);
  gst_robocache_fuse_update_latency (fuse);
  /* the pads that are left may need no less, and their sources still have less */
  if (gst_aggregator_get_latency (GST_AGGREGATOR (fuse)) != latency)
    gst_element_post_message (element, gst_message_new_latency (GST_OBJECT (fuse)));
  gst_robocache_fuse_refresh_tokens (fuse);
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

/* ---- states and flushes ---- */

void
gst_robocache_fuse_reset_ticks (GstRobocacheFuse *fuse)
{
  fuse->ticking = fuse->tick_known = FALSE;
  fuse->last_tick = fuse->deadline_tick = fuse->earliest_start = ROBOCACHE_NO_TIME;
  fuse->sent_buffer = FALSE;
  fuse->discont = TRUE;
  robocache_statistics_timer_reset (&fuse->stats_timer);
  if (fuse->composer)
    gst_robocache_fuse_composer_forget_window (fuse->composer);
}

void
gst_robocache_fuse_flush_pad (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  FUSE_LOCK (fuse);
  while (gst_aggregator_pad_drop_buffer (GST_AGGREGATOR_PAD (pad)));
  gst_robocache_fuse_pad_flush (pad);
  fuse->tick_known = FALSE;
  look_for_failure (fuse);
  fuse->composition_changed = TRUE;     /* rows of an older format may have gone */
  g_cond_broadcast (&fuse->progress);
  FUSE_UNLOCK (fuse);
}

/* The last of the pads has been flushed, and the src thread is stopped. */
static GstFlowReturn
gst_robocache_fuse_flush (GstAggregator *agg)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (agg);
  GPtrArray *others = g_ptr_array_new_with_free_func (gst_object_unref);
  guint32 seqnum;

  FUSE_LOCK (fuse);
  gst_robocache_fuse_reset_ticks (fuse);
  seqnum = fuse->flush_seqnum;
  fuse->open_flush = GST_SEQNUM_INVALID;
  fuse->src_has_ended = FALSE;
  for (guint i = 0; seqnum != GST_SEQNUM_INVALID && i < fuse->pads->len; i++) {
    if (g_ptr_array_index (fuse->pads, i) != fuse->last_flushed)
      g_ptr_array_add (others, gst_object_ref (g_ptr_array_index (fuse->pads, i)));
  }
  FUSE_UNLOCK (fuse);
  for (guint i = 0; i < others->len; i++)
    gst_robocache_fuse_revive_pad (fuse, g_ptr_array_index (others, i), seqnum);
  g_ptr_array_unref (others);
  return GST_FLOW_OK;
}

static gboolean
gst_robocache_fuse_start (GstAggregator *agg)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (agg);
  gboolean both;

  GST_OBJECT_LOCK (fuse);
  both = fuse->grid.num > 0 && fuse->reference_name;
  GST_OBJECT_UNLOCK (fuse);
  if (both) {
    GST_ELEMENT_ERROR (fuse, LIBRARY, SETTINGS, ("rate and reference-pad are both set: ticks come from one of them"), (NULL));
    return FALSE;
  }
  if (!robocache_device_open (&fuse->device, GST_ELEMENT (fuse)))
    return FALSE;

  FUSE_LOCK (fuse);
  for (guint i = 0; i < fuse->pads->len; i++)
    gst_robocache_fuse_pad_reset (g_ptr_array_index (fuse->pads, i));
  gst_robocache_fuse_reset_ticks (fuse);
  fuse->reference = NULL;
  fuse->reference_lost = fuse->failed = FALSE;
  fuse->ticks_out = fuse->ticks_dropped = 0;
  memset (&fuse->removed, 0, sizeof (fuse->removed));
  robocache_histogram_clear (&fuse->lag);
  robocache_histogram_clear (&fuse->lateness);
  FUSE_UNLOCK (fuse);
  return TRUE;
}

static gboolean
gst_robocache_fuse_stop (GstAggregator *agg)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (agg);

  FUSE_LOCK (fuse);
  g_clear_pointer (&fuse->composer, gst_robocache_fuse_composer_free);
  FUSE_UNLOCK (fuse);
  robocache_device_close (&fuse->device, GST_ELEMENT (fuse));
  return TRUE;
}

static GstStateChangeReturn
gst_robocache_fuse_change_state (GstElement *element, GstStateChange transition)
{
  GstStateChangeReturn changed;

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_robocache_fuse_stop_flushes (GST_ROBOCACHE_FUSE (element));
  changed = GST_ELEMENT_CLASS (gst_robocache_fuse_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_robocache_fuse_allow_flushes (GST_ROBOCACHE_FUSE (element));
  return changed;
}

/* ---- properties ---- */

/* Where properties that are a plain field lie. */
static const gsize fields[] = {
  [PROP_RATE] = G_STRUCT_OFFSET (GstRobocacheFuse, grid),
  [PROP_REFERENCE_PAD] = G_STRUCT_OFFSET (GstRobocacheFuse, reference_name),
  [PROP_WINDOW] = G_STRUCT_OFFSET (GstRobocacheFuse, output.window),
  [PROP_LAYOUT] = G_STRUCT_OFFSET (GstRobocacheFuse, output.layout),
  [PROP_INFO] = G_STRUCT_OFFSET (GstRobocacheFuse, output.info),
  [PROP_TYPE] = G_STRUCT_OFFSET (GstRobocacheFuse, output.dtype),
  [PROP_QOS_MESSAGES] = G_STRUCT_OFFSET (GstRobocacheFuse, qos_messages),
  [PROP_BUSY_WAIT] = G_STRUCT_OFFSET (GstRobocacheFuse, busy_wait),
};

static void
gst_robocache_fuse_set_property (GObject *object, guint prop_id, const GValue *value, GParamSpec *pspec)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (object);

  FUSE_LOCK (fuse);
  GST_OBJECT_LOCK (fuse);
  if (prop_id == PROP_STATS_INTERVAL)
    fuse->stats_timer.interval = g_value_get_uint64 (value);
  else if (prop_id >= PROP_DEVICE)
    robocache_device_set_property (&fuse->device, prop_id - PROP_DEVICE, value);
  else
    robocache_setting_set (G_STRUCT_MEMBER_P (fuse, fields[prop_id]), value);
  if (fuse->reference_name && fuse->reference_name[0] == '\0')
    g_clear_pointer (&fuse->reference_name, g_free);
  GST_OBJECT_UNLOCK (fuse);
  FUSE_UNLOCK (fuse);
}

static void
gst_robocache_fuse_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (object);

  if (prop_id == PROP_STATS || prop_id == PROP_STATS_INTERVAL) {
    FUSE_LOCK (fuse);
    if (prop_id == PROP_STATS)
      g_value_take_boxed (value, gst_robocache_fuse_make_stats (fuse));
    else
      g_value_set_uint64 (value, fuse->stats_timer.interval);
    FUSE_UNLOCK (fuse);
    return;
  }
  GST_OBJECT_LOCK (fuse);
  if (prop_id >= PROP_DEVICE)
    robocache_device_get_property (&fuse->device, prop_id - PROP_DEVICE, value);
  else
    robocache_setting_get (G_STRUCT_MEMBER_P (fuse, fields[prop_id]), value);
  GST_OBJECT_UNLOCK (fuse);
}

/* ---- life ---- */

#define TYPE_LAYOUT (layout_get_type ())
static GType
layout_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_ROBOCACHE_FUSE_LAYOUT_TENSORS, "One tensor a stream", "tensors"},
    {GST_ROBOCACHE_FUSE_LAYOUT_CONCAT, "One float32 tensor of all streams but cameras", "concat"},
    {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstRobocacheFuseLayout", values));
  return type;
}

#define TYPE_INFO (info_get_type ())
static GType
info_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_ROBOCACHE_FUSE_INFO_NONE, "Only the meta of the buffer", "none"},
    {GST_ROBOCACHE_FUSE_INFO_TENSOR, "A last tensor of int64: tick, time of the row at or before it, of the row after it, "
          "and status, for each stream", "tensor"},
    {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstRobocacheFuseInfo", values));
  return type;
}

static void
gst_robocache_fuse_finalize (GObject *object)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (object);

  g_ptr_array_free (fuse->pads, TRUE);
  g_ptr_array_free (fuse->src_tokens, TRUE);
  g_free (fuse->reference_name);
  g_cond_clear (&fuse->progress);
  g_rec_mutex_clear (&fuse->flushes);
  g_mutex_clear (&fuse->lock);
  G_OBJECT_CLASS (gst_robocache_fuse_parent_class)->finalize (object);
}

/* Pads that were never released by name go with the element. */
static void
gst_robocache_fuse_dispose (GObject *object)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (object);

  FUSE_LOCK (fuse);
  g_ptr_array_set_size (fuse->pads, 0);
  FUSE_UNLOCK (fuse);
  G_OBJECT_CLASS (gst_robocache_fuse_parent_class)->dispose (object);
}

static void
install_properties (GObjectClass *object_class)
{
  const GParamFlags ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  g_object_class_install_property (object_class, PROP_RATE, gst_param_spec_fraction ("rate", "Rate",
          "Ticks per second, on a grid anchored at running time 0 (0/1 = ticks come from reference-pad)", 0, 1,
          1000000000, 1, 0, 1, ready));
  g_object_class_install_property (object_class, PROP_REFERENCE_PAD, g_param_spec_string ("reference-pad",
          "Reference pad", "Name of the sink pad each of whose rows is a tick; with neither this nor rate, the camera pad "
          "with the lowest number", NULL, ready));
  g_object_class_install_property (object_class, PROP_WINDOW, g_param_spec_uint ("window", "Window",
          "Rows of history in each sample, oldest first, one a tick", 1, MAX_WINDOW, DEFAULT_WINDOW, ready));
  g_object_class_install_property (object_class, PROP_LAYOUT, g_param_spec_enum ("layout", "Layout",
          "How streams become tensors", TYPE_LAYOUT, DEFAULT_LAYOUT, ready));
  g_object_class_install_property (object_class, PROP_INFO, g_param_spec_enum ("info", "Info",
          "Where the times and the status of each row are told", TYPE_INFO, DEFAULT_INFO, ready));
  g_object_class_install_property (object_class, PROP_TYPE, g_param_spec_enum ("type", "Type",
          "Element type of tensors that are no camera frames (auto = the input's for floats, float32 for integers)",
          ROBOCACHE_TYPE_DTYPE, ROBOCACHE_DTYPE_AUTO, ready));
  g_object_class_install_property (object_class, PROP_STATS, g_param_spec_boxed ("stats", "Statistics",
          "Ticks, their lateness, and rows of every pad, counted since the element was started", GST_TYPE_STRUCTURE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (object_class, PROP_STATS_INTERVAL, g_param_spec_uint64 ("stats-interval",
          "Statistics interval", "Post stats as an element message this often (ns of running time, 0 = off)", 0, G_MAXUINT64,
          0, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (object_class, PROP_QOS_MESSAGES, g_param_spec_boolean ("qos-messages", "QoS messages",
          "Post a QoS message for each buffer with rows that are late or dropped, and for each dropped tick",
          DEFAULT_QOS_MESSAGES, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (object_class, PROP_BUSY_WAIT, g_param_spec_uint64 ("busy-wait", "Busy wait",
          "Live: how long the thread that hands out samples stays awake after each, looking for the next one, before it "
          "sleeps (ns, 0 = it sleeps at once); takes up to a whole CPU, and saves the time of waking it", 0, G_MAXUINT64, 0,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
  robocache_device_install_properties (object_class, PROP_DEVICE);
}

static void
gst_robocache_fuse_class_init (GstRobocacheFuseClass *klass)
{
  static const gchar *tags[] = { NULL };
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstAggregatorClass *agg_class = GST_AGGREGATOR_CLASS (klass);

  object_class->set_property = gst_robocache_fuse_set_property;
  object_class->get_property = gst_robocache_fuse_get_property;
  object_class->dispose = gst_robocache_fuse_dispose;
  object_class->finalize = gst_robocache_fuse_finalize;
  install_properties (object_class);

  element_class->request_new_pad = gst_robocache_fuse_request_new_pad;
  element_class->release_pad = gst_robocache_fuse_release_pad;
  element_class->send_event = gst_robocache_fuse_send_event;
  element_class->change_state = gst_robocache_fuse_change_state;
  for (guint i = 0; i < G_N_ELEMENTS (sink_templates); i++)
    robocache_add_pad_template (element_class, &sink_templates[i], GST_TYPE_ROBOCACHE_FUSE_PAD);
  robocache_add_pad_template (element_class, &src_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_set_static_metadata (element_class, "Robot sensor fusion", "Muxer/Tensor",
      "Aligns many sensor streams in time, one sample a tick", "The robocache authors");

  agg_class->create_new_pad = gst_robocache_fuse_create_new_pad;
  agg_class->sink_event_pre_queue = gst_robocache_fuse_sink_event_pre_queue;
  agg_class->src_query = gst_robocache_fuse_src_query;
  agg_class->sink_query_pre_queue = gst_robocache_fuse_sink_query_pre_queue;
  agg_class->src_event = gst_robocache_fuse_src_event;
  agg_class->get_next_time = gst_robocache_fuse_get_next_time;
  agg_class->negotiate = gst_robocache_fuse_negotiate;
  agg_class->aggregate = gst_robocache_fuse_aggregate;
  agg_class->flush = gst_robocache_fuse_flush;
  agg_class->start = gst_robocache_fuse_start;
  agg_class->stop = gst_robocache_fuse_stop;

  gst_meta_register_custom (GST_ROBOCACHE_SAMPLE_META, tags, NULL, NULL, NULL);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_INTERPOLATION, 0);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_DTYPE, 0);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_BACKEND, 0);
  gst_type_mark_as_plugin_api (TYPE_LAYOUT, 0);
  gst_type_mark_as_plugin_api (TYPE_INFO, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_ROBOCACHE_FUSE_PAD, 0);
}

static void
gst_robocache_fuse_init (GstRobocacheFuse *fuse)
{
  g_mutex_init (&fuse->lock);
  g_cond_init (&fuse->progress);
  g_rec_mutex_init (&fuse->flushes);
  gst_pad_set_iterate_internal_links_function (GST_AGGREGATOR_SRC_PAD (fuse), gst_robocache_fuse_iterate_internal_links);
  fuse->pads = g_ptr_array_new_with_free_func (gst_object_unref);
  fuse->src_tokens = g_ptr_array_new ();
  fuse->grid.num = 0;
  fuse->grid.den = 1;
  fuse->output.window = DEFAULT_WINDOW;
  fuse->output.layout = DEFAULT_LAYOUT;
  fuse->output.info = DEFAULT_INFO;
  fuse->output.dtype = ROBOCACHE_DTYPE_AUTO;
  fuse->qos_messages = DEFAULT_QOS_MESSAGES;
  robocache_device_init (&fuse->device);
  fuse->total_latency = GST_CLOCK_TIME_NONE;
  gst_robocache_fuse_reset_ticks (fuse);
  g_object_set (fuse, "latency", (guint64) DEFAULT_LATENCY, "start-time-selection", 1 /* first */ , NULL);
}
