/* robocache: a stream that counts the bytes which its socket took and gave
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "countedstream.h"

/* Pings come at intervals of seconds, and are all that a client sends while nobody touches it. */
#define ALLOWANCE_PER_S 128

struct _RobocacheCountedStream
{
  GIOStream parent;
  GIOStream *base;
  GInputStream *input;
  GOutputStream *output;

  guint64 written;
  RobocacheCountedNotify on_written;
  gpointer user_data;

  gsize max_allowance, allowance;       /* bytes; max_allowance 0: no limit */
  gint64 refilled_us;           /* monotonic time of the last refill */
};

G_DEFINE_TYPE (RobocacheCountedStream, robocache_counted_stream, G_TYPE_IO_STREAM)

/* ---- bytes ---- */

static void
count_written (RobocacheCountedStream *self, gssize n)
{
  if (n <= 0)
    return;
  self->written += (gsize) n;
  if (self->on_written)
    self->on_written (self->user_data);
}

static void
refill (RobocacheCountedStream *self)
{
  const gint64 now = g_get_monotonic_time ();
  const gint64 earned = (now - self->refilled_us) * ALLOWANCE_PER_S / G_USEC_PER_SEC;

  if (earned <= 0)
    return;
  self->allowance = MIN (self->max_allowance, self->allowance + (gsize) earned);
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
output_finish (GOutputStream *stream, gssize n)
{
  if (OWNER_OF_OUTPUT (stream))
    count_written (OWNER_OF_OUTPUT (stream), n);
  return n;
}

static gssize
output_write (GOutputStream *stream, const void *buffer, gsize size, GCancellable *cancellable, GError **error)
{
  return output_finish (stream, g_output_stream_write (OUTPUT_BASE (stream), buffer, size, cancellable, error));
}

static gssize
output_write_nonblocking (GPollableOutputStream *stream, const void *buffer, gsize size, GError **error)
{
  return output_finish (G_OUTPUT_STREAM (stream), g_pollable_output_stream_write_nonblocking (G_POLLABLE_OUTPUT_STREAM (OUTPUT_BASE (stream)),
          buffer, size, NULL, error));
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
  return g_io_stream_close (ROBOCACHE_COUNTED_STREAM (stream)->base, cancellable, error);
}

static void
finalize (GObject *object)
{
  RobocacheCountedStream *self = ROBOCACHE_COUNTED_STREAM (object);

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
}

static void
robocache_counted_stream_init (RobocacheCountedStream *self)
{
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

guint64
robocache_counted_stream_written (const RobocacheCountedStream *self)
{
  return self->written;
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
