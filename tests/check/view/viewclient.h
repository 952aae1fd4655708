/* robocache: a viewer in a test: WebSocket over a socket, written from RFC 6455
 *
 * Whatever waits gives up after 60 s, and the test fails.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

typedef struct
{
  const gchar *host, *origin, *protocols;       /* headers; NULL: without it */
  const gchar *more;            /* header lines with their ends; NULL: none */
  gint receive_buffer;          /* bytes that the kernel keeps; 0: its default */
} ViewRequest;

typedef struct
{
  gint socket;
  GByteArray *bytes;            /* received, and not used */
} ViewClient;

enum
{ VIEW_CONTINUATION, VIEW_TEXT, VIEW_BINARY, VIEW_CLOSE = 8, VIEW_PING, VIEW_PONG };
#define VIEW_FINAL 0x80

/* Sends a request and returns the answer's status; answer: its headers, or NULL. */
guint view_client_open (ViewClient *client, guint port, const ViewRequest *request, gchar **answer);
/* A connection without a request. */
void view_client_open_silent (ViewClient *client, guint port);
/* A client that is connected. */
void view_client_connect (ViewClient *client, guint port);
void view_client_close (ViewClient *client);

/* first: opcode, and VIEW_FINAL. FALSE: the server has closed the connection. */
gboolean view_client_send (ViewClient *client, guint8 first, gconstpointer data, gsize size);
void view_client_send_text (ViewClient *client, const gchar *text);

/* The next message that is no ping, without its frame. NULL: the connection is closed. opcode may be NULL. */
GBytes *view_client_receive (ViewClient *client, guint *opcode);
/* The next text; free with g_free. */
gchar *view_client_receive_text (ViewClient *client);
/* The next message of that subscription; times and others are left out. NULL: the connection is closed. */
GBytes *view_client_receive_data (ViewClient *client, guint32 subscription);
/* Whether the server closes the connection. */
gboolean view_client_is_closed (ViewClient *client);
