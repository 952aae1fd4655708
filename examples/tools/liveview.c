/* robocache: --view of programs: what enters and leaves a robocachefuse as a page, and for viewers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gio/gio.h>

#include "program.h"

#define SINK "robocachefoxglovesink"
#define DEFAULT_PORT 8765
#define SAMPLES "/samples"
/* More waits only while the machine is busy: then a viewer loses the oldest, and the pipeline nothing. */
#define MAX_QUEUE_BYTES (64u << 20)

static gboolean is_on;
static guint asked_port;        /* 0: the default one, or a free one */

gboolean
live_view_parse (const gchar *name, const gchar *value, gpointer data, GError **error)
{
  guint64 port = 0;

  is_on = TRUE;
  if (value && !g_ascii_string_to_unsigned (value, 10, 1, 65535, &port, NULL)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s=%s: expected a port from 1 to 65535", name, value);
    return FALSE;
  }
  asked_port = (guint) port;
  return TRUE;
}

gboolean
live_view_is_asked (void)
{
  return is_on;
}

/* The port that a socket gets on the loopback interface; 0: it is taken. */
static guint
try_port (guint port)
{
  GInetAddress *host = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  GSocketAddress *address = g_inet_socket_address_new (host, (guint16) port), *bound = NULL;
  GSocket *socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL);

  if (socket && g_socket_bind (socket, address, TRUE, NULL) && g_socket_listen (socket, NULL))
    bound = g_socket_get_local_address (socket, NULL);
  port = bound ? g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound)) : 0;
  g_clear_object (&bound);
  g_clear_object (&socket);
  g_object_unref (address);
  g_object_unref (host);
  return port;
}

static guint
choose_port (void)
{
  const guint port = asked_port > 0 ? asked_port : try_port (DEFAULT_PORT);

  return port > 0 ? port : try_port (0);
}

/* ---- the sink ---- */

static void
show_link (GstElement *pipeline, GstElement *sink, GstPad *from, const gchar *topic)
{
  GstElement *queue = tap_link (pipeline, from);
  GstPad *out = gst_element_get_static_pad (queue, "src"), *to = gst_element_request_pad_simple (sink, "sink_%u");

  g_object_set (queue, "max-size-buffers", 0, "max-size-time", G_GUINT64_CONSTANT (0), "max-size-bytes", MAX_QUEUE_BYTES, NULL);
  gst_util_set_object_arg (G_OBJECT (queue), "leaky", "downstream");
  g_object_set (to, "topic", topic, NULL);
  gst_pad_link (out, to);
  gst_object_unref (out);
  gst_object_unref (to);
}

static void
show_pads (GstElement *pipeline, GstElement *sink, GstElement *fuse)
{
  GstPad *src = gst_element_get_static_pad (fuse, "src");

  for (GList * at = fuse->sinkpads; at; at = at->next) {
    GstPad *from = gst_pad_get_peer (at->data);
    gchar *topic = g_strconcat ("/", GST_PAD_NAME (at->data), NULL);

    /* a stream that is linked later is shown after alignment */
    if (from)
      show_link (pipeline, sink, from, topic);
    g_free (topic);
    gst_clear_object (&from);
  }
  show_link (pipeline, sink, src, SAMPLES);
  gst_object_unref (src);
}

gboolean
live_view_add (GstElement *pipeline, GstElement *fuse, FILE *talk, GError **error)
{
  GstElement *sink;
  guint port;

  if (!is_on)
    return TRUE;
  sink = gst_element_factory_make (SINK, NULL);
  if (!sink) {
    FAULT (error, "--view needs %s: build with -Dview=enabled", SINK);
    return FALSE;
  }
  port = choose_port ();
  /* the pipeline does not wait for what is shown */
  g_object_set (sink, "port", port, "sync", FALSE, NULL);
  gst_bin_add (GST_BIN (pipeline), sink);
  show_pads (pipeline, sink, fuse);
  fprintf (talk, "live view: http://localhost:%u/, or in a terminal: robocache top :%u\n", port, port);
  fflush (talk);
  return TRUE;
}
