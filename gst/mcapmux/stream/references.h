/* robocache: reference timestamps of buffers as texts of events
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* The next reference timestamp of a buffer that messages do not contain; NULL: no more. *state is NULL at first. */
const GstReferenceTimestampMeta *mux_reference_next (GstBuffer * buffer, gpointer * state);

/* The number of such reference timestamps. */
guint mux_reference_count (GstBuffer * buffer);

typedef struct
{
  guint number, references;     /* number of the timestamp within its buffer, and number of timestamps of the buffer */
  guint64 messages, dropped;    /* messages of the buffer that were written, and that are outside the segment */
  gint64 pts_ns;                /* running time of its PTS; -1: none */
} MuxReferencedBuffer;

/* The text of an event, "number=0 messages=5 … caps=timestamp/x-ntp"; free with g_free. */
gchar *mux_reference_to_text (const GstReferenceTimestampMeta * meta, const MuxReferencedBuffer * of);
