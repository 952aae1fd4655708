/* robocache: files and messages of bags that are compressed by zstd
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compressedbag.h"

#include <errno.h>
#include <gst/gst.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "common/element/errors.h"
#include "common/mcap/read/source.h"

#define MIN_MAX_CONVERTED ((guint64) 15 << 20)

gboolean
robocache_is_zstd (RobocacheMcapBytes bytes)
{
  static const guint8 magic[] = { 0x28, 0xb5, 0x2f, 0xfd };

  return bytes.size >= sizeof (magic) && memcmp (bytes.data, magic, sizeof (magic)) == 0;
}

/* ---- messages ---- */

static gboolean
fail_message (GError **error, const gchar *reason)
{
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a message compressed by zstd is damaged: %s", reason);
  return FALSE;
}

struct _RobocacheZstdMessage
{
  ZSTD_DStream *stream;         /* NULL: no message was compressed yet */
  RobocacheMcapBuffer content;
  guint64 max_bytes;
};

RobocacheZstdMessage *
robocache_zstd_message_new (guint64 max_bytes)
{
  RobocacheZstdMessage *message = g_new0 (RobocacheZstdMessage, 1);

  message->max_bytes = max_bytes;
  return message;
}

void
robocache_zstd_message_free (RobocacheZstdMessage *message)
{
  ZSTD_freeDStream (message->stream);
  robocache_mcap_buffer_clear (&message->content);
  g_free (message);
}

/* Appends what the next step of the stream gives; *left: 0 where a frame has ended. */
static gboolean
decompress_step (RobocacheZstdMessage *message, ZSTD_inBuffer *in, gsize *left, GError **error)
{
  const guint64 limit = robocache_mcap_max_unpacked (message->max_bytes, in->size);
  const gsize step = ZSTD_DStreamOutSize (), before = message->content.size, read_before = in->pos;
  ZSTD_outBuffer out = { NULL, step, 0 };

  if (!robocache_mcap_buffer_resize (&message->content, before + step, error))
    return FALSE;
  out.dst = message->content.data + before;
  *left = ZSTD_decompressStream (message->stream, &out, in);
  message->content.size = before + out.pos;
  if (message->content.size > limit) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a message compressed by zstd has more than %" G_GUINT64_FORMAT " bytes (max-message-bytes)",
        limit);
    return FALSE;
  }
  if (ZSTD_isError (*left))
    return fail_message (error, ZSTD_getErrorName (*left));
  return out.pos > 0 || in->pos > read_before || *left == 0 || fail_message (error, "cut");
}

static gboolean
decompress_message (RobocacheZstdMessage *message, RobocacheMcapBytes bytes, RobocacheMcapBytes *content, GError **error)
{
  ZSTD_inBuffer in = { bytes.data, bytes.size, 0 };
  gsize left = 1;

  if (!message->stream)
    message->stream = ZSTD_createDStream ();
  message->content.size = 0;
  ZSTD_DCtx_reset (message->stream, ZSTD_reset_session_only);
  while (in.pos < in.size || left > 0) {
    if (!decompress_step (message, &in, &left, error))
      return FALSE;
  }
  *content = (RobocacheMcapBytes) {message->content.data, message->content.size};
  return TRUE;
}

static void
name_message (const RobocacheMcapDefinitions *definitions, const RobocacheMcapMessage *message, GError **error)
{
  const RobocacheMcapChannelInfo *channel = robocache_mcap_definitions_channel (definitions, message->channel_id);

  g_prefix_error (error, "message of %s, log time %" G_GUINT64_FORMAT ": ", channel ? channel->topic : "an unknown topic",
      message->log_time);
}

gboolean
robocache_zstd_message_unpack (RobocacheZstdMessage *context, const RobocacheMcapDefinitions *definitions, RobocacheMcapMessage *message,
    GError **error)
{
  if (!robocache_is_zstd (message->data) || decompress_message (context, message->data, &message->data, error))
    return TRUE;
  name_message (definitions, message, error);
  return FALSE;
}

gboolean
robocache_check_converted_size (const RobocacheMcapDefinitions *definitions, const RobocacheMcapMessage *message, guint64 max_bytes,
    guint64 n_bytes, GError **error)
{
  const RobocacheMcapChannelInfo *channel = robocache_mcap_definitions_channel (definitions, message->channel_id);
  const guint64 limit = max_bytes ? max_bytes : MIN_MAX_CONVERTED + n_bytes;

  if (message->data.size <= limit || !channel || g_str_equal (channel->message_encoding, "cdr"))
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "it has %" G_GSIZE_FORMAT " bytes unpacked, more than %" G_GUINT64_FORMAT
      " (max-message-bytes)", message->data.size, limit);
  name_message (definitions, message, error);
  return FALSE;
}

/* ---- files ---- */

typedef struct
{
  int from, to;
  const gchar *name;
  const gint *is_stopped;
  ZSTD_DStream *stream;
  gsize in_size, out_size;
  guint8 *in, *out;
  gsize left;                   /* 0: a frame has ended */
} Copy;

static gboolean
fail_file (const Copy *copy, GstResourceError kind, const gchar *reason, GError **error)
{
  g_set_error (error, GST_RESOURCE_ERROR, kind, "%s: %s", copy->name, reason);
  return FALSE;
}

static gboolean
write_all (const Copy *copy, const guint8 *bytes, gsize size, GError **error)
{
  while (size > 0) {
    const ssize_t n = write (copy->to, bytes, size);
    gchar *reason;

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      const int code = errno;

      reason = g_strdup_printf ("cannot be decompressed to %s: %s", g_get_tmp_dir (), g_strerror (code));
      fail_file (copy, code == ENOSPC ? GST_RESOURCE_ERROR_NO_SPACE_LEFT : GST_RESOURCE_ERROR_WRITE, reason, error);
      g_free (reason);
      return FALSE;
    }
    bytes += n;
    size -= (gsize) n;
  }
  return TRUE;
}

static gboolean
decompress_piece (Copy *copy, gsize size, GError **error)
{
  ZSTD_inBuffer in = { copy->in, size, 0 };
  gboolean is_full = FALSE;

  /* a full output may be followed by more */
  while (in.pos < in.size || is_full) {
    ZSTD_outBuffer out = { copy->out, copy->out_size, 0 };

    copy->left = ZSTD_decompressStream (copy->stream, &out, &in);
    if (ZSTD_isError (copy->left))
      return fail_file (copy, GST_RESOURCE_ERROR_READ, ZSTD_getErrorName (copy->left), error);
    if (!write_all (copy, copy->out, out.pos, error))
      return FALSE;
    is_full = out.pos == out.size && copy->left > 0;
  }
  return TRUE;
}

static gboolean
copy_all (Copy *copy, GError **error)
{
  for (;;) {
    const ssize_t n = read (copy->from, copy->in, copy->in_size);

    if (g_atomic_int_get (copy->is_stopped))
      return fail_file (copy, GST_RESOURCE_ERROR_READ, "stopped", error);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return fail_file (copy, GST_RESOURCE_ERROR_READ, g_strerror (errno), error);
    if (n == 0)
      return copy->left == 0 || fail_file (copy, GST_RESOURCE_ERROR_READ, "the compressed file is truncated", error);
    if (!decompress_piece (copy, (gsize) n, error))
      return FALSE;
  }
}

gboolean
robocache_zstd_decompress_file (int from, int to, const gchar *name, const gint *is_stopped, GError **error)
{
  Copy copy = { from, to, name, is_stopped, ZSTD_createDStream (), ZSTD_DStreamInSize (), ZSTD_DStreamOutSize ()
  };
  gboolean ok;

  copy.in = g_malloc (copy.in_size);
  copy.out = g_malloc (copy.out_size);
  copy.left = 1;
  ok = copy_all (&copy, error);
  g_free (copy.in);
  g_free (copy.out);
  ZSTD_freeDStream (copy.stream);
  return ok;
}
