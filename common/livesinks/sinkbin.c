/* robocache: an element with a request pad for each stream that it publishes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sinkbin.h"

#include "common/element/logs.h"
#include "common/time/clockreading.h"

typedef struct
{
  GRecMutex lock;               /* guards is_started: start and stop against pads; signals of new pads are emitted with it */
  gboolean is_started;
  gboolean has_own_origin;      /* constant while started: the origin is that of the property */
  gint64 origin_ns;             /* object lock; UTC at running time 0 */
  gint has_data;                /* atomic; some stream has had data since the start */
} GstRobocacheSinkBinPrivate;

static void child_proxy_init (gpointer iface, gpointer data);

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstRobocacheSinkBin, gst_robocache_sink_bin, GST_TYPE_BIN, G_ADD_PRIVATE (GstRobocacheSinkBin)
    G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY, child_proxy_init))
#define PRIVATE(self) ((GstRobocacheSinkBinPrivate *) gst_robocache_sink_bin_get_instance_private (GST_ROBOCACHE_SINK_BIN (self)))

/* ---- streams of pads ---- */

/* With a reference; NULL: the pad is being released. */
static GstRobocacheStreamSink *
stream_of (GstPad *pad)
{
  GstPad *target = gst_ghost_pad_get_target (GST_GHOST_PAD (pad));
  GstElement *stream = target ? gst_pad_get_parent_element (target) : NULL;

  gst_clear_object (&target);
  return (GstRobocacheStreamSink *) stream;
}

/* Called with the lock. */
static void
start_stream (GstRobocacheSinkBin *self, GstPad *pad)
{
  GstRobocacheStreamSink *stream = stream_of (pad);
  gint64 origin_ns;

  if (stream == NULL)           /* it is being released */
    return;
  GST_ROBOCACHE_SINK_BIN_GET_CLASS (self)->start_stream (self, pad, stream);
  GST_OBJECT_LOCK (self);
  origin_ns = PRIVATE (self)->origin_ns;
  GST_OBJECT_UNLOCK (self);
  gst_robocache_stream_sink_set_origin (stream, origin_ns);
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
list_pads (GstRobocacheSinkBin *self)
{
  GPtrArray *pads = g_ptr_array_new_with_free_func (gst_object_unref);

  gst_element_foreach_sink_pad (GST_ELEMENT (self), add_pad, pads);
  return pads;
}

/* ---- pads ---- */

/* The number of a pad of that name, or the one after the highest. FALSE: the name is no name of a pad, or taken. */
static gboolean
choose_number (GstRobocacheSinkBin *self, const gchar *name, guint *number)
{
  GPtrArray *pads = list_pads (self);
  gboolean is_free = TRUE;
  guint64 asked = 0, next = 0;

  if (name)
    is_free = g_str_has_prefix (name, "sink_") && g_ascii_string_to_unsigned (name + 5, 10, 0, G_MAXUINT, &asked, NULL);
  for (guint i = 0; i < pads->len; i++) {
    const guint64 taken = g_ascii_strtoull (GST_OBJECT_NAME (pads->pdata[i]) + 5, NULL, 10);

    is_free &= name == NULL || taken != asked;
    next = MAX (next, taken + 1);
  }
  *number = (guint) (name ? asked : next);
  g_ptr_array_unref (pads);
  return is_free && (name || next <= G_MAXUINT);
}

static GstPad *
make_pad (GstRobocacheSinkBin *self, GstPadTemplate *template, const gchar *name)
{
  GstRobocacheStreamSink *stream = gst_robocache_stream_sink_new (GST_ROBOCACHE_SINK_BIN_GET_CLASS (self)->stream_type, GST_ELEMENT (self), name,
      robocache_category_of (self));
  GType type = GST_PAD_TEMPLATE_GTYPE (template);
  GstPad *pad = g_object_new (type, "name", name, "direction", GST_PAD_SINK, "template", template, NULL);

  /* a running pipeline does not wait for the data of a new pad */
  if (PRIVATE (self)->is_started)
    gst_base_sink_set_async_enabled (GST_BASE_SINK (stream), FALSE);
  gst_bin_add (GST_BIN (self), GST_ELEMENT (stream));
  gst_ghost_pad_set_target (GST_GHOST_PAD (pad), GST_BASE_SINK_PAD (stream));
  return pad;
}

static GstPad *
request_new_pad (GstElement *element, GstPadTemplate *template, const gchar *name, const GstCaps *caps)
{
  GstRobocacheSinkBin *self = GST_ROBOCACHE_SINK_BIN (element);
  GstRobocacheSinkBinPrivate *priv = PRIVATE (self);
  GstElement *stream;
  gchar *own_name;
  GstPad *pad;
  guint number;

  g_rec_mutex_lock (&priv->lock);
  if (!choose_number (self, name, &number)) {
    g_rec_mutex_unlock (&priv->lock);
    GST_CAT_WARNING_OBJECT (robocache_category_of (self), self, "no pad \"%s\": expected sink_ and a number that is not taken", name);
    return NULL;
  }
  own_name = g_strdup_printf ("sink_%u", number);
  pad = make_pad (self, template, own_name);
  if (priv->is_started)
    gst_pad_set_active (pad, TRUE);
  gst_element_add_pad (element, pad);
  gst_child_proxy_child_added (GST_CHILD_PROXY (element), G_OBJECT (pad), own_name);
  if (priv->is_started)
    start_stream (self, pad);
  g_rec_mutex_unlock (&priv->lock);
  stream = GST_ELEMENT (stream_of (pad));
  gst_element_sync_state_with_parent (stream);
  gst_object_unref (stream);
  g_free (own_name);
  return pad;
}

/* The bin counts the ends of its sinks when one ends, so one that has ended does so again. */
static void
check_end (GstRobocacheSinkBin *self)
{
  GPtrArray *pads = list_pads (self);
  gboolean is_end = pads->len > 0;

  for (guint i = 0; i < pads->len; i++)
    is_end &= GST_PAD_IS_EOS (GST_PAD (pads->pdata[i]));
  if (is_end) {
    GstElement *stream = (GstElement *) stream_of (pads->pdata[0]);

    if (stream)
      gst_element_post_message (stream, gst_message_new_eos (GST_OBJECT (stream)));
    gst_clear_object (&stream);
  }
  g_ptr_array_unref (pads);
}

static void
release_pad (GstElement *element, GstPad *pad)
{
  GstRobocacheSinkBin *self = GST_ROBOCACHE_SINK_BIN (element);
  GstRobocacheStreamSink *stream = stream_of (pad);
  gchar *name = gst_object_get_name (GST_OBJECT (pad));
  const gboolean was_open = !GST_PAD_IS_EOS (pad);

  gst_object_ref (pad);
  /* before the pad, whose thread may wait in the stream */
  gst_element_set_locked_state (GST_ELEMENT (stream), TRUE);
  gst_element_set_state (GST_ELEMENT (stream), GST_STATE_NULL);
  gst_pad_set_active (pad, FALSE);
  g_rec_mutex_lock (&PRIVATE (self)->lock);
  if (PRIVATE (self)->is_started)
    GST_ROBOCACHE_SINK_BIN_GET_CLASS (self)->stop_stream (self, stream);
  gst_ghost_pad_set_target (GST_GHOST_PAD (pad), NULL);
  g_rec_mutex_unlock (&PRIVATE (self)->lock);
  gst_element_remove_pad (element, pad);
  gst_bin_remove (GST_BIN (element), GST_ELEMENT (stream));
  gst_object_unref (stream);
  if (was_open)
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
start (GstRobocacheSinkBin *self)
{
  GstRobocacheSinkBinPrivate *priv = PRIVATE (self);
  gint64 origin_ns = ROBOCACHE_SINK_BIN_NO_ORIGIN;
  GPtrArray *pads;

  g_atomic_int_set (&priv->has_data, FALSE);
  if (!GST_ROBOCACHE_SINK_BIN_GET_CLASS (self)->start (self, &origin_ns))
    return FALSE;
  priv->has_own_origin = origin_ns != ROBOCACHE_SINK_BIN_NO_ORIGIN;
  GST_OBJECT_LOCK (self);
  priv->origin_ns = priv->has_own_origin ? origin_ns : 0;
  GST_OBJECT_UNLOCK (self);
  g_rec_mutex_lock (&priv->lock);
  priv->is_started = TRUE;
  pads = list_pads (self);
  for (guint i = 0; i < pads->len; i++)
    start_stream (self, pads->pdata[i]);
  g_rec_mutex_unlock (&priv->lock);
  g_ptr_array_unref (pads);
  return TRUE;
}

/* All streams are in READY. */
static void
stop (GstRobocacheSinkBin *self)
{
  GstRobocacheSinkBinPrivate *priv = PRIVATE (self);
  gboolean is_started;
  GPtrArray *pads;

  g_rec_mutex_lock (&priv->lock);
  is_started = priv->is_started;
  priv->is_started = FALSE;
  pads = list_pads (self);
  for (guint i = 0; is_started && i < pads->len; i++) {
    GstRobocacheStreamSink *stream = stream_of (pads->pdata[i]);

    if (stream == NULL)         /* it is being released, and has been stopped */
      continue;
    GST_ROBOCACHE_SINK_BIN_GET_CLASS (self)->stop_stream (self, stream);
    gst_base_sink_set_async_enabled (GST_BASE_SINK (stream), TRUE);
    gst_object_unref (stream);
  }
  g_rec_mutex_unlock (&priv->lock);
  g_ptr_array_unref (pads);
  if (is_started)
    GST_ROBOCACHE_SINK_BIN_GET_CLASS (self)->stop (self);
}

static void
set_origin (GstRobocacheSinkBin *self)
{
  GstRobocacheSinkBinPrivate *priv = PRIVATE (self);
  gint64 origin_ns = priv->origin_ns, uncertainty_ns = 0;
  GPtrArray *pads;

  if (!priv->has_own_origin) {
    const RobocacheClockReading reading = robocache_clock_reading_of (GST_ELEMENT (self));

    origin_ns = robocache_clock_reading_origin (&reading, &uncertainty_ns);
  }
  GST_CAT_INFO_OBJECT (robocache_category_of (self), self, "running time 0 is %" G_GINT64_FORMAT " ns, +- %" G_GINT64_FORMAT " ns", origin_ns, uncertainty_ns);
  GST_OBJECT_LOCK (self);
  priv->origin_ns = origin_ns;
  GST_OBJECT_UNLOCK (self);
  /* after it: later pads take this origin by themselves */
  pads = list_pads (self);
  for (guint i = 0; i < pads->len; i++) {
    GstRobocacheStreamSink *stream = stream_of (pads->pdata[i]);

    if (stream)
      gst_robocache_stream_sink_set_origin (stream, origin_ns);
    gst_clear_object (&stream);
  }
  g_ptr_array_unref (pads);
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstRobocacheSinkBin *self = GST_ROBOCACHE_SINK_BIN (element);
  GstStateChangeReturn changed;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    set_origin (self);
  changed = GST_ELEMENT_CLASS (gst_robocache_sink_bin_parent_class)->change_state (element, transition);
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
end_preroll (GstRobocacheSinkBin *self)
{
  GPtrArray *pads = list_pads (self);

  for (guint i = 0; i < pads->len; i++) {
    GstElement *stream = (GstElement *) stream_of (pads->pdata[i]);

    if (stream && take_pending (stream)) {
      GST_CAT_DEBUG_OBJECT (robocache_category_of (self), pads->pdata[i], "the state does not wait for data: another stream has some");
      gst_element_post_message (stream, gst_message_new_state_changed (GST_OBJECT (stream), GST_STATE_READY, GST_STATE_PAUSED,
              GST_STATE_VOID_PENDING));
      gst_element_post_message (stream, gst_message_new_async_done (GST_OBJECT (stream), GST_CLOCK_TIME_NONE));
      GST_STATE_BROADCAST (stream);
    }
    gst_clear_object (&stream);
  }
  g_ptr_array_unref (pads);
}

/* The state of the element waits for data of one stream, in PAUSED, or after a flush. */
static void
handle_message (GstBin *bin, GstMessage *message)
{
  GstRobocacheSinkBin *self = GST_ROBOCACHE_SINK_BIN (bin);
  const gboolean is_of_stream = GST_IS_ROBOCACHE_STREAM_SINK (GST_MESSAGE_SRC (message));
  const GstStateChange transition = is_of_stream ? gst_robocache_stream_sink_get_transition (GST_ROBOCACHE_STREAM_SINK (GST_MESSAGE_SRC (message)))
      : 0;
  const gboolean is_start = is_of_stream && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ASYNC_START;

  if (is_of_stream && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ASYNC_DONE) {
    g_atomic_int_set (&PRIVATE (self)->has_data, TRUE);
    end_preroll (self);
  }
  if (is_start && transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING) {
    gst_message_unref (message);
    return;
  }
  GST_BIN_CLASS (gst_robocache_sink_bin_parent_class)->handle_message (bin, message);
  /* the data of another stream came while this one's state was being set */
  if (is_start && transition == GST_STATE_CHANGE_READY_TO_PAUSED && g_atomic_int_get (&PRIVATE (self)->has_data))
    end_preroll (self);
}

/* ---- statistics ---- */

GstStructure *
gst_robocache_sink_bin_statistics (GstRobocacheSinkBin *self, GstStructure *(*statistics) (GstRobocacheStreamSink *))
{
  GstStructure *structure = gst_structure_new_empty ("stats");
  GPtrArray *pads = list_pads (self);

  GST_OBJECT_LOCK (self);
  gst_structure_set (structure, "time-origin", G_TYPE_INT64, PRIVATE (self)->origin_ns, NULL);
  GST_OBJECT_UNLOCK (self);
  for (guint i = 0; i < pads->len; i++) {
    GstRobocacheStreamSink *stream = stream_of (pads->pdata[i]);
    GstStructure *counts = stream ? statistics (stream) : NULL;

    if (!counts)
      continue;
    gst_structure_set (structure, GST_OBJECT_NAME (pads->pdata[i]), GST_TYPE_STRUCTURE, counts, NULL);
    gst_structure_free (counts);
    gst_object_unref (stream);
  }
  g_ptr_array_unref (pads);
  return structure;
}

/* ---- life ---- */

/* The base class removes the streams before it releases the pads that are left. */
static void
dispose (GObject *object)
{
  GPtrArray *pads = list_pads (GST_ROBOCACHE_SINK_BIN (object));

  for (guint i = 0; i < pads->len; i++)
    gst_element_release_request_pad (GST_ELEMENT (object), pads->pdata[i]);
  g_ptr_array_unref (pads);
  G_OBJECT_CLASS (gst_robocache_sink_bin_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  g_rec_mutex_clear (&PRIVATE (object)->lock);
  G_OBJECT_CLASS (gst_robocache_sink_bin_parent_class)->finalize (object);
}

static void
gst_robocache_sink_bin_class_init (GstRobocacheSinkBinClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  element_class->request_new_pad = request_new_pad;
  element_class->release_pad = release_pad;
  element_class->change_state = change_state;
  GST_BIN_CLASS (klass)->handle_message = handle_message;
}

static void
gst_robocache_sink_bin_init (GstRobocacheSinkBin *self)
{
  g_rec_mutex_init (&PRIVATE (self)->lock);
  /* it is a sink before it has a pad */
  gst_bin_set_suppressed_flags (GST_BIN (self), GST_ELEMENT_FLAG_SINK | GST_ELEMENT_FLAG_SOURCE);
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SINK);
}
