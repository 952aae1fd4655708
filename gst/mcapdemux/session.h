/* robocache: one recording on its way through its element: its topics, streams and origin
 *
 * The input hands messages in, in order of their arrival. All but the fields that the object lock protects belongs to
 * the streaming thread.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_MCAP_SESSION_H
#define GST_ROBOCACHE_MCAP_SESSION_H

#include <gst/base/gstflowcombiner.h>

#include "common/element/statistics.h"
#include "common/mcap/records.h"
#include "outputstream.h"

G_BEGIN_DECLS

typedef struct
{
  GstElement *element;
  GstPadTemplate *template;
  RobocacheMcapDemuxSettings settings;  /* as they were at start */
  const RobocacheMcapDefinitions *definitions;  /* set by what reads the recording */

  GPtrArray *topics;            /* of RobocacheMcapTopic; grows under the object lock, as it is read for statistics */
  GPtrArray *by_channel;        /* topics by channel id; NULL: not seen yet */
  RobocacheMcapTopic *unchosen; /* stands for those that are not read */
  GPtrArray *outputs;           /* of RobocacheMcapOutput */
  GstFlowCombiner *flows;
  guint group_id, n_pads;
  gboolean has_no_more_pads;

  /* object lock */
  GstSegment segment;
  guint32 segment_seqnum;
  GstClockTime duration;        /* GST_CLOCK_TIME_NONE: unknown */

  gint64 origin_ns;             /* of running time 0; ROBOCACHE_MCAP_NO_ORIGIN: not known yet */
  gboolean is_origin_set;       /* by settings or metadata, so that no message changes it */
  gint64 max_lag_ns;            /* greatest difference of arrival and capture so far */
  guint64 advanced_to;          /* log time of the last look at silent streams */
  guint64 oldest_row;           /* log time of the first row that was collected and waits; G_MAXUINT64: none */
  gboolean has_other_rows;      /* rows of the segment before wait */
  guint64 warned_before_origin;
  GArray *sequences;            /* by channel id, since the last seek */
  RobocacheStatisticsTimer timer;
} RobocacheMcapSession;

/* Takes the settings over. */
RobocacheMcapSession *robocache_mcap_session_new (GstElement * element, GstPadTemplate * template,
    RobocacheMcapDemuxSettings * settings);
void robocache_mcap_session_free (RobocacheMcapSession * session);

/* A metadata record of the recording, before its messages: that of robocachemcapmux has the time of running time 0. */
void robocache_mcap_session_note_metadata (RobocacheMcapSession * session, const gchar * name, GHashTable * metadata);

/* The topic of a channel, made when first asked for; NULL: it is not chosen, or not defined. */
RobocacheMcapTopic *robocache_mcap_session_topic (RobocacheMcapSession * session, guint16 channel_id);

/* Looks at a message before anything is sent: makes streams, and takes its time into the origin. */
void robocache_mcap_session_scan (RobocacheMcapSession * session, const RobocacheMcapMessage * message);
/* Exposes the streams that were found, in the order of topics, as all that there are, unless there are none. */
void robocache_mcap_session_expose (RobocacheMcapSession * session);
void robocache_mcap_session_no_more_pads (RobocacheMcapSession * session);
/* Sends stream-start, caps, segment and tags on all pads, so that what is linked knows its streams before the first buffer. */
void robocache_mcap_session_send_headers (RobocacheMcapSession * session);

/* Decodes a message and sends its buffers. */
GstFlowReturn robocache_mcap_session_handle (RobocacheMcapSession * session, const RobocacheMcapMessage * message);

/* Sends rows that were collected, as nothing follows them. */
void robocache_mcap_session_push_rows (RobocacheMcapSession * session);
/* A new segment: the next buffers follow it. is_flushed: what was read and not sent is discarded. */
void robocache_mcap_session_restart (RobocacheMcapSession * session, const GstSegment * segment, guint32 seqnum, gboolean is_flushed);
/* Sends an event, which is taken, on all pads, behind their headers. */
void robocache_mcap_session_send (RobocacheMcapSession * session, GstEvent * event);
/* At the end: posts an error and returns FALSE where no stream came. */
gboolean robocache_mcap_session_check_end (RobocacheMcapSession * session);

/* Object lock held. */
GstStructure *robocache_mcap_session_statistics (const RobocacheMcapSession * session);

G_END_DECLS
#endif
