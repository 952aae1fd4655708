/* robocache: a stream that counts the bytes which its socket took and gave
 *
 * libsoup queues outgoing messages without a bound, does not report when they are gone, and collects fragments of an incoming message without
 * a bound. So each connection runs over one of these streams.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gio/gio.h>

#define ROBOCACHE_TYPE_COUNTED_STREAM (robocache_counted_stream_get_type ())
G_DECLARE_FINAL_TYPE (RobocacheCountedStream, robocache_counted_stream, ROBOCACHE, COUNTED_STREAM, GIOStream)

/* Called in the thread that reads or writes. */
typedef void (*RobocacheCountedNotify) (gpointer user_data);

RobocacheCountedStream *robocache_counted_stream_new (GSocketConnection * connection);

/* Bytes since the start. */
guint64 robocache_counted_stream_written (const RobocacheCountedStream * stream);

/* on_written: after each write that took bytes. NULL: none. */
void robocache_counted_stream_set_notify (RobocacheCountedStream * stream, RobocacheCountedNotify on_written, gpointer user_data);

/* Allows the peer to send size bytes at once, and 128 bytes a second on average; reading more fails. A full allowance again. */
void robocache_counted_stream_allow (RobocacheCountedStream * stream, gsize size);
