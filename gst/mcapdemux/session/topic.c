/* robocache: a topic of a recording: what reads its messages, and its statistics
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "topic.h"

#include <string.h>

#include "common/channels/channelkinds.h"
#include "common/ros/definitions.h"

/* ---- life ---- */

static gboolean
check_schema (RobocacheMcapTopic *topic)
{
  if (!topic->schema)
    topic->fault = g_strdup_printf ("its messages are \"%s\" without a schema", topic->encoding);
  else if (topic->schema->size == 0 && *topic->schema->encoding == '\0')
    topic->fault = g_strdup ("the recording has no definition of it: set msg-path of robocachebagsrc to a folder with its .msg file");
  return topic->fault == NULL;
}

static void
take_fault (RobocacheMcapTopic *topic, GError *error)
{
  topic->fault = g_utf8_make_valid (error->message, -1);
  g_error_free (error);
}

static void
make_camera (RobocacheMcapTopic *topic)
{
  const RobocacheMessageFormat format = { topic->type, topic->encoding, topic->schema->encoding, topic->schema->data, topic->schema->size };
  GError *error = NULL;

  topic->camera_transcoder = robocache_transcoder_new (&format, &error);
  if (topic->camera_transcoder)
    topic->camera = robocache_camera_info_new (robocache_transcoder_schema (topic->camera_transcoder), &error);
  if (error)
    take_fault (topic, error);
}

static void
make_decoder (RobocacheMcapTopic *topic, const RobocacheMcapDemuxSettings *settings)
{
  const RobocacheRosChannel channel = { topic->name, topic->type, (const gchar *) topic->schema->data, topic->schema->size,
    topic->noted_caps, topic->noted_kinds, settings->fields, settings->joints, topic->encoding, topic->schema->encoding
  };
  GError *error = NULL;

  topic->decoder = robocache_ros_decoder_new (&channel, &error);
  if (topic->decoder && settings->block_rows > 1)
    robocache_ros_decoder_leave_rows_bare (topic->decoder);
  if (error)
    take_fault (topic, error);
}

static const gchar *
noted_caps_of (const RobocacheMcapChannelInfo *channel)
{
  return g_hash_table_lookup (channel->metadata, "caps");
}

static const gchar *
noted_kinds_of (const RobocacheMcapChannelInfo *channel)
{
  return g_hash_table_lookup (channel->metadata, ROBOCACHE_KINDS_FIELD);
}

RobocacheMcapTopic *
robocache_mcap_topic_new (const RobocacheMcapChannelInfo *channel, const RobocacheMcapSchemaInfo *schema,
    const RobocacheMcapDemuxSettings *settings, guint order)
{
  RobocacheMcapTopic *topic = g_new0 (RobocacheMcapTopic, 1);
  gchar *short_name = robocache_ros_short_name (schema ? schema->name : "");

  topic->name = g_ref_string_new_intern (channel->topic);
  topic->type = g_strdup (schema ? schema->name : "");
  topic->encoding = g_strdup (channel->message_encoding);
  topic->order = order;
  topic->channel_id = channel->id;
  topic->schema = schema;
  topic->noted_caps = g_strdup (noted_caps_of (channel));
  topic->noted_kinds = g_strdup (noted_kinds_of (channel));
  if (check_schema (topic)) {
    if (robocache_camera_info_has (short_name))
      make_camera (topic);
    else
      make_decoder (topic, settings);
  }
  g_free (short_name);
  return topic;
}

void
robocache_mcap_topic_free (RobocacheMcapTopic *topic)
{
  robocache_ros_decoder_free (topic->decoder);
  robocache_camera_info_free (topic->camera);
  robocache_transcoder_free (topic->camera_transcoder);
  g_clear_pointer (&topic->name, g_ref_string_release);
  g_free (topic->type);
  g_free (topic->encoding);
  g_free (topic->noted_caps);
  g_free (topic->noted_kinds);
  g_free (topic->fault);
  g_free (topic->first_loss);
  g_free (topic);
}

gboolean
robocache_mcap_topic_has (const RobocacheMcapTopic *topic, const RobocacheMcapChannelInfo *channel,
    const RobocacheMcapSchemaInfo *schema)
{
  return g_str_equal (topic->name, channel->topic) && g_strcmp0 (topic->encoding, channel->message_encoding) == 0
      && g_strcmp0 (topic->noted_caps, noted_caps_of (channel)) == 0
      && g_strcmp0 (topic->noted_kinds, noted_kinds_of (channel)) == 0
      && (topic->schema == schema || (topic->schema && schema && g_str_equal (topic->schema->name, schema->name)
          && topic->schema->size == schema->size && memcmp (topic->schema->data, schema->data, schema->size) == 0));
}

gboolean
robocache_mcap_topic_has_several_streams (const RobocacheMcapTopic *topic)
{
  return topic->decoder && robocache_ros_decoder_has_several_streams (topic->decoder);
}

/* ---- statistics ---- */

void
robocache_mcap_counts_to_structure (const RobocacheMcapCounts *counts, GstStructure *structure)
{
  gst_structure_set (structure, "messages", G_TYPE_UINT64, counts->messages, "buffers", G_TYPE_UINT64, counts->buffers, "malformed",
      G_TYPE_UINT64, counts->malformed, "missing", G_TYPE_UINT64, counts->missing, "without-stamp", G_TYPE_UINT64,
      counts->without_stamp, "before-origin", G_TYPE_UINT64, counts->before_origin, NULL);
}

void
robocache_mcap_counts_add (RobocacheMcapCounts *counts, const RobocacheMcapCounts *more)
{
  counts->messages += more->messages;
  counts->malformed += more->malformed;
  counts->missing += more->missing;
  counts->without_stamp += more->without_stamp;
  counts->buffers += more->buffers;
  counts->before_origin += more->before_origin;
}
