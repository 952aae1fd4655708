/* robocache: a topic of a recording: what reads its messages, and its statistics
 *
 * Channels of one topic with the same type and definition are one, so that their streams are.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_MCAP_TOPIC_H
#define GST_ROBOCACHE_MCAP_TOPIC_H

#include "common/mcap/read/definitions.h"
#include "common/rosstreams/pictures/camerainfo.h"
#include "common/rosstreams/rosdecoder.h"
#include "properties.h"

G_BEGIN_DECLS

/* Counts of messages and buffers. */
typedef struct
{
  guint64 messages;             /* read */
  guint64 malformed;            /* lost, since they cannot be read */
  guint64 missing;              /* sequence numbers between the first and the last that did not come */
  guint64 without_stamp;        /* whose time is not a stamp */
  guint64 buffers;              /* sent */
  guint64 before_origin;        /* dropped, since their time is before running time 0 */
} RobocacheMcapCounts;

typedef struct
{
  GRefString *name;             /* interned: equal ones are at one place */
  gchar *type;
  guint order;                  /* of the glob that chose it */
  guint16 channel_id;           /* of its first channel */
  const RobocacheMcapSchemaInfo *schema;        /* NULL: it has none */
  gchar *noted_caps;            /* of its channel; NULL: none */
  gchar *encoding;              /* of its messages */
  RobocacheRosDecoder *decoder; /* NULL: for a camera's calibration, or unreadable */
  RobocacheRosSchema *camera_schema;
  RobocacheCameraInfo *camera;  /* a camera's calibration; NULL: another topic */
  gchar *fault;                 /* why no message can be read; NULL: they can */
  gboolean has_stream;          /* a message gave a sample */
  gboolean has_reported;        /* a malformed message, or its fault */
  gboolean has_reported_time;   /* that messages have no stamps */
  RobocacheMcapCounts counts;
} RobocacheMcapTopic;

/* Makes the topic of a channel, with a fault if it cannot be read. Never NULL. */
RobocacheMcapTopic *robocache_mcap_topic_new (const RobocacheMcapChannelInfo * channel, const RobocacheMcapSchemaInfo * schema,
    const RobocacheMcapDemuxSettings * settings, guint order);
void robocache_mcap_topic_free (RobocacheMcapTopic * topic);
/* Whether a channel's messages go to the topic. */
gboolean robocache_mcap_topic_has (const RobocacheMcapTopic * topic, const RobocacheMcapChannelInfo * channel,
    const RobocacheMcapSchemaInfo * schema);
/* Whether later messages may have streams that the first has not. */
gboolean robocache_mcap_topic_has_several_streams (const RobocacheMcapTopic * topic);

/* Where the globs of `topics` choose a topic: the index of the first that does; -1: none does. */
gint robocache_mcap_topics_find (const gchar * topics, const gchar * topic);

void robocache_mcap_counts_to_structure (const RobocacheMcapCounts * counts, GstStructure * structure);
void robocache_mcap_counts_add (RobocacheMcapCounts * counts, const RobocacheMcapCounts * more);

G_END_DECLS
#endif
