/* robocache: the topics of a recording that are chosen, by the channels of its messages
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session.h"

/* ---- faults of topics ---- */

/* A warning where the topic was asked for. */
static void
report_fault (RobocacheMcapSession *session, RobocacheMcapTopic *topic)
{
  const gchar *type = *topic->type ? topic->type : "unknown";

  topic->has_reported = TRUE;
  if (session->settings.topics && *session->settings.topics)
    GST_ELEMENT_WARNING (session->element, STREAM, DECODE, ("%s of type %s cannot be read: %s", topic->name, type, topic->fault), (NULL));
  else
    GST_ELEMENT_INFO (session->element, STREAM, DECODE, ("%s of type %s cannot be read: %s", topic->name, type, topic->fault), (NULL));
}

/* The stream is then read without the recorded caps. */
static void
check_noted_caps (RobocacheMcapSession *session, const RobocacheMcapTopic *topic)
{
  GstCaps *caps = topic->noted_caps ? robocache_ros_read_noted_caps (topic->noted_caps) : NULL;

  if (topic->noted_caps && !caps)
    GST_ELEMENT_WARNING (session->element, STREAM, FORMAT, ("the recorded caps of %s cannot be read, so its stream has the caps of its messages",
            topic->name), ("%s", topic->noted_caps));
  gst_clear_caps (&caps);
}

static void
log_skipped (RobocacheMcapSession *session, const RobocacheMcapTopic *topic)
{
  const gchar *const *skipped = topic->decoder ? robocache_ros_decoder_skipped (topic->decoder) : NULL;
  gchar *list = skipped && *skipped ? g_strjoinv (", ", (gchar **) skipped) : NULL;

  if (list)
    GST_CAT_INFO_OBJECT (session->category, session->element, "%s of type %s: left out %s", topic->name, topic->type, list);
  g_free (list);
}

/* ---- topics of channels ---- */

/* The topic of a channel that is chosen, an old one if it has it. */
static RobocacheMcapTopic *
find_topic (RobocacheMcapSession *session, const RobocacheMcapChannelInfo *channel, guint order)
{
  const RobocacheMcapSchemaInfo *schema = robocache_mcap_definitions_schema (session->definitions, channel->schema_id);
  const GPtrArray *same = g_hash_table_lookup (session->topics_by_name, channel->topic);
  RobocacheMcapTopic *topic;

  for (guint i = 0; same && i < same->len; i++) {
    topic = g_ptr_array_index (same, i);
    if (robocache_mcap_topic_has (topic, channel, schema))
      return topic;
  }
  topic = robocache_mcap_topic_new (channel, schema, &session->settings, order);
  GST_CAT_INFO_OBJECT (session->category, session->element, "%s of type %s, channel %u: %s", topic->name, topic->type, topic->channel_id,
      topic->fault ? topic->fault : topic->camera ? "the calibration of a camera" : "is read");
  if (topic->fault)
    report_fault (session, topic);
  check_noted_caps (session, topic);
  log_skipped (session, topic);
  robocache_mcap_list_add (session->topics_by_name, topic->name, topic);
  if (topic->camera)
    g_ptr_array_add (session->cameras, topic);
  GST_OBJECT_LOCK (session->element);
  g_ptr_array_add (session->topics, topic);
  GST_OBJECT_UNLOCK (session->element);
  return topic;
}

static RobocacheMcapTopic *
choose_topic (RobocacheMcapSession *session, guint16 channel_id)
{
  const RobocacheMcapChannelInfo *channel = robocache_mcap_definitions_channel (session->definitions, channel_id);
  gint order;

  if (!channel)
    return NULL;
  order = robocache_ros_topics_find (session->settings.topics, channel->topic);
  if (order < 0)
    GST_CAT_INFO_OBJECT (session->category, session->element, "%s is left out: topics=\"%s\" does not choose it", channel->topic,
        session->settings.topics);
  return order < 0 ? session->unchosen : find_topic (session, channel, (guint) order);
}

RobocacheMcapTopic *
robocache_mcap_session_topic (RobocacheMcapSession *session, guint16 channel_id)
{
  RobocacheMcapTopic *topic = channel_id < session->by_channel->len ? g_ptr_array_index (session->by_channel, channel_id) : NULL;

  if (!topic) {
    topic = choose_topic (session, channel_id);
    if (!topic)
      return NULL;
    if (channel_id >= session->by_channel->len)
      g_ptr_array_set_size (session->by_channel, channel_id + 1);
    session->by_channel->pdata[channel_id] = topic;
  }
  return topic == session->unchosen ? NULL : topic;
}

/* ---- missing topics ---- */

void
robocache_mcap_session_warn_of_undefined (RobocacheMcapSession *session, guint16 channel_id)
{
  gchar *text;

  if (robocache_mcap_definitions_channel (session->definitions, channel_id)
      || !g_hash_table_add (session->undefined, GUINT_TO_POINTER (channel_id)))
    return;
  text = g_strdup_printf ("messages of channel %u are lost: the recording does not define the channel before them", channel_id);
  robocache_mcap_session_warn (session, text);
  g_free (text);
}

void
robocache_mcap_session_warn_of_missing_topics (RobocacheMcapSession *session)
{
  gchar **names = g_strsplit (session->settings.topics ? session->settings.topics : "", ",", -1);

  for (guint i = 0; names[i]; i++) {
    const gchar *name = g_strstrip (names[i]);
    gboolean is_there = *name == '\0' || strpbrk (name, "*?") != NULL;

    for (guint t = 0; t < session->topics->len && !is_there; t++)
      is_there = g_str_equal (((RobocacheMcapTopic *) g_ptr_array_index (session->topics, t))->name, name);
    if (!is_there)
      GST_ELEMENT_WARNING (session->element, STREAM, WRONG_TYPE, ("the recording has no topic %s", name), (NULL));
  }
  g_strfreev (names);
}
