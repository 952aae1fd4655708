/* robocache: a topic of a recording: the decoder of its messages, and its statistics
 *
 * Channels of one topic with the same type and definition share this structure, so that they share streams.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/mcap/read/fileindex.h"
#include "common/ros/encodings/transcoder.h"
#include "common/rospads/topicchoice.h"
#include "common/rosstreams/pictures/camerainfo.h"
#include "common/rosstreams/rosdecoder.h"
#include "properties.h"

/* Counts of messages and buffers. */
typedef struct
{
  guint64 messages;             /* messages read */
  guint64 malformed;            /* messages lost because they cannot be read */
  guint64 missing;              /* missing sequence numbers between the first and the last message */
  guint64 without_stamp;        /* messages whose time of capture is not a stamp */
  guint64 buffers;              /* buffers sent */
  guint64 before_origin;        /* messages dropped because their time is before running time 0 */
} RobocacheMcapCounts;

typedef struct
{
  GRefString *name;             /* interned: equal names have the same address */
  gchar *type;
  guint order;                  /* index of the glob that selected it */
  guint16 channel_id;           /* id of the topic's first channel */
  const RobocacheMcapSchemaInfo *schema;        /* NULL: no schema */
  gchar *noted_caps, *noted_kinds;      /* caps and kinds in the metadata of the topic's channel; NULL: not recorded */
  gchar *encoding;              /* encoding of the topic's messages */
  RobocacheRosDecoder *decoder; /* NULL: the messages are calibrations of a camera, or cannot be read */
  RobocacheTranscoder *camera_transcoder;
  RobocacheCameraInfo *camera;  /* a camera's calibration; NULL: another topic */
  gchar *fault;                 /* why no message can be read; NULL: messages can be read */
  gboolean has_stream;          /* a message gave a sample */
  gboolean has_reported;        /* a malformed message or the fault was reported */
  gchar *first_loss;            /* fault of the first malformed message; NULL: no message was malformed */
  guint n_reported_notes;       /* number of the decoder's notes that were reported */
  gboolean has_reported_time;   /* it was reported that messages have no stamps */
  gboolean awaits_stamp;        /* in a scan: the next stamp that is not 0 shows whether those of 0 are times */
  guint64 zero_log_time;        /* log time of the last message with a stamp of 0 */
  guint64 n_zero_stamps;        /* messages whose stamp is 0, though their type has one */
  RobocacheMcapCounts counts;
} RobocacheMcapTopic;

/* Makes the topic of a channel, with a fault if it cannot be read. Never NULL. */
RobocacheMcapTopic *robocache_mcap_topic_new (const RobocacheMcapChannelInfo * channel, const RobocacheMcapSchemaInfo * schema,
    const RobocacheMcapDemuxSettings * settings, guint order);
void robocache_mcap_topic_free (RobocacheMcapTopic * topic);
/* Whether the messages of a channel belong to the topic. */
gboolean robocache_mcap_topic_has (const RobocacheMcapTopic * topic, const RobocacheMcapChannelInfo * channel,
    const RobocacheMcapSchemaInfo * schema);
/* Whether later messages may have streams that the first message does not have. */
gboolean robocache_mcap_topic_has_several_streams (const RobocacheMcapTopic * topic);

void robocache_mcap_counts_to_structure (const RobocacheMcapCounts * counts, GstStructure * structure);
void robocache_mcap_counts_add (RobocacheMcapCounts * counts, const RobocacheMcapCounts * more);

/* ---- when the last samples of all topics end (recordingend.c) ---- */

/* Reads the last messages with separate decoders, because decoders keep state from earlier messages. */
typedef struct _RobocacheMcapEnd RobocacheMcapEnd;

/* Definitions, settings and clocks must outlive the object. */
RobocacheMcapEnd *robocache_mcap_end_new (const RobocacheMcapDefinitions * definitions, const RobocacheMcapDemuxSettings * settings,
    const RobocacheMcapClocks * clocks);
void robocache_mcap_end_free (RobocacheMcapEnd * end);

/* Adds one of the last messages. */
void robocache_mcap_end_add (RobocacheMcapEnd * end, const RobocacheMcapMessage * message);
/* The end of the last sample on the recording's clock. FALSE: no sample was found. */
gboolean robocache_mcap_end_get (const RobocacheMcapEnd * end, gint64 * end_ns);
