/* robocache: robocacherossink s in a pipeline of the test, fed by appsrc a0 and a1, and what readers in other processes get
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "tests/check/lib/dds/ddspeer.h"

#define MS GST_MSECOND
#define PERIOD (10 * MS)
/* Stamps of rows without the recorder beside them. */
#define ORIGIN_S 1700000000
#define COMMANDS "other/tensors,format=static,num_tensors=1,types=float64,dimensions=(string)2,framerate=100/1,role=command"
#define ARRAY "std_msgs/msg/Float64MultiArray"

typedef struct
{
  GstElement *pipeline, *sink, *sources[2];     /* appsrc a0 and a1, where they exist */
  GstClock *clock;              /* of the test, if it sets the time; NULL: the system's */
  guint domain;
} SinkRun;

typedef struct
{
  gint64 source_ns, arrival_ns;
  GByteArray *bytes;
} Received;

void sink_run_begin (SinkRun *live, guint domain, const gchar *format, ...) G_GNUC_PRINTF (3, 4);

/* Sets the caps of the appsrc a0 or a1. */
void live_set_caps (SinkRun *live, guint source, const gchar *format, ...) G_GNUC_PRINTF (3, 4);

/* Running time is what the test sets. */
void live_use_test_clock (SinkRun *live);

void live_set (SinkRun *live, GstState state);

/* In this state before it returns. */
void live_reach (SinkRun *live, GstState state);

void sink_run_end (SinkRun *live);

void push_bytes (SinkRun *live, guint source, GstClockTime pts, gconstpointer bytes, gsize size);

/* A row of two channels. */
void push_row (SinkRun *live, guint source, GstClockTime pts, gdouble value);

void end_stream (SinkRun *live, guint source);

guint64 sink_count (const SinkRun *live, const gchar *pad, const gchar *field);

void sink_run_wait_for_count (const SinkRun *live, const gchar *pad, const gchar *field, guint64 n);

GstMessage *next_message (const SinkRun *live, GstMessageType types);

void wait_for_eos (const SinkRun *live);

Received receive (Peer *peer, guint reader);

guint waiting (Peer *peer, guint reader);

/* The first number of a Float64MultiArray: after the encoding, no dimensions, the offset and the count, at a multiple of 8. */
gdouble receive_number (Peer *peer, guint reader);

/* A network pads messages to a multiple of four bytes. */
void expect_message_bytes (const GByteArray *received, gconstpointer expected, gsize size, const gchar *what);

gchar *make_csv (const gchar *text);

/* The settings as those of sink_0. */
gchar *on_pad (const gchar *settings);
