/* robocache: a stream of a ROS topic, and its pad
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/points/pointcloudcaps.h"
#include "common/rosstreams/rowblock.h"
#include "common/tensors/tensorcaps.h"

/* Caps of the template of source pads. */
#define ROBOCACHE_ROS_SRC_CAPS ROBOCACHE_TENSORS_MEDIA_TYPE "; " ROBOCACHE_POINTCLOUD_MEDIA_TYPE "; video/x-raw; video/x-bayer; " \
    "video/x-h264, stream-format=(string)byte-stream, alignment=(string)au; " \
    "video/x-h265, stream-format=(string)byte-stream, alignment=(string)au; video/x-vp9; video/x-av1; image/jpeg; image/png"

/* Strings in the tags of a stream. */
#define ROBOCACHE_TAG_TOPIC "robocache-topic"
#define ROBOCACHE_TAG_FRAME_ID "robocache-frame-id"
#define ROBOCACHE_TAG_STREAM "robocache-stream" /* one of several streams of a topic: child frame, or joints */

/* Called when the plugin is loaded. */
void robocache_ros_tags_register (void);

/* No origin, in the context below. */
#define ROBOCACHE_ROS_NO_ORIGIN G_MININT64

typedef struct
{
  GRefString *name;             /* name of the topic */
  gpointer topic;               /* the owner's topic, set by the owner */
  gchar *key;                   /* key among the streams of the topic */
  gchar *frame_id;
  GstCaps *decoded_caps;        /* caps of the last sample */
  GstStructure *camera;         /* fields of a camera in caps; NULL: none */
  GstCaps *caps;                /* caps of the pad, with the camera's fields; for collected rows, the caps of full blocks */
  GstPad *pad;                  /* NULL: not exposed yet */
  gboolean needs_caps, needs_segment, needs_tags, needs_discont;
  guint64 position;             /* PTS up to which all data were sent or collected; GST_CLOCK_TIME_NONE: none since the segment */

  GstDebugCategory *category;   /* the element's log category */
  guint block_rows;             /* maximum rows in a buffer; 1: rows are not collected */
  gboolean may_collect;         /* a block can hold the last sample */
  RobocacheRowBlock *block;     /* NULL: each sample of the stream is a buffer */
  gpointer block_topic;         /* the owner's topic of the first row in the block, for statistics */
  guint64 block_log_time;       /* log time of the first row in the block */
  guint sent_rows;              /* rows of a block in the caps that were sent last; 0: these caps describe full blocks */
  gboolean block_is_discont;
} RobocacheRosOutput;

RobocacheRosOutput *robocache_ros_output_new (GRefString * name, const gchar * key, guint block_rows, GstDebugCategory * category);
void robocache_ros_output_free (RobocacheRosOutput * output);

/* Whether a sample continues the stream: its caps, frame and camera are those of the previous sample. */
gboolean robocache_ros_output_continues (const RobocacheRosOutput * output, const RobocacheRosSample * sample, const GstStructure * camera);
/* Takes over caps and frame of a sample, with the fields of a camera, which may be NULL. */
void robocache_ros_output_update (RobocacheRosOutput * output, const RobocacheRosSample * sample, const GstStructure * camera);

/* Sets the caps to those of the last sample with the fields of another camera, which may be NULL. */
void robocache_ros_output_set_camera (RobocacheRosOutput * output, const GstStructure * camera);

/* The contents of the events before a buffer. */
typedef struct
{
  GstElement *element;
  guint group_id;
  const gchar *container;       /* name of the recording's format, for tags; NULL: live */
  const GstSegment *segment;
  guint32 segment_seqnum;
  gint64 origin_ns;             /* ROBOCACHE_ROS_NO_ORIGIN: not announced */
  gboolean is_origin_of_first_row;
} RobocacheRosOutputContext;

/* Makes the pad, sends stream-start and caps, and adds it to the element. */
void robocache_ros_output_expose (RobocacheRosOutput * output, const RobocacheRosOutputContext * context, GstPadTemplate * template,
    guint number);
/* After a seek or flush: the next buffer follows a segment. Collected rows remain part of the previous segment. */
void robocache_ros_output_restart (RobocacheRosOutput * output);
/* Sends caps, segment, origin and tags that are due. */
void robocache_ros_output_send_headers (RobocacheRosOutput * output, const RobocacheRosOutputContext * context);
/* Sends a buffer (taken), preceded by its headers. */
/* Makes the buffer of a sample (its own one is taken). time_ns and arrival_ns are times of capture and arrival on the clock of the data; negative:
 * unknown. */
GstBuffer *robocache_ros_output_make_buffer (RobocacheRosSample * sample, guint64 pts, gint64 time_ns, gint64 arrival_ns);
GstFlowReturn robocache_ros_output_push (RobocacheRosOutput * output, const RobocacheRosOutputContext * context, GstBuffer * buffer);
/* Collects a row, and sends headers before the first row. The block must not be full. */
void robocache_ros_output_collect (RobocacheRosOutput * output, const RobocacheRosOutputContext * context,
    const RobocacheRosSample * sample, guint64 pts);
/* Whether rows wait. They must be sent before any other data. */
gboolean robocache_ros_output_has_rows (const RobocacheRosOutput * output);
GstFlowReturn robocache_ros_output_push_rows (RobocacheRosOutput * output);
void robocache_ros_output_discard_rows (RobocacheRosOutput * output);

/* Announces that no buffer comes before this PTS, if it is far enough after the data that were sent. */
void robocache_ros_output_advance (RobocacheRosOutput * output, const RobocacheRosOutputContext * context, guint64 pts);
/* Whether robocache_ros_output_advance would send an event. */
gboolean robocache_ros_output_is_behind (const RobocacheRosOutput * output, const RobocacheRosOutputContext * context, guint64 pts);
