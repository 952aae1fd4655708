/* robocache: reference timestamps of buffers as texts of events
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_REFERENCES_H
#define MUX_REFERENCES_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The next reference timestamp of a buffer that messages do not hold; NULL: none is left. *state is NULL at first. */
const GstReferenceTimestampMeta *mux_reference_next (GstBuffer * buffer, gpointer * state);

/* How many these are. */
guint mux_reference_count (GstBuffer * buffer);

typedef struct
{
  guint number, references;     /* of the timestamp among those of its buffer, and how many these are */
  guint64 messages, dropped;    /* of the buffer: written, and outside the segment */
  gint64 pts_ns;                /* running time of its PTS; -1: none */
} MuxReferencedBuffer;

/* "number=0 messages=5 … caps=timestamp/x-ntp"; free with g_free. */
gchar *mux_reference_to_text (const GstReferenceTimestampMeta * meta, const MuxReferencedBuffer * of);

G_END_DECLS
#endif
