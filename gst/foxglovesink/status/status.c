/* robocache: topics of robocachefoxglovesink about the pipeline: /robocache/status and /robocache/connection
 *
 * All but the beginning and the end is in the server's thread. Nothing is read while nobody subscribes, except warnings on the bus.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "status.h"

#include "buswarnings.h"
#include "fuselist.h"
#include "fusestatus.h"
#include "recentstats.h"
#include "statusschemas.h"
#include "streamkind.h"
#include "structurejson.h"

struct _RobocacheFoxgloveStatus
{
  GstElement *sink;             /* no reference */
  const RobocacheViewServerFunctions *functions;
  RobocacheViewServer *server;
  RobocacheViewChannel *status, *connection;
  RobocacheBusWarnings *warnings;
  GHashTable *fuses;            /* RobocacheFuseStatus by element */
  RobocacheRecentStats outputs; /* of the sink */
};

static void
publish (RobocacheFoxgloveStatus *self, RobocacheViewChannel *channel, const GString *json)
{
  const RobocacheViewMessage message = { g_get_real_time () * 1000, FALSE, json ? json->str : "", json ? json->len : 0 };

  self->functions->publish (self->server, channel, &message);
}

/* ---- elements that fuse ---- */

static gboolean
is_gone (gpointer element, gpointer status, gpointer fuses)
{
  return !g_ptr_array_find (fuses, element, NULL);
}

/* Reads the statistics of all. */
static GPtrArray *
read_fuses (RobocacheFoxgloveStatus *self, gint64 now_us)
{
  GPtrArray *fuses = robocache_fuse_list (self->sink);

  g_hash_table_foreach_remove (self->fuses, is_gone, fuses);
  for (guint i = 0; i < fuses->len; i++) {
    GstElement *fuse = g_ptr_array_index (fuses, i);
    RobocacheFuseStatus *status = g_hash_table_lookup (self->fuses, fuse);

    if (!status) {
      status = robocache_fuse_status_new (fuse);
      g_hash_table_insert (self->fuses, fuse, status);
    }
    robocache_fuse_status_read (status, now_us);
  }
  return fuses;
}

static void
append_fuses (RobocacheFoxgloveStatus *self, GPtrArray *fuses, GString *json)
{
  robocache_json_append_name (json, "fuses");
  robocache_json_open (json, '[');
  for (guint i = 0; i < fuses->len; i++)
    robocache_fuse_status_append (g_hash_table_lookup (self->fuses, g_ptr_array_index (fuses, i)), json);
  g_string_append_c (json, ']');
  robocache_json_append_name (json, "streams");
  robocache_json_open (json, '[');
  for (guint i = 0; i < fuses->len; i++)
    robocache_fuse_status_append_streams (g_hash_table_lookup (self->fuses, g_ptr_array_index (fuses, i)), json);
  g_string_append_c (json, ']');
  robocache_json_append_name (json, "findings");
  robocache_json_open (json, '[');
  for (guint i = 0; i < fuses->len; i++)
    robocache_fuse_status_append_findings (g_hash_table_lookup (self->fuses, g_ptr_array_index (fuses, i)), json);
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

    g_object_get (pad, "topic", &topic, NULL);
    if (!topic)
      topic = g_strconcat ("/", name, NULL);
    gst_structure_set (description, "topic", G_TYPE_STRING, topic, NULL);
    robocache_json_append_fields (json, description, TRUE);
    gst_structure_free (description);
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
  const gint64 now_us = g_get_monotonic_time ();
  GString *json = g_string_new ("{");
  GPtrArray *fuses = read_fuses (self, now_us);
  GstStructure *stats;

  g_object_get (self->sink, "stats", &stats, NULL);
  robocache_recent_stats_add (&self->outputs, stats, now_us);
  append_stamp (json);
  append_fuses (self, fuses, json);
  append_outputs (self, json);
  append_session (self, json);
  robocache_json_append_name (json, "warnings");
  robocache_json_open (json, '[');
  robocache_bus_warnings_append (self->warnings, json);
  g_string_append (json, "]}");
  publish (self, self->status, json);
  g_string_free (json, TRUE);
  g_ptr_array_unref (fuses);
}

static void
on_status_due (gpointer user_data, gboolean is_wanted)
{
  RobocacheFoxgloveStatus *self = user_data;

  if (is_wanted) {
    publish_status (self);
    return;
  }
  g_hash_table_remove_all (self->fuses);
  robocache_recent_stats_clear (&self->outputs);
}

static void
on_connection_due (gpointer user_data, gboolean is_wanted)
{
  RobocacheFoxgloveStatus *self = user_data;

  if (is_wanted)
    publish (self, self->connection, NULL);
}

/* ---- life ---- */

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
  GstElement *pipeline = robocache_outermost_element (sink);

  self->sink = sink;
  self->functions = functions;
  self->server = server;
  self->fuses = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) robocache_fuse_status_free);
  self->warnings = robocache_bus_warnings_new (pipeline);
  self->status = functions->add (server, &status);
  self->connection = functions->add (server, &connection);
  gst_object_unref (pipeline);
  return self;
}

void
robocache_foxglove_status_free (RobocacheFoxgloveStatus *self)
{
  robocache_bus_warnings_free (self->warnings);
  g_hash_table_unref (self->fuses);
  robocache_recent_stats_clear (&self->outputs);
  g_free (self);
}
