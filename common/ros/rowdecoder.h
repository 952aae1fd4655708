/* robocache: decodes the numbers of any message to a row of named channels
 *
 * A decoder is made at run time from the schema of the messages. Channels are the numeric fields, in the order of the message, with
 * names like pose.position.x, data[3] and points[0].x. The lengths of sequences in a message determine its channels; when lengths change,
 * the channels change.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cdr.h"
#include "common/channels/channelkinds.h"
#include "kernels/dtype.h"
#include "schema.h"

#define ROBOCACHE_ROW_DECODER_MAX_CHANNELS 65536

typedef struct _RobocacheRowDecoder RobocacheRowDecoder;

/* Makes a decoder for the type of the schema, which must outlive it. `fields` are globs ("pose.*,data[?]") of the names of channels, or
 * of structures that contain them ("pose"). NULL or empty: all numbers except times, headers, byte arrays of unknown length and fields
 * whose names end in covariance. NULL and a ROBOCACHE_ERROR_CAPS: no field is selected, or the schema is too large. */
RobocacheRowDecoder *robocache_row_decoder_new (const RobocacheRosSchema * schema, const gchar * fields, GError ** error);
void robocache_row_decoder_free (RobocacheRowDecoder * decoder);

/* Names of fields that never become channels, with NULL at the end; the last is "..." if there are more than 64. */
const gchar *const *robocache_row_decoder_skipped (const RobocacheRowDecoder * decoder);

/* The channels of the last message. */
typedef struct
{
  guint n;
  const gchar *const *names;    /* [n] */
  RcDtype dtype;                /* dtype of the values: the fields' common dtype, or else one that represents all fields exactly, or else float64 */
  RobocacheKinds kinds;         /* by types, geometry_msgs/Quaternion and integers that are held, and by names */
  gboolean is_exact;            /* FALSE: 64-bit integers are rounded to float64 */
  guint generation;             /* number of changes of the channels; 0 before the first message */
} RobocacheRowChannels;

const RobocacheRowChannels *robocache_row_decoder_channels (const RobocacheRowDecoder * decoder);

/* Decodes a message, which begins at the reader's position. Returns the values in the dtype of the channels, in host byte order, valid
 * until the next call. NULL and an error: a fault in the message, or too many channels. */
gconstpointer robocache_row_decoder_run (RobocacheRowDecoder * decoder, RobocacheCdrReader * reader, GError ** error);
