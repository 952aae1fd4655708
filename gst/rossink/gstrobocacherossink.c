/* robocache: streams to live topics of ROS 2
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-robocacherossink
 * @title: robocacherossink
 *
 * Publishes rows, samples, point clouds and pictures as live topics of ROS 2 through DDS, without an installation of ROS. Messages are those
 * that robocachemcapsink records.
 *
 * |[
 * gst-launch-1.0 robocachetestsrc kind=proprio is-live=true ! s.sink_0 robocacherossink name=s sink_0::topic=/joint_states
 * gst-launch-1.0 robocacherossrc topics=/joint_states ! robocachefuse rate=100 ! s.sink_0 robocacherossink name=s sink_0::topic=/samples
 * ]|
 */
#include "gstrobocacherossink.h"

#include "common/element/errors.h"
#include "common/element/propertytypes.h"
#include "common/rosstreams/encoders/encoders.h"
#include "common/time/systemorigin.h"
#include "stream.h"

GST_DEBUG_CATEGORY_STATIC (robocache_ros_sink_debug);
#define GST_CAT_DEFAULT robocache_ros_sink_debug

/* Each pad is that of a stream, a sink in this bin, so the bin has the states, the end and the latency of several sinks. */
struct _GstRobocacheRosSink
{
  GstBin parent;

  RobocacheRosSinkSettings properties;  /* object lock; copied at start */
  GRecMutex lock;               /* guards session: start and stop against pads; signals of new pads are emitted with it */
  RobocacheRosSinkSession *session;     /* NULL: READY or below */
  gint64 origin_ns;             /* object lock; UTC at running time 0 */
  gint has_data;                /* atomic; some stream has had data since the start */
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink_%u", GST_PAD_SINK, GST_PAD_REQUEST,
    GST_STATIC_CAPS (ROBOCACHE_ENCODER_CAPS));

static void child_proxy_init (gpointer iface, gpointer data);

#define gst_robocache_ros_sink_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRobocacheRosSink, gst_robocache_ros_sink, GST_TYPE_BIN,
    G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY, child_proxy_init)
    GST_DEBUG_CATEGORY_INIT (robocache_ros_sink_debug, "robocacherossink", 0, "streams to live topics of ROS 2"));
GST_ELEMENT_REGISTER_DEFINE (robocacherossink, "robocacherossink", GST_RANK_NONE, GST_TYPE_ROBOCACHE_ROS_SINK);

/* ---- streams of pads ---- */

/* The stream of a pad, with a reference; NULL: the bin is being disposed of, and has no streams any more. */
static GstRobocacheRosStream *
stream_of (GstPad *pad)
{
  GstPad *target = gst_ghost_pad_get_target (GST_GHOST_PAD (pad));
  GstElement *stream = target ? gst_pad_get_parent_element (target) : NULL;

  gst_clear_object (&target);
  return (GstRobocacheRosStream *) stream;
}

/* Called with the lock. */
static void
start_stream (GstRobocacheRosSink *self, GstPad *pad)
{
  GstRobocacheRosStream *stream = stream_of (pad);
  RobocacheRosPadSettings settings;

  gst_robocache_ros_sink_pad_get_settings (GST_ROBOCACHE_ROS_SINK_PAD (pad), &settings);
  gst_robocache_ros_stream_start (stream, self->session, &settings);
  GST_OBJECT_LOCK (self);
  gst_robocache_ros_stream_set_origin (stream, self->origin_ns);
  GST_OBJECT_UNLOCK (self);
  gst_object_unref (stream);
}

static gboolean
add_pad (GstElement *element, GstPad *pad, gpointer pads)
{
  g_ptr_array_add (pads, gst_object_ref (pad));
  return TRUE;
}

/* Free with g_ptr_array_unref. */
static GPtrArray *
list_pads (GstRobocacheRosSink *self)
{
  GPtrArray *pads = g_ptr_array_new_with_free_func (gst_object_unref);

  gst_element_foreach_sink_pad (GST_ELEMENT (self), add_pad, pads);
  return pads;
}

/* ---- pads ---- */

/* The number of a pad of that name, or the one after the highest. FALSE: the name is no name of a pad, or taken. */
static gboolean
choose_number (GstRobocacheRosSink *self, const gchar *name, guint *number)
{
  gchar *taken = g_strdup_printf ("%s", name ? name : "");
  GPtrArray *pads = list_pads (self);
  gboolean is_free = TRUE;
  guint64 asked = 0, next = 0;

  for (guint i = 0; i < pads->len; i++) {
    is_free &= !g_str_equal (GST_OBJECT_NAME (pads->pdata[i]), taken);
    next = MAX (next, g_ascii_strtoull (GST_OBJECT_NAME (pads->pdata[i]) + 5, NULL, 10) + 1);
  }
  if (name)
    is_free &= g_str_has_prefix (name, "sink_") && g_ascii_string_to_unsigned (name + 5, 10, 0, G_MAXUINT, &asked, NULL);
  *number = (guint) (name ? asked : next);
  g_ptr_array_unref (pads);
  g_free (taken);
  return is_free && next <= G_MAXUINT;
}

static GstPad *
make_pad (GstRobocacheRosSink *self, GstPadTemplate *template, const gchar *name)
{
  GstRobocacheRosStream *stream = gst_robocache_ros_stream_new (GST_ELEMENT (self), name, robocache_ros_sink_debug);
  GstPad *pad = g_object_new (GST_TYPE_ROBOCACHE_ROS_SINK_PAD, "name", name, "direction", GST_PAD_SINK, "template", template, NULL);

  /* a running pipeline does not wait for the data of a new pad */
  if (self->session)
    gst_base_sink_set_async_enabled (GST_BASE_SINK (stream), FALSE);
  gst_bin_add (GST_BIN (self), GST_ELEMENT (stream));
  gst_ghost_pad_set_target (GST_GHOST_PAD (pad), GST_BASE_SINK_PAD (stream));
  return pad;
}

static GstPad *
request_new_pad (GstElement *element, GstPadTemplate *template, const gchar *name, const GstCaps *caps)
{
  GstRobocacheRosSink *self = GST_ROBOCACHE_ROS_SINK (element);
  GstElement *stream;
  gchar *own_name;
  GstPad *pad;
  guint number;

  g_rec_mutex_lock (&self->lock);
  if (!choose_number (self, name, &number)) {
    g_rec_mutex_unlock (&self->lock);
    GST_WARNING_OBJECT (self, "no pad \"%s\": expected sink_ and a number that is not taken", name);
    return NULL;
  }
  own_name = g_strdup_printf ("sink_%u", number);
  pad = make_pad (self, template, own_name);
  if (self->session)
    gst_pad_set_active (pad, TRUE);
  gst_element_add_pad (element, pad);
  gst_child_proxy_child_added (GST_CHILD_PROXY (element), G_OBJECT (pad), own_name);
  if (self->session)
    start_stream (self, pad);
  g_rec_mutex_unlock (&self->lock);
  stream = GST_ELEMENT (stream_of (pad));
  gst_element_sync_state_with_parent (stream);
  gst_object_unref (stream);
  g_free (own_name);
  return pad;
}

/* The bin counts the ends of its sinks when one ends, so one that has ended does so again. */
static void
check_end (GstRobocacheRosSink *self)
{
  GPtrArray *pads = list_pads (self);
  gboolean is_end = pads->len > 0;

  for (guint i = 0; i < pads->len; i++)
    is_end &= GST_PAD_IS_EOS (GST_PAD (pads->pdata[i]));
  if (is_end) {
    GstElement *stream = GST_ELEMENT (stream_of (pads->pdata[0]));

    gst_element_post_message (stream, gst_message_new_eos (GST_OBJECT (stream)));
    gst_object_unref (stream);
  }
  g_ptr_array_unref (pads);
}

static void
release_pad (GstElement *element, GstPad *pad)
{
  GstRobocacheRosSink *self = GST_ROBOCACHE_ROS_SINK (element);
  GstRobocacheRosStream *stream = stream_of (pad);
  gchar *name = gst_object_get_name (GST_OBJECT (pad));
  const gboolean was_open = !GST_PAD_IS_EOS (pad);

  gst_object_ref (pad);
  gst_pad_set_active (pad, FALSE);
  if (stream) {
    gst_element_set_locked_state (GST_ELEMENT (stream), TRUE);
    gst_element_set_state (GST_ELEMENT (stream), GST_STATE_NULL);
    gst_ghost_pad_set_target (GST_GHOST_PAD (pad), NULL);
  }
  gst_element_remove_pad (element, pad);
  if (stream) {
    gst_bin_remove (GST_BIN (element), GST_ELEMENT (stream));
    g_rec_mutex_lock (&self->lock);
    gst_robocache_ros_stream_stop (stream);
    g_rec_mutex_unlock (&self->lock);
    gst_object_unref (stream);
  }
  if (stream && was_open)
    check_end (self);
  gst_child_proxy_child_removed (GST_CHILD_PROXY (element), G_OBJECT (pad), name);
  gst_object_unref (pad);
  g_free (name);
}

/* Children are the pads, not the sinks of this bin. */
static guint
get_children_count (GstChildProxy *proxy)
{
  guint n;

  GST_OBJECT_LOCK (proxy);
  n = GST_ELEMENT (proxy)->numsinkpads;
  GST_OBJECT_UNLOCK (proxy);
  return n;
}

static GObject *
get_child_by_index (GstChildProxy *proxy, guint index)
{
  GObject *child;

  GST_OBJECT_LOCK (proxy);
  child = g_list_nth_data (GST_ELEMENT (proxy)->sinkpads, index);
  if (child)
    g_object_ref (child);
  GST_OBJECT_UNLOCK (proxy);
  return child;
}

static void
child_proxy_init (gpointer iface, gpointer data)
{
  GstChildProxyInterface *proxy = iface;

  proxy->get_children_count = get_children_count;
  proxy->get_child_by_index = get_child_by_index;
}

/* ---- states ---- */

static gboolean
start (GstRobocacheRosSink *self)
{
  RobocacheRosSinkSettings settings;
  RobocacheRosSinkSession *session;
  GError *error = NULL;
  GPtrArray *pads;

  GST_OBJECT_LOCK (self);
  robocache_ros_sink_settings_copy (&settings, &self->properties);
  self->origin_ns = settings.time_origin == ROBOCACHE_ROS_SINK_NO_ORIGIN ? 0 : settings.time_origin;
  GST_OBJECT_UNLOCK (self);
  g_atomic_int_set (&self->has_data, FALSE);
  session = robocache_ros_sink_session_new (&settings, &error);
  robocache_ros_sink_settings_clear (&settings);
  if (!session) {
    robocache_post_error_at (GST_ELEMENT (self), NULL, error, GST_CLOCK_TIME_NONE);
    g_error_free (error);
    return FALSE;
  }
  GST_INFO_OBJECT (self, "node %s in namespace %s, domain %u, discovery=%s", session->settings.node_name, session->settings.namespace,
      robocache_dds_participant_network (session->participant)->domain,
      robocache_dds_discovery_name (robocache_dds_participant_network (session->participant)->discovery));
  g_rec_mutex_lock (&self->lock);
  self->session = session;
  pads = list_pads (self);
  for (guint i = 0; i < pads->len; i++)
    start_stream (self, pads->pdata[i]);
  g_rec_mutex_unlock (&self->lock);
  g_ptr_array_unref (pads);
  return TRUE;
}

/* All streams are in READY. */
static void
stop (GstRobocacheRosSink *self)
{
  RobocacheRosSinkSession *session;
  GPtrArray *pads;

  g_rec_mutex_lock (&self->lock);
  session = g_steal_pointer (&self->session);
  pads = list_pads (self);
  for (guint i = 0; i < pads->len; i++) {
    GstRobocacheRosStream *stream = stream_of (pads->pdata[i]);

    gst_robocache_ros_stream_stop (stream);
    gst_base_sink_set_async_enabled (GST_BASE_SINK (stream), TRUE);
    gst_object_unref (stream);
  }
  g_rec_mutex_unlock (&self->lock);
  g_ptr_array_unref (pads);
  g_clear_pointer (&session, robocache_ros_sink_session_free);
}

static void
set_origin (GstRobocacheRosSink *self)
{
  GPtrArray *pads = list_pads (self);
  gint64 origin_ns = self->session->settings.time_origin, uncertainty_ns = 0;

  if (origin_ns == ROBOCACHE_ROS_SINK_NO_ORIGIN)
    origin_ns = robocache_system_origin (GST_ELEMENT (self), &uncertainty_ns);
  GST_INFO_OBJECT (self, "running time 0 is %" G_GINT64_FORMAT " ns, +- %" G_GINT64_FORMAT " ns", origin_ns, uncertainty_ns);
  GST_OBJECT_LOCK (self);
  self->origin_ns = origin_ns;
  GST_OBJECT_UNLOCK (self);
  for (guint i = 0; i < pads->len; i++) {
    GstRobocacheRosStream *stream = stream_of (pads->pdata[i]);

    gst_robocache_ros_stream_set_origin (stream, origin_ns);
    gst_object_unref (stream);
  }
  g_ptr_array_unref (pads);
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstRobocacheRosSink *self = GST_ROBOCACHE_ROS_SINK (element);
  GstStateChangeReturn changed;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    set_origin (self);
  changed = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY || (transition == GST_STATE_CHANGE_READY_TO_PAUSED && changed == GST_STATE_CHANGE_FAILURE))
    stop (self);
  return changed;
}

/* ---- preroll ---- */

/* TRUE: the stream waited for data, and waits no longer. */
static gboolean
take_pending (GstElement *stream)
{
  gboolean is_taken;

  GST_OBJECT_LOCK (stream);
  is_taken = GST_STATE_RETURN (stream) == GST_STATE_CHANGE_ASYNC && GST_STATE_PENDING (stream) == GST_STATE_PAUSED;
  if (is_taken) {
    GST_STATE (stream) = GST_STATE_PAUSED;
    GST_STATE_NEXT (stream) = GST_STATE_PENDING (stream) = GST_STATE_VOID_PENDING;
    GST_STATE_RETURN (stream) = GST_STATE_CHANGE_SUCCESS;
  }
  GST_OBJECT_UNLOCK (stream);
  return is_taken;
}

/* Some stream has data. As the state is that of the element, it does not wait for the data of others, which may be silent for long. */
static void
end_preroll (GstRobocacheRosSink *self)
{
  GPtrArray *pads = list_pads (self);

  for (guint i = 0; i < pads->len; i++) {
    GstElement *stream = GST_ELEMENT (stream_of (pads->pdata[i]));

    if (!stream)
      continue;
    if (take_pending (stream)) {
      GST_DEBUG_OBJECT (pads->pdata[i], "the state does not wait for data: another stream has some");
      gst_element_post_message (stream, gst_message_new_state_changed (GST_OBJECT (stream), GST_STATE_READY, GST_STATE_PAUSED,
              GST_STATE_VOID_PENDING));
      gst_element_post_message (stream, gst_message_new_async_done (GST_OBJECT (stream), GST_CLOCK_TIME_NONE));
      GST_STATE_BROADCAST (stream);
    }
    gst_object_unref (stream);
  }
  g_ptr_array_unref (pads);
}

/* The state of the element waits for data of one stream, in PAUSED, or after a flush. */
static void
handle_message (GstBin *bin, GstMessage *message)
{
  GstRobocacheRosSink *self = GST_ROBOCACHE_ROS_SINK (bin);
  const gboolean is_of_stream = GST_IS_ROBOCACHE_ROS_STREAM (GST_MESSAGE_SRC (message));
  const GstStateChange transition = is_of_stream ? gst_robocache_ros_stream_get_transition (GST_ROBOCACHE_ROS_STREAM (GST_MESSAGE_SRC (message)))
      : 0;
  const gboolean is_start = is_of_stream && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ASYNC_START;

  if (is_of_stream && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ASYNC_DONE) {
    g_atomic_int_set (&self->has_data, TRUE);
    end_preroll (self);
  }
  if (is_start && transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING) {
    gst_message_unref (message);
    return;
  }
  GST_BIN_CLASS (parent_class)->handle_message (bin, message);
  /* the data of another stream came while this one's state was being set */
  if (is_start && transition == GST_STATE_CHANGE_READY_TO_PAUSED && g_atomic_int_get (&self->has_data))
    end_preroll (self);
}

/* ---- properties ---- */

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (object);
  robocache_setting_set (robocache_ros_sink_settings_field (&GST_ROBOCACHE_ROS_SINK (object)->properties, id), value);
  GST_OBJECT_UNLOCK (object);
  robocache_warn_of_late_setting (object, pspec);
}

static GstStructure *
get_stats (GstRobocacheRosSink *self)
{
  GstStructure *stats = gst_structure_new_empty ("stats");
  GPtrArray *pads = list_pads (self);

  GST_OBJECT_LOCK (self);
  gst_structure_set (stats, "time-origin", G_TYPE_INT64, self->origin_ns, NULL);
  GST_OBJECT_UNLOCK (self);
  for (guint i = 0; i < pads->len; i++) {
    GstRobocacheRosStream *stream = stream_of (pads->pdata[i]);
    GstStructure *counts = gst_robocache_ros_stream_statistics (stream);

    gst_structure_set (stats, GST_OBJECT_NAME (pads->pdata[i]), GST_TYPE_STRUCTURE, counts, NULL);
    gst_structure_free (counts);
    gst_object_unref (stream);
  }
  g_ptr_array_unref (pads);
  return stats;
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRobocacheRosSink *self = GST_ROBOCACHE_ROS_SINK (object);

  if (id == ROBOCACHE_ROS_SINK_PROP_STATS) {
    g_value_take_boxed (value, get_stats (self));
    return;
  }
  GST_OBJECT_LOCK (object);
  robocache_setting_get (robocache_ros_sink_settings_field (&self->properties, id), value);
  GST_OBJECT_UNLOCK (object);
}

/* ---- life ---- */

static void
finalize (GObject *object)
{
  GstRobocacheRosSink *self = GST_ROBOCACHE_ROS_SINK (object);

  robocache_ros_sink_settings_clear (&self->properties);
  g_rec_mutex_clear (&self->lock);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_robocache_ros_sink_class_init (GstRobocacheRosSinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  robocache_ros_sink_properties_install (object_class);
  element_class->request_new_pad = request_new_pad;
  element_class->release_pad = release_pad;
  element_class->change_state = change_state;
  GST_BIN_CLASS (klass)->handle_message = handle_message;
  robocache_add_pad_template (element_class, &sink_template, GST_TYPE_ROBOCACHE_ROS_SINK_PAD);
  gst_element_class_set_static_metadata (element_class, "ROS 2 live sink", "Sink/Network",
      "Publishes rows, samples, point clouds and pictures as live topics of ROS 2", "robocache");
  gst_type_mark_as_plugin_api (GST_TYPE_ROBOCACHE_ROS_SINK_PAD, 0);
}

static void
gst_robocache_ros_sink_init (GstRobocacheRosSink *self)
{
  g_rec_mutex_init (&self->lock);
  robocache_ros_sink_settings_init (&self->properties);
  /* it is a sink before it has a pad */
  gst_bin_set_suppressed_flags (GST_BIN (self), GST_ELEMENT_FLAG_SINK | GST_ELEMENT_FLAG_SOURCE);
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SINK);
}
