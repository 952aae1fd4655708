/* robocache: plays a recording for its element: the session, its thread, seeks, and the end
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "pullinput.h"

/* With random access, the thread that calls robocache_mcap_player_run. The element is passed to the functions. */
typedef struct
{
  GRecMutex *lock;              /* held by the thread while it works */
  void (*start) (gpointer element);
  void (*pause) (gpointer element);
  /* Whether the thread may be started; called with its lock. */
    gboolean (*is_active) (gpointer element);
  /* Sends a flush event (taken) to the source of the recording; NULL: not needed. */
  void (*flush) (gpointer element, GstEvent * event);
} RobocacheMcapThread;

typedef struct
{
  GstElement *element;
  GstDebugCategory *category;   /* the element's log category */
  RobocacheMcapThread thread;
  RobocacheMcapDemuxSettings properties;        /* object lock; copied at start */
  RobocacheMcapSession *session;        /* from READY → PAUSED on; the object lock guards the pointer */
  gboolean is_seekable;         /* object lock */
  GstStructure *last_stats;     /* object lock; statistics of the previous run */
  RobocacheMcapPullInput *pull; /* guarded by the thread's lock; NULL: no random access */
  gboolean has_ended;           /* streaming thread: EOS was sent */
} RobocacheMcapPlayer;

/* Sets the default of every property. */
void robocache_mcap_player_init (RobocacheMcapPlayer * player, GstElement * element, GstDebugCategory * category,
    const RobocacheMcapThread * thread);
/* READY → PAUSED, with a copy of the properties. */
void robocache_mcap_player_start (RobocacheMcapPlayer * player);
/* PAUSED → READY, once the thread has ended; may be called without a start. */
void robocache_mcap_player_stop (RobocacheMcapPlayer * player);
/* Frees the properties and statistics of a stopped player. */
void robocache_mcap_player_clear (RobocacheMcapPlayer * player);

/* Enables random access; call it before the thread starts. */
void robocache_mcap_player_open (RobocacheMcapPlayer * player, const RobocacheMcapOpener * opener);
void robocache_mcap_player_close (RobocacheMcapPlayer * player);
/* One iteration of the thread: sends one message, or pauses the thread. */
void robocache_mcap_player_run (RobocacheMcapPlayer * player);
/* Ends the streams, with the seqnum of the event that requested it; 0: the seqnum of the segment. FALSE: an error was posted. */
gboolean robocache_mcap_player_finish (RobocacheMcapPlayer * player, guint32 seqnum);

/* Handles a seek event (taken) of a source pad. */
gboolean robocache_mcap_player_seek (RobocacheMcapPlayer * player, GstEvent * event);
/* Handles a query of a source pad. FALSE: unanswered; *is_known: it is a query about a recording. */
gboolean robocache_mcap_player_query (RobocacheMcapPlayer * player, GstQuery * query, gboolean * is_known);
/* The element's property functions. */
void robocache_mcap_player_set_property (RobocacheMcapPlayer * player, guint id, const GValue * value, GParamSpec * pspec);
void robocache_mcap_player_get_property (RobocacheMcapPlayer * player, guint id, GValue * value);
