/* robocache: a stream with a buffer of WebSocket frames, which limits what its peer sends
 *
 * libsoup writes each message with a system call in a turn of the main loop of its own, queues messages without a bound, and collects the
 * fragments of an incoming message without a bound. So each connection runs over one of these streams, and messages are appended to its
 * buffer, without libsoup. libsoup writes the frames of its own, such as pongs, between messages. All calls are made in one thread.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gio/gio.h>

#define ROBOCACHE_TYPE_COUNTED_STREAM (robocache_counted_stream_get_type ())
G_DECLARE_FINAL_TYPE (RobocacheCountedStream, robocache_counted_stream, ROBOCACHE, COUNTED_STREAM, GIOStream)

/* Bytes in the buffer, unless one message is larger, or messages were dropped. */
#define ROBOCACHE_COUNTED_STREAM_BYTES (256 << 10)

typedef void (*RobocacheCountedNotify) (gpointer user_data);

RobocacheCountedStream *robocache_counted_stream_new (GSocketConnection * connection);

/* on_written: there may be space again, after there was none. NULL: none. */
void robocache_counted_stream_set_notify (RobocacheCountedStream * stream, RobocacheCountedNotify on_written, gpointer user_data);

/* Whether a message of size bytes may be appended. */
gboolean robocache_counted_stream_has_space (const RobocacheCountedStream * stream, gsize size);
/* Appends a message of two parts as a frame (RFC 6455, 5.2). It is written by the next flush. is_kept: it is never dropped. */
void robocache_counted_stream_append (RobocacheCountedStream * stream, guint8 opcode, gboolean is_kept, gconstpointer head, gsize head_size,
    gconstpointer payload, gsize payload_size);
/* Drops messages of which the socket has taken nothing, except those that are kept. From then on the buffer has space for 2 MiB, and the socket as
 * much as the system allows: what the socket has taken reaches its peer even after the end of this process. Returns how many were dropped. */
guint robocache_counted_stream_drop (RobocacheCountedStream * stream);
/* Writes what the socket takes; the rest follows when it takes more. */
void robocache_counted_stream_flush (RobocacheCountedStream * stream);
/* Appended bytes that the socket has not taken. */
gsize robocache_counted_stream_pending (const RobocacheCountedStream * stream);

/* Allows the peer to send size bytes, and 128 bytes a second; reading more fails. */
void robocache_counted_stream_allow (RobocacheCountedStream * stream, gsize size);
/* A message of the peer is complete: it may send as many bytes more as its socket took since the last renewal, and all of the allowance if no
 * byte waits. So a peer that does not read cannot fill queues with answers. */
void robocache_counted_stream_renew (RobocacheCountedStream * stream);
