/* robocache: a live topic: its publishers, its reader and the decoder of its messages
 *
 * The element's thread owns all fields; counts and lists change under the element's object lock, as statistics read them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/dds/functions.h"
#include "common/ros/msgfolders.h"
#include "common/rosstreams/pictures/camerainfo.h"
#include "common/rosstreams/rosdecoder.h"
#include "hostclock.h"
#include "inbox.h"

/* "RIHS01_" and 64 digits. */
#define ROBOCACHE_ROS_MAX_HASH 72

typedef struct
{
  guint64 messages;             /* received */
  guint64 buffers;              /* sent */
  guint64 malformed;            /* dropped as they cannot be read */
  guint64 refused;              /* dropped, of publishers that are not read: their type differs, or there are too many */
  guint64 without_time;         /* dropped as their time is not valid */
  guint64 before_origin;        /* dropped as they were captured before running time 0 */
  guint64 in_pause;             /* dropped as they were captured while the pipeline was paused */
  guint64 latched;              /* messages from before running time 0 or a pause that a publisher kept; sent at the next start of playing */
  guint64 oversize;             /* dropped by DDS as they are larger than its limit */
} RobocacheRosCounts;

typedef struct
{
  guint64 id;
  gboolean is_reliable, is_transient_local;
  gboolean has_other_type;
  gchar hash[ROBOCACHE_ROS_MAX_HASH];   /* hash of the publisher's definition; "": unknown */
  gboolean is_refused;          /* no message is read: the publisher's type or definition differs, or cannot be read */
  gboolean has_gone;            /* the publisher has gone, but its last messages may still wait */
  RobocacheRosHostClock *clock; /* clock of the publisher's host; NULL: the clock of this host */
} RobocacheRosPublisher;

/* A definition that the node of a publisher is asked for. */
typedef struct
{
  guint8 guid[ROBOCACHE_DDS_GUID_BYTES];        /* GUID of the publisher */
  gchar *hash;                  /* hash of the publisher's definition */
  gchar *node;                  /* NULL: not known yet */
  RobocacheDdsTypeQuery *query;
  gint64 asked_us;              /* monotonic, last; 0: the node has no service yet */
  gint64 until_us;              /* g_get_monotonic_time */
} RobocacheRosInquiry;

void robocache_ros_inquiry_free (RobocacheRosInquiry * inquiry);

typedef struct
{
  GRefString *name;
  gchar *type;
  guint order;                  /* index of the glob that chose it */
  gchar *hash;                  /* hash of the definition that the element uses */
  RobocacheRosSchema *schema;   /* NULL: no definition */
  RobocacheRosDecoder *decoder; /* NULL: a camera's calibration, or a fault */
  RobocacheCameraInfo *camera;
  gchar *fault;                 /* why no message can be read; NULL: messages can be read */
  RobocacheRosInquiry *inquiry; /* NULL: nothing is asked */
  RobocacheRosQueue *answers;   /* NULL: nobody was asked yet */

  RobocacheRosQueue *queue;
  RobocacheDdsReader *reader;   /* NULL: not open */
  gboolean is_reliable, is_transient_local;     /* QoS of the reader */
  GArray *publishers;           /* RobocacheRosPublisher items */
  GPtrArray *clocks;            /* clocks of other hosts, owned by the session; NULL: all clocks are trusted */
  gboolean has_reported, has_reported_time, has_reported_type, has_reported_size;
  RobocacheRosCounts counts;
} RobocacheRosTopic;

/* Makes the topic of a publisher, with a fault if its messages cannot be read. */
RobocacheRosTopic *robocache_ros_topic_new (const RobocacheDdsEndpoint * endpoint, const RobocacheMsgFolders * folders,
    const RobocacheRosSrcSettings * settings, guint order);
void robocache_ros_topic_free (RobocacheRosTopic * topic);

/* Takes over a definition, if it has this hash. */
gboolean robocache_ros_topic_define (RobocacheRosTopic * topic, const gchar * definition, const gchar * hash,
    const RobocacheRosSrcSettings * settings);

/* Adds a publisher, with a clock of its own if it is remote. Returns why its messages are refused; NULL: they are read. Free with g_free. */
gchar *robocache_ros_topic_add (RobocacheRosTopic * topic, const RobocacheDdsEndpoint * endpoint, gboolean is_remote);
/* The publisher has gone. FALSE: it has no such publisher. */
gboolean robocache_ros_topic_remove (RobocacheRosTopic * topic, guint64 publisher);
/* A publisher, also of those that went last; NULL: unknown. */
const RobocacheRosPublisher *robocache_ros_topic_publisher (const RobocacheRosTopic * topic, guint64 id);
/* Number of publishers now. */
guint robocache_ros_topic_count_publishers (const RobocacheRosTopic * topic);

/* Opens the reader, or opens it again if a publisher offers less than it requests. FALSE and an error: DDS refuses it. */
gboolean robocache_ros_topic_adapt (RobocacheRosTopic * topic, RobocacheDdsParticipant * participant, guint depth, GError ** error);

void robocache_ros_counts_to_structure (const RobocacheRosCounts * counts, const RobocacheRosArrivals * arrivals, GstStructure * structure);
