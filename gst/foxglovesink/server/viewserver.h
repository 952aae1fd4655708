/* robocache: the server of robocachefoxglovesink, a module of its own
 *
 * The module is all that links libsoup-3.0. The element loads it, so the plugin itself also loads beside libsoup 2.4. The module is found
 * beside the plugin.
 *
 * Functions are called from any thread unless they say otherwise. None of them but stop waits for a client, which it does for two seconds.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#define ROBOCACHE_VIEW_MODULE "robocache-view.module"
#define ROBOCACHE_VIEW_SYMBOL "robocache_view_server_functions"

/* A setting that viewers see. */
typedef struct
{
  gchar *name, *value;          /* "fuse.latency"; JSON */
} RobocacheViewParameter;

/* Functions are called in the server's thread. */
typedef struct
{
  const gchar *token;           /* token of clients that may change parameters or send marks; copied; NULL: no client may */
  GPtrArray *(*list) (gpointer user_data);      /* returns RobocacheViewParameter items, which the array frees; NULL: viewers have no parameters */
  gchar *(*set) (gpointer user_data, const gchar * name, const gchar * value);  /* value: JSON. NULL: done; else the reason, freed by the server */
  gpointer user_data;
} RobocacheViewParameters;

typedef struct
{
  const gchar *name;            /* name of the server that viewers show */
  const gchar *host;            /* IP address, or localhost */
  guint port;                   /* 0: a free one */
  const gchar *const *origins;  /* "https://app.foxglove.dev": web pages that may connect; "*": all */
  const gchar *const *hosts;    /* names by which browsers may address the server, beside addresses and localhost */
  guint max_clients;
  guint64 max_queue_bytes;      /* maximum bytes that wait for one subscription of a client */
  RobocacheViewParameters parameters;
  void (*log) (gpointer user_data, const gchar * line); /* who comes, goes and is refused; called in the server's thread */
  gpointer user_data;
} RobocacheViewSettings;

/* Loss policy of a topic: the messages that a slow client does not get. */
typedef enum
{
  ROBOCACHE_VIEW_ROWS,          /* the oldest messages, while more bytes wait than max_queue_bytes */
  ROBOCACHE_VIEW_NEWEST,        /* all but the newest message */
  ROBOCACHE_VIEW_VIDEO,         /* like rows, then all messages up to the next key frame */
  ROBOCACHE_VIEW_CONNECTION     /* like newest, but each client gets JSON about its own connection instead of the message */
} RobocacheViewKind;

typedef struct
{
  const gchar *topic, *type;    /* "/imu", "sensor_msgs/msg/Imu" */
  const gchar *definition;      /* the type's definition as ros2msg, followed by the definitions of all types in it; or a JSON schema */
  RobocacheViewKind kind;
  gboolean is_json;             /* messages are JSON; else CDR */
  /* Not NULL: called in the server's thread 10 times a second while a client subscribes to the topic, and once after the last
   * client has unsubscribed. Such a topic stays until the server stops. */
  void (*due) (gpointer user_data, gboolean is_wanted);
  gpointer user_data;
} RobocacheViewTopic;

typedef struct
{
  gint64 log_ns;                /* UTC */
  gboolean is_key;              /* only for ROBOCACHE_VIEW_VIDEO: the message is a key frame */
  gconstpointer data;           /* copied */
  gsize size;
} RobocacheViewMessage;

typedef struct
{
  guint port;                   /* bound port */
  guint clients;                /* connected now */
  guint64 refused;              /* connections that were refused since the start */
  guint64 sent, bytes, dropped; /* messages to clients; bytes of their payloads */
} RobocacheViewCounts;

/* Lines of pixels. */
typedef struct
{
  const gchar *encoding;        /* rgb8, bgr8, rgba8, bgra8 or mono8 */
  guint width, height;
  gsize step;                   /* bytes from a line to the next */
  const guint8 *lines;
} RobocacheViewPicture;

typedef struct _RobocacheViewServer RobocacheViewServer;
typedef struct _RobocacheViewChannel RobocacheViewChannel;

typedef struct
{
  /* Listens, in a thread of its own. NULL and a ROBOCACHE_ERROR_PROPERTY: it cannot listen there. */
  RobocacheViewServer *(*start) (const RobocacheViewSettings * settings, GError ** error);
  /* Closes all connections and frees the server, with the channels that were not removed. */
  void (*stop) (RobocacheViewServer * server);
  /* Advertises a topic. The strings are copied. */
  RobocacheViewChannel *(*add) (RobocacheViewServer * server, const RobocacheViewTopic * topic);
  /* Frees the channel. */
  void (*remove) (RobocacheViewServer * server, RobocacheViewChannel * channel);
  /* Whether a client subscribes to the channel. */
  gboolean (*is_wanted) (const RobocacheViewChannel * channel);
  void (*publish) (RobocacheViewServer * server, RobocacheViewChannel * channel, const RobocacheViewMessage * message);
  void (*get_counts) (RobocacheViewServer * server, RobocacheViewCounts * counts);
  /* Makes a JPEG of it; quality: 1 to 100. NULL: no JPEG has this encoding or size, or memory is short. The function is NULL in a build without
   * libjpeg. */
  GBytes *(*compress) (const RobocacheViewPicture * picture, guint quality);
} RobocacheViewServerFunctions;

/* The module's only symbol. */
