/* robocache: a stream of a topic, and its pad
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_MCAP_OUTPUTSTREAM_H
#define GST_ROBOCACHE_MCAP_OUTPUTSTREAM_H

#include "common/points/pointcloudcaps.h"
#include "common/rosstreams/rowblock.h"
#include "common/tensors/tensorcaps.h"
#include "topic.h"

G_BEGIN_DECLS

/* Caps of the template of its pads. */
#define ROBOCACHE_MCAP_SRC_CAPS ROBOCACHE_TENSORS_MEDIA_TYPE "; " ROBOCACHE_POINTCLOUD_MEDIA_TYPE "; video/x-raw; video/x-bayer; " \
    "video/x-h264, stream-format=(string)byte-stream, alignment=(string)au; " \
    "video/x-h265, stream-format=(string)byte-stream, alignment=(string)au; video/x-vp9; video/x-av1; image/jpeg; image/png"

/* Strings in the tags of a stream. */
#define ROBOCACHE_TAG_TOPIC "robocache-topic"
#define ROBOCACHE_TAG_FRAME_ID "robocache-frame-id"
#define ROBOCACHE_TAG_STREAM "robocache-stream" /* of several of a topic: child frame, or joints */

/* Called when the plugin is loaded. */
void robocache_mcap_tags_register (void);

typedef struct
{
  RobocacheMcapTopic *topic;
  gchar *key;                   /* among the streams of the topic */
  gchar *frame_id;
  GstCaps *decoded_caps;        /* of the last sample */
  GstStructure *camera;         /* fields of a camera in caps; NULL: none */
  GstCaps *caps;                /* with them; of full blocks, where rows are collected */
  GstPad *pad;                  /* NULL: not exposed yet */
  gboolean needs_caps, needs_segment, needs_tags, needs_discont;
  guint64 position;             /* PTS up to which all was sent or collected; GST_CLOCK_TIME_NONE: nothing since the segment */

  guint block_rows;             /* at most in a buffer; 1: rows are not collected */
  gboolean may_collect;         /* the last sample was one that a block can hold */
  RobocacheRowBlock *block;     /* NULL: its samples are buffers of their own */
  RobocacheMcapTopic *block_topic;      /* of the first row in the block, for statistics */
  guint64 block_log_time;       /* of the first row */
  guint sent_rows;              /* of a block, by the caps that were sent last; 0: those of full ones */
  gboolean block_is_discont;
} RobocacheMcapOutput;

RobocacheMcapOutput *robocache_mcap_output_new (RobocacheMcapTopic * topic, const gchar * key, guint block_rows);
void robocache_mcap_output_free (RobocacheMcapOutput * output);

/* Whether a sample continues the stream: its caps, frame and camera are those of the one before. */
gboolean robocache_mcap_output_continues (const RobocacheMcapOutput * output, const RobocacheRosSample * sample, const GstStructure * camera);
/* Takes caps and frame of a sample over, with those of a camera, which may be NULL. */
void robocache_mcap_output_update (RobocacheMcapOutput * output, const RobocacheRosSample * sample, const GstStructure * camera);

/* Caps of the sample that was taken over last, with those of another camera, which may be NULL. */
void robocache_mcap_output_set_camera (RobocacheMcapOutput * output, const GstStructure * camera);

/* The contents of the events before a buffer. */
typedef struct
{
  GstElement *element;
  guint group_id;
  const GstSegment *segment;
  guint32 segment_seqnum;
  gint64 origin_ns;             /* ROBOCACHE_MCAP_NO_ORIGIN: not announced */
  gboolean is_origin_of_first_row;
} RobocacheMcapOutputContext;

/* Makes the pad, sends stream-start and caps, and adds it to the element. */
void robocache_mcap_output_expose (RobocacheMcapOutput * output, const RobocacheMcapOutputContext * context, GstPadTemplate * template,
    guint number);
/* After a seek or flush: the next buffer follows a segment. Collected rows stay those of the segment before. */
void robocache_mcap_output_restart (RobocacheMcapOutput * output);
/* Sends caps, segment, origin and tags that are due. */
void robocache_mcap_output_send_headers (RobocacheMcapOutput * output, const RobocacheMcapOutputContext * context);
/* Sends a buffer, which is taken, with headers before it. */
GstFlowReturn robocache_mcap_output_push (RobocacheMcapOutput * output, const RobocacheMcapOutputContext * context, GstBuffer * buffer);
/* Collects a row, with headers before the first. The block must not be full. */
void robocache_mcap_output_collect (RobocacheMcapOutput * output, const RobocacheMcapOutputContext * context,
    const RobocacheRosSample * sample, guint64 pts);
/* Whether rows wait. They go before anything else that is sent. */
gboolean robocache_mcap_output_has_rows (const RobocacheMcapOutput * output);
GstFlowReturn robocache_mcap_output_push_rows (RobocacheMcapOutput * output);
void robocache_mcap_output_discard_rows (RobocacheMcapOutput * output);

/* Announces that no buffer comes before this PTS, if it is late enough behind what was sent. */
void robocache_mcap_output_advance (RobocacheMcapOutput * output, const RobocacheMcapOutputContext * context, guint64 pts);
/* Whether that would send something. */
gboolean robocache_mcap_output_is_behind (const RobocacheMcapOutput * output, const RobocacheMcapOutputContext * context, guint64 pts);

G_END_DECLS
#endif
