/* robocache: robocachemcapmux on pads of the test, and what its file says as text
 *
 * The file as words: "TOPIC#SEQUENCE@LOG/PUBLISH" for each message, "KIND(TOPIC TEXT)@LOG" for each of /robocache/events,
 * "[NAME CLOCK]" or "[tags TITLE]" for metadata and "|" at the end of a chunk. Times are ms.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gsttestclock.h>
#include <string.h>

#include "common/mcap/read/fileindex.h"
#include "common/mcap/read/stream.h"
#include "common/ros/cdr.h"

#define MS GST_MSECOND
#define TENSORS(type, dimensions) "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)" type \
    ", dimensions=(string)" dimensions ", framerate=(fraction)100/1"

/* Waits until a condition holds, which is checked every millisecond; a minute is too long. */
#define WAIT_UNTIL(condition) \
  do { \
    const gint64 until = g_get_monotonic_time () + G_TIME_SPAN_MINUTE; \
    while (!(condition)) { \
      fail_unless (g_get_monotonic_time () < until, "never: " #condition); \
      g_usleep (1000); \
    } \
  } while (0)

typedef struct
{
  GstPad *pad, *peer;
  gboolean is_live;
  gboolean needs_caps;          /* like a camera: it does not know its latency before */
  gint n_key_requests;          /* atomic */
} MuxSource;

typedef struct
{
  GstElement *mux;
  GstBus *bus;
  GstTestClock *clock;          /* set to 0, which is running time 0 */
  MuxSource sources[3];
  guint n_sources;
  GstPad *sink;                 /* NULL: it is one itself */
  GMutex lock;
  GCond changed;
  GByteArray *file;             /* lock */
  gboolean is_blocked, is_waiting, has_eos;     /* lock */
} MuxRun;

/* ---- pads of the test ---- */

GstFlowReturn collect (GstPad *pad, GstObject *parent, GstBuffer *buffer);

/* As collect, for files that are too large to keep. */
GstFlowReturn forget (GstPad *pad, GstObject *parent, GstBuffer *buffer);

void set_blocked (MuxRun *run, gboolean is_blocked);

/* ---- life ---- */

/* properties: NAME=VALUE, separated by blanks. Takes the element. */
void mux_open_element (MuxRun *run, GstElement *element, const gchar *properties);

void mux_open (MuxRun *run, const gchar *factory, const gchar *properties);

/* Before it plays. Its stream begins with mux_begin. */
MuxSource *mux_add (MuxRun *run, gboolean is_live);

void mux_play (MuxRun *run);

/* Sends STREAM_START, caps and a segment. The pad stores events that are refused and sends them again before the next buffer, whose flow is
 * the answer. */
void mux_begin (MuxSource *source, const gchar *caps_text);

/* A buffer of zeros, or of bytes. */
GstFlowReturn mux_push_bytes (MuxSource *source, gint64 pts_ms, gconstpointer bytes, gsize size);

/* pts_ms negative: none. */
GstFlowReturn mux_push (MuxSource *source, gint64 pts_ms, gsize size);

void mux_set_time (MuxRun *run, gint64 ms);

/* Ends all streams, and waits for the end of the file. */
void mux_end (MuxRun *run);

/* The texts of warnings and errors on the bus, each with a blank behind it; free with g_free. */
gchar *mux_messages (MuxRun *run);

void mux_close (MuxRun *run);

/* ---- the file ---- */

/* Free with g_free. */
gchar *describe_file (const guint8 *bytes, gsize size);

/* The contents of the file until now. Free with g_free. */
gchar *mux_file (MuxRun *run);

gboolean mux_file_has (MuxRun *run, const gchar *words);

#define EXPECT_FILE(run, expected) \
  do { \
    gchar *file_text = mux_file (run); \
    fail_unless_equals_string (file_text, expected); \
    g_free (file_text); \
  } while (0)

#define EXPECT_MESSAGES(run, words) \
  do { \
    gchar *messages_text = mux_messages (run); \
    fail_unless (strstr (messages_text, words) != NULL && (*(words) || !*messages_text), "\"%s\" has no \"%s\"", messages_text, words); \
    g_free (messages_text); \
  } while (0)
