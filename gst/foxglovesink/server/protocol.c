/* robocache: messages of Foxglove's WebSocket protocol
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "protocol.h"

#include <string.h>

enum
{ OPCODE_MESSAGE = 1, OPCODE_TIME = 2 };

const gchar *const robocache_view_subprotocols[] = { "foxglove.sdk.v1", "foxglove.websocket.v1", NULL };

/* ---- to clients ---- */

gchar *
robocache_view_server_info (const gchar *name, gboolean has_parameters, gint64 session_id)
{
  GString *json = g_string_new ("{\"op\":\"serverInfo\",\"name\":");

  robocache_json_append_string (json, name);
  g_string_append_printf (json, ",\"capabilities\":[\"time\",\"connectionGraph\"%s],\"metadata\":{\"library\":\"robocache\"},\"sessionId\":\"%" G_GINT64_FORMAT
      "\"}", has_parameters ? ",\"parameters\",\"parametersSubscribe\"" : "", session_id);
  return g_string_free (json, FALSE);
}

gchar *
robocache_view_status (RobocacheViewLevel level, const gchar *message)
{
  GString *json = g_string_new (NULL);

  g_string_printf (json, "{\"op\":\"status\",\"level\":%d,\"message\":", level);
  robocache_json_append_string (json, message);
  g_string_append_c (json, '}');
  return g_string_free (json, FALSE);
}

void
robocache_view_append_channel (GString *json, guint id, const RobocacheViewTopic *topic)
{
  g_string_append_printf (json, "{\"id\":%u,\"topic\":", id);
  robocache_json_append_string (json, topic->topic);
  g_string_append_printf (json, ",\"encoding\":\"%s\",\"schemaName\":", topic->is_json ? "json" : "cdr");
  robocache_json_append_string (json, topic->type);
  g_string_append_printf (json, ",\"schemaEncoding\":\"%s\",\"schema\":", topic->is_json ? "jsonschema" : "ros2msg");
  robocache_json_append_string (json, topic->definition);
  g_string_append_c (json, '}');
}

gchar *
robocache_view_advertise (const gchar *channels)
{
  return g_strconcat ("{\"op\":\"advertise\",\"channels\":[", channels, "]}", NULL);
}

gchar *
robocache_view_unadvertise (guint id)
{
  return g_strdup_printf ("{\"op\":\"unadvertise\",\"channelIds\":[%u]}", id);
}

void
robocache_view_write_header (guint8 header[ROBOCACHE_VIEW_HEADER_SIZE], guint32 subscription, gint64 log_ns)
{
  const guint32 id = GUINT32_TO_LE (subscription);
  const guint64 time = GUINT64_TO_LE ((guint64) log_ns);

  header[0] = OPCODE_MESSAGE;
  memcpy (header + 1, &id, sizeof id);
  memcpy (header + 5, &time, sizeof time);
}

void
robocache_view_write_time (guint8 message[ROBOCACHE_VIEW_TIME_SIZE], gint64 time_ns)
{
  const guint64 time = GUINT64_TO_LE ((guint64) time_ns);

  message[0] = OPCODE_TIME;
  memcpy (message + 1, &time, sizeof time);
}

/* ---- from clients ---- */

static gboolean
get_id (RobocacheJsonValue value, guint32 *id)
{
  gint64 number;

  if (!robocache_json_get_integer (value, &number) || number < 0 || number > G_MAXUINT32)
    return FALSE;
  *id = (guint32) number;
  return TRUE;
}

static gboolean
get_wish (RobocacheViewOperation operation, RobocacheJsonValue item, RobocacheViewWish *wish)
{
  const RobocacheJsonValue interval = robocache_json_member (item, "robocacheIntervalMs");

  *wish = (RobocacheViewWish) { 0 };
  if (operation == ROBOCACHE_VIEW_UNSUBSCRIBE)
    return get_id (item, &wish->id);
  if (interval.size > 0 && !get_id (interval, &wish->interval_ms))
    return FALSE;
  return get_id (robocache_json_member (item, "id"), &wish->id) && get_id (robocache_json_member (item, "channelId"), &wish->channel);
}

static gchar *
quote (const gchar *text, gsize size)
{
  gchar *start = g_utf8_make_valid (text, (gssize) MIN (size, 40));
  gchar *quoted = g_strdup_printf ("%s\"%s\"", size > 40 ? "a message that begins " : "", start);

  g_free (start);
  return quoted;
}

static gchar *
describe (const gchar *text, gsize size, RobocacheJsonValue op)
{
  gchar *quoted = robocache_json_is_string (op) ? quote (op.data + 1, op.size - 2) : quote (text, size);
  gchar *fault = g_strdup_printf ("%s is not an operation of this server", quoted);

  g_free (quoted);
  return fault;
}

static const struct
{
  const gchar *name, *list;     /* list: the member with items to subscribe to; NULL: none */
} operations[] = {
  [ROBOCACHE_VIEW_SUBSCRIBE] = {"subscribe", "subscriptions"},
  [ROBOCACHE_VIEW_UNSUBSCRIBE] = {"unsubscribe", "subscriptionIds"},
  [ROBOCACHE_VIEW_GET_PARAMETERS] = {"getParameters", NULL},
  [ROBOCACHE_VIEW_SET_PARAMETERS] = {"setParameters", NULL},
  [ROBOCACHE_VIEW_SUBSCRIBE_PARAMETERS] = {"subscribeParameterUpdates", NULL},
  [ROBOCACHE_VIEW_UNSUBSCRIBE_PARAMETERS] = {"unsubscribeParameterUpdates", NULL},
  [ROBOCACHE_VIEW_SUBSCRIBE_GRAPH] = {"subscribeConnectionGraph", NULL},
  [ROBOCACHE_VIEW_UNSUBSCRIBE_GRAPH] = {"unsubscribeConnectionGraph", NULL},
  [ROBOCACHE_VIEW_TOKEN] = {"robocacheToken", NULL},
};

static gboolean
find_operation (RobocacheJsonValue op, RobocacheViewOperation *operation)
{
  for (guint i = 0; i < G_N_ELEMENTS (operations); i++) {
    *operation = (RobocacheViewOperation) i;
    if (robocache_json_string_equal (op, operations[i].name))
      return TRUE;
  }
  return FALSE;
}

static gboolean
read_wishes (RobocacheViewOperation operation, RobocacheJsonValue list, GArray *wishes, gchar **fault)
{
  RobocacheJsonValue key, item;
  RobocacheJsonWalk walk;

  robocache_json_walk_init (&walk, list);
  while (!walk.is_object && robocache_json_walk_next (&walk, &key, &item)) {
    RobocacheViewWish wish;

    if (!get_wish (operation, item, &wish)) {
      gchar *quoted = quote (item.data, item.size);

      *fault = g_strdup_printf ("%s has no valid ids, or interval: expected integers from 0 to 4294967295", quoted);
      g_free (quoted);
      return FALSE;
    }
    g_array_append_val (wishes, wish);
  }
  return TRUE;
}

gboolean
robocache_view_parse (const gchar *text, gsize size, RobocacheViewOperation *operation, RobocacheJsonValue *message, GArray *wishes, gchar **fault)
{
  RobocacheJsonValue op = { 0 };

  if (robocache_json_parse (text, size, message))
    op = robocache_json_member (*message, "op");
  if (!find_operation (op, operation)) {
    *fault = describe (text, size, op);
    return FALSE;
  }
  return !operations[*operation].list || read_wishes (*operation, robocache_json_member (*message, operations[*operation].list), wishes, fault);
}
