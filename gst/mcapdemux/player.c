/* robocache: plays a recording for its element: a session from start to stop, its thread, seeks, and the end
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "player.h"

#include "common/element/propertytypes.h"
#include "queries.h"

GST_DEBUG_CATEGORY_EXTERN (robocache_mcap_demux_debug);
#define GST_CAT_DEFAULT robocache_mcap_demux_debug

/* ---- life ---- */

void
robocache_mcap_player_init (RobocacheMcapPlayer *player, GstElement *element, const RobocacheMcapThread *thread)
{
  player->element = element;
  player->thread = *thread;
  robocache_mcap_demux_settings_init (&player->properties);
}

void
robocache_mcap_player_start (RobocacheMcapPlayer *player)
{
  GstPadTemplate *template = gst_element_get_pad_template (player->element, "src_%u");
  RobocacheMcapDemuxSettings settings;
  RobocacheMcapSession *session;

  GST_OBJECT_LOCK (player->element);
  robocache_mcap_demux_settings_copy (&settings, &player->properties);
  GST_OBJECT_UNLOCK (player->element);
  session = robocache_mcap_session_new (player->element, template, &settings);
  player->has_ended = FALSE;
  GST_OBJECT_LOCK (player->element);
  player->session = session;
  g_clear_pointer (&player->last_stats, gst_structure_free);
  GST_OBJECT_UNLOCK (player->element);
}

void
robocache_mcap_player_stop (RobocacheMcapPlayer *player)
{
  RobocacheMcapSession *session;

  /* a seek may be on its way */
  g_rec_mutex_lock (player->thread.lock);
  GST_OBJECT_LOCK (player->element);
  player->is_seekable = FALSE;
  session = g_steal_pointer (&player->session);
  if (session)
    player->last_stats = robocache_mcap_session_statistics (session);
  GST_OBJECT_UNLOCK (player->element);
  g_clear_pointer (&player->pull, robocache_mcap_pull_input_free);
  if (session)
    robocache_mcap_session_free (session);
  g_rec_mutex_unlock (player->thread.lock);
}

void
robocache_mcap_player_clear (RobocacheMcapPlayer *player)
{
  g_clear_pointer (&player->last_stats, gst_structure_free);
  robocache_mcap_demux_settings_clear (&player->properties);
}

/* ---- properties ---- */

void
robocache_mcap_player_set_property (RobocacheMcapPlayer *player, guint id, const GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (player->element);
  robocache_setting_set (robocache_mcap_demux_settings_field (&player->properties, id), value);
  if (player->session)
    player->session->timer.interval = player->properties.stats_interval;
  GST_OBJECT_UNLOCK (player->element);
  robocache_warn_of_late_setting (player->element, pspec);
}

/* Empty before the first run. */
static GstStructure *
get_stats (const RobocacheMcapPlayer *player)
{
  if (player->session)
    return robocache_mcap_session_statistics (player->session);
  return player->last_stats ? gst_structure_copy (player->last_stats)
      : gst_structure_new_empty (GST_OBJECT_NAME (gst_element_get_factory (player->element)));
}

void
robocache_mcap_player_get_property (RobocacheMcapPlayer *player, guint id, GValue *value)
{
  GST_OBJECT_LOCK (player->element);
  if (id == ROBOCACHE_MCAP_DEMUX_PROP_STATS)
    g_value_take_boxed (value, get_stats (player));
  else
    robocache_setting_get (robocache_mcap_demux_settings_field (&player->properties, id), value);
  GST_OBJECT_UNLOCK (player->element);
}

/* ---- end ---- */

static void
send_segment_done (RobocacheMcapPlayer *player)
{
  RobocacheMcapSession *session = player->session;
  GstMessage *message;
  GstEvent *event;
  gint64 position;

  GST_OBJECT_LOCK (player->element);
  /* where the next segment continues when its seek does not flush */
  if (GST_CLOCK_TIME_IS_VALID (session->segment.stop))
    session->segment.position = session->segment.stop;
  position = (gint64) session->segment.position;
  GST_OBJECT_UNLOCK (player->element);
  message = gst_message_new_segment_done (GST_OBJECT (player->element), GST_FORMAT_TIME, position);
  event = gst_event_new_segment_done (GST_FORMAT_TIME, position);
  gst_message_set_seqnum (message, session->segment_seqnum);
  gst_event_set_seqnum (event, session->segment_seqnum);
  gst_element_post_message (player->element, message);
  robocache_mcap_session_send (session, event);
}

gboolean
robocache_mcap_player_finish (RobocacheMcapPlayer *player)
{
  GstEvent *event;

  player->has_ended = TRUE;
  if (!robocache_mcap_session_check_end (player->session))
    return FALSE;
  robocache_mcap_session_no_more_pads (player->session);
  /* whoever gets the last messages has all rows */
  robocache_mcap_session_push_rows (player->session);
  robocache_statistics_post_last (player->element);
  if (player->session->segment.flags & GST_SEGMENT_FLAG_SEGMENT) {
    send_segment_done (player);
    return TRUE;
  }
  event = gst_event_new_eos ();
  gst_event_set_seqnum (event, player->session->segment_seqnum);
  robocache_mcap_session_send (player->session, event);
  return TRUE;
}

/* ---- random access ---- */

void
robocache_mcap_player_open (RobocacheMcapPlayer *player, const RobocacheMcapOpener *opener)
{
  GST_OBJECT_LOCK (player->element);
  player->is_seekable = TRUE;
  GST_OBJECT_UNLOCK (player->element);
  player->pull = robocache_mcap_pull_input_new (player->session, opener);
}

void
robocache_mcap_player_close (RobocacheMcapPlayer *player)
{
  GST_OBJECT_LOCK (player->element);
  player->is_seekable = FALSE;
  GST_OBJECT_UNLOCK (player->element);
}

void
robocache_mcap_player_run (RobocacheMcapPlayer *player)
{
  const GstFlowReturn ret = robocache_mcap_pull_input_run (player->pull);

  if (ret == GST_FLOW_OK)
    return;
  GST_DEBUG_OBJECT (player->element, "pausing: %s", gst_flow_get_name (ret));
  player->thread.pause (player->element);
  if (ret == GST_FLOW_EOS)
    robocache_mcap_player_finish (player);
  else if (ret == GST_FLOW_NOT_LINKED || ret < GST_FLOW_EOS) {
    /* one that was posted where it happened is GST_FLOW_ERROR, as is one of downstream */
    if (ret != GST_FLOW_ERROR)
      GST_ELEMENT_FLOW_ERROR (player->element, ret);
    robocache_mcap_session_send (player->session, gst_event_new_eos ());
  }
}

/* ---- seeks ---- */

static gboolean
push_flush (GstElement *element, GstPad *pad, gpointer event)
{
  gst_pad_push_event (pad, gst_event_ref (event));
  return TRUE;
}

/* Takes the event; upstream first, as the thread may wait there. */
static void
send_flush (RobocacheMcapPlayer *player, GstEvent *event, guint32 seqnum)
{
  gst_event_set_seqnum (event, seqnum);
  if (player->thread.flush)
    player->thread.flush (player->element, gst_event_ref (event));
  gst_element_foreach_src_pad (player->element, push_flush, event);
  gst_event_unref (event);
}

static gboolean
is_active (const RobocacheMcapPlayer *player)
{
  return player->pull && player->thread.is_active (player->element);
}

/* The thread's lock is held. */
static void
go_to (RobocacheMcapPlayer *player, const GstSegment *segment, guint32 seqnum)
{
  robocache_mcap_session_restart (player->session, segment, seqnum, (segment->flags & GST_SEGMENT_FLAG_RESET) != 0);
  robocache_mcap_pull_input_seek (player->pull);
  if (segment->flags & GST_SEGMENT_FLAG_SEGMENT)
    gst_element_post_message (player->element, gst_message_new_segment_start (GST_OBJECT (player->element), GST_FORMAT_TIME,
            (gint64) segment->position));
}

/* Stops the thread, and starts it at a new place. */
static gboolean
seek (RobocacheMcapPlayer *player, GstEvent *event)
{
  const guint32 seqnum = gst_event_get_seqnum (event);
  GstSeekFlags flags;
  GstSegment segment;
  gboolean is_valid;

  gst_event_parse_seek (event, NULL, NULL, &flags, NULL, NULL, NULL, NULL);
  if (flags & GST_SEEK_FLAG_FLUSH)
    send_flush (player, gst_event_new_flush_start (), seqnum);
  else
    player->thread.pause (player->element);
  g_rec_mutex_lock (player->thread.lock);
  /* the element may have been stopped */
  is_valid = is_active (player);
  if (is_valid) {
    segment = player->session->segment;
    is_valid = robocache_mcap_seek_segment (&segment, event);
  }
  if (flags & GST_SEEK_FLAG_FLUSH)
    send_flush (player, gst_event_new_flush_stop (TRUE), seqnum);
  if (is_valid)
    go_to (player, &segment, seqnum);
  if (is_active (player))
    player->thread.start (player->element);
  g_rec_mutex_unlock (player->thread.lock);
  return is_valid;
}

static gboolean
can_seek (RobocacheMcapPlayer *player, GstEvent *event)
{
  gboolean is_possible;
  GstSegment segment;

  GST_OBJECT_LOCK (player->element);
  is_possible = player->session && player->is_seekable;
  if (is_possible)
    segment = player->session->segment;
  GST_OBJECT_UNLOCK (player->element);
  return is_possible && robocache_mcap_seek_segment (&segment, event);
}

gboolean
robocache_mcap_player_seek (RobocacheMcapPlayer *player, GstEvent *event)
{
  const gboolean is_done = can_seek (player, event) && seek (player, event);

  if (!is_done)
    GST_INFO_OBJECT (player->element, "refused %" GST_PTR_FORMAT, event);
  gst_event_unref (event);
  return is_done;
}

/* ---- queries ---- */

gboolean
robocache_mcap_player_query (RobocacheMcapPlayer *player, GstQuery *query, gboolean *is_known)
{
  gboolean is_answered = FALSE;

  *is_known = FALSE;
  GST_OBJECT_LOCK (player->element);
  if (player->session)
    is_answered = robocache_mcap_query (player->session, player->is_seekable, query, is_known);
  GST_OBJECT_UNLOCK (player->element);
  return is_answered;
}
