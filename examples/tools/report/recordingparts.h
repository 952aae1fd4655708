/* robocache: parts of reading a recording: file, channels, ticks, statistics, and the match of streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/mcap/read/fileindex.h"
#include "common/mcap/read/reader.h"
#include "common/mcap/read/source.h"
#include "common/ros/messageencoders.h"
#include "common/rosstreams/rosdecoder.h"
#include "report.h"
#include "rows.h"

/* ---- a file as a source of an MCAP reader ---- */

typedef struct
{
  RobocacheMcapSource source;
  gint descriptor;
} ReportFileSource;

/* FALSE and an error: the file cannot be read. */
gboolean report_file_source_open (ReportFileSource * file, const gchar * path, GError ** error);
void report_file_source_close (ReportFileSource * file);

/* ---- the messages of a channel of a recording, as rows ---- */

typedef struct
{
  gchar *topic;
  const gchar *base;            /* base topic of samples; NULL: the channel has no samples */
  gboolean is_tick, is_skipped;
  RobocacheRosDecoder *decoder; /* NULL: messages of this type cannot be decoded */
  gchar *fault;
  GPtrArray *outputs;           /* streams of the topic */

  guint64 n_messages, n_rows, n_malformed, n_missing;   /* n_missing: missing sequence numbers */
  gchar *first_malformed;
  guint32 sequence;             /* sequence number of the last message */

  /* a tensor of a sample, until its tick is read */
  gint64 pending_ns;            /* the tensor's stamp; REPORT_NO_TIME: no tensor */
  GstCaps *pending_caps;
  GstBuffer *pending;
  ReportRows pending_rows;
  gdouble pending_values[REPORT_MAX_CHANNELS];
} ReportChannel;

typedef struct
{
  ReportStream *stream;
  gint64 time_ns, arrival_ns;
  const gdouble *values;        /* NULL: no signal */
} ReportChannelRow;

/* Callbacks for rows: one returns the stream of a name, or NULL; the other handles a row of it. */
typedef struct
{
  ReportStream *(*get_stream) (gpointer user_data, const gchar * name);
  void (*add_row) (gpointer user_data, const ReportChannelRow * row);
  gpointer user_data;
} ReportChannelUser;

/* base: the base topic of samples, or NULL; it must outlive the channel. */
ReportChannel *report_channel_new (const RobocacheMcapChannelInfo * info, const RobocacheMcapSchemaInfo * schema, const gchar * base);
void report_channel_free (gpointer channel);

void report_channel_read (ReportChannel * channel, const RobocacheMcapMessage * message, const ReportChannelUser * user);
/* The stream of a topic that has only one; NULL: it has none or several. */
ReportStream *report_channel_only_stream (const ReportChannel * channel);

/* For tensors of samples: keeps the last message. */
void report_channel_keep_pending (ReportChannel * channel, const RobocacheMcapMessage * message);
/* Sets the names of the channels of the tensor's stream. */
void report_channel_describe (ReportChannel * channel, ReportStream * stream);
/* The values of the kept message for the stream; NULL if its stamp is another. */
const gdouble *report_channel_get_pending (ReportChannel * channel, const ReportStream * stream, gint64 stamp_ns);
/* Like report_channel_get_pending, for a tensor of several streams: the stream's n channels follow `skipped` channels of others.
 * Also describes the stream's channels. */
const gdouble *report_channel_get_part (ReportChannel * channel, ReportStream * stream, guint skipped, guint n, gint64 stamp_ns);

/* ---- metadata of a recording: settings, and the account of rows ---- */

/* Adds the settings of robocachefuse at the start, if the file has them. */
void report_recording_add_settings (Report * report, RobocacheMcapReader * reader);
/* Sets the account of the stream of a channel that has only one: the rows that the recorder received, if the file has their number,
 * otherwise the messages. */
void report_recording_add_account (const ReportChannel * channel, RobocacheMcapReader * reader);

/* ---- matches streams of a recording with streams of its samples ---- */

/* A stream of samples has the name of a pad, and its rows have a topic. They match if the topic ends in that name; otherwise if the times
 * of the rows that samples used occur only in that topic. */

typedef struct _ReportMatch ReportMatch;
ReportMatch *report_match_new (void);
void report_match_free (ReportMatch * match);

/* Whether a topic ends in a pad's name, as "/robot/proprio_0" in "proprio_0". */
gboolean report_match_has_name (const gchar * topic, const gchar * pad_name);

/* Adds a row of a stream, in order of arrival. */
void report_match_add_row (ReportMatch * match, ReportStream * input, gint64 time_ns);
/* Adds that a stream of samples used the row with this time, which arrived before. */
void report_match_add_use (ReportMatch * match, ReportStream * fused, gint64 row_time_ns);

/* The input stream of a stream of samples; NULL: unknown. */
ReportStream *report_match_find (const ReportMatch * match, const ReportStream * fused, const gchar * pad_name);

/* ---- reads robocache_msgs/msg/Tick ---- */

#define REPORT_TICK_TYPE "robocache_msgs/msg/Tick"

typedef struct
{
  gint64 stamp_ns, tick_ns, decided_ns; /* ROBOCACHE_ROS_NO_TIME: none */
  GArray *streams;              /* elements are RobocacheRosTickStream, for the newest row of the window; names point into the message */
} ReportTick;

void report_tick_init (ReportTick * tick);
void report_tick_clear (ReportTick * tick);
/* FALSE and an error: the message is damaged. */
gboolean report_tick_read (ReportTick * tick, gconstpointer message, gsize size, GError ** error);
