/* robocache: the decoder of a topic's messages, by their type
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rosdecoder.h"

#include <gst/video/video.h>
#include <string.h>

#include "common/ros/definitions.h"
#include "common/ros/encodings/transcoder.h"
#include "readers.h"

struct _RobocacheRosDecoder
{
  RobocacheTranscoder *transcoder;
  RobocacheStreamReader *reader;
  gboolean is_of_any_type;
};

static gboolean
is_joints (const gchar *type)
{
  return g_str_equal (type, ROBOCACHE_JOINT_STATE_TYPE);
}

static const struct
{
  gboolean (*has) (const gchar * type);
  RobocacheStreamReader *(*reader_new) (const RobocacheRosSource * source, GError ** error);
} families[] = {
  {is_joints, robocache_joint_messages_new},
  {robocache_number_messages_have, robocache_number_messages_new},
  {robocache_tensor_messages_have, robocache_tensor_messages_new},
  {robocache_picture_messages_have, robocache_picture_messages_new},
  {robocache_cloud_messages_have, robocache_cloud_messages_new},
  {robocache_livox_messages_have, robocache_livox_messages_new},
  {robocache_laser_messages_have, robocache_laser_messages_new},
};

/* The globs of fields for a topic, or NULL without any; sets *is_of_topic if one of them names the topic. Free with g_free. */
static gchar *
fields_of_topic (const gchar *fields, const gchar *topic, gboolean *is_of_topic)
{
  gchar **entries = g_strsplit (fields ? fields : "", ",", -1);
  GString *own = g_string_new (NULL), *others = g_string_new (NULL);

  for (guint i = 0; entries[i]; i++) {
    gchar *entry = g_strstrip (entries[i]), *colon = strchr (entry, ':');

    if (!colon)
      g_string_append_printf (others, "%s%s", others->len > 0 && *entry ? "," : "", entry);
    else if (*colon = '\0', g_pattern_match_simple (entry, topic))
      g_string_append_printf (own, "%s%s", own->len > 0 ? "," : "", colon + 1);
  }
  g_strfreev (entries);
  *is_of_topic = own->len > 0;
  if (*is_of_topic) {
    g_string_free (others, TRUE);
    return g_string_free (own, FALSE);
  }
  g_string_free (own, TRUE);
  return g_string_free (others, others->len == 0);
}

/* Caps of video may name types that libgstvideo registers on first use. */
GstCaps *
robocache_ros_read_noted_caps (const gchar *text)
{
  g_type_ensure (GST_TYPE_VIDEO_MULTIVIEW_FLAGSET);
  return gst_caps_from_string (text);
}

/* A choice of fields makes rows of any type; of a joint state it chooses quantities. */
static RobocacheStreamReader *
reader_new (const RobocacheRosSource *source, gboolean has_fields, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (families); i++) {
    if (families[i].has (source->type) && (!has_fields || is_joints (source->type)))
      return families[i].reader_new (source, error);
  }
  return robocache_any_messages_new (source, error);
}

static gboolean
has_family (const gchar *type)
{
  gboolean has = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    has |= families[i].has (type);
  return has;
}

/* The name of a type in ROS 2: types of Foxglove have their packages there. Free with g_free. */
static gchar *
name_of_type (const gchar *type)
{
  static const gchar foxglove[] = "foxglove.";

  if (g_str_has_prefix (type, foxglove))
    return g_strconcat ("foxglove_msgs/", type + strlen (foxglove), NULL);
  return g_str_equal (type, "tf/tfMessage") ? g_strdup ("tf2_msgs/TFMessage") : robocache_ros_short_name (type);
}

RobocacheRosDecoder *
robocache_ros_decoder_new (const RobocacheRosChannel *channel, GError **error)
{
  const RobocacheMessageFormat format = { channel->type, channel->message_encoding, channel->schema_encoding, channel->definition,
    channel->definition_size
  };
  RobocacheRosSource source = {.topic = channel->topic,.kinds = channel->kinds,.joints = channel->joints };
  gchar *type = name_of_type (channel->type);
  GstCaps *caps = channel->caps ? robocache_ros_read_noted_caps (channel->caps) : NULL;
  RobocacheRosDecoder *decoder = g_new0 (RobocacheRosDecoder, 1);
  gboolean has_fields;

  decoder->transcoder = robocache_transcoder_new (&format, error);
  if (decoder->transcoder) {
    source.type = type;
    source.schema = robocache_transcoder_schema (decoder->transcoder);
    source.caps = caps;
    source.fields = fields_of_topic (channel->fields, channel->topic, &has_fields);
    /* a choice for all topics applies to types without their own decoder */
    if (!has_fields && has_family (type))
      g_clear_pointer (&source.fields, g_free);
    decoder->is_of_any_type = !has_family (type) || (has_fields && !is_joints (type));
    decoder->reader = reader_new (&source, has_fields, error);
    if (decoder->reader && source.schema->left_out)
      robocache_stream_reader_note (decoder->reader, g_strdup_printf ("these fields are left out: %s", source.schema->left_out));
    g_free (source.fields);
  }
  gst_clear_caps (&caps);
  g_free (type);
  if (!decoder->reader)
    g_clear_pointer (&decoder, robocache_ros_decoder_free);
  return decoder;
}

void
robocache_ros_decoder_free (RobocacheRosDecoder *decoder)
{
  if (!decoder)
    return;
  if (decoder->reader)
    decoder->reader->free (decoder->reader);
  robocache_transcoder_free (decoder->transcoder);
  g_free (decoder);
}

GArray *
robocache_ros_decoder_run (RobocacheRosDecoder *decoder, gconstpointer message, gsize size, GError **error)
{
  return robocache_transcoder_run (decoder->transcoder, &message, &size, error)
      && robocache_stream_reader_run (decoder->reader, message, size, error) ? decoder->reader->samples : NULL;
}

gboolean
robocache_ros_decoder_read_stamp (RobocacheRosDecoder *decoder, gconstpointer message, gsize size, gboolean *has_stamp, gint64 *stamp_ns)
{
  const GArray *samples;

  if (decoder->reader->header) {
    *has_stamp = TRUE;
    return robocache_transcoder_run (decoder->transcoder, &message, &size, NULL)
        && robocache_stream_reader_read_stamp (decoder->reader, message, size, stamp_ns);
  }
  samples = robocache_ros_decoder_run (decoder, message, size, NULL);
  if (!samples || samples->len == 0)
    return FALSE;
  *stamp_ns = g_array_index (samples, RobocacheRosSample, 0).stamp_ns;
  *has_stamp = *stamp_ns != ROBOCACHE_ROS_NO_TIME;
  return TRUE;
}

void
robocache_ros_decoder_leave_rows_bare (RobocacheRosDecoder *decoder)
{
  decoder->reader->leaves_rows_bare = TRUE;
}

const gchar *
robocache_ros_decoder_note (const RobocacheRosDecoder *decoder, guint number)
{
  const GPtrArray *notes = decoder->reader->notes;

  return number < notes->len ? g_ptr_array_index (notes, number) : NULL;
}

gboolean
robocache_ros_decoder_has_stamps (const RobocacheRosDecoder *decoder)
{
  return decoder->reader->header != NULL;
}

gboolean
robocache_ros_decoder_has_several_streams (const RobocacheRosDecoder *decoder)
{
  return decoder->reader->has_several_streams;
}

const gchar *const *
robocache_ros_decoder_skipped (const RobocacheRosDecoder *decoder)
{
  return decoder->is_of_any_type ? robocache_any_messages_skipped (decoder->reader) : NULL;
}
