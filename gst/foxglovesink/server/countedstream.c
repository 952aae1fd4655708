/* robocache: a stream with a buffer of WebSocket frames, which limits what its peer sends
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "countedstream.h"

#include <string.h>
#include <sys/socket.h>

/* Pings come at intervals of seconds, and are all that a client sends while nobody touches it. */
#define ALLOWANCE_PER_S 128
/* A larger buffer is freed when it is empty. */
#define KEPT_BUFFER_BYTES (512 << 10)
#define FINAL_FRAME 0x80
#define LAST_BUFFER_BYTES (2 << 20)

/* Offsets of a message in the buffer. A negative begin: the socket has taken the first bytes, which have left the buffer. */
typedef struct
{
  gint64 begin, end;
  gboolean is_kept;
} Frame;

struct _RobocacheCountedStream
{
  GIOStream parent;
  GIOStream *base;
  GInputStream *input;
  GOutputStream *output;

  GByteArray *buffer;           /* whole frames, of which the socket took the first n_taken bytes */
  GArray *frames;               /* Frame items */
  gsize n_taken, max_bytes;     /* max_bytes: of the buffer */
  GSource *writable;            /* while the socket is full; NULL: it took all */
  gboolean is_libsoup_blocked;  /* libsoup has to write a frame, or its rest */
  RobocacheCountedNotify on_written;
  gpointer user_data;

  gsize max_allowance, allowance;       /* bytes; max_allowance 0: no limit */
  gsize earned;                 /* bytes that the socket took since the last renewal */
  gint64 refilled_us;           /* monotonic time of the last refill */
};

G_DEFINE_TYPE (RobocacheCountedStream, robocache_counted_stream, G_TYPE_IO_STREAM)

/* ---- what the peer may send ---- */

static void
refill (RobocacheCountedStream *self)
{
  const gint64 now = g_get_monotonic_time ();
  const gint64 added = (now - self->refilled_us) * ALLOWANCE_PER_S / G_USEC_PER_SEC;

  if (added <= 0)
    return;
  self->allowance = MIN (self->max_allowance, self->allowance + (gsize) added);
  self->refilled_us = now;
}

/* FALSE and an error: the peer sends too much. */
static gboolean
count_read (RobocacheCountedStream *self, gssize n, GError **error)
{
  if (n <= 0 || self->max_allowance == 0)
    return TRUE;
  refill (self);
  if ((gsize) n > self->allowance) {
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_MESSAGE_TOO_LARGE, "the client sends more bytes than messages of this size need");
    return FALSE;
  }
  self->allowance -= (gsize) n;
  return TRUE;
}

/* ---- the buffer ---- */

static void
stop_watching (RobocacheCountedStream *self)
{
  if (self->writable)
    g_source_destroy (self->writable);
  g_clear_pointer (&self->writable, g_source_unref);
}

static void
empty_buffer (RobocacheCountedStream *self)
{
  if (self->buffer->len > KEPT_BUFFER_BYTES) {
    g_byte_array_unref (self->buffer);
    self->buffer = g_byte_array_new ();
  }
  g_byte_array_set_size (self->buffer, 0);
  g_array_set_size (self->frames, 0);
  self->n_taken = 0;
}

/* Takes what the socket has taken out of the buffer. */
static void
remove_taken (RobocacheCountedStream *self)
{
  guint n_gone = 0;

  for (guint i = 0; i < self->frames->len; i++) {
    Frame *frame = &g_array_index (self->frames, Frame, i);

    frame->begin -= (gint64) self->n_taken;
    frame->end -= (gint64) self->n_taken;
    n_gone += frame->end <= 0;
  }
  g_array_remove_range (self->frames, 0, n_gone);
  g_byte_array_remove_range (self->buffer, 0, (guint) self->n_taken);
  self->n_taken = 0;
}

static GPollableOutputStream *
socket_output (RobocacheCountedStream *self)
{
  return G_POLLABLE_OUTPUT_STREAM (g_io_stream_get_output_stream (self->base));
}

/* A broken connection takes all: reading from it ends it. */
static void
write_buffer (RobocacheCountedStream *self)
{
  const gsize size = robocache_counted_stream_pending (self);
  GError *error = NULL;
  gssize n;

  if (size == 0)
    return;
  n = g_pollable_output_stream_write_nonblocking (socket_output (self), self->buffer->data + self->n_taken, size, NULL, &error);
  if (n > 0) {
    self->n_taken += (gsize) n;
    self->earned += (gsize) n;
  }
  if (n == (gssize) size || (n < 0 && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK)))
    empty_buffer (self);
  /* a slow reader may never take all */
  if (self->n_taken >= ROBOCACHE_COUNTED_STREAM_BYTES)
    remove_taken (self);
  g_clear_error (&error);
}

static gboolean
on_writable (GObject *output, gpointer user_data)
{
  RobocacheCountedStream *self = g_object_ref (user_data);

  write_buffer (self);
  if (self->buffer->len == 0)
    stop_watching (self);
  if (self->on_written)
    self->on_written (self->user_data);
  g_object_unref (self);
  return G_SOURCE_CONTINUE;
}

void
robocache_counted_stream_flush (RobocacheCountedStream *self)
{
  if (self->writable)
    return;
  write_buffer (self);
  if (self->buffer->len == 0)
    return;
  self->writable = g_pollable_output_stream_create_source (socket_output (self), NULL);
  g_source_set_callback (self->writable, G_SOURCE_FUNC (on_writable), self, NULL);
  g_source_attach (self->writable, g_main_context_get_thread_default ());
}

static gsize
write_frame_header (guint8 header[10], guint8 opcode, gsize size)
{
  const guint64 long_size = GUINT64_TO_BE ((guint64) size);
  const guint16 short_size = GUINT16_TO_BE ((guint16) size);

  header[0] = FINAL_FRAME | opcode;
  if (size < 126) {
    header[1] = (guint8) size;
    return 2;
  }
  if (size <= G_MAXUINT16) {
    header[1] = 126;
    memcpy (header + 2, &short_size, sizeof short_size);
    return 4;
  }
  header[1] = 127;
  memcpy (header + 2, &long_size, sizeof long_size);
  return 10;
}

void
robocache_counted_stream_append (RobocacheCountedStream *self, guint8 opcode, gboolean is_kept, gconstpointer head, gsize head_size,
    gconstpointer payload, gsize payload_size)
{
  Frame frame = {.begin = self->buffer->len,.is_kept = is_kept };
  guint8 header[10];
  const gsize header_size = write_frame_header (header, opcode, head_size + payload_size);

  g_byte_array_append (self->buffer, header, (guint) header_size);
  g_byte_array_append (self->buffer, head, (guint) head_size);
  g_byte_array_append (self->buffer, payload, (guint) payload_size);
  frame.end = self->buffer->len;
  g_array_append_val (self->frames, frame);
}

guint
robocache_counted_stream_drop (RobocacheCountedStream *self)
{
  GSocket *socket = g_socket_connection_get_socket (G_SOCKET_CONNECTION (self->base));
  GByteArray *rest = g_byte_array_new ();
  guint n = 0, n_dropped;

  remove_taken (self);
  for (guint i = 0; i < self->frames->len; i++) {
    Frame frame = g_array_index (self->frames, Frame, i);
    const gint64 first = MAX (frame.begin, 0), size = frame.end - first;

    if (frame.begin >= 0 && !frame.is_kept)
      continue;
    frame.begin += rest->len - first;
    frame.end = rest->len + size;
    g_byte_array_append (rest, self->buffer->data + first, (guint) size);
    g_array_index (self->frames, Frame, n++) = frame;
  }
  n_dropped = self->frames->len - n;
  g_array_set_size (self->frames, n);
  g_byte_array_unref (self->buffer);
  self->buffer = rest;
  self->max_bytes = LAST_BUFFER_BYTES;
  g_socket_set_option (socket, SOL_SOCKET, SO_SNDBUF, LAST_BUFFER_BYTES, NULL);
  return n_dropped;
}

gsize
robocache_counted_stream_pending (const RobocacheCountedStream *self)
{
  return self->buffer->len - self->n_taken;
}

gboolean
robocache_counted_stream_has_space (const RobocacheCountedStream *self, gsize size)
{
  const gsize pending = robocache_counted_stream_pending (self);

  return !self->is_libsoup_blocked && (pending == 0 || pending + size <= self->max_bytes);
}

/* ---- input ---- */

typedef struct
{
  GFilterInputStream parent;
  RobocacheCountedStream *owner;        /* no reference; NULL: gone */
} CountedInput;
typedef GFilterInputStreamClass CountedInputClass;

static void input_pollable_init (GPollableInputStreamInterface *interface);
static GType counted_input_get_type (void);
G_DEFINE_TYPE_WITH_CODE (CountedInput, counted_input, G_TYPE_FILTER_INPUT_STREAM,
    G_IMPLEMENT_INTERFACE (G_TYPE_POLLABLE_INPUT_STREAM, input_pollable_init))

#define INPUT_BASE(stream) g_filter_input_stream_get_base_stream (G_FILTER_INPUT_STREAM (stream))
#define OWNER_OF_INPUT(stream) (((CountedInput *) (gpointer) (stream))->owner)

static gssize
input_finish (GInputStream *stream, gssize n, GError **error)
{
  RobocacheCountedStream *owner = OWNER_OF_INPUT (stream);

  return owner == NULL || count_read (owner, n, error) ? n : -1;
}

static gssize
input_read (GInputStream *stream, void *buffer, gsize size, GCancellable *cancellable, GError **error)
{
  return input_finish (stream, g_input_stream_read (INPUT_BASE (stream), buffer, size, cancellable, error), error);
}

static gssize
input_read_nonblocking (GPollableInputStream *stream, void *buffer, gsize size, GError **error)
{
  const gssize n = g_pollable_input_stream_read_nonblocking (G_POLLABLE_INPUT_STREAM (INPUT_BASE (stream)), buffer, size, NULL, error);

  return input_finish (G_INPUT_STREAM (stream), n, error);
}

static gboolean
input_can_poll (GPollableInputStream *stream)
{
  return g_pollable_input_stream_can_poll (G_POLLABLE_INPUT_STREAM (INPUT_BASE (stream)));
}

static gboolean
input_is_readable (GPollableInputStream *stream)
{
  return g_pollable_input_stream_is_readable (G_POLLABLE_INPUT_STREAM (INPUT_BASE (stream)));
}

static GSource *
input_create_source (GPollableInputStream *stream, GCancellable *cancellable)
{
  GSource *base = g_pollable_input_stream_create_source (G_POLLABLE_INPUT_STREAM (INPUT_BASE (stream)), NULL);
  GSource *source = g_pollable_source_new_full (stream, base, cancellable);

  g_source_unref (base);
  return source;
}

static void
input_pollable_init (GPollableInputStreamInterface *interface)
{
  interface->can_poll = input_can_poll;
  interface->is_readable = input_is_readable;
  interface->create_source = input_create_source;
  interface->read_nonblocking = input_read_nonblocking;
}

static void
counted_input_class_init (CountedInputClass *klass)
{
  G_INPUT_STREAM_CLASS (klass)->read_fn = input_read;
}

static void
counted_input_init (CountedInput *self)
{
}

/* ---- output ---- */

typedef struct
{
  GFilterOutputStream parent;
  RobocacheCountedStream *owner;        /* no reference; NULL: gone */
} CountedOutput;
typedef GFilterOutputStreamClass CountedOutputClass;

static void output_pollable_init (GPollableOutputStreamInterface *interface);
static GType counted_output_get_type (void);
G_DEFINE_TYPE_WITH_CODE (CountedOutput, counted_output, G_TYPE_FILTER_OUTPUT_STREAM,
    G_IMPLEMENT_INTERFACE (G_TYPE_POLLABLE_OUTPUT_STREAM, output_pollable_init))

#define OUTPUT_BASE(stream) g_filter_output_stream_get_base_stream (G_FILTER_OUTPUT_STREAM (stream))
#define OWNER_OF_OUTPUT(stream) (((CountedOutput *) (gpointer) (stream))->owner)

static gssize
output_write (GOutputStream *stream, const void *buffer, gsize size, GCancellable *cancellable, GError **error)
{
  return g_output_stream_write (OUTPUT_BASE (stream), buffer, size, cancellable, error);
}

/* A frame of libsoup and the frames of the buffer are each written whole, so each waits for the end of the other. */
static gssize
output_write_nonblocking (GPollableOutputStream *stream, const void *buffer, gsize size, GError **error)
{
  RobocacheCountedStream *owner = OWNER_OF_OUTPUT (stream);
  gboolean was_blocked;
  gssize n = -1;

  if (owner == NULL || owner->buffer->len == 0)
    n = g_pollable_output_stream_write_nonblocking (G_POLLABLE_OUTPUT_STREAM (OUTPUT_BASE (stream)), buffer, size, NULL, error);
  else
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK, "messages wait for the socket");
  if (owner == NULL)
    return n;
  was_blocked = owner->is_libsoup_blocked;
  owner->is_libsoup_blocked = n < (gssize) size;
  owner->earned += (gsize) MAX (n, 0);
  if (was_blocked && !owner->is_libsoup_blocked && owner->on_written)
    owner->on_written (owner->user_data);
  return n;
}

static gboolean
output_can_poll (GPollableOutputStream *stream)
{
  return g_pollable_output_stream_can_poll (G_POLLABLE_OUTPUT_STREAM (OUTPUT_BASE (stream)));
}

static gboolean
output_is_writable (GPollableOutputStream *stream)
{
  return g_pollable_output_stream_is_writable (G_POLLABLE_OUTPUT_STREAM (OUTPUT_BASE (stream)));
}

static GSource *
output_create_source (GPollableOutputStream *stream, GCancellable *cancellable)
{
  GSource *base = g_pollable_output_stream_create_source (G_POLLABLE_OUTPUT_STREAM (OUTPUT_BASE (stream)), NULL);
  GSource *source = g_pollable_source_new_full (stream, base, cancellable);

  g_source_unref (base);
  return source;
}

static void
output_pollable_init (GPollableOutputStreamInterface *interface)
{
  interface->can_poll = output_can_poll;
  interface->is_writable = output_is_writable;
  interface->create_source = output_create_source;
  interface->write_nonblocking = output_write_nonblocking;
}

static void
counted_output_class_init (CountedOutputClass *klass)
{
  G_OUTPUT_STREAM_CLASS (klass)->write_fn = output_write;
}

static void
counted_output_init (CountedOutput *self)
{
}

/* ---- the stream ---- */

static GInputStream *
get_input (GIOStream *stream)
{
  return ROBOCACHE_COUNTED_STREAM (stream)->input;
}

static GOutputStream *
get_output (GIOStream *stream)
{
  return ROBOCACHE_COUNTED_STREAM (stream)->output;
}

static gboolean
close_stream (GIOStream *stream, GCancellable *cancellable, GError **error)
{
  RobocacheCountedStream *self = ROBOCACHE_COUNTED_STREAM (stream);

  stop_watching (self);
  empty_buffer (self);
  return g_io_stream_close (self->base, cancellable, error);
}

/* In the calling thread, which has the buffer; closing a socket does not wait. */
static void
close_stream_async (GIOStream *stream, gint priority, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new (stream, cancellable, callback, user_data);
  GError *error = NULL;

  g_task_set_priority (task, priority);
  if (close_stream (stream, cancellable, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
  g_object_unref (task);
}

static gboolean
close_stream_finish (GIOStream *stream, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

static void
finalize (GObject *object)
{
  RobocacheCountedStream *self = ROBOCACHE_COUNTED_STREAM (object);

  stop_watching (self);
  g_byte_array_unref (self->buffer);
  g_array_unref (self->frames);
  OWNER_OF_INPUT (self->input) = NULL;
  OWNER_OF_OUTPUT (self->output) = NULL;
  g_object_unref (self->input);
  g_object_unref (self->output);
  g_object_unref (self->base);
  G_OBJECT_CLASS (robocache_counted_stream_parent_class)->finalize (object);
}

static void
robocache_counted_stream_class_init (RobocacheCountedStreamClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
  G_IO_STREAM_CLASS (klass)->get_input_stream = get_input;
  G_IO_STREAM_CLASS (klass)->get_output_stream = get_output;
  G_IO_STREAM_CLASS (klass)->close_fn = close_stream;
  G_IO_STREAM_CLASS (klass)->close_async = close_stream_async;
  G_IO_STREAM_CLASS (klass)->close_finish = close_stream_finish;
}

static void
robocache_counted_stream_init (RobocacheCountedStream *self)
{
  self->buffer = g_byte_array_new ();
  self->frames = g_array_new (FALSE, FALSE, sizeof (Frame));
  self->max_bytes = ROBOCACHE_COUNTED_STREAM_BYTES;
}

RobocacheCountedStream *
robocache_counted_stream_new (GSocketConnection *connection)
{
  RobocacheCountedStream *self = g_object_new (ROBOCACHE_TYPE_COUNTED_STREAM, NULL);

  self->base = g_object_ref (G_IO_STREAM (connection));
  self->input = g_object_new (counted_input_get_type (), "base-stream", g_io_stream_get_input_stream (self->base), NULL);
  self->output = g_object_new (counted_output_get_type (), "base-stream", g_io_stream_get_output_stream (self->base), NULL);
  OWNER_OF_INPUT (self->input) = self;
  OWNER_OF_OUTPUT (self->output) = self;
  return self;
}

void
robocache_counted_stream_set_notify (RobocacheCountedStream *self, RobocacheCountedNotify on_written, gpointer user_data)
{
  self->on_written = on_written;
  self->user_data = user_data;
}

void
robocache_counted_stream_allow (RobocacheCountedStream *self, gsize size)
{
  self->max_allowance = self->allowance = size;
  self->refilled_us = g_get_monotonic_time ();
}

void
robocache_counted_stream_renew (RobocacheCountedStream *self)
{
  const gboolean is_read = robocache_counted_stream_pending (self) == 0 && !self->is_libsoup_blocked;

  self->allowance = is_read ? self->max_allowance : MIN (self->max_allowance, self->allowance + self->earned);
  self->earned = 0;
}
