/* robocache: the sink of one stream of an element that publishes messages
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "streamsink.h"

#include <gst/video/video.h>

#include "common/element/errors.h"
#include "common/time/segments.h"

#define MALFORMED "rows-dropped-malformed"
#define ARRIVAL_REFERENCE "timestamp/x-robocache-arrival"

typedef struct
{
  guint64 buffers, rows;        /* received; rows of buffers that nobody reads are not counted */
  guint64 unread;               /* buffers that nobody reads */
  guint64 messages, bytes;      /* published */
  guint64 no_time;              /* rows without a running time, or with one that messages cannot represent */
  guint64 outside_segment, malformed;
} Counts;

typedef struct
{
  /* constant */
  RobocacheStreamOwner owner;
  GstPadChainFunction chain;    /* of the base class, as the two below */
  GstPadEventFunction event;
  GstPadQueryFunction query;

  gchar *frame_id;              /* constant while started */

  /* the streaming thread */
  RobocacheEncoderFormat *format;       /* NULL: none yet */
  RobocacheEncoder *encoder;    /* NULL: before the first buffer of these caps */
  gboolean *skipped;            /* [channels of the encoder] */
  gboolean is_open;             /* the subclass has opened the encoder's channels */
  gboolean is_live;
  GstClockTime arrival;         /* running time at which the buffer arrived; GST_CLOCK_TIME_NONE: unknown */
  RobocacheRowTimes clock;
  RobocachePadFaults faults;
  RobocacheFlexibleInput flexible;

  gint transition;              /* atomic; GstStateChange in progress; 0: none */
  gint64 origin_ns;             /* object lock */
  Counts counts; /* object lock */
} GstRobocacheStreamSinkPrivate;

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (ROBOCACHE_ENCODER_CAPS));

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (GstRobocacheStreamSink, gst_robocache_stream_sink, GST_TYPE_BASE_SINK)
#define PRIVATE(self) ((GstRobocacheStreamSinkPrivate *) gst_robocache_stream_sink_get_instance_private (GST_ROBOCACHE_STREAM_SINK (self)))

/* ---- errors and counts ---- */

/* Takes the error. */
static void
post_error (GstRobocacheStreamSink *self, GError *error)
{
  robocache_post_error_at (PRIVATE (self)->owner.element, PRIVATE (self)->owner.pad_name, error, GST_CLOCK_TIME_NONE);
  g_error_free (error);
}

static void
count (GstRobocacheStreamSink *self, guint64 *counter, guint64 n)
{
  GST_OBJECT_LOCK (self);
  *counter += n;
  GST_OBJECT_UNLOCK (self);
}

/* The owner's pad, which people know; while it is being released, this one's. Unref it. */
static GstPad *
pad_of_owner (GstRobocacheStreamSink *self)
{
  GstPad *pad = gst_element_get_static_pad (PRIVATE (self)->owner.element, PRIVATE (self)->owner.pad_name);

  return pad ? pad : gst_object_ref (GST_BASE_SINK_PAD (self));
}

static GstFlowReturn
skip_buffer (GstRobocacheStreamSink *self, GstBuffer *buffer, guint64 *counter)
{
  robocache_row_times_pass (&PRIVATE (self)->clock, buffer);
  count (self, counter, 1);
  return GST_FLOW_OK;
}

static void
drop_malformed (GstRobocacheStreamSink *self, GstBuffer *buffer, const GError *error)
{
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (self);
  GstPad *pad = pad_of_owner (self);

  skip_buffer (self, buffer, &priv->counts.malformed);
  robocache_pad_faults_warn (priv->owner.element, robocache_pad_faults_note_buffer (&priv->faults, pad, error, MALFORMED));
  gst_object_unref (pad);
}

/* ---- caps ---- */

static void
set_encoder (GstRobocacheStreamSink *self, RobocacheEncoder *encoder)
{
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (self);

  g_clear_pointer (&priv->encoder, robocache_encoder_free);
  g_clear_pointer (&priv->skipped, g_free);
  priv->encoder = encoder;
  priv->is_open = FALSE;
}

static gboolean
ask_whether_live (GstRobocacheStreamSink *self)
{
  GstQuery *query = gst_query_new_latency ();
  gboolean is_live = FALSE;

  if (gst_pad_peer_query (GST_BASE_SINK_PAD (self), query))
    gst_query_parse_latency (query, &is_live, NULL, NULL);
  gst_query_unref (query);
  return is_live;
}

static void
use_format (GstRobocacheStreamSink *self, RobocacheEncoderFormat *format)
{
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (self);

  set_encoder (self, g_steal_pointer (&format->encoder));
  g_clear_pointer (&priv->format, robocache_encoder_format_free);
  priv->format = format;
  robocache_row_times_set_rate (&priv->clock, format->rate_num, format->rate_den);
  priv->faults.has_bad_caps = FALSE;
}

/* Takes the error. TRUE: only the rows of this live stream are lost. */
static gboolean
answer_bad_caps (GstRobocacheStreamSink *self, GError *error)
{
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (self);
  GstPad *pad;

  if (!priv->is_live || priv->owner.element->numsinkpads < 2 || error->code == ROBOCACHE_ERROR_PROPERTY) {
    post_error (self, error);
    return FALSE;
  }
  pad = pad_of_owner (self);
  robocache_pad_faults_warn (priv->owner.element, robocache_pad_faults_note_caps (&priv->faults, pad, error, MALFORMED));
  gst_object_unref (pad);
  g_error_free (error);
  return TRUE;
}

static gboolean
set_caps (GstBaseSink *base, GstCaps *caps)
{
  GstRobocacheStreamSink *self = GST_ROBOCACHE_STREAM_SINK (base);
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (self);
  GstRobocacheStreamSinkClass *klass = GST_ROBOCACHE_STREAM_SINK_GET_CLASS (self);
  RobocacheEncoderFormat *format;
  GError *error = NULL;

  priv->is_live = ask_whether_live (self);
  GST_CAT_DEBUG_OBJECT (priv->owner.category, self, "%s: %" GST_PTR_FORMAT, priv->is_live ? "live" : "not live", caps);
  format = robocache_encoder_format_new (caps, &error);
  if (format && (!klass->check_format || klass->check_format (self, format, &error))) {
    use_format (self, format);
    return TRUE;
  }
  g_clear_pointer (&format, robocache_encoder_format_free);
  return answer_bad_caps (self, error);
}

/* ---- channels ---- */

static gboolean
open_encoder (GstRobocacheStreamSink *self, GstBuffer *buffer, GError **error)
{
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (self);
  GstRobocacheStreamSinkClass *klass = GST_ROBOCACHE_STREAM_SINK_GET_CLASS (self);
  RobocacheEncoderSettings settings = { 0 };

  if (klass->get_encoder_settings)
    klass->get_encoder_settings (self, &settings);
  if (!priv->encoder)
    set_encoder (self, robocache_encoder_format_new_tensors (priv->format, &settings, buffer, error));
  if (!priv->encoder || !klass->open (self, priv->encoder, error))
    return FALSE;
  priv->skipped = g_new0 (gboolean, MAX (1, priv->encoder->channels->len));
  priv->encoder->skipped = priv->skipped;
  priv->is_open = TRUE;
  return TRUE;
}

/* With the first buffer of caps, in PAUSED already, so that readers find the topics before the clock runs. */
static GstFlowReturn
prepare (GstRobocacheStreamSink *self, GstBuffer *buffer)
{
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (self);
  GError *error = NULL;

  if (priv->faults.has_bad_caps)
    return GST_FLOW_OK;
  if (!priv->format)
    return GST_FLOW_NOT_NEGOTIATED;
  if (priv->is_open || open_encoder (self, buffer, &error))
    return GST_FLOW_OK;
  post_error (self, error);
  return GST_FLOW_ERROR;
}

static GstFlowReturn
preroll (GstBaseSink *base, GstBuffer *buffer)
{
  return prepare (GST_ROBOCACHE_STREAM_SINK (base), buffer);
}

/* Whether anybody reads a channel; notes the channels that nobody reads. */
static gboolean
note_readers (GstRobocacheStreamSink *self)
{
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (self);
  GstRobocacheStreamSinkClass *klass = GST_ROBOCACHE_STREAM_SINK_GET_CLASS (self);
  gboolean is_read = klass->is_wanted == NULL;

  for (guint i = 0; klass->is_wanted && i < priv->encoder->channels->len; i++) {
    priv->skipped[i] = !klass->is_wanted (self, i);
    is_read |= !priv->skipped[i];
  }
  return is_read;
}

/* ---- rows ---- */

/* A buffer while it is published. */
typedef struct
{
  GstRobocacheStreamSink *stream;
  GstBuffer *buffer;
  RobocacheEncoderItems items;
  RobocacheBufferTimes times;
  RobocacheStreamTimes of_row;
  GError *error;
} Publishing;

static gboolean
write_message (gpointer user_data, guint channel, const RobocacheCdrWriter *message)
{
  Publishing *publishing = user_data;
  GstRobocacheStreamSink *self = publishing->stream;
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (self);

  if (message->has_failed) {
    g_set_error (&publishing->error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_MEMORY, "no memory for the message of a buffer of %" G_GSIZE_FORMAT
        " bytes", gst_buffer_get_size (publishing->buffer));
    return FALSE;
  }
  if (!GST_ROBOCACHE_STREAM_SINK_GET_CLASS (self)->write (self, channel, &publishing->of_row, message, &publishing->error))
    return FALSE;
  GST_OBJECT_LOCK (self);
  priv->counts.messages++;
  priv->counts.bytes += message->size;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

static gint64
duration_of (const Publishing *publishing)
{
  const GstClockTime duration = GST_BUFFER_DURATION (publishing->buffer);

  return GST_CLOCK_TIME_IS_VALID (duration) && duration < G_MAXINT64 ? (gint64) (duration / publishing->items.n_items) : -1;
}

/* UTC of the arrival: as it came with the buffer; live, when the buffer came here; else the stamp. */
static gint64
log_time_of (GstRobocacheStreamSink *self, GstBuffer *buffer, gint64 stamp_ns, gint64 origin_ns)
{
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (self);
  GstReferenceTimestampMeta *meta;
  gpointer state = NULL;

  while ((meta = (GstReferenceTimestampMeta *) gst_buffer_iterate_meta_filtered (buffer, &state, GST_REFERENCE_TIMESTAMP_META_API_TYPE)))
    if (gst_structure_has_name (gst_caps_get_structure (meta->reference, 0), ARRIVAL_REFERENCE) && meta->timestamp <= G_MAXINT64)
      return (gint64) meta->timestamp;
  return priv->is_live && GST_CLOCK_TIME_IS_VALID (priv->arrival) ? origin_ns + (gint64) priv->arrival : stamp_ns;
}

/* UTC of a row; FALSE: messages cannot represent it. */
static gboolean
get_times (GstRobocacheStreamSink *self, Publishing *publishing, gint64 running_ns)
{
  RobocacheStreamTimes *times = &publishing->of_row;
  gint64 origin_ns;

  GST_OBJECT_LOCK (self);
  origin_ns = PRIVATE (self)->origin_ns;
  GST_OBJECT_UNLOCK (self);
  if (__builtin_add_overflow (running_ns, origin_ns, &times->stamp_ns) || times->stamp_ns < 0 || !robocache_ros_stamp_fits (times->stamp_ns))
    return FALSE;
  times->log_ns = log_time_of (self, publishing->buffer, times->stamp_ns, origin_ns);
  times->is_key = publishing->items.is_key;
  return TRUE;
}

/* Waits until a row is due, unless the base class has done so for the whole buffer. */
static GstFlowReturn
wait_for_row (GstRobocacheStreamSink *self, const Publishing *publishing, guint64 item, gint64 running_ns)
{
  if (item == 0 && !publishing->items.times && GST_BUFFER_PTS_IS_VALID (publishing->buffer) && !GST_BUFFER_DTS_IS_VALID (publishing->buffer))
    return GST_FLOW_OK;
  return gst_base_sink_wait (GST_BASE_SINK (self), (GstClockTime) running_ns, NULL);
}

static GstFlowReturn
publish_row (GstRobocacheStreamSink *self, Publishing *publishing, guint64 item)
{
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (self);
  GstRobocacheStreamSinkClass *klass = GST_ROBOCACHE_STREAM_SINK_GET_CLASS (self);
  RobocacheEncoderTimes times = { {0, priv->frame_id}, duration_of (publishing) };
  GstFlowReturn flow;
  gint64 running_ns;

  if (!robocache_row_times_nth (&priv->clock, &publishing->times, item, &running_ns)) {
    count (self, &priv->counts.outside_segment, 1);
    return GST_FLOW_OK;
  }
  flow = wait_for_row (self, publishing, item, running_ns);
  if (flow != GST_FLOW_OK || (klass->accepts_row && !klass->accepts_row (self, running_ns)))
    return flow;
  if (!get_times (self, publishing, running_ns)) {
    count (self, &priv->counts.no_time, 1);
    return GST_FLOW_OK;
  }
  times.header.stamp_ns = publishing->of_row.stamp_ns;
  GST_CAT_LOG_OBJECT (priv->owner.category, self, "row at running time %" GST_STIME_FORMAT ", stamp %" G_GINT64_FORMAT, GST_STIME_ARGS (running_ns),
      times.header.stamp_ns);
  return priv->encoder->class->write (priv->encoder, item, &times, write_message, publishing) ? GST_FLOW_OK : GST_FLOW_ERROR;
}

static GstFlowReturn
publish_rows (GstRobocacheStreamSink *self, Publishing *publishing)
{
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (self);
  const guint64 n = publishing->items.n_items;
  GstFlowReturn flow = GST_FLOW_OK;

  count (self, &priv->counts.rows, n);
  if (robocache_row_times_begin (&priv->clock, publishing->buffer, n, publishing->items.times, &publishing->times) != ROBOCACHE_BUFFER_TIMED) {
    GstPad *pad = pad_of_owner (self);

    if (priv->counts.no_time == 0)
      robocache_row_times_warn (priv->owner.element, pad);
    gst_object_unref (pad);
    count (self, &priv->counts.no_time, n);
    return GST_FLOW_OK;
  }
  for (guint64 i = 0; i < n && flow == GST_FLOW_OK; i++)
    flow = publish_row (self, publishing, i);
  return flow;
}

static GstFlowReturn
publish_buffer (GstRobocacheStreamSink *self, GstBuffer *buffer)
{
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (self);
  Publishing publishing = { self, buffer };
  GstFlowReturn flow = GST_FLOW_OK;

  if (priv->encoder->class->begin (priv->encoder, buffer, &publishing.items, &publishing.error)) {
    flow = publish_rows (self, &publishing);
    priv->encoder->class->end (priv->encoder);
  } else if (robocache_pad_faults_drop (priv->is_live, publishing.error)) {
    drop_malformed (self, buffer, publishing.error);
    g_clear_error (&publishing.error);
  } else {
    flow = GST_FLOW_ERROR;
  }
  if (publishing.error)
    post_error (self, publishing.error);
  return flow;
}

static GstFlowReturn
render (GstBaseSink *base, GstBuffer *buffer)
{
  GstRobocacheStreamSink *self = GST_ROBOCACHE_STREAM_SINK (base);
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (self);
  GstFlowReturn flow = prepare (self, buffer);

  if (flow != GST_FLOW_OK)
    return flow;
  count (self, &priv->counts.buffers, 1);
  if (priv->faults.has_bad_caps)
    return skip_buffer (self, buffer, &priv->counts.malformed);
  return note_readers (self) ? publish_buffer (self, buffer) : skip_buffer (self, buffer, &priv->counts.unread);
}

/* ---- events and queries ---- */

static gboolean
check_segment (GstRobocacheStreamSink *self, GstEvent *event)
{
  const GstSegment *segment;
  GError *error = NULL;

  gst_event_parse_segment (event, &segment);
  if (segment->format != GST_FORMAT_TIME)
    g_set_error (&error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the segment is in %s: rows have times in a TIME segment; put a parser before "
        "the sink", gst_format_get_name (segment->format));
  else if (robocache_segment_check (segment, &error))
    robocache_row_times_set_segment (&PRIVATE (self)->clock, segment);
  if (error)
    post_error (self, error);
  return error == NULL;
}

static gboolean
handle_event (GstBaseSink *base, GstEvent *event)
{
  GstRobocacheStreamSink *self = GST_ROBOCACHE_STREAM_SINK (base);

  GST_CAT_DEBUG_OBJECT (PRIVATE (self)->owner.category, self, "%" GST_PTR_FORMAT, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT && !check_segment (self, event)) {
    gst_event_unref (event);
    return FALSE;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    robocache_row_times_init (&PRIVATE (self)->clock);
    /* the caps stay */
    if (PRIVATE (self)->format)
      robocache_row_times_set_rate (&PRIVATE (self)->clock, PRIVATE (self)->format->rate_num, PRIVATE (self)->format->rate_den);
  }
  return GST_BASE_SINK_CLASS (gst_robocache_stream_sink_parent_class)->event (base, event);
}

/* ---- before the base class ---- */

/* Flexible tensors become static ones before the base class sees them. */
static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRobocacheStreamSink *self = GST_ROBOCACHE_STREAM_SINK (parent);
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (self);
  GError *error = NULL;
  GstFlowReturn flow;

  priv->arrival = robocache_running_time_now (GST_ELEMENT (self));
  /* a new pad had no part in the state; a flush waits for its data */
  gst_base_sink_set_async_enabled (GST_BASE_SINK (self), TRUE);
  flow = robocache_flexible_input_strip (&priv->flexible, &buffer, &error);
  if (flow == GST_FLOW_OK)
    return priv->chain (pad, parent, buffer);
  if (error && robocache_pad_faults_drop (priv->is_live, error)) {
    drop_malformed (self, buffer, error);
    g_clear_error (&error);
    flow = GST_FLOW_OK;
  }
  gst_buffer_unref (buffer);
  if (error)
    post_error (self, error);
  return flow;
}

static GstFlowReturn
chain_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint i = 0; i < gst_buffer_list_length (list) && flow == GST_FLOW_OK; i++)
    flow = chain (pad, parent, gst_buffer_ref (gst_buffer_list_get (list, i)));
  gst_buffer_list_unref (list);
  return flow;
}

static gboolean
pad_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRobocacheStreamSink *self = GST_ROBOCACHE_STREAM_SINK (parent);
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (self);
  const gboolean has_caps = GST_EVENT_TYPE (event) == GST_EVENT_CAPS;
  GError *error = NULL;

  if (!robocache_flexible_input_take_event (&priv->flexible, event, &error))
    return priv->event (pad, parent, event);
  if (has_caps)
    priv->is_live = ask_whether_live (self);
  return error == NULL || answer_bad_caps (self, error);
}

static gboolean
pad_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (parent);
  gboolean is_answered;
  GstCaps *caps;

  if (robocache_flexible_input_refuses (&priv->flexible, query))
    return FALSE;
  if (GST_QUERY_TYPE (query) == GST_QUERY_ACCEPT_CAPS) {
    gst_query_parse_accept_caps (query, &caps);
    if (robocache_flexible_input_accepts (caps)) {
      gst_query_set_accept_caps_result (query, TRUE);
      return TRUE;
    }
  }
  is_answered = priv->query (pad, parent, query);
  if (is_answered && GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
    robocache_flexible_input_add_caps (query);
  return is_answered;
}

static void
put_before_base_class (GstRobocacheStreamSink *self)
{
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (self);
  GstPad *pad = GST_BASE_SINK_PAD (self);

  robocache_flexible_input_init (&priv->flexible, pad);
  priv->chain = GST_PAD_CHAINFUNC (pad);
  priv->event = GST_PAD_EVENTFUNC (pad);
  priv->query = GST_PAD_QUERYFUNC (pad);
  gst_pad_set_chain_function (pad, chain);
  gst_pad_set_chain_list_function (pad, chain_list);
  gst_pad_set_event_function (pad, pad_event);
  gst_pad_set_query_function (pad, pad_query);
}

static gboolean
propose_allocation (GstBaseSink *base, GstQuery *query)
{
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return TRUE;
}

/* ---- start and stop ---- */

void
gst_robocache_stream_sink_start (GstRobocacheStreamSink *self, const gchar *frame_id)
{
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (self);

  g_free (priv->frame_id);
  priv->frame_id = g_strdup (frame_id);
  priv->faults = (RobocachePadFaults) { 0 };
  robocache_row_times_init (&priv->clock);
  GST_OBJECT_LOCK (self);
  priv->counts = (Counts) { 0 };
  GST_OBJECT_UNLOCK (self);
}

void
gst_robocache_stream_sink_stop (GstRobocacheStreamSink *self)
{
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (self);

  set_encoder (self, NULL);
  g_clear_pointer (&priv->format, robocache_encoder_format_free);
  robocache_flexible_input_clear (&priv->flexible);
}

void
gst_robocache_stream_sink_set_origin (GstRobocacheStreamSink *self, gint64 origin_ns)
{
  GST_OBJECT_LOCK (self);
  PRIVATE (self)->origin_ns = origin_ns;
  GST_OBJECT_UNLOCK (self);
}

/* In PLAYING it may be silent: the state does not wait for it. */
static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstRobocacheStreamSinkPrivate *priv = PRIVATE (element);
  GstStateChangeReturn changed;

  g_atomic_int_set (&priv->transition, (gint) transition);
  changed = GST_ELEMENT_CLASS (gst_robocache_stream_sink_parent_class)->change_state (element, transition);
  g_atomic_int_set (&priv->transition, 0);
  return changed == GST_STATE_CHANGE_ASYNC && transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING ? GST_STATE_CHANGE_SUCCESS : changed;
}

GstStateChange
gst_robocache_stream_sink_get_transition (GstRobocacheStreamSink *self)
{
  return (GstStateChange) g_atomic_int_get (&PRIVATE (self)->transition);
}

gboolean
gst_robocache_stream_sink_is_live (GstRobocacheStreamSink *self)
{
  return PRIVATE (self)->is_live;
}

/* ---- statistics ---- */

GstStructure *
gst_robocache_stream_sink_statistics (GstRobocacheStreamSink *self)
{
  GstStructure *structure;
  Counts counts;

  GST_OBJECT_LOCK (self);
  counts = PRIVATE (self)->counts;
  GST_OBJECT_UNLOCK (self);
  structure = gst_structure_new ("stream", "buffers-in", G_TYPE_UINT64, counts.buffers, "rows-in", G_TYPE_UINT64, counts.rows, "messages",
      G_TYPE_UINT64, counts.messages, "bytes", G_TYPE_UINT64, counts.bytes, "rows-dropped-no-time", G_TYPE_UINT64, counts.no_time,
      "rows-dropped-outside-segment", G_TYPE_UINT64, counts.outside_segment, MALFORMED, G_TYPE_UINT64, counts.malformed, NULL);
  if (GST_ROBOCACHE_STREAM_SINK_GET_CLASS (self)->is_wanted)
    gst_structure_set (structure, "buffers-unread", G_TYPE_UINT64, counts.unread, NULL);
  return structure;
}

/* ---- life ---- */

static void
finalize (GObject *object)
{
  g_free (PRIVATE (object)->owner.pad_name);
  g_free (PRIVATE (object)->frame_id);
  G_OBJECT_CLASS (gst_robocache_stream_sink_parent_class)->finalize (object);
}

static void
gst_robocache_stream_sink_class_init (GstRobocacheStreamSinkClass *klass)
{
  GstBaseSinkClass *base_class = GST_BASE_SINK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  GST_ELEMENT_CLASS (klass)->change_state = change_state;
  base_class->set_caps = set_caps;
  base_class->preroll = preroll;
  base_class->render = render;
  base_class->event = handle_event;
  base_class->propose_allocation = propose_allocation;
  robocache_add_pad_template (GST_ELEMENT_CLASS (klass), &sink_template, GST_TYPE_PAD);
}

static void
gst_robocache_stream_sink_init (GstRobocacheStreamSink *self)
{
  put_before_base_class (self);
  gst_base_sink_set_last_sample_enabled (GST_BASE_SINK (self), FALSE);
  /* rows outside the segment are counted here, and a buffer may have others */
  gst_base_sink_set_drop_out_of_segment (GST_BASE_SINK (self), FALSE);
  /* a message takes microseconds; the base class would add 20 ms */
  gst_base_sink_set_processing_deadline (GST_BASE_SINK (self), 0);
}

GstRobocacheStreamSink *
gst_robocache_stream_sink_new (GType type, GstElement *element, const gchar *pad_name, GstDebugCategory *category)
{
  /* not the pad's name: the pads are the children that have properties */
  gchar *name = g_strdup_printf ("stream_%s", pad_name);
  GstRobocacheStreamSink *self = g_object_new (type, "name", name, NULL);

  PRIVATE (self)->owner = (RobocacheStreamOwner) { element, g_strdup (pad_name), category };
  g_free (name);
  return self;
}

const RobocacheStreamOwner *
gst_robocache_stream_sink_get_owner (GstRobocacheStreamSink *self)
{
  return &PRIVATE (self)->owner;
}
