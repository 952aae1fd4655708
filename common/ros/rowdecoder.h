/* robocache: the numbers of any message, as a row of named channels
 *
 * A decoder made at run time from the schema of the messages. Channels are the numeric fields, in the order of the message, with
 * names like pose.position.x, data[3] and points[0].x. The lengths of sequences in a message determine its channels; where
 * they change, channels do.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ROWDECODER_H
#define ROBOCACHE_ROWDECODER_H

#include "cdr.h"
#include "kernels/dtype.h"
#include "schema.h"

G_BEGIN_DECLS

#define ROBOCACHE_ROW_DECODER_MAX_CHANNELS 65536

typedef struct _RobocacheRowDecoder RobocacheRowDecoder;

/* A decoder for the type of the schema, which must outlive it. `fields` are globs ("pose.*,data[?]") of the names of
 * channels, or of what holds them ("pose"). NULL or empty: all numbers but times, headers, bytes of unknown number and fields whose
 * names end in covariance. NULL and a ROBOCACHE_ERROR_CAPS: no field is chosen, or the schema is too large. */
RobocacheRowDecoder *robocache_row_decoder_new (const RobocacheRosSchema * schema, const gchar * fields, GError ** error);
void robocache_row_decoder_free (RobocacheRowDecoder * decoder);

/* Names of fields that never become channels, with NULL at the end; the last is "..." where they are more than 64. */
const gchar *const *robocache_row_decoder_skipped (const RobocacheRowDecoder * decoder);

/* The channels of the last message. */
typedef struct
{
  guint n;
  const gchar *const *names;    /* [n] */
  RcDtype dtype;                /* of all: theirs where it is one, else one that holds each exactly, else float64 */
  const gchar *quaternions;     /* first channels of geometry_msgs/Quaternion, "0,7"; "": none */
  gboolean is_exact;            /* FALSE: 64-bit integers are rounded to float64 */
  guint generation;             /* counts changes of the channels; 0 before the first message */
} RobocacheRowChannels;

const RobocacheRowChannels *robocache_row_decoder_channels (const RobocacheRowDecoder * decoder);

/* Decodes a message, which begins where the reader stands. Returns the values, in the dtype of the channels, in host order; they stay
 * the decoder's, until the next call. NULL and an error: a fault in the message, or too many channels. */
gconstpointer robocache_row_decoder_run (RobocacheRowDecoder * decoder, RobocacheCdrReader * reader, GError ** error);

G_END_DECLS
#endif
