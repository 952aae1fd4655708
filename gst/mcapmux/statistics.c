/* robocache: what a recorder has taken in, written and dropped
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "statistics.h"

#define COUNT(name, field) {name, G_STRUCT_OFFSET (MuxStreamStatistics, field)}

static const struct
{
  const gchar *name;
  gsize offset;
} counts[] = {
  COUNT ("buffers-in", buffers), COUNT ("rows-in", rows), COUNT ("messages", messages), COUNT ("bytes", bytes),
  COUNT ("gaps", gaps), COUNT ("events", events), COUNT ("rows-dropped-overflow", dropped_overflow),
  COUNT ("rows-dropped-outside-segment", dropped_outside_segment), COUNT ("rows-dropped-no-time", dropped_time),
  COUNT ("rows-dropped-flush", dropped_flush), COUNT (MUX_STATISTIC_MALFORMED, dropped_malformed),
};

static guint64
count_of (const MuxStreamStatistics *statistics, guint i)
{
  return G_STRUCT_MEMBER (guint64, statistics, counts[i].offset);
}

static GstStructure *
stream_to_structure (const GstRobocacheMcapPad *pad)
{
  const MuxStreamStatistics *statistics = &pad->stream.statistics;
  GstStructure *structure = gst_structure_new_empty ("stream");

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    gst_structure_set (structure, counts[i].name, G_TYPE_UINT64, count_of (statistics, i), NULL);
  gst_structure_set (structure, "topic", G_TYPE_STRING, pad->stream.topic, "live", G_TYPE_BOOLEAN, pad->is_live, "first-time",
      G_TYPE_INT64, statistics->first_ns, "last-time", G_TYPE_INT64, statistics->last_ns, NULL);
  return structure;
}

GstStructure *
mux_statistics_to_structure (MuxRecorder *recorder)
{
  GstStructure *structure = gst_structure_new_empty ("stats");

  for (guint i = 0; i < recorder->pads->len; i++) {
    const GstRobocacheMcapPad *pad = mux_recorder_nth_pad (recorder, i);
    GstStructure *stream = stream_to_structure (pad);

    gst_structure_set (structure, GST_OBJECT_NAME (pad), GST_TYPE_STRUCTURE, stream, NULL);
    gst_structure_free (stream);
  }
  return structure;
}

static void
append_number (GByteArray *map, const gchar *topic, const gchar *name, gint64 value)
{
  gchar *key = g_strdup_printf ("%s %s", topic, name), *text = g_strdup_printf ("%" G_GINT64_FORMAT, value);

  robocache_mcap_append_text (map, key, text);
  g_free (key);
  g_free (text);
}

GByteArray *
mux_statistics_to_map (MuxRecorder *recorder)
{
  GByteArray *map = g_byte_array_new ();

  for (guint i = 0; i < recorder->pads->len; i++) {
    const GstRobocacheMcapPad *pad = mux_recorder_nth_pad (recorder, i);
    const MuxStreamStatistics *statistics = &pad->stream.statistics;

    for (guint k = 0; k < G_N_ELEMENTS (counts); k++)
      append_number (map, pad->stream.topic, counts[k].name, (gint64) count_of (statistics, k));
    if (statistics->first_ns == ROBOCACHE_ROS_NO_TIME)
      continue;
    append_number (map, pad->stream.topic, "first-time", statistics->first_ns);
    append_number (map, pad->stream.topic, "last-time", statistics->last_ns);
  }
  return map;
}

/* "rows-dropped-overflow=3, rows-dropped-flush=1"; NULL: none. Free with g_free. */
static gchar *
describe_losses (const MuxStreamStatistics *statistics)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    if (count_of (statistics, i) > 0 && (g_str_has_prefix (counts[i].name, "rows-dropped") || g_str_equal (counts[i].name, MUX_STATISTIC_MALFORMED)))
      g_string_append_printf (text, "%s%s=%" G_GUINT64_FORMAT, text->len > 0 ? ", " : "", counts[i].name, count_of (statistics, i));
  return g_string_free (text, text->len == 0);
}

void
mux_statistics_log (MuxRecorder *recorder)
{
  for (guint i = 0; i < recorder->pads->len && gst_debug_category_get_threshold (recorder->category) >= GST_LEVEL_INFO; i++) {
    const GstRobocacheMcapPad *pad = mux_recorder_nth_pad (recorder, i);
    const MuxStreamStatistics *statistics = &pad->stream.statistics;
    gchar *losses = describe_losses (statistics);

    GST_CAT_INFO_OBJECT (recorder->category, pad, "%" G_GUINT64_FORMAT " rows arrived, %" G_GUINT64_FORMAT " messages of %" G_GUINT64_FORMAT
        " bytes were written; lost: %s", statistics->rows, statistics->messages, statistics->bytes, losses ? losses : "none");
    g_free (losses);
  }
}
