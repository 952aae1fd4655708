/* robocache: plays a recording for its element: a session from start to stop, its thread, seeks, and the end
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "player.h"

#include "common/element/propertytypes.h"
#include "common/time/segments.h"

/* ---- life ---- */

void
robocache_mcap_player_init (RobocacheMcapPlayer *player, GstElement *element, GstDebugCategory *category, const RobocacheMcapThread *thread)
{
  player->element = element;
  player->category = category;
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
  session = robocache_mcap_session_new (player->element, player->category, template, &settings);
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

  /* a seek may be in progress */
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

static void
send_eos (RobocacheMcapPlayer *player, guint32 seqnum)
{
  GstEvent *event = gst_event_new_eos ();

  gst_event_set_seqnum (event, seqnum ? seqnum : player->session->segment_seqnum);
  robocache_mcap_session_send (player->session, event);
}

gboolean
robocache_mcap_player_finish (RobocacheMcapPlayer *player, guint32 seqnum)
{
  player->has_ended = TRUE;
  GST_CAT_INFO_OBJECT (player->category, player->element, "the recording ends at %" GST_TIME_FORMAT "%s",
      GST_TIME_ARGS (player->session->segment.position), seqnum ? ", as an event asked" : "");
  if (!robocache_mcap_session_check_end (player->session))
    return FALSE;
  robocache_mcap_session_no_more_pads (player->session);
  /* whoever gets the last messages has all rows */
  robocache_mcap_session_push_rows (player->session);
  robocache_statistics_post_last (player->element);
  /* one who asks for the end gets it in the middle of a segment, too */
  if ((player->session->segment.flags & GST_SEGMENT_FLAG_SEGMENT) && seqnum == 0)
    send_segment_done (player);
  else
    send_eos (player, seqnum);
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

/* As GST_ELEMENT_FLOW_ERROR does, with the seqnum of the segment. */
static void
post_flow_error (RobocacheMcapPlayer *player, GstFlowReturn ret)
{
  GError *error = g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, "streaming stopped, reason %s (%d)", gst_flow_get_name (ret), ret);

  robocache_mcap_session_post_error (player->session, error);
  g_error_free (error);
}

void
robocache_mcap_player_run (RobocacheMcapPlayer *player)
{
  const GstFlowReturn ret = robocache_mcap_pull_input_run (player->pull);

  if (ret == GST_FLOW_OK)
    return;
  GST_CAT_DEBUG_OBJECT (player->category, player->element, "the thread pauses: %s", gst_flow_get_name (ret));
  player->thread.pause (player->element);
  if (ret == GST_FLOW_EOS)
    robocache_mcap_player_finish (player, 0);
  else if (ret == GST_FLOW_NOT_LINKED || ret < GST_FLOW_EOS) {
    /* one that was posted where it happened is GST_FLOW_ERROR, as is one of downstream */
    if (ret != GST_FLOW_ERROR)
      post_flow_error (player, ret);
    send_eos (player, 0);
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
  GstMessage *message;

  robocache_mcap_session_restart (player->session, segment, seqnum, (segment->flags & GST_SEGMENT_FLAG_RESET) != 0);
  robocache_mcap_pull_input_seek (player->pull);
  if (!(segment->flags & GST_SEGMENT_FLAG_SEGMENT))
    return;
  message = gst_message_new_segment_start (GST_OBJECT (player->element), GST_FORMAT_TIME, (gint64) segment->position);
  gst_message_set_seqnum (message, seqnum);
  gst_element_post_message (player->element, message);
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
  GST_CAT_DEBUG_OBJECT (player->category, player->element, "stops the thread for %" GST_PTR_FORMAT, event);
  if (flags & GST_SEEK_FLAG_FLUSH)
    send_flush (player, gst_event_new_flush_start (), seqnum);
  else
    player->thread.pause (player->element);
  g_rec_mutex_lock (player->thread.lock);
  /* the element may have been stopped */
  is_valid = is_active (player);
  if (is_valid) {
    segment = player->session->segment;
    is_valid = robocache_seek_apply (&segment, event);
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

/* An element downstream sends its seek on each of its pads. */
static gboolean
has_done (RobocacheMcapPlayer *player, GstEvent *event)
{
  gboolean has_done;

  GST_OBJECT_LOCK (player->element);
  has_done = player->session && player->session->segment_seqnum == gst_event_get_seqnum (event);
  GST_OBJECT_UNLOCK (player->element);
  return has_done;
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
  return is_possible && robocache_seek_apply (&segment, event);
}

gboolean
robocache_mcap_player_seek (RobocacheMcapPlayer *player, GstEvent *event)
{
  const gboolean is_done = has_done (player, event) || (can_seek (player, event) && seek (player, event));

  if (!is_done)
    GST_CAT_INFO_OBJECT (player->category, player->element, "refused, %s: %" GST_PTR_FORMAT, player->is_seekable ? "since it must play forwards "
        "in TIME, and stop after its start" : "since there is no random access", event);
  gst_event_unref (event);
  return is_done;
}

/* ---- queries ---- */

static gboolean
answer_position (const RobocacheMcapSession *session, GstQuery *query)
{
  GstClockTime position;
  GstFormat format;

  gst_query_parse_position (query, &format, NULL);
  if (format != GST_FORMAT_TIME)
    return FALSE;
  position = gst_segment_to_stream_time (&session->segment, GST_FORMAT_TIME, session->segment.position);
  gst_query_set_position (query, GST_FORMAT_TIME, (gint64) position);
  return GST_CLOCK_TIME_IS_VALID (position);
}

static gboolean
answer_duration (const RobocacheMcapSession *session, GstQuery *query)
{
  GstFormat format;

  gst_query_parse_duration (query, &format, NULL);
  if (format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (session->duration))
    return FALSE;
  gst_query_set_duration (query, GST_FORMAT_TIME, (gint64) session->duration);
  return TRUE;
}

static gboolean
answer_seeking (const RobocacheMcapSession *session, gboolean is_seekable, GstQuery *query)
{
  GstFormat format;

  gst_query_parse_seeking (query, &format, NULL, NULL, NULL);
  gst_query_set_seeking (query, format, is_seekable && format == GST_FORMAT_TIME, 0,
      format == GST_FORMAT_TIME ? (gint64) session->duration : -1);
  return TRUE;
}

static gboolean
answer_segment (const RobocacheMcapSession *session, GstQuery *query)
{
  const GstSegment *segment = &session->segment;
  const guint64 start = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, segment->start);
  const guint64 stop = GST_CLOCK_TIME_IS_VALID (segment->stop)
      ? gst_segment_to_stream_time (segment, GST_FORMAT_TIME, segment->stop) : session->duration;

  gst_query_set_segment (query, segment->rate, GST_FORMAT_TIME, (gint64) start, (gint64) stop);
  return TRUE;
}

/* Answers position, duration, seeking and segment of a source pad. FALSE: the answer is unknown (*is_known TRUE), or it is another query
 * (*is_known FALSE). Called with the object lock. */
static gboolean
answer_query (const RobocacheMcapSession *session, gboolean is_seekable, GstQuery *query, gboolean *is_known)
{
  *is_known = TRUE;
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_POSITION:
      return answer_position (session, query);
    case GST_QUERY_DURATION:
      return answer_duration (session, query);
    case GST_QUERY_SEEKING:
      return answer_seeking (session, is_seekable, query);
    case GST_QUERY_SEGMENT:
      return answer_segment (session, query);
    default:
      *is_known = FALSE;
      return FALSE;
  }
}

gboolean
robocache_mcap_player_query (RobocacheMcapPlayer *player, GstQuery *query, gboolean *is_known)
{
  gboolean is_answered = FALSE;

  *is_known = FALSE;
  GST_OBJECT_LOCK (player->element);
  if (player->session)
    is_answered = answer_query (player->session, player->is_seekable, query, is_known);
  GST_OBJECT_UNLOCK (player->element);
  return is_answered;
}
