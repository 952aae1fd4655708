/* robocache: metadata of the channels of a recording
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "channels.h"

#include "common/channels/channelkinds.h"
#include "common/mcap/records.h"

GByteArray *
mux_channel_metadata_new (void)
{
  GByteArray *metadata = g_byte_array_new ();

  robocache_mcap_append_text (metadata, "offered_qos_profiles", MUX_OFFERED_QOS);
  return metadata;
}

/* -1: not set. */
static gint64
time_number (GstClockTime time)
{
  return GST_CLOCK_TIME_IS_VALID (time) ? (gint64) time : -1;
}

gchar *
mux_segment_to_text (const GstSegment *segment)
{
  gchar rate[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_dtostr (rate, sizeof rate, segment->rate);
  return g_strdup_printf ("format=%s rate=%s start=%" G_GINT64_FORMAT " stop=%" G_GINT64_FORMAT " time=%" G_GINT64_FORMAT " base=%"
      G_GINT64_FORMAT " offset=%" G_GINT64_FORMAT, gst_format_get_name (segment->format), rate, time_number (segment->start),
      time_number (segment->stop), time_number (segment->time), time_number (segment->base), time_number (segment->offset));
}

void
mux_channel_metadata_add_stream (GByteArray *metadata, const gchar *pad, const GstCaps *caps, const GstSegment *segment,
    const gchar *dtype, const gchar *kinds)
{
  gchar *caps_text = gst_caps_to_string (caps), *segment_text = mux_segment_to_text (segment);

  robocache_mcap_append_text (metadata, "pad", pad);
  robocache_mcap_append_text (metadata, "caps", caps_text);
  robocache_mcap_append_text (metadata, "segment", segment_text);
  if (dtype)
    robocache_mcap_append_text (metadata, "dtype", dtype);
  if (kinds)
    robocache_mcap_append_text (metadata, ROBOCACHE_KINDS_FIELD, kinds);
  g_free (caps_text);
  g_free (segment_text);
}
