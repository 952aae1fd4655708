/* robocache: plays a recording for its element: a session from start to stop, its thread, seeks, and the end
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_MCAP_PLAYER_H
#define GST_ROBOCACHE_MCAP_PLAYER_H

#include "pullinput.h"

G_BEGIN_DECLS

/* The thread that calls robocache_mcap_player_run, with random access. Functions get the element. */
typedef struct
{
  GRecMutex *lock;              /* held by the thread while it works */
  void (*start) (gpointer element);
  void (*pause) (gpointer element);
  /* Whether the thread may be started; under its lock. */
    gboolean (*is_active) (gpointer element);
  /* Sends a flush to what the recording comes from, and takes the event; NULL: nothing. */
  void (*flush) (gpointer element, GstEvent * event);
} RobocacheMcapThread;

typedef struct
{
  GstElement *element;
  RobocacheMcapThread thread;
  RobocacheMcapDemuxSettings properties;        /* object lock; copied at start */
  RobocacheMcapSession *session;        /* READY → PAUSED on; the pointer is under the object lock */
  gboolean is_seekable;         /* object lock */
  GstStructure *last_stats;     /* object lock; of the run before, once it is over */
  RobocacheMcapPullInput *pull; /* lock of the thread; NULL: no random access */
  gboolean has_ended;           /* streaming thread: EOS was sent */
} RobocacheMcapPlayer;

/* Sets the default of every property. */
void robocache_mcap_player_init (RobocacheMcapPlayer * player, GstElement * element, const RobocacheMcapThread * thread);
/* READY → PAUSED, with a copy of the properties. */
void robocache_mcap_player_start (RobocacheMcapPlayer * player);
/* PAUSED → READY, once the thread has ended; also where it was not started. */
void robocache_mcap_player_stop (RobocacheMcapPlayer * player);
/* Frees the properties and statistics of a stopped player. */
void robocache_mcap_player_clear (RobocacheMcapPlayer * player);

/* Gives random access, from before the thread starts until it is to end. */
void robocache_mcap_player_open (RobocacheMcapPlayer * player, const RobocacheMcapOpener * opener);
void robocache_mcap_player_close (RobocacheMcapPlayer * player);
/* A turn of the thread: hands on one message, or pauses the thread. */
void robocache_mcap_player_run (RobocacheMcapPlayer * player);
/* Ends the streams. FALSE: an error was posted. */
gboolean robocache_mcap_player_finish (RobocacheMcapPlayer * player);

/* A seek event of a source pad, which is taken. */
gboolean robocache_mcap_player_seek (RobocacheMcapPlayer * player, GstEvent * event);
/* A query of a source pad. FALSE: unanswered; *is_known: it is one of a recording. */
gboolean robocache_mcap_player_query (RobocacheMcapPlayer * player, GstQuery * query, gboolean * is_known);
/* The element's property functions. */
void robocache_mcap_player_set_property (RobocacheMcapPlayer * player, guint id, const GValue * value, GParamSpec * pspec);
void robocache_mcap_player_get_property (RobocacheMcapPlayer * player, guint id, GValue * value);

G_END_DECLS
#endif
