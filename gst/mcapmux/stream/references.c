/* robocache: reference timestamps of buffers as texts of events
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "references.h"

/* The time of arrival, which is the log time of messages. */
#define ARRIVAL "timestamp/x-robocache-arrival"

static gboolean
is_arrival (const GstReferenceTimestampMeta *meta)
{
  return gst_structure_has_name (gst_caps_get_structure (meta->reference, 0), ARRIVAL);
}

const GstReferenceTimestampMeta *
mux_reference_next (GstBuffer *buffer, gpointer *state)
{
  const GstReferenceTimestampMeta *meta;

  do
    meta = (const GstReferenceTimestampMeta *) gst_buffer_iterate_meta_filtered (buffer, state, GST_REFERENCE_TIMESTAMP_META_API_TYPE);
  while (meta && is_arrival (meta));
  return meta;
}

guint
mux_reference_count (GstBuffer *buffer)
{
  gpointer state = NULL;
  guint n = 0;

  while (mux_reference_next (buffer, &state))
    n++;
  return n;
}

gchar *
mux_reference_to_text (const GstReferenceTimestampMeta *meta, const MuxReferencedBuffer *of)
{
  gchar *caps = gst_caps_to_string (meta->reference);
  gchar *text = g_strdup_printf ("number=%u references=%u messages=%" G_GUINT64_FORMAT " dropped=%" G_GUINT64_FORMAT " pts=%" G_GINT64_FORMAT
      " time=%" G_GUINT64_FORMAT " caps=%s", of->number, of->references, of->messages, of->dropped, of->pts_ns, meta->timestamp, caps);

  g_free (caps);
  return text;
}
