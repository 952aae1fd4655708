/* robocache: messages, rows and samples as text
 *
 *   bytes      "00 01 ff"
 *   a message  "((1 500 'base') ['a' 'b'] [0.5 1] 7)", fields in the order of their definition
 *   a row      "a=1 b[0]=0.5: float64", of named channels
 *   samples    "KEY @STAMP FRAME: CAPS = VALUES" of a decoded message, joined by "; ", and "none" without samples. Values of tensors
 *              are numbers, all others hexadecimal digits
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <string.h>

#include "common/ros/cdr.h"
#include "common/ros/rowdecoder.h"
#include "common/ros/schema.h"
#include "common/rosstreams/rosdecoder.h"
#include "common/tensors/tensorcaps.h"

/* "00 01, ff" → bytes; anything but digits separates nothing. Free with g_byte_array_unref. */
GByteArray *bytes_of_hex (const gchar *hex);

/* Free with g_free. */
gchar *hex_of_bytes (const guint8 *bytes, gsize n);

/* A whole message. */
void write_text (RobocacheCdrWriter *writer, const RobocacheRosSchema *schema, const gchar *text);

/* Free with g_free. */
gchar *row_to_string (const RobocacheRowChannels *channels, gconstpointer values);

void append_number (GString *text, RcDtype dtype, const guint8 *value);

/* Free with g_free. */
gchar *samples_to_string (const GArray *samples);
