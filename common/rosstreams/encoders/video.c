/* robocache: messages of video
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoders.h"

#include <string.h>

#include "annexb.h"
#include "common/device/mapping.h"
#include "common/element/errors.h"

typedef struct
{
  RobocacheEncoder parent;
  RobocacheAnnexB annexb;
  GstClockTime last_pts;        /* of the frame before; GST_CLOCK_TIME_NONE: none */
  GstBuffer *buffer;
  GstMapInfo map;
  guint8 *with_sets;            /* the frame with parameter sets before it; NULL: as it is */
  gsize with_sets_size;
} Video;

static const gchar *
format_of (const Video *video)
{
  return video->annexb.is_h265 ? "h265" : "h264";
}

/* Frames in another order than they are shown need their decoding times, which the message has no place for. */
static gboolean
check_order (Video *video, GstBuffer *buffer, GError **error)
{
  const GstClockTime pts = GST_BUFFER_PTS (buffer), last = video->last_pts;
  const gboolean is_reordered = GST_CLOCK_TIME_IS_VALID (pts) && GST_CLOCK_TIME_IS_VALID (last) && pts < last
      && !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT);

  if (GST_CLOCK_TIME_IS_VALID (pts))
    video->last_pts = pts;
  if (!is_reordered)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the video has B-frames (a frame of %" GST_TIME_FORMAT " follows one of %"
      GST_TIME_FORMAT "), which foxglove_msgs/CompressedVideo does not allow: set bframes=0 at the encoder (x264enc, x265enc "
      "option-string=bframes=0), or tune=zerolatency", GST_TIME_ARGS (pts), GST_TIME_ARGS (last));
  return FALSE;
}

static gboolean
add_sets (Video *video, GError **error)
{
  const GByteArray *sets = video->annexb.parameter_sets;

  video->with_sets_size = sets->len + video->map.size;
  video->with_sets = g_try_malloc (video->with_sets_size);
  if (!video->with_sets) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_MEMORY, "no memory for a key frame of %" G_GSIZE_FORMAT " bytes",
        video->with_sets_size);
    return FALSE;
  }
  memcpy (video->with_sets, sets->data, sets->len);
  memcpy (video->with_sets + sets->len, video->map.data, video->map.size);
  return TRUE;
}

/* Looks at a key frame. FALSE and an error: nobody could decode from it on. */
static gboolean
check_key_frame (Video *video, GError **error)
{
  const RobocacheAnnexBUnit unit = robocache_annexb_scan (&video->annexb, video->map.data, video->map.size);

  if (!unit.has_start_code) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a frame does not begin with a start code: put %sparse before the "
        "recorder, for stream-format=byte-stream", format_of (video));
    return FALSE;
  }
  if (unit.has_all_sets)
    return TRUE;
  if (video->annexb.parameter_sets->len == 0) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a key frame has no parameter sets: put %sparse config-interval=-1 "
        "before the recorder", format_of (video));
    return FALSE;
  }
  return add_sets (video, error);
}

static void
video_end (RobocacheEncoder *encoder)
{
  Video *video = (Video *) encoder;

  gst_buffer_unmap (video->buffer, &video->map);
  g_clear_pointer (&video->with_sets, g_free);
}

static gboolean
video_begin (RobocacheEncoder *encoder, GstBuffer *buffer, RobocacheEncoderItems *items, GError **error)
{
  Video *video = (Video *) encoder;

  *items = (RobocacheEncoderItems) {1, NULL, !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT)};
  if (!check_order (video, buffer, error))
    return FALSE;
  if (!robocache_map_buffer (buffer, &video->map, GST_MAP_READ, error))
    return FALSE;
  video->buffer = buffer;
  if (!items->is_key || check_key_frame (video, error))
    return TRUE;
  video_end (encoder);
  return FALSE;
}

static gboolean
video_write (RobocacheEncoder *encoder, guint64 item, const RobocacheEncoderTimes *times, RobocacheEncoderEmit emit, gpointer user_data)
{
  Video *video = (Video *) encoder;

  if (video->with_sets)
    robocache_ros_write_compressed_video (&encoder->writer, &times->header, format_of (video), video->with_sets, video->with_sets_size);
  else
    robocache_ros_write_compressed_video (&encoder->writer, &times->header, format_of (video), video->map.data, video->map.size);
  return emit (user_data, 0, &encoder->writer);
}

static void
video_free (RobocacheEncoder *encoder)
{
  Video *video = (Video *) encoder;

  robocache_annexb_clear (&video->annexb);
  robocache_encoder_clear (encoder);
  g_free (video);
}

static const RobocacheEncoderClass video_class = { video_begin, video_write, video_end, video_free };

RobocacheEncoder *
robocache_encoder_new_video (const GstCaps *caps)
{
  Video *video = g_new0 (Video, 1);

  robocache_encoder_init (&video->parent, &video_class);
  robocache_annexb_init (&video->annexb, gst_structure_has_name (gst_caps_get_structure (caps, 0), "video/x-h265"));
  video->last_pts = GST_CLOCK_TIME_NONE;
  robocache_encoder_add_channel (&video->parent, "foxglove_msgs/msg/CompressedVideo", g_strdup (""), NULL, FALSE);
  return &video->parent;
}
