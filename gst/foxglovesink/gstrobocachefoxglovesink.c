/* robocache: streams to live viewers, Foxglove and Lichtblick
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-robocachefoxglovesink
 * @title: robocachefoxglovesink
 *
 * Serves rows, samples, point clouds and pictures to viewers that speak Foxglove's WebSocket protocol. Messages are those that
 * robocachemcapsink records. A slow viewer never slows the pipeline.
 *
 * |[
 * gst-launch-1.0 robocachetestsrc kind=proprio is-live=true ! s.sink_0 robocachefoxglovesink name=s sink_0::topic=/joint_states
 * gst-launch-1.0 v4l2src ! jpegenc ! s.sink_0 robocachefoxglovesink name=s sink_0::topic=/camera
 * ]|
 */
#include "gstrobocachefoxglovesink.h"

#include "common/element/errors.h"
#include "common/element/propertytypes.h"
#include "common/ros/encodings/jsontext.h"
#include "module.h"
#include "pad.h"
#include "parameters.h"
#include "properties.h"
#include "status/status.h"
#include "stream.h"
#include "token.h"

GST_DEBUG_CATEGORY_STATIC (robocache_foxglove_sink_debug);
#define GST_CAT_DEFAULT robocache_foxglove_sink_debug

/* Setting it is sending a mark to the application. */
#define MARK_PARAMETER "record"

struct _GstRobocacheFoxgloveSink
{
  GstRobocacheSinkBin parent;

  RobocacheFoxgloveSinkSettings properties;     /* object lock; copied at start */
  const RobocacheViewServerFunctions *functions;        /* from READY on */
  RobocacheFoxgloveSession session;     /* from start to stop; its server also under the object lock */
  RobocacheFoxgloveStatus *status;      /* from start to stop */
  gboolean allows_parameters;   /* constant from start to stop */
  RobocacheViewCounts last_counts;      /* while it stops; object lock */
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink_%u", GST_PAD_SINK, GST_PAD_REQUEST,
    GST_STATIC_CAPS (ROBOCACHE_ENCODER_CAPS));

#define gst_robocache_foxglove_sink_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRobocacheFoxgloveSink, gst_robocache_foxglove_sink, GST_TYPE_ROBOCACHE_SINK_BIN,
    GST_DEBUG_CATEGORY_INIT (robocache_foxglove_sink_debug, "robocachefoxglovesink", 0, "streams to live viewers"));
GST_ELEMENT_REGISTER_DEFINE (robocachefoxglovesink, "robocachefoxglovesink", GST_RANK_NONE, GST_TYPE_ROBOCACHE_FOXGLOVE_SINK);

/* ---- streams ---- */

static void
start_stream (GstRobocacheSinkBin *bin, GstPad *pad, GstRobocacheStreamSink *stream)
{
  gchar *topic, *frame_id;

  gst_robocache_foxglove_sink_pad_get_settings (GST_ROBOCACHE_FOXGLOVE_SINK_PAD (pad), &topic, &frame_id);
  gst_robocache_foxglove_stream_start (GST_ROBOCACHE_FOXGLOVE_STREAM (stream), &GST_ROBOCACHE_FOXGLOVE_SINK (bin)->session, topic, frame_id);
  g_free (frame_id);
}

static void
stop_stream (GstRobocacheSinkBin *bin, GstRobocacheStreamSink *stream)
{
  gst_robocache_foxglove_stream_stop (GST_ROBOCACHE_FOXGLOVE_STREAM (stream));
}

/* ---- start and stop ---- */

/* Called in the thread of the server. */
static void
log_line (gpointer user_data, const gchar *line)
{
  GST_INFO_OBJECT (user_data, "%s", line);
}

/* Free with g_strfreev. */
static gchar **
split_list (const gchar *text)
{
  gchar **all = g_strsplit (text, ",", -1);
  guint n = 0;

  for (guint i = 0; all[i]; i++) {
    if (*g_strstrip (all[i]))
      all[n++] = all[i];
    else
      g_free (all[i]);
  }
  all[n] = NULL;
  return all;
}

static GPtrArray *
list_parameters (gpointer user_data)
{
  return robocache_foxglove_parameters_list (user_data);
}

/* The application does what a mark says. */
static gchar *
post_mark (GstRobocacheFoxgloveSink *self, const gchar *json)
{
  const RobocacheJsonValue value = { json, strlen (json) };
  gboolean has_session;
  GString *mark;

  GST_OBJECT_LOCK (self);
  has_session = self->properties.session != NULL;
  GST_OBJECT_UNLOCK (self);
  if (!has_session)
    return g_strdup ("the application of this pipeline takes no marks");
  if (!robocache_json_is_string (value))
    return g_strdup_printf ("%s is not a string", json);
  mark = g_string_new (NULL);
  robocache_json_get_string (value, mark);
  gst_element_post_message (GST_ELEMENT (self), gst_message_new_element (GST_OBJECT (self), gst_structure_new ("robocache-mark", "mark",
              G_TYPE_STRING, mark->str, NULL)));
  g_string_free (mark, TRUE);
  return NULL;
}

static gchar *
set_parameter (gpointer user_data, const gchar *name, const gchar *json)
{
  GstRobocacheFoxgloveSink *self = user_data;

  if (g_str_equal (name, MARK_PARAMETER))
    return post_mark (self, json);
  return self->allows_parameters ? robocache_foxglove_parameters_set (user_data, name, json) : g_strdup ("set parameters=true on the sink to allow it");
}

static RobocacheViewServer *
start_server (GstRobocacheFoxgloveSink *self, const RobocacheFoxgloveSinkSettings *settings, const gchar *token, GError **error)
{
  gchar **origins = split_list (settings->allow_origin), **hosts = split_list (settings->allow_host);
  const RobocacheViewSettings of_server = {
    .name = "robocache",
    .host = settings->host,
    .port = settings->port,
    .origins = (const gchar * const *) origins,
    .hosts = (const gchar * const *) hosts,
    .max_clients = settings->max_clients,
    .max_queue_bytes = settings->max_queue_size,
    .parameters = {token, settings->parameters ? list_parameters : NULL, set_parameter, self},
    .log = log_line,
    .user_data = self,
  };
  RobocacheViewServer *server = self->functions->start (&of_server, error);

  g_strfreev (origins);
  g_strfreev (hosts);
  return server;
}

static void
post_error (GstRobocacheFoxgloveSink *self, GError *error)
{
  robocache_post_error_at (GST_ELEMENT (self), NULL, error, GST_CLOCK_TIME_NONE);
  g_error_free (error);
}

static gboolean
start (GstRobocacheSinkBin *bin, gint64 *origin_ns)
{
  GstRobocacheFoxgloveSink *self = GST_ROBOCACHE_FOXGLOVE_SINK (bin);
  RobocacheFoxgloveSinkSettings settings;
  RobocacheViewServer *server;
  RobocacheViewCounts counts;
  GError *error = NULL;
  gchar *token;

  GST_OBJECT_LOCK (self);
  robocache_foxglove_sink_settings_copy (&settings, &self->properties);
  GST_OBJECT_UNLOCK (self);
  *origin_ns = settings.time_origin;
  self->allows_parameters = settings.parameters;
  token = robocache_token_read (settings.token_file, &error);
  server = error ? NULL : start_server (self, &settings, token, &error);
  g_free (token);
  if (server) {
    self->functions->get_counts (server, &counts);
    GST_INFO_OBJECT (self, "viewers connect to ws://%s:%u", settings.host, counts.port);
    GST_OBJECT_LOCK (self);
    self->session.functions = self->functions;
    self->session.server = server;
    self->session.sync = settings.sync;
    self->session.derived = (RobocacheDerivedSettings) { self->functions, settings.image_rate, settings.image_quality };
    self->session.tf = NULL;
    GST_OBJECT_UNLOCK (self);
    self->status = robocache_foxglove_status_new (GST_ELEMENT (self), self->functions, server);
  } else {
    post_error (self, error);
  }
  robocache_foxglove_sink_settings_clear (&settings);
  return server != NULL;
}

static void
stop (GstRobocacheSinkBin *bin)
{
  GstRobocacheFoxgloveSink *self = GST_ROBOCACHE_FOXGLOVE_SINK (bin);
  RobocacheViewServer *server;

  GST_OBJECT_LOCK (self);
  server = g_steal_pointer (&self->session.server);
  self->functions->get_counts (server, &self->last_counts);
  GST_OBJECT_UNLOCK (self);
  /* which sends a last status, with these counts */
  self->functions->stop (server);
  GST_OBJECT_LOCK (self);
  self->last_counts = (RobocacheViewCounts) { 0 };
  GST_OBJECT_UNLOCK (self);
  g_clear_pointer (&self->status, robocache_foxglove_status_free);
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstRobocacheFoxgloveSink *self = GST_ROBOCACHE_FOXGLOVE_SINK (element);
  GError *error = NULL;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !self->functions) {
    self->functions = robocache_view_module_load (&error);
    if (!self->functions) {
      post_error (self, error);
      return GST_STATE_CHANGE_FAILURE;
    }
  }
  return GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
}

/* ---- properties ---- */

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (object);
  robocache_setting_set (robocache_foxglove_sink_settings_field (&GST_ROBOCACHE_FOXGLOVE_SINK (object)->properties, id), value);
  GST_OBJECT_UNLOCK (object);
  robocache_warn_of_late_setting (object, pspec);
}

static GstStructure *
get_stats (GstRobocacheFoxgloveSink *self)
{
  GstStructure *stats = gst_robocache_sink_bin_statistics (GST_ROBOCACHE_SINK_BIN (self), gst_robocache_stream_sink_statistics);
  RobocacheViewCounts counts;

  GST_OBJECT_LOCK (self);
  counts = self->last_counts;
  if (self->session.server)
    self->functions->get_counts (self->session.server, &counts);
  GST_OBJECT_UNLOCK (self);
  gst_structure_set (stats, "port", G_TYPE_UINT, counts.port, "clients", G_TYPE_UINT, counts.clients, "connections-refused", G_TYPE_UINT64,
      counts.refused, "messages-sent", G_TYPE_UINT64, counts.sent, "bytes-sent", G_TYPE_UINT64, counts.bytes, "messages-dropped", G_TYPE_UINT64,
      counts.dropped, NULL);
  return stats;
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRobocacheFoxgloveSink *self = GST_ROBOCACHE_FOXGLOVE_SINK (object);

  if (id == ROBOCACHE_FOXGLOVE_SINK_PROP_STATS) {
    g_value_take_boxed (value, get_stats (self));
    return;
  }
  GST_OBJECT_LOCK (object);
  robocache_setting_get (robocache_foxglove_sink_settings_field (&self->properties, id), value);
  GST_OBJECT_UNLOCK (object);
}

/* ---- life ---- */

static void
finalize (GObject *object)
{
  robocache_foxglove_sink_settings_clear (&GST_ROBOCACHE_FOXGLOVE_SINK (object)->properties);
  g_mutex_clear (&GST_ROBOCACHE_FOXGLOVE_SINK (object)->session.lock);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_robocache_foxglove_sink_class_init (GstRobocacheFoxgloveSinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstRobocacheSinkBinClass *bin_class = GST_ROBOCACHE_SINK_BIN_CLASS (klass);

  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  robocache_foxglove_sink_properties_install (object_class);
  element_class->change_state = change_state;
  bin_class->stream_type = GST_TYPE_ROBOCACHE_FOXGLOVE_STREAM;
  bin_class->start = start;
  bin_class->stop = stop;
  bin_class->start_stream = start_stream;
  bin_class->stop_stream = stop_stream;
  robocache_add_pad_template (element_class, &sink_template, GST_TYPE_ROBOCACHE_FOXGLOVE_SINK_PAD);
  gst_element_class_set_static_metadata (element_class, "Foxglove live sink", "Sink/Network",
      "Serves rows, samples, point clouds and pictures to Foxglove, Lichtblick and other viewers", "robocache");
  gst_type_mark_as_plugin_api (GST_TYPE_ROBOCACHE_FOXGLOVE_SINK_PAD, 0);
}

static void
gst_robocache_foxglove_sink_init (GstRobocacheFoxgloveSink *self)
{
  robocache_foxglove_sink_settings_init (&self->properties);
  g_mutex_init (&self->session.lock);
}
