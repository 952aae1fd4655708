/* robocache: MCAP recordings made of texts, for tests
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/check/gstcheck.h>

#include "common/mcap/writer.h"
#include "common/ros/definitions.h"
#include "tests/check/lib/messagetext.h"

typedef struct
{
  const gchar *topic, *type, *message;  /* as messagetext.h has it; "hex:…" are bytes */
  gint log_ms;                  /* time of arrival */
  gint publish_ms;              /* 0: the same as log_ms */
} RecordedMessage;

typedef enum
{
  RECORDED_IN_CHUNKS,
  RECORDED_PLAIN,               /* outside chunks, without summary */
  RECORDED_CUT                  /* in chunks, with nothing behind the last */
} RecordingForm;

typedef struct
{
  RobocacheMcapCompression compression;
  RecordingForm form;
  guint chunk_messages;         /* messages a chunk; 0: all */
  const gchar *definition;      /* of types that are not built in; NULL: none */
  const gchar *redefined;       /* one that is, which gets it, too; NULL: none */
  const gchar *schema_encoding, *message_encoding;      /* NULL: ros2msg, cdr */
  const gchar *caps;            /* noted in all channels; NULL: none */
  const gchar *origin;          /* noted as robocachemcapmux does; NULL: none */
} RecordingOptions;

/* The bytes of a file. Sequence numbers count per channel, from 1 on. */
GByteArray *make_recording (const RecordingOptions *options, const RecordedMessage *messages, guint n);
