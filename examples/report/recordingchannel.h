/* robocache: the messages of a channel of a recording, as rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_RECORDINGCHANNEL_H
#define REPORT_RECORDINGCHANNEL_H

#include "common/mcap/read/definitions.h"
#include "common/rosstreams/rosdecoder.h"
#include "rows.h"

G_BEGIN_DECLS

typedef struct
{
  gchar *topic;
  const gchar *base;            /* of samples; NULL: it has none */
  gboolean is_tick, is_skipped;
  RobocacheRosDecoder *decoder; /* NULL: a fault */
  gchar *fault;
  GPtrArray *outputs;           /* streams of the topic */

  guint64 n_messages, n_rows, n_malformed, n_missing;   /* missing: sequence numbers */
  gchar *first_malformed;
  guint32 sequence;             /* of the last message */

  /* a tensor of a sample, until its tick is there */
  gint64 pending_ns;            /* its stamp; REPORT_NO_TIME: none */
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

/* What is done with rows: the stream of that name, NULL for none; and a row of it. */
typedef struct
{
  ReportStream *(*get_stream) (gpointer user_data, const gchar * name);
  void (*add_row) (gpointer user_data, const ReportChannelRow * row);
  gpointer user_data;
} ReportChannelUser;

/* base: of samples, or NULL; it must outlive the channel. */
ReportChannel *report_channel_new (const RobocacheMcapChannelInfo * info, const RobocacheMcapSchemaInfo * schema, const gchar * base);
void report_channel_free (gpointer channel);

void report_channel_read (ReportChannel * channel, const RobocacheMcapMessage * message, const ReportChannelUser * user);
/* The stream of a topic that has but one; NULL. */
ReportStream *report_channel_only_stream (const ReportChannel * channel);

/* Tensors of samples: keeps the last message. */
void report_channel_keep_pending (ReportChannel * channel, const RobocacheMcapMessage * message);
/* Names the channels of the stream that the tensor is of. */
void report_channel_describe (ReportChannel * channel, ReportStream * stream);
/* Its values for the stream, if it has this stamp; NULL. */
const gdouble *report_channel_get_pending (ReportChannel * channel, const ReportStream * stream, gint64 stamp_ns);

G_END_DECLS
#endif
