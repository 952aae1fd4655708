/* robocache: the state of one recording in its element: reports, origin and statistics
 *
 * The input passes messages to the session in order of their arrival. The streaming thread owns all fields except those that the object
 * lock protects.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/base/gstflowcombiner.h>

#include "common/element/statsmessages.h"
#include "common/mcap/records.h"
#include "common/rospads/outputstream.h"
#include "common/time/clocks/clocksurvey.h"
#include "topic.h"

/* Sequence numbers of a channel since the last seek. */
typedef struct
{
  guint32 first, last;
  guint64 n;
} RobocacheMcapSequence;

typedef struct
{
  GstElement *element;
  GstDebugCategory *category;   /* the element's log category */
  GstPadTemplate *template;
  RobocacheMcapDemuxSettings settings;  /* settings at start */
  RobocacheMcapClocks clocks;
  gchar *clocks_text;           /* object lock: result of the survey, see clocksurvey.h; NULL: no survey */
  const RobocacheMcapDefinitions *definitions;  /* set by the reader of the recording */

  GPtrArray *topics;            /* RobocacheMcapTopic items; grows under the object lock, as statistics read it */
  GHashTable *topics_by_name, *outputs_by_name; /* GPtrArray of the items with an interned name */
  GPtrArray *cameras;           /* topics with calibrations of cameras */
  GPtrArray *by_channel;        /* topics by channel id; NULL: not seen yet */
  RobocacheMcapTopic *unchosen; /* placeholder for topics that are not read */
  GPtrArray *outputs;           /* RobocacheRosOutput items */
  GstFlowCombiner *flows;
  gint group_id;                /* atomic */
  guint n_pads;
  gboolean has_no_more_pads;

  /* object lock */
  GstSegment segment;
  guint32 segment_seqnum;
  GstClockTime duration;        /* GST_CLOCK_TIME_NONE: unknown */

  gint64 origin_ns;             /* time of running time 0; ROBOCACHE_MCAP_NO_ORIGIN: not known yet */
  gboolean is_origin_set;       /* set by settings or metadata, so that messages do not change it */
  gint64 max_lag_ns;            /* greatest difference between arrival and capture so far */
  guint64 advanced_to;          /* log time of the last check of silent streams */
  guint64 oldest_row;           /* log time of the first collected row that waits; G_MAXUINT64: none */
  gboolean has_other_rows;      /* rows of the previous segment wait */
  guint64 warned_before_origin;
  GHashTable *undefined;        /* ids of channels with messages but without a definition */
  GArray *sequences;            /* RobocacheMcapSequence by channel id */
  RobocacheStatisticsTimer timer;
} RobocacheMcapSession;

/* Takes the settings over. */
RobocacheMcapSession *robocache_mcap_session_new (GstElement * element, GstDebugCategory * category, GstPadTemplate * template,
    RobocacheMcapDemuxSettings * settings);
void robocache_mcap_session_free (RobocacheMcapSession * session);

/* Reads a metadata record of the recording, before its messages: the record of robocachemcapmux has the time of running time 0. */
void robocache_mcap_session_note_metadata (RobocacheMcapSession * session, const gchar * name, GHashTable * metadata);

/* Reads the setting clocks. *survey: whether the recording has to be surveyed for a timeline. FALSE and an error: the text is no map. */
gboolean robocache_mcap_session_read_clocks (RobocacheMcapSession * session, gboolean * survey, RobocacheTimeline * timeline, GError ** error);
/* Takes the result of a survey. */
void robocache_mcap_session_set_clocks (RobocacheMcapSession * session, GVariant * clocks);
/* A log time on the timeline of the clocks, and the reverse. */
gint64 robocache_mcap_session_arrival (const RobocacheMcapSession * session, guint64 log_time);
guint64 robocache_mcap_session_log_time (const RobocacheMcapSession * session, gint64 time_ns);

/* Posts a warning about damaged or missing data of the recording. */
void robocache_mcap_session_warn (RobocacheMcapSession * session, const gchar * text);
/* Posts an error with the seqnum of the segment. An error of a domain outside GStreamer is posted as STREAM/DECODE. */
void robocache_mcap_session_post_error_at (RobocacheMcapSession * session, const GError * error, const gchar * file, const gchar * function,
    gint line);
#define robocache_mcap_session_post_error(session, error) \
  robocache_mcap_session_post_error_at (session, error, __FILE__, GST_FUNCTION, __LINE__)
/* Takes over the group of a stream-start event of upstream, for pads that are exposed later. */
void robocache_mcap_session_follow (RobocacheMcapSession * session, GstEvent * stream_start);
/* Sets the seqnum of the next segment to that of upstream's segment. */
void robocache_mcap_session_set_seqnum (RobocacheMcapSession * session, guint32 seqnum);
/* Adds an item to the list of a name, which is not copied. */
void robocache_mcap_list_add (GHashTable * lists, gchar * name, gpointer item);

/* Notes that a buffer with this PTS is sent. Posts statistics when they are due. */
void robocache_mcap_session_note_position (RobocacheMcapSession * session, guint64 pts);
/* Returns the statistics. Called with the object lock. */
GstStructure *robocache_mcap_session_statistics (const RobocacheMcapSession * session);

/* ---- selected topics, by the channels of messages (topics.c) ---- */

/* Returns the topic of a channel, and makes it at the first call; NULL: not selected, or not defined. */
RobocacheMcapTopic *robocache_mcap_session_topic (RobocacheMcapSession * session, guint16 channel_id);

/* Warns about a channel whose definition is lost, so it is unknown whether it is selected. Warns once per channel. */
void robocache_mcap_session_warn_of_undefined (RobocacheMcapSession * session, guint16 channel_id);
/* Warns about names in the setting that no topic has; a glob may match nothing. */
void robocache_mcap_session_warn_of_missing_topics (RobocacheMcapSession * session);

/* ---- streams, and their pads (streams.c) ---- */

/* Caps fields of the camera that made a stream's pictures; NULL: unknown camera. */
const GstStructure *robocache_mcap_session_camera_of (const RobocacheMcapSession * session, const RobocacheMcapTopic * topic,
    const GstCaps * caps);
/* Returns the stream with this key, and makes it at the first call. Channels with the same name are one stream: a writer begins another
 * channel when caps change. */
RobocacheRosOutput *robocache_mcap_session_find_output (RobocacheMcapSession * session, RobocacheMcapTopic * topic, const gchar * key);
RobocacheRosOutputContext robocache_mcap_session_output_context (const RobocacheMcapSession * session);

/* Exposes the streams found so far, in the order of topics, as the complete set, unless it is empty. */
void robocache_mcap_session_expose (RobocacheMcapSession * session);
/* Exposes a stream that was found while messages are sent; signals no-more-pads if each selected topic then has its pads. */
void robocache_mcap_session_expose_late (RobocacheMcapSession * session, RobocacheRosOutput * output);
void robocache_mcap_session_no_more_pads (RobocacheMcapSession * session);
/* Sends stream-start, caps, segment and tags on all pads, so that linked elements know their streams before the first buffer. */
void robocache_mcap_session_send_headers (RobocacheMcapSession * session);

/* Whether a stream was exposed. */
gboolean robocache_mcap_session_has_pads (const RobocacheMcapSession * session);
/* At the end: posts an error and returns FALSE if no stream was exposed. */
gboolean robocache_mcap_session_check_end (RobocacheMcapSession * session);

/* ---- rows, in blocks until a block is full, old or followed by other data (collectedrows.c) ---- */

/* Collects a row of a message. The stream must have a block that is not full. */
GstFlowReturn robocache_mcap_session_collect_row (RobocacheMcapSession * session, RobocacheMcapTopic * topic, RobocacheRosOutput * output,
    const RobocacheRosSample * sample, const RobocacheMcapMessage * message, guint64 since_origin);

/* Send the rows of a stream; the rows of all streams that have waited for too long at a log time; all rows, at the end. */
GstFlowReturn robocache_mcap_session_push_rows_of (RobocacheMcapSession * session, RobocacheRosOutput * output);
GstFlowReturn robocache_mcap_session_push_due_rows (RobocacheMcapSession * session, guint64 log_time);
void robocache_mcap_session_push_rows (RobocacheMcapSession * session);
/* Call this when another segment begins. Rows of a flushed segment are discarded; other rows are sent as soon as the thread runs. */
void robocache_mcap_session_leave_rows (RobocacheMcapSession * session, gboolean is_flushed);

/* ---- messages, which are decoded and sent as buffers of their streams (messages.c) ---- */

/* Scans a message before any data are sent: makes its streams, and includes its time in the origin. */
void robocache_mcap_session_scan (RobocacheMcapSession * session, const RobocacheMcapMessage * message);
/* Decodes a message and sends its buffers. */
GstFlowReturn robocache_mcap_session_handle (RobocacheMcapSession * session, const RobocacheMcapMessage * message);

/* ---- segments, and events for all streams (segments.c) ---- */

/* Begins a new segment, which precedes the next buffers. is_flushed: data that were read and not sent are discarded. */
void robocache_mcap_session_restart (RobocacheMcapSession * session, const GstSegment * segment, guint32 seqnum, gboolean is_flushed);
/* Sends an event (taken) on all pads, after their headers. */
void robocache_mcap_session_send (RobocacheMcapSession * session, GstEvent * event);
