/* robocache: when the last samples of a recording end
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "topic.h"

/* A stream that was silent for longer does not last on. */
#define MAX_SAMPLE_LENGTH ((gint64) GST_SECOND)

struct _RobocacheMcapEnd
{
  const RobocacheMcapDefinitions *definitions;
  const RobocacheMcapDemuxSettings *settings;
  const RobocacheMcapClocks *clocks;
  GHashTable *topics;           /* RobocacheMcapTopic by channel id */
  GHashTable *times;            /* of the last sample, gint64 by "CHANNEL KEY" */
  gboolean has_sample;
  gint64 end_ns;
};

static void
free_topic (gpointer topic)
{
  if (topic)
    robocache_mcap_topic_free (topic);
}

RobocacheMcapEnd *
robocache_mcap_end_new (const RobocacheMcapDefinitions *definitions, const RobocacheMcapDemuxSettings *settings, const RobocacheMcapClocks *clocks)
{
  RobocacheMcapEnd *end = g_new0 (RobocacheMcapEnd, 1);

  end->definitions = definitions;
  end->settings = settings;
  end->clocks = clocks;
  end->topics = g_hash_table_new_full (NULL, NULL, NULL, free_topic);
  end->times = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return end;
}

void
robocache_mcap_end_free (RobocacheMcapEnd *end)
{
  g_hash_table_unref (end->topics);
  g_hash_table_unref (end->times);
  g_free (end);
}

/* NULL: its messages cannot be read, or are not chosen. */
static RobocacheMcapTopic *
find_topic (RobocacheMcapEnd *end, guint16 id)
{
  const RobocacheMcapChannelInfo *channel;
  RobocacheMcapTopic *topic = NULL;
  gpointer known;

  if (g_hash_table_lookup_extended (end->topics, GUINT_TO_POINTER (id), NULL, &known))
    return known;
  channel = robocache_mcap_definitions_channel (end->definitions, id);
  if (channel && robocache_ros_topics_find (end->settings->topics, channel->topic) >= 0)
    topic = robocache_mcap_topic_new (channel, robocache_mcap_definitions_schema (end->definitions, channel->schema_id), end->settings, 0);
  if (topic && !topic->decoder)
    g_clear_pointer (&topic, robocache_mcap_topic_free);
  g_hash_table_insert (end->topics, GUINT_TO_POINTER (id), topic);
  return topic;
}

/* As long as the sample before it; takes the time over. 0: there was none. */
static gint64
length_by_spacing (RobocacheMcapEnd *end, guint16 id, const gchar *key, gint64 time_ns)
{
  gchar *stream = g_strdup_printf ("%u %s", id, key);
  gint64 *last = g_hash_table_lookup (end->times, stream);
  const gint64 length = last ? MAX (robocache_mcap_time_difference (time_ns, *last), 0) : 0;

  if (last) {
    *last = MAX (*last, time_ns);
    g_free (stream);
  } else {
    last = g_new (gint64, 1);
    *last = time_ns;
    g_hash_table_insert (end->times, stream, last);
  }
  return MIN (length, MAX_SAMPLE_LENGTH);
}

static gint64
length_of (RobocacheMcapEnd *end, guint16 id, const RobocacheRosSample *sample, gint64 time_ns)
{
  const gint64 spacing = length_by_spacing (end, id, sample->key, time_ns);
  gint numerator, denominator;

  if (sample->buffer && GST_BUFFER_DURATION_IS_VALID (sample->buffer))
    return (gint64) MIN (GST_BUFFER_DURATION (sample->buffer), G_MAXINT64);
  if (gst_structure_get_fraction (gst_caps_get_structure (sample->caps, 0), "framerate", &numerator, &denominator) && numerator > 0
      && denominator > 0)
    return (gint64) gst_util_uint64_scale_int (GST_SECOND, denominator, numerator);
  return spacing;
}

void
robocache_mcap_end_add (RobocacheMcapEnd *end, const RobocacheMcapMessage *message)
{
  RobocacheMcapTopic *topic = find_topic (end, message->channel_id);
  GArray *samples = topic ? robocache_ros_decoder_run (topic->decoder, message->data.data, message->data.size, NULL) : NULL;

  for (guint i = 0; samples && i < samples->len; i++) {
    const RobocacheRosSample *sample = &g_array_index (samples, RobocacheRosSample, i);
    const RobocacheMcapTimes times = { sample->stamp_ns, message->log_time, message->publish_time };
    gboolean from_stamp;
    const gint64 time_ns = robocache_mcap_time_of_capture (end->settings->time_source, end->clocks, topic->name, &times, &from_stamp);
    const gint64 length = length_of (end, message->channel_id, sample, time_ns);
    const gint64 end_ns = time_ns > G_MAXINT64 - length ? G_MAXINT64 : time_ns + length;

    end->end_ns = end->has_sample ? MAX (end->end_ns, end_ns) : end_ns;
    end->has_sample = TRUE;
  }
  /* those of a large message would stay until the next one */
  if (samples)
    g_array_set_size (samples, 0);
}

gboolean
robocache_mcap_end_get (const RobocacheMcapEnd *end, gint64 *end_ns)
{
  *end_ns = end->end_ns;
  return end->has_sample;
}
