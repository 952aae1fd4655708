/* robocache: a simulated robot's sensors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-robocachetestsrc
 * @title: robocachetestsrc
 *
 * A sensor of a simulated robot, with the faults of real ones: jitter, lost rows, disorder and silence. Signals have a
 * closed form and are evaluated at the time that a row carries; random numbers depend on `seed` and the number of the
 * row alone. So rows are the same live or not, after a seek, and on every machine.
 *
 * |[
 * gst-launch-1.0 robocachetestsrc kind=force is-live=true num-buffers=2000 ! robocacheresample rate=100 ! fakesink
 * gst-launch-1.0 robocachetestsrc kind=points num-buffers=20 ! robocachevoxelize ! fakesink
 * ]|
 */
#include "gstrobocachetestsrc.h"

#include "common/element/propertytypes.h"
#include "common/time/sourcewait.h"
#include "common/time/segments.h"
#include "negotiation.h"
#include "schedule.h"

GST_DEBUG_CATEGORY_STATIC (test_src_debug);
#define GST_CAT_DEFAULT test_src_debug

#define POINT_FIELDS 4

typedef struct
{
  guint64 rows, dropped, silent, swapped;
} Statistics;

struct _GstRobocacheTestSrc
{
  GstPushSrc parent;

  /* object lock */
  RobocacheTestSettings properties;
  gboolean runs;                /* READY → PAUSED on: run is valid */
  Statistics statistics;

  /* streaming thread, or no streaming thread; written under the object lock, too, for queries */
  RobocacheTestSettings run;    /* properties as they were at READY → PAUSED, completed by negotiation */

  /* streaming thread, or no streaming thread */
  gboolean has_caps;
  gint64 delivery;              /* the next row in the order of delivery */
  gint64 in_force;              /* the row to send before it, as no row is at the start of the segment; -1: none */
  gboolean has_begun;           /* live: rows of before the beginning were left out */
  gdouble *rays;                /* [channels][3], kind points */

  /* thread of the state changes, before PLAYING is known to the streaming thread */
  gboolean has_played;
  gint64 begin_ns;              /* live: no row is before this running time */

  RobocacheSourceWait wait;
  GThread *pausing_thread;      /* atomic; NULL: none */
};

#define ANY_RATE ", framerate=(fraction)[1/2147483647, 2147483647/1]"
#define TENSORS_CAPS "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32"
#define POINTS_CAPS "application/x-pointcloud, fields=(string)\"x,y,z,intensity\", type=(string)float32"

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (TENSORS_CAPS ANY_RATE "; " POINTS_CAPS ANY_RATE));

#define gst_robocache_test_src_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRobocacheTestSrc, gst_robocache_test_src, GST_TYPE_PUSH_SRC,
    GST_DEBUG_CATEGORY_INIT (test_src_debug, "robocachetestsrc", 0, "a simulated robot's sensors"));
GST_ELEMENT_REGISTER_DEFINE (robocachetestsrc, "robocachetestsrc", GST_RANK_NONE, GST_TYPE_ROBOCACHE_TEST_SRC);

/* ---- start ---- */

/* Copies the properties for this run. FALSE after an error. */
static gboolean
copy_settings (GstRobocacheTestSrc *self)
{
  gchar *fault;

  GST_OBJECT_LOCK (self);
  self->run = self->properties;
  self->statistics = (Statistics) { 0 };
  fault = robocache_test_settings_fault (&self->run);
  self->runs = fault == NULL;
  GST_OBJECT_UNLOCK (self);

  gst_base_src_set_live (GST_BASE_SRC (self), self->run.is_live);
  if (!fault)
    return TRUE;
  GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS, ("%s", fault), (NULL));
  g_free (fault);
  return FALSE;
}

/* The settings in use, or of the next run. */
static RobocacheTestSettings
get_settings (GstRobocacheTestSrc *self)
{
  RobocacheTestSettings s;

  GST_OBJECT_LOCK (self);
  s = self->runs ? self->run : self->properties;
  GST_OBJECT_UNLOCK (self);
  return s;
}

static gboolean
gst_robocache_test_src_start (GstBaseSrc *src)
{
  GST_ROBOCACHE_TEST_SRC (src)->delivery = 0;
  GST_ROBOCACHE_TEST_SRC (src)->in_force = -1;
  GST_ROBOCACHE_TEST_SRC (src)->has_caps = GST_ROBOCACHE_TEST_SRC (src)->has_begun = FALSE;
  return TRUE;
}

static gboolean
gst_robocache_test_src_stop (GstBaseSrc *src)
{
  g_clear_pointer (&GST_ROBOCACHE_TEST_SRC (src)->rays, g_free);
  return TRUE;
}

/* ---- negotiate ---- */

static GstCaps *
gst_robocache_test_src_get_caps (GstBaseSrc *src, GstCaps *filter)
{
  const RobocacheTestSettings s = get_settings (GST_ROBOCACHE_TEST_SRC (src));
  GstCaps *caps = robocache_test_possible_caps (&s, gst_pad_get_pad_template_caps (GST_BASE_SRC_PAD (src))), *filtered;

  if (!filter)
    return caps;
  filtered = gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (caps);
  return filtered;
}

static void
prepare_rays (GstRobocacheTestSrc *self)
{
  g_clear_pointer (&self->rays, g_free);
  if (self->run.kind != ROBOCACHE_TEST_POINTS)
    return;
  self->rays = g_new (gdouble, 3 * (gsize) self->run.channels);
  for (guint i = 0; i < self->run.channels; i++)
    robocache_test_room_ray (i, self->run.channels, self->rays + 3 * (gsize) i);
}

static void
use_settings (GstRobocacheTestSrc *self, const RobocacheTestSettings *s)
{
  const gboolean is_new_rate = s->rate.num != self->run.rate.num || s->rate.den != self->run.rate.den;

  GST_OBJECT_LOCK (self);
  self->run = *s;
  GST_OBJECT_UNLOCK (self);
  prepare_rays (self);
  /* how late a row can be depends on the rate */
  if (is_new_rate && s->is_live)
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
}

/* Fails only while flushing, to be tried again. A refusal is reported here, and create then ends the stream: FALSE
 * would make the base class post a second, vaguer error. */
static gboolean
gst_robocache_test_src_negotiate (GstBaseSrc *src)
{
  GstRobocacheTestSrc *self = GST_ROBOCACHE_TEST_SRC (src);
  GstCaps *peer = gst_pad_peer_query_caps (GST_BASE_SRC_PAD (src), NULL), *caps;
  RobocacheTestSettings s = self->run;
  gboolean is_flushing;
  gchar *refusal;

  caps = robocache_test_fixed_caps (&s, peer, &refusal);
  gst_caps_unref (peer);
  self->has_caps = FALSE;
  if (caps) {
    use_settings (self, &s);
    self->has_caps = gst_base_src_set_caps (src, caps);
    GST_INFO_OBJECT (self, "%s %" GST_PTR_FORMAT, self->has_caps ? "sends" : "downstream refuses", caps);
    gst_caps_unref (caps);
  }
  is_flushing = GST_PAD_IS_FLUSHING (GST_BASE_SRC_PAD (src));
  if (!self->has_caps && !is_flushing)
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION, ("%s", refusal ? refusal : "downstream refused its own caps"), (NULL));
  g_free (refusal);
  return self->has_caps || !is_flushing;
}

static gsize
row_bytes (const RobocacheTestSettings *s)
{
  return s->channels * sizeof (gfloat) * (s->kind == ROBOCACHE_TEST_POINTS ? POINT_FIELDS : 1);
}

/* Downstream's pool is used, with buffers that hold a row. */
static gboolean
gst_robocache_test_src_decide_allocation (GstBaseSrc *src, GstQuery *query)
{
  if (gst_query_get_n_allocation_pools (query) > 0) {
    guint size, min, max;
    GstBufferPool *pool;

    gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
    size = MAX (size, (guint) row_bytes (&GST_ROBOCACHE_TEST_SRC (src)->run));
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min, max);
    gst_clear_object (&pool);
  }
  return GST_BASE_SRC_CLASS (parent_class)->decide_allocation (src, query);
}

/* ---- rows ---- */

static void
count_row (GstRobocacheTestSrc *self, gint64 delivery, RobocacheTestRowFate fate)
{
  const gboolean ends_swap = robocache_test_ends_swap (&self->run, delivery);

  GST_OBJECT_LOCK (self);
  self->statistics.rows += fate == ROBOCACHE_TEST_ROW_SENT;
  self->statistics.dropped += fate == ROBOCACHE_TEST_ROW_DROPPED;
  self->statistics.silent += fate == ROBOCACHE_TEST_ROW_SILENT;
  self->statistics.swapped += ends_swap;
  GST_OBJECT_UNLOCK (self);
}

static void
fill_row (GstRobocacheTestSrc *self, gint64 time_ns, gfloat *row)
{
  const RobocacheTestSettings *s = &self->run;

  for (guint c = 0; c < s->channels; c++) {
    if (s->kind == ROBOCACHE_TEST_POINTS)
      robocache_test_room_point (self->rays + 3 * (gsize) c, time_ns, row + POINT_FIELDS * (gsize) c);
    else
      row[c] = (gfloat) robocache_test_signal (s->kind, c, time_ns);
  }
}

static GstFlowReturn
make_buffer (GstRobocacheTestSrc *self, gint64 k, gint64 time_ns, GstBuffer **out)
{
  const gsize size = row_bytes (&self->run);
  GstBuffer *buffer = NULL;
  GstFlowReturn flow = GST_BASE_SRC_CLASS (parent_class)->alloc (GST_BASE_SRC (self), 0, (guint) size, &buffer);
  GstMapInfo map;

  if (flow == GST_FLOW_FLUSHING)
    return flow;
  if (flow != GST_FLOW_OK || !gst_buffer_map (buffer, &map, GST_MAP_WRITE)) {
    gst_clear_buffer (&buffer);
    GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT, ("no memory for a row of %" G_GSIZE_FORMAT " bytes: lower channels",
        size), (NULL));
    return GST_FLOW_ERROR;
  }
  fill_row (self, time_ns, (gfloat *) (gpointer) map.data);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_set_size (buffer, (gssize) size);

  GST_BUFFER_PTS (buffer) = (GstClockTime) time_ns;
  GST_BUFFER_DURATION (buffer) =
      robocache_tick_time (&self->run.rate, k + 1) - robocache_tick_time (&self->run.rate, k);
  GST_BUFFER_OFFSET (buffer) = (guint64) k;
  GST_BUFFER_OFFSET_END (buffer) = (guint64) k + 1;
  GST_LOG_OBJECT (self, "row %" G_GINT64_FORMAT " at %" GST_TIME_FORMAT, k, GST_TIME_ARGS (time_ns));
  *out = buffer;
  return GST_FLOW_OK;
}

/* A row that a seek leaves out still counts against num-buffers: the rows are those of one recording. FALSE: it was
 * the last. */
static gboolean
skip_counted_buffer (GstBaseSrc *src)
{
  if (src->num_buffers < 0)
    return TRUE;
  if (src->num_buffers_left <= 0)
    return FALSE;
  src->num_buffers_left--;
  return TRUE;
}

static GstFlowReturn
wait_for_row (GstRobocacheTestSrc *self, gint64 time_ns)
{
  if (self->run.is_live)
    return robocache_source_wait_until (&self->wait, GST_ELEMENT (self), (GstClockTime) time_ns);
  return robocache_source_wait_is_flushing (&self->wait) ? GST_FLOW_FLUSHING : GST_FLOW_OK;
}

/* Live, at the first call: rows that were due before the source played are not sent. */
static GstFlowReturn
begin (GstRobocacheTestSrc *self)
{
  const GstFlowReturn flow = self->run.is_live && !self->has_begun ? robocache_source_wait_for_playing (&self->wait) : GST_FLOW_OK;

  if (flow == GST_FLOW_OK && self->run.is_live && !self->has_begun) {
    self->delivery = robocache_test_delivery_from (&self->run, self->begin_ns);
    self->has_begun = TRUE;
    GST_DEBUG_OBJECT (self, "rows begin at %" GST_STIME_FORMAT, GST_STIME_ARGS (self->begin_ns));
  }
  return flow;
}

/* As readers of recordings do. */
static GstFlowReturn
send_row_in_force (GstRobocacheTestSrc *self, GstBuffer **buffer)
{
  const gint64 k = self->in_force;

  self->in_force = -1;
  if (robocache_source_wait_is_flushing (&self->wait))
    return GST_FLOW_FLUSHING;
  GST_OBJECT_LOCK (self);
  self->statistics.rows++;
  GST_OBJECT_UNLOCK (self);
  return make_buffer (self, k, robocache_test_row_time (&self->run, k), buffer);
}

static GstFlowReturn
gst_robocache_test_src_create (GstPushSrc *push, GstBuffer **buffer)
{
  GstRobocacheTestSrc *self = GST_ROBOCACHE_TEST_SRC (push);
  const GstSegment *segment = &GST_BASE_SRC (push)->segment;

  if (!self->has_caps)          /* negotiate has posted the error */
    return GST_FLOW_EOS;
  if (begin (self) != GST_FLOW_OK)
    return GST_FLOW_FLUSHING;
  if (self->in_force >= 0)
    return send_row_in_force (self, buffer);
  for (;;) {
    const gint64 k = robocache_test_row_of_delivery (&self->run, self->delivery);
    const gint64 t = robocache_test_row_time (&self->run, k);
    const gint64 earliest = robocache_test_earliest_from (&self->run, self->delivery);
    const RobocacheTestRowFate fate = robocache_test_row_fate (&self->run, k);

    if (earliest == G_MAXINT64 || t == G_MAXINT64 || (segment->stop != GST_CLOCK_TIME_NONE
            && earliest >= (gint64) segment->stop)) {
      GST_INFO_OBJECT (self, "no row follows before %" GST_TIME_FORMAT ", where the segment stops", GST_TIME_ARGS (segment->stop));
      return GST_FLOW_EOS;
    }
    if (self->run.is_live && t < self->begin_ns) {
      self->delivery++;
      continue;
    }
    if (wait_for_row (self, t) != GST_FLOW_OK)
      return GST_FLOW_FLUSHING;

    self->delivery++;
    if (fate == ROBOCACHE_TEST_ROW_SENT && ((GstClockTime) t < segment->start || (GstClockTime) t >= segment->stop)) {
      GST_LOG_OBJECT (self, "row %" G_GINT64_FORMAT " at %" GST_TIME_FORMAT " is outside of the segment", k, GST_TIME_ARGS (t));
      if (!skip_counted_buffer (GST_BASE_SRC (push)))
        return GST_FLOW_EOS;
      continue;
    }
    count_row (self, self->delivery - 1, fate);
    if (fate == ROBOCACHE_TEST_ROW_SENT)
      return make_buffer (self, k, t, buffer);
    GST_LOG_OBJECT (self, "row %" G_GINT64_FORMAT " at %" GST_TIME_FORMAT " is not sent: it is %s", k, GST_TIME_ARGS (t),
        fate == ROBOCACHE_TEST_ROW_DROPPED ? "lost, by drop" : "in a silence, by gap");
  }
}

/* ---- seeks, events and queries ---- */

static gboolean
gst_robocache_test_src_is_seekable (GstBaseSrc *src)
{
  return !get_settings (GST_ROBOCACHE_TEST_SRC (src)).is_live;
}

static gboolean
gst_robocache_test_src_do_seek (GstBaseSrc *src, GstSegment *segment)
{
  GstRobocacheTestSrc *self = GST_ROBOCACHE_TEST_SRC (src);
  const RobocacheTestSettings s = robocache_test_settings_complete (self->run, NULL);
  const gint64 start_ns = (gint64) MIN (segment->start, (guint64) G_MAXINT64);

  self->delivery = robocache_test_delivery_from (&s, start_ns);
  self->in_force = robocache_test_row_in_force (&s, start_ns, src->num_buffers);
  if (src->num_buffers >= 0)
    src->num_buffers_left = src->num_buffers - robocache_test_sent_before (&s, self->delivery, src->num_buffers) + (self->in_force >= 0);
  segment->position = segment->start;
  segment->time = segment->start;
  GST_DEBUG_OBJECT (self, "seek to %" GST_TIME_FORMAT ", delivery %" G_GINT64_FORMAT, GST_TIME_ARGS (segment->start),
      self->delivery);
  return TRUE;
}

/* Rows are made forwards only, and live ones at their time. To refuse in do_seek would be too late, after the flush. Seeks in
 * another format are converted by the base class. */
static gboolean
is_refused_seek (GstBaseSrc *src, GstEvent *event)
{
  GstSegment segment;
  GstFormat format;
  gdouble rate;

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK)
    return FALSE;
  gst_event_parse_seek (event, &rate, &format, NULL, NULL, NULL, NULL, NULL);
  GST_OBJECT_LOCK (src);
  segment = src->segment;
  GST_OBJECT_UNLOCK (src);
  return rate <= 0.0 || (format == segment.format && !robocache_seek_fits (&segment, event))
      || !gst_robocache_test_src_is_seekable (src);
}

static gboolean
gst_robocache_test_src_event (GstBaseSrc *src, GstEvent *event)
{
  GST_DEBUG_OBJECT (src, "%s%" GST_PTR_FORMAT, is_refused_seek (src, event) ? "refused, since it is live or the seek plays backwards: " : "", event);
  return !is_refused_seek (src, event) && GST_BASE_SRC_CLASS (parent_class)->event (src, event);
}

/* Events of the application do not pass the virtual method above. */
static gboolean
gst_robocache_test_src_send_event (GstElement *element, GstEvent *event)
{
  if (is_refused_seek (GST_BASE_SRC (element), event)) {
    gst_event_unref (event);
    return FALSE;
  }
  return GST_ELEMENT_CLASS (parent_class)->send_event (element, event);
}

/* With rows lost at random the end of num-buffers is not known without making them. */
static gboolean
answer_duration (GstRobocacheTestSrc *self, GstQuery *query)
{
  const RobocacheTestSettings s = robocache_test_settings_complete (get_settings (self), NULL);
  const gint n = GST_BASE_SRC (self)->num_buffers;
  GstFormat format;

  gst_query_parse_duration (query, &format, NULL);
  if (format != GST_FORMAT_TIME || n < 0 || s.drop > 0.0 || s.gap_ns > 0)
    return FALSE;
  gst_query_set_duration (query, GST_FORMAT_TIME, robocache_tick_time (&s.rate, n));
  return TRUE;
}

/* Nothing is lost if downstream waits, since rows are made on request. */
static gboolean
answer_latency (GstRobocacheTestSrc *self, GstQuery *query)
{
  const RobocacheTestSettings s = robocache_test_settings_complete (get_settings (self), NULL);

  gst_query_set_latency (query, s.is_live, s.is_live ? (GstClockTime) robocache_test_max_lateness (&s) : 0,
      GST_CLOCK_TIME_NONE);
  return TRUE;
}

/* The base class makes the stream id of it: without one the id is random, and recordings of equal runs differ. */
static gboolean
answer_uri (GstRobocacheTestSrc *self, GstQuery *query)
{
  gchar *uri = g_strdup_printf ("robocachetestsrc:%s", GST_OBJECT_NAME (self));

  gst_query_set_uri (query, uri);
  g_free (uri);
  return TRUE;
}

static gboolean
gst_robocache_test_src_query (GstBaseSrc *src, GstQuery *query)
{
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_DURATION:
      return answer_duration (GST_ROBOCACHE_TEST_SRC (src), query);
    case GST_QUERY_LATENCY:
      return answer_latency (GST_ROBOCACHE_TEST_SRC (src), query);
    case GST_QUERY_URI:
      return answer_uri (GST_ROBOCACHE_TEST_SRC (src), query);
    default:
      return GST_BASE_SRC_CLASS (parent_class)->query (src, query);
  }
}

/* ---- life of the element ---- */

/* A pause is no flush: the streaming thread goes on to wait for PLAYING. Else, in GStreamer 1.26, it may see that it is flushed only
 * when PLAYING is back, and end the task that the base class has just started. */
static gboolean
gst_robocache_test_src_unlock (GstBaseSrc *src)
{
  GstRobocacheTestSrc *self = GST_ROBOCACHE_TEST_SRC (src);

  if (g_atomic_pointer_get (&self->pausing_thread) != g_thread_self ())
    robocache_source_wait_set_flushing (&self->wait, TRUE);
  return TRUE;
}

static gboolean
gst_robocache_test_src_unlock_stop (GstBaseSrc *src)
{
  robocache_source_wait_set_flushing (&GST_ROBOCACHE_TEST_SRC (src)->wait, FALSE);
  return TRUE;
}

static GstObject *
get_toplevel (GstElement *element)
{
  GstObject *top = gst_object_ref (GST_OBJECT (element)), *parent;

  while ((parent = gst_object_get_parent (top))) {
    gst_object_unref (top);
    top = parent;
  }
  return top;
}

/* Where a pipeline begins or resumes with this element, that is exact. An element that joins a running one begins at the time of now. */
static gint64
find_begin (GstElement *element)
{
  GstObject *top = get_toplevel (element);
  GstClockTime begin = GST_CLOCK_TIME_NONE;

  if (GST_IS_PIPELINE (top) && GST_STATE (top) != GST_STATE_PLAYING)
    begin = gst_element_get_start_time (GST_ELEMENT (top));
  if (!GST_CLOCK_TIME_IS_VALID (begin))
    begin = gst_element_get_current_running_time (element);
  gst_object_unref (top);
  return GST_CLOCK_TIME_IS_VALID (begin) ? (gint64) MIN (begin, (guint64) G_MAXINT64) : 0;
}

static void
set_playing (GstRobocacheTestSrc *self)
{
  if (!self->has_played)
    self->begin_ns = find_begin (GST_ELEMENT (self));
  self->has_played = TRUE;
  robocache_source_wait_set_playing (&self->wait, TRUE);
}

static GstStateChangeReturn
gst_robocache_test_src_change_state (GstElement *element, GstStateChange transition)
{
  GstRobocacheTestSrc *self = GST_ROBOCACHE_TEST_SRC (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !copy_settings (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED) {
    robocache_source_wait_set_playing (&self->wait, FALSE);
    g_atomic_pointer_set (&self->pausing_thread, g_thread_self ());
  }
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  g_atomic_pointer_set (&self->pausing_thread, NULL);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING && ret != GST_STATE_CHANGE_FAILURE)
    set_playing (self);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    self->has_played = FALSE;
  if (transition == (ret == GST_STATE_CHANGE_FAILURE ? GST_STATE_CHANGE_READY_TO_PAUSED : GST_STATE_CHANGE_PAUSED_TO_READY)) {
    GST_OBJECT_LOCK (self);
    self->runs = FALSE;
    GST_OBJECT_UNLOCK (self);
  }
  return ret;
}

/* Called with the object lock. */
static GstStructure *
make_stats (GstRobocacheTestSrc *self)
{
  const Statistics *s = &self->statistics;

  return gst_structure_new ("robocachetestsrc", "rows", G_TYPE_UINT64, s->rows, "dropped", G_TYPE_UINT64, s->dropped,
      "silent", G_TYPE_UINT64, s->silent, "swapped", G_TYPE_UINT64, s->swapped, NULL);
}

static void
gst_robocache_test_src_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRobocacheTestSrc *self = GST_ROBOCACHE_TEST_SRC (object);

  GST_OBJECT_LOCK (self);
  robocache_setting_set (robocache_test_settings_field (&self->properties, id), value);
  GST_OBJECT_UNLOCK (self);
  robocache_warn_of_late_setting (self, pspec);
}

static void
gst_robocache_test_src_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRobocacheTestSrc *self = GST_ROBOCACHE_TEST_SRC (object);

  GST_OBJECT_LOCK (self);
  if (id == ROBOCACHE_TEST_PROP_STATS)
    g_value_take_boxed (value, make_stats (self));
  else
    robocache_setting_get (robocache_test_settings_field (&self->properties, id), value);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_robocache_test_src_finalize (GObject *object)
{
  robocache_source_wait_clear (&GST_ROBOCACHE_TEST_SRC (object)->wait);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_robocache_test_src_class_init (GstRobocacheTestSrcClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *src_class = GST_BASE_SRC_CLASS (klass);

  object_class->set_property = gst_robocache_test_src_set_property;
  object_class->get_property = gst_robocache_test_src_get_property;
  object_class->finalize = gst_robocache_test_src_finalize;
  robocache_test_properties_install (object_class);

  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Simulated robot sensor", "Source/Sensor",
      "Joints, forces, an IMU or point clouds with a known truth, and the faults of real sensors", "robocache");
  element_class->send_event = gst_robocache_test_src_send_event;
  element_class->change_state = gst_robocache_test_src_change_state;

  src_class->negotiate = gst_robocache_test_src_negotiate;
  src_class->get_caps = gst_robocache_test_src_get_caps;
  src_class->decide_allocation = gst_robocache_test_src_decide_allocation;
  src_class->start = gst_robocache_test_src_start;
  src_class->stop = gst_robocache_test_src_stop;
  src_class->unlock = gst_robocache_test_src_unlock;
  src_class->unlock_stop = gst_robocache_test_src_unlock_stop;
  src_class->is_seekable = gst_robocache_test_src_is_seekable;
  src_class->do_seek = gst_robocache_test_src_do_seek;
  src_class->event = gst_robocache_test_src_event;
  src_class->query = gst_robocache_test_src_query;
  GST_PUSH_SRC_CLASS (klass)->create = gst_robocache_test_src_create;
}

static void
gst_robocache_test_src_init (GstRobocacheTestSrc *self)
{
  robocache_test_settings_init (&self->properties);
  robocache_source_wait_init (&self->wait);
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
  gst_base_src_set_automatic_eos (GST_BASE_SRC (self), FALSE);
}
