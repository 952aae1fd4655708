/* robocache: messages of Foxglove's WebSocket protocol
 *
 * Source: the specification in github.com/foxglove/ws-protocol. Texts are UTF-8 and freed by the caller.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/ros/encodings/jsontext.h"
#include "viewserver.h"

/* Bytes before the payload of a message: opcode, subscription, log time. */
#define ROBOCACHE_VIEW_HEADER_SIZE 13
/* Opcode and time. */
#define ROBOCACHE_VIEW_TIME_SIZE 9

typedef enum
{ ROBOCACHE_VIEW_INFO, ROBOCACHE_VIEW_WARNING, ROBOCACHE_VIEW_ERROR } RobocacheViewLevel;

/* The subprotocols, in order of preference; ended by NULL. */
extern const gchar *const robocache_view_subprotocols[];

gchar *robocache_view_server_info (const gchar * name, gboolean has_parameters, gint64 session_id);
gchar *robocache_view_status (RobocacheViewLevel level, const gchar * message);
/* An item of channels. */
void robocache_view_append_channel (GString * json, guint id, const RobocacheViewTopic * topic);
/* channels: items with commas between them. */
gchar *robocache_view_advertise (const gchar * channels);
gchar *robocache_view_unadvertise (guint id);

void robocache_view_write_header (guint8 header[ROBOCACHE_VIEW_HEADER_SIZE], guint32 subscription, gint64 log_ns);
void robocache_view_write_time (guint8 message[ROBOCACHE_VIEW_TIME_SIZE], gint64 time_ns);

/* One item of a subscribe or unsubscribe message. */
typedef struct
{
  guint32 id, channel;          /* channel: of subscribe */
  guint32 interval_ms;          /* ours, "robocacheIntervalMs": no message before this long after the one before; 0: all */
} RobocacheViewWish;

typedef enum
{
  ROBOCACHE_VIEW_SUBSCRIBE,
  ROBOCACHE_VIEW_UNSUBSCRIBE,
  ROBOCACHE_VIEW_GET_PARAMETERS,
  ROBOCACHE_VIEW_SET_PARAMETERS,
  ROBOCACHE_VIEW_SUBSCRIBE_PARAMETERS,
  ROBOCACHE_VIEW_UNSUBSCRIBE_PARAMETERS,
  ROBOCACHE_VIEW_SUBSCRIBE_GRAPH,
  ROBOCACHE_VIEW_UNSUBSCRIBE_GRAPH,
  ROBOCACHE_VIEW_TOKEN          /* ours: {"op": "robocacheToken", "token": "…"} */
} RobocacheViewOperation;

/* Finds the operation of a message, and the message in the text. Of subscribe and unsubscribe, appends RobocacheViewWish items to wishes.
 * FALSE, and in fault a text to be freed with g_free: no operation, or a number that is none. */
gboolean robocache_view_parse (const gchar * text, gsize size, RobocacheViewOperation * operation, RobocacheJsonValue * message, GArray * wishes,
    gchar ** fault);
