/* robocache: a stay of robocacherossrc in a domain: topics that come and go, their messages and their pads
 *
 * The element's thread owns all fields, except those that the object lock protects.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/base/gstflowcombiner.h>

#include "common/element/statsmessages.h"
#include "common/rospads/outputstream.h"
#include "rostime.h"
#include "topic.h"

typedef struct
{
  GstElement *element;
  GstDebugCategory *category;   /* the element's log category */
  GstPadTemplate *template;
  RobocacheRosSrcSettings settings;     /* settings at start */
  RobocacheMsgFolders *folders;
  RobocacheDdsParticipant *participant;
  RobocacheDdsEndpoints *endpoints;
  RobocacheRosInbox *inbox;
  RobocacheRosQueue *clock_queue;       /* messages of /clock; NULL: /clock is not used */
  RobocacheDdsReader *clock_reader;
  RobocacheRosQueue *nodes_queue;       /* messages that list nodes; NULL: not used yet */
  RobocacheDdsReader *nodes_reader;     /* NULL: no definition is asked for */
  GPtrArray *clocks;            /* clocks of other hosts; NULL: all clocks are trusted */

  GPtrArray *topics;            /* RobocacheRosTopic items; grows under the object lock */
  GHashTable *unchosen;         /* names of topics that were left out, for the report of missing ones */
  GPtrArray *outputs;           /* RobocacheRosOutput items */
  GstFlowCombiner *flows;
  guint group_id, n_pads;
  gboolean has_no_more_pads;
  gint64 wait_until_us, check_at_us;    /* g_get_monotonic_time; G_MAXINT64: never */
  gint64 wait_left_us;          /* rest of the wait when playing stopped; G_MAXINT64: without end */
  gboolean was_playing;         /* whether the pipeline was playing when the thread last checked */
  guint64 seen_changes;         /* n_changes of the mapping that the thread has handled */

  gint64 sim_ns;                /* last time of /clock; ROBOCACHE_ROS_NO_ORIGIN: none yet */
  gboolean has_warned_before_origin, has_warned_topics, has_warned_streams, has_warned_publishers;

  /* object lock */
  GstSegment segment;
  guint32 segment_seqnum;
  RobocacheRosMapping mapping;  /* also changed by the thread that changes the element's state */
  gboolean is_playing;
  guint64 clock_steps;
  RobocacheStatisticsTimer timer;
} RobocacheRosSession;

/* Takes the settings over, and opens the domain. NULL and an error: a setting is wrong, or the domain cannot be opened. */
RobocacheRosSession *robocache_ros_session_new (GstElement * element, GstDebugCategory * category, RobocacheRosSrcSettings * settings,
    GError ** error);
/* To call when the thread has ended. */
void robocache_ros_session_free (RobocacheRosSession * session);

/* Called with the object lock. */
GstStructure *robocache_ros_session_statistics (const RobocacheRosSession * session);

/* ---- messages (messages.c) ---- */

/* Decodes a message, which the caller keeps, and sends its buffers. */
GstFlowReturn robocache_ros_session_handle (RobocacheRosSession * session, RobocacheRosTopic * topic, const RobocacheRosItem * item);
/* A message of /clock. */
void robocache_ros_session_set_sim_time (RobocacheRosSession * session, const RobocacheDdsMessage * message);

/* ---- publishers and pads (pads.c) ---- */

/* The topic of a publisher; NULL: it is not to be read. *is_new: it was not known before. */
RobocacheRosTopic *robocache_ros_session_add_topic (RobocacheRosSession * session, const RobocacheDdsEndpoint * endpoint, gboolean * is_new);
void robocache_ros_session_add_publisher (RobocacheRosSession * session, RobocacheRosTopic * topic, const RobocacheDdsEndpoint * endpoint);
/* Nothing is asked for a topic any more: reads it, or reports why it is not read. why_unknown: why nobody told the definition; NULL: nobody was
 * asked, or it is known. */
void robocache_ros_session_settle (RobocacheRosSession * session, RobocacheRosTopic * topic, const gchar * why_unknown);
void robocache_ros_session_remove_endpoint (RobocacheRosSession * session, guint64 publisher);
/* Returns the stream with this key, and makes it at the first call. NULL: there are too many. */
RobocacheRosOutput *robocache_ros_session_find_output (RobocacheRosSession * session, RobocacheRosTopic * topic, const gchar * key);
void robocache_ros_session_expose (RobocacheRosSession * session, RobocacheRosOutput * output);
RobocacheRosOutputContext robocache_ros_session_context (const RobocacheRosSession * session);
/* The next buffers of a topic do not continue the previous ones. */
void robocache_ros_session_interrupt (RobocacheRosSession * session, const RobocacheRosTopic * topic);
/* Sends GAP events of topics that are silent, as of this running time. */
void robocache_ros_session_advance (RobocacheRosSession * session, gint64 running_ns);
/* Counts and reports messages and publishers above limits. */
void robocache_ros_session_check_limits (RobocacheRosSession * session);
/* The time to wait for topics is over: reports missing ones, and signals no-more-pads. */
void robocache_ros_session_end_wait (RobocacheRosSession * session);
