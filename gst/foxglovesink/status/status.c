/* robocache: topics of robocachefoxglovesink about the pipeline
 *
 * All but the beginning and the end is in the server's thread. Nothing is read while nobody subscribes, except warnings on the bus.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "status.h"

#include <string.h>

#include "buswarnings.h"
#include "common/ros/definitions.h"
#include "common/ros/messageencoders.h"
#include "pipeline.h"
#include "fusestatus.h"
#include "recentstats.h"
#include "statusschemas.h"
#include "streamkind.h"
#include "structurejson.h"

/* Statistics are not read again within half an interval of the server. */
#define FRESH_US (50 * G_TIME_SPAN_MILLISECOND)
/* Diagnostics, and the description of the robot: of every tenth time that they are due. */
#define SLOW 10

struct _RobocacheFoxgloveStatus
{
  GstElement *sink;             /* no reference */
  const RobocacheViewServerFunctions *functions;
  RobocacheViewServer *server;
  RobocacheViewChannel *status, *connection, *diagnostics, *robot;      /* robot NULL: no element has its description */
  gchar *urdf;                  /* NULL: none */
  guint n_diagnostics, n_robot; /* times that they were due */
  gint is_ready;                /* atomic; all topics are advertised */
  gint64 read_us;               /* monotonic time of the newest statistics; 0: none */
  GPtrArray *listed;            /* elements that align, by name; NULL: none read */
  RobocacheCdrWriter writer;
  RobocacheBusWarnings *warnings;
  GHashTable *fuses;            /* RobocacheFuseStatus by element */
  RobocacheRecentStats outputs; /* of the sink */
};

static void
publish (RobocacheFoxgloveStatus *self, RobocacheViewChannel *channel, gconstpointer data, gsize size)
{
  const RobocacheViewMessage message = { g_get_real_time () * 1000, FALSE, data, size };

  self->functions->publish (self->server, channel, &message);
}

/* ---- elements that fuse ---- */

static gboolean
is_gone (gpointer element, gpointer status, gpointer fuses)
{
  return !g_ptr_array_find (fuses, element, NULL);
}

static void
read_fuses (RobocacheFoxgloveStatus *self, gint64 now_us)
{
  g_clear_pointer (&self->listed, g_ptr_array_unref);
  self->listed = robocache_pipeline_list (self->sink, "robocachefuse");
  g_hash_table_foreach_remove (self->fuses, is_gone, self->listed);
  for (guint i = 0; i < self->listed->len; i++) {
    GstElement *fuse = g_ptr_array_index (self->listed, i);
    RobocacheFuseStatus *status = g_hash_table_lookup (self->fuses, fuse);

    if (!status) {
      status = robocache_fuse_status_new (fuse);
      g_hash_table_insert (self->fuses, fuse, status);
    }
    robocache_fuse_status_read (status, now_us);
  }
}

/* Reads all statistics, for whichever topic comes first. */
static void
read_all (RobocacheFoxgloveStatus *self)
{
  const gint64 now_us = g_get_monotonic_time ();
  GstStructure *stats;

  if (self->read_us > 0 && now_us - self->read_us < FRESH_US)
    return;
  self->read_us = now_us;
  read_fuses (self, now_us);
  g_object_get (self->sink, "stats", &stats, NULL);
  robocache_recent_stats_add (&self->outputs, stats, now_us);
}

static void
forget_all (RobocacheFoxgloveStatus *self)
{
  self->read_us = 0;
  g_clear_pointer (&self->listed, g_ptr_array_unref);
  g_hash_table_remove_all (self->fuses);
  robocache_recent_stats_clear (&self->outputs);
}

static RobocacheFuseStatus *
nth_fuse (RobocacheFoxgloveStatus *self, guint i)
{
  return g_hash_table_lookup (self->fuses, g_ptr_array_index (self->listed, i));
}

static void
append_fuses (RobocacheFoxgloveStatus *self, GString *json)
{
  robocache_json_append_name (json, "fuses");
  robocache_json_open (json, '[');
  for (guint i = 0; i < self->listed->len; i++)
    robocache_fuse_status_append (nth_fuse (self, i), json);
  g_string_append_c (json, ']');
  robocache_json_append_name (json, "streams");
  robocache_json_open (json, '[');
  for (guint i = 0; i < self->listed->len; i++)
    robocache_fuse_status_append_streams (nth_fuse (self, i), json);
  g_string_append_c (json, ']');
  robocache_json_append_name (json, "findings");
  robocache_json_open (json, '[');
  for (guint i = 0; i < self->listed->len; i++)
    robocache_fuse_status_append_findings (nth_fuse (self, i), self->listed->len == 1, json);
  g_string_append_c (json, ']');
}

/* ---- pads of the sink ---- */

static void
append_output (RobocacheFoxgloveStatus *self, const gchar *name, const GstStructure *stats, GString *json)
{
  const gdouble span = robocache_recent_stats_span (&self->outputs);
  const guint64 n_buffers = robocache_recent_stats_count (&self->outputs, name, "buffers-in");
  GstPad *pad = gst_element_get_static_pad (self->sink, name);
  gchar *topic = NULL;

  robocache_json_open (json, '{');
  if (pad) {
    GstStructure *description = robocache_stream_kind_describe (pad);
    GstElement *fuse = robocache_pipeline_find_upstream (pad, "robocachefuse");

    g_object_get (pad, "topic", &topic, NULL);
    if (!topic)
      topic = g_strconcat ("/", name, NULL);
    gst_structure_set (description, "topic", G_TYPE_STRING, topic, NULL);
    if (fuse)
      gst_structure_set (description, "fuse", G_TYPE_STRING, GST_OBJECT_NAME (fuse), NULL);
    robocache_json_append_fields (json, description, TRUE);
    gst_structure_free (description);
    gst_clear_object (&fuse);
    gst_object_unref (pad);
    g_free (topic);
  }
  robocache_json_append_fields (json, stats, TRUE);
  g_string_append_printf (json, ",\"recent\":{\"seconds\":%.6f,\"buffers_in\":%" G_GUINT64_FORMAT ",\"rate\":%.3f}}", span, n_buffers,
      span > 0 ? (gdouble) n_buffers / span : 0.0);
}

static void
append_outputs (RobocacheFoxgloveStatus *self, GString *json)
{
  const GstStructure *stats = robocache_recent_stats_newest (&self->outputs);

  robocache_json_append_name (json, "outputs");
  robocache_json_open (json, '[');
  for (gint i = 0; i < gst_structure_n_fields (stats); i++) {
    const gchar *name = gst_structure_nth_field_name (stats, (guint) i);
    const GValue *value = gst_structure_get_value (stats, name);

    if (G_VALUE_HOLDS (value, GST_TYPE_STRUCTURE))
      append_output (self, name, gst_value_get_structure (value), json);
  }
  g_string_append_c (json, ']');
  robocache_json_append_name (json, "server");
  robocache_json_open (json, '{');
  robocache_json_append_fields (json, stats, FALSE);
  g_string_append_c (json, '}');
}

/* ---- messages ---- */

static void
append_stamp (GString *json)
{
  const gint64 now_us = g_get_real_time ();

  g_string_append_printf (json, "\"stamp\":{\"sec\":%" G_GINT64_FORMAT ",\"nsec\":%" G_GINT64_FORMAT "}", now_us / G_USEC_PER_SEC,
      now_us % G_USEC_PER_SEC * 1000);
}

/* What the application says of a recording. */
static void
append_session (RobocacheFoxgloveStatus *self, GString *json)
{
  GstStructure *fields = gst_structure_new_empty ("session");
  GValue session = G_VALUE_INIT;

  g_object_get_property (G_OBJECT (self->sink), "session", &session);
  gst_structure_take_value (fields, "session", &session);
  robocache_json_append_fields (json, fields, FALSE);
  gst_structure_free (fields);
}

static void
publish_status (RobocacheFoxgloveStatus *self)
{
  GString *json = g_string_new ("{");

  append_stamp (json);
  append_fuses (self, json);
  append_outputs (self, json);
  append_session (self, json);
  robocache_json_append_name (json, "warnings");
  robocache_json_open (json, '[');
  robocache_bus_warnings_append (self->warnings, json);
  g_string_append (json, "]}");
  publish (self, self->status, json->str, json->len);
  g_string_free (json, TRUE);
}

static void
on_status_due (gpointer user_data, gboolean is_wanted)
{
  RobocacheFoxgloveStatus *self = user_data;

  if (!g_atomic_int_get (&self->is_ready))
    return;
  if (is_wanted) {
    read_all (self);
    publish_status (self);
  } else if (!self->functions->is_wanted (self->diagnostics)) {
    forget_all (self);
  }
}

static void
on_connection_due (gpointer user_data, gboolean is_wanted)
{
  RobocacheFoxgloveStatus *self = user_data;

  if (is_wanted && g_atomic_int_get (&self->is_ready))
    publish (self, self->connection, "", 0);
}

static void
publish_diagnostics (RobocacheFoxgloveStatus *self)
{
  guint32 n = 0;
  gsize end_of_count;

  robocache_ros_write_header (&self->writer, &(const RobocacheRosHeader) { g_get_real_time () * 1000, NULL });
  robocache_cdr_write_uint32 (&self->writer, 0);
  end_of_count = self->writer.size;
  for (guint i = 0; i < self->listed->len; i++)
    n += robocache_fuse_status_write (nth_fuse (self, i), &self->writer);
  if (self->writer.has_failed)
    return;
  n = GUINT32_TO_LE (n);
  memcpy (self->writer.data + end_of_count - sizeof n, &n, sizeof n);
  publish (self, self->diagnostics, self->writer.data, self->writer.size);
}

static void
on_diagnostics_due (gpointer user_data, gboolean is_wanted)
{
  RobocacheFoxgloveStatus *self = user_data;

  if (!g_atomic_int_get (&self->is_ready))
    return;
  if (is_wanted) {
    read_all (self);
    /* the first ones are of a part of a second */
    if (++self->n_diagnostics % SLOW == 0)
      publish_diagnostics (self);
  } else if (!self->functions->is_wanted (self->status)) {
    forget_all (self);
  }
}

/* A viewer that comes later waits a second. */
static void
on_robot_due (gpointer user_data, gboolean is_wanted)
{
  RobocacheFoxgloveStatus *self = user_data;

  if (!is_wanted || !g_atomic_int_get (&self->is_ready)) {
    self->n_robot = 0;
  } else if (self->n_robot++ % SLOW == 0) {
    robocache_cdr_writer_begin (&self->writer);
    robocache_cdr_write_string (&self->writer, self->urdf);
    if (!self->writer.has_failed)
      publish (self, self->robot, self->writer.data, self->writer.size);
  }
}

/* ---- life ---- */

/* The file of the first element robocachekinematics. Free with g_free; NULL: none. */
static gchar *
read_urdf (GstElement *sink)
{
  GPtrArray *elements = robocache_pipeline_list (sink, "robocachekinematics");
  gchar *path = NULL, *urdf = NULL;

  if (elements->len > 0)
    g_object_get (g_ptr_array_index (elements, 0), "urdf", &path, NULL);
  if (path && g_file_get_contents (path, &urdf, NULL, NULL) && !g_utf8_validate (urdf, -1, NULL))
    g_clear_pointer (&urdf, g_free);
  g_free (path);
  g_ptr_array_unref (elements);
  return urdf;
}

static RobocacheViewChannel *
add_ros (RobocacheFoxgloveStatus *self, const gchar *topic, const gchar *type, void (*due) (gpointer, gboolean))
{
  gchar *definition = robocache_ros_schema_text (type);
  const RobocacheViewTopic added = { topic, type, definition, ROBOCACHE_VIEW_NEWEST, FALSE, due, self };
  RobocacheViewChannel *channel = self->functions->add (self->server, &added);

  g_free (definition);
  return channel;
}

RobocacheFoxgloveStatus *
robocache_foxglove_status_new (GstElement *sink, const RobocacheViewServerFunctions *functions, RobocacheViewServer *server)
{
  RobocacheFoxgloveStatus *self = g_new0 (RobocacheFoxgloveStatus, 1);
  const RobocacheViewTopic status = { "/robocache/status", "robocache.Status", ROBOCACHE_STATUS_SCHEMA, ROBOCACHE_VIEW_NEWEST, TRUE,
    on_status_due, self
  };
  const RobocacheViewTopic connection = { "/robocache/connection", "robocache.Connection", ROBOCACHE_CONNECTION_SCHEMA,
    ROBOCACHE_VIEW_CONNECTION, TRUE, on_connection_due, self
  };
  GstElement *pipeline = robocache_pipeline_of (sink);

  self->sink = sink;
  self->functions = functions;
  self->server = server;
  self->fuses = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) robocache_fuse_status_free);
  self->warnings = robocache_bus_warnings_new (pipeline);
  self->status = functions->add (server, &status);
  self->connection = functions->add (server, &connection);
  self->diagnostics = add_ros (self, "/robocache/diagnostics", "diagnostic_msgs/msg/DiagnosticArray", on_diagnostics_due);
  self->urdf = read_urdf (sink);
  if (self->urdf)
    self->robot = add_ros (self, "/robot_description", "std_msgs/msg/String", on_robot_due);
  g_atomic_int_set (&self->is_ready, TRUE);
  gst_object_unref (pipeline);
  return self;
}

void
robocache_foxglove_status_free (RobocacheFoxgloveStatus *self)
{
  robocache_bus_warnings_free (self->warnings);
  forget_all (self);
  g_hash_table_unref (self->fuses);
  robocache_cdr_writer_clear (&self->writer);
  g_free (self->urdf);
  g_free (self);
}
