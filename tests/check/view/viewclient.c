/* robocache: a viewer in a test: WebSocket over a socket, written from RFC 6455
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "viewclient.h"

#include <arpa/inet.h>
#include <errno.h>
#include <gst/gst.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_S 60
/* Benchmarks use this file too, and have no test that could fail. */
#define EXPECT(condition, ...) G_STMT_START { if (!(condition)) g_error ("viewer: " __VA_ARGS__); } G_STMT_END

static gint
connect_to (guint port, gint receive_buffer)
{
  const struct sockaddr_in address = {.sin_family = AF_INET,.sin_port = htons ((uint16_t) port),.sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  const struct timeval patience = { PATIENCE_S, 0 };
  const gint fd = socket (AF_INET, SOCK_STREAM, 0);

  EXPECT (fd >= 0, "no socket");
  setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt (fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (receive_buffer > 0)
    setsockopt (fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  EXPECT (connect (fd, (const struct sockaddr *) &address, sizeof address) == 0, "nothing listens on port %u", port);
  return fd;
}

/* FALSE: the end. */
static gboolean
receive_more (ViewClient *client)
{
  guint8 buffer[65536];
  const gssize n = recv (client->socket, buffer, sizeof buffer, 0);

  EXPECT (n >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK), "nothing came for %d s", PATIENCE_S);
  if (n <= 0)
    return FALSE;
  g_byte_array_append (client->bytes, buffer, (guint) n);
  return TRUE;
}

static gboolean
need (ViewClient *client, gsize size)
{
  while (client->bytes->len < size)
    if (!receive_more (client))
      return FALSE;
  return TRUE;
}

static void
append_header (GString *text, const gchar *name, const gchar *value)
{
  if (value)
    g_string_append_printf (text, "%s: %s\r\n", name, value);
}

/* The headers; NULL: the server has closed the connection. */
static gchar *
receive_headers (ViewClient *client)
{
  const gchar *end;
  gchar *headers;
  gsize size;

  do {
    if (!receive_more (client))
      return NULL;
    end = g_strstr_len ((const gchar *) client->bytes->data, client->bytes->len, "\r\n\r\n");
  } while (!end);
  size = end - (const gchar *) client->bytes->data;
  headers = g_strndup ((const gchar *) client->bytes->data, size);
  g_byte_array_remove_range (client->bytes, 0, size + 4);
  return headers;
}

guint
view_client_open (ViewClient *client, guint port, const ViewRequest *request, gchar **answer)
{
  GString *text = g_string_new ("GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n");
  guint status = 0;
  gchar *headers;

  append_header (text, "Host", request->host);
  append_header (text, "Origin", request->origin);
  append_header (text, "Sec-WebSocket-Protocol", request->protocols);
  g_string_append (text, request->more ? request->more : "");
  g_string_append (text, "\r\n");
  client->socket = connect_to (port, request->receive_buffer);
  client->bytes = g_byte_array_new ();
  EXPECT (send (client->socket, text->str, text->len, MSG_NOSIGNAL) == (gssize) text->len, "the request is not sent");
  g_string_free (text, TRUE);
  headers = receive_headers (client);
  if (headers)
    EXPECT (sscanf (headers, "HTTP/1.1 %u", &status) == 1, "the answer is %s", headers);
  if (answer)
    *answer = headers;
  else
    g_free (headers);
  return status;
}

void
view_client_open_silent (ViewClient *client, guint port)
{
  client->socket = connect_to (port, 0);
  client->bytes = g_byte_array_new ();
}

void
view_client_connect (ViewClient *client, guint port)
{
  const ViewRequest request = { "localhost:8765", NULL, "foxglove.websocket.v1, foxglove.sdk.v1" };

  EXPECT (view_client_open (client, port, &request, NULL) == 101, "the handshake fails");
}

void
view_client_close (ViewClient *client)
{
  close (client->socket);
  g_byte_array_unref (client->bytes);
}

gboolean
view_client_send (ViewClient *client, guint8 first, gconstpointer data, gsize size)
{
  GByteArray *frame = g_byte_array_new ();
  const guint8 mask[4] = { 0 };
  gboolean is_sent;
  gsize sent = 0;

  EXPECT (size <= G_MAXUINT32, "the message is too long");
  g_byte_array_append (frame, &first, 1);
  if (size < 126) {
    g_byte_array_append (frame, (const guint8[]) {(guint8) (0x80 | size)}, 1);
  } else if (size <= G_MAXUINT16) {
    g_byte_array_append (frame, (const guint8[]) {0x80 | 126, (guint8) (size >> 8), (guint8) size}, 3);
  } else {
    g_byte_array_append (frame, (const guint8[]) {0x80 | 127, 0, 0, 0, 0, (guint8) (size >> 24), (guint8) (size >> 16), (guint8) (size >> 8),
            (guint8) size}, 9);
  }
  g_byte_array_append (frame, mask, sizeof mask);
  g_byte_array_append (frame, data, (guint) size);
  do {
    const gssize n = send (client->socket, frame->data + sent, frame->len - sent, MSG_NOSIGNAL);

    EXPECT (n >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK), "the server read nothing for %d s", PATIENCE_S);
    is_sent = n > 0;
    sent += (gsize) MAX (n, 0);
  } while (is_sent && sent < frame->len);
  g_byte_array_unref (frame);
  return is_sent;
}

void
view_client_send_text (ViewClient *client, const gchar *text)
{
  EXPECT (view_client_send (client, VIEW_FINAL | VIEW_TEXT, text, strlen (text)), "the text is not sent");
}

/* Size of the payload, and of what lies before it. FALSE: the end. */
static gboolean
receive_frame (ViewClient *client, gsize *header, gsize *size)
{
  const guint8 *bytes;

  *header = 2;
  if (!need (client, *header))
    return FALSE;
  *size = client->bytes->data[1];
  EXPECT (*size <= 127, "the server masks");
  if (*size >= 126) {
    *header = *size == 126 ? 4 : 10;
    if (!need (client, *header))
      return FALSE;
    bytes = client->bytes->data;
    *size = *header == 4 ? GST_READ_UINT16_BE (bytes + 2) : GST_READ_UINT64_BE (bytes + 2);
  }
  return need (client, *header + *size);
}

GBytes *
view_client_receive (ViewClient *client, guint *opcode)
{
  gsize header, size;

  while (receive_frame (client, &header, &size)) {
    const guint code = client->bytes->data[0] & 15;
    GBytes *message = g_bytes_new (client->bytes->data + header, size);

    EXPECT ((client->bytes->data[0] & 0xF0) == VIEW_FINAL, "the server compresses or cuts messages");
    g_byte_array_remove_range (client->bytes, 0, (guint) (header + size));
    if (code == VIEW_TEXT || code == VIEW_BINARY) {
      if (opcode)
        *opcode = code;
      return message;
    }
    g_bytes_unref (message);
    if (code == VIEW_CLOSE)
      break;
  }
  return NULL;
}

gchar *
view_client_receive_text (ViewClient *client)
{
  for (;;) {
    guint opcode = 0;
    GBytes *message = view_client_receive (client, &opcode);
    gchar *text;

    EXPECT (message != NULL, "the connection is closed");
    text = g_strndup (g_bytes_get_data (message, NULL), g_bytes_get_size (message));
    g_bytes_unref (message);
    if (opcode == VIEW_TEXT)
      return text;
    g_free (text);
  }
}

GBytes *
view_client_receive_data (ViewClient *client, guint32 subscription)
{
  GBytes *message;
  guint opcode;

  while ((message = view_client_receive (client, &opcode))) {
    const guint8 *bytes = g_bytes_get_data (message, NULL);

    if (opcode == VIEW_BINARY && bytes[0] == 1 && GST_READ_UINT32_LE (bytes + 1) == subscription)
      return message;
    g_bytes_unref (message);
  }
  return NULL;
}

gboolean
view_client_is_closed (ViewClient *client)
{
  GBytes *message;

  while ((message = view_client_receive (client, NULL)))
    g_bytes_unref (message);
  return TRUE;
}
