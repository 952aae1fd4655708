/* robocache: a recorded session: the samples of a robocachefuse, and the rows and events of its input streams
 *
 * The files are read once from beginning to end for settings and topics, then again as samples and rows are requested.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "sessionmessages.h"

typedef struct _Session Session;
typedef struct _SessionStream SessionStream;

/* sample_topic: the topic of the recorded samples; NULL: the only one. Returns NULL and an error on failure. */
Session *session_open (gchar ** paths, const gchar * sample_topic, GError ** error);
void session_free (Session * session);

const gchar *session_sample_topic (const Session * session);
/* Settings event `number`; NULL: there is no such event. */
const GstStructure *session_settings (const Session * session, gint64 number);
/* Whether reference timestamps were recorded. */
gboolean session_has_references (const Session * session);
/* The stream of a topic, or of an id. NULL: nothing of the stream was recorded. */
SessionStream *session_stream_of_topic (Session * session, const gchar * topic);
SessionStream *session_stream_of_id (Session * session, const gchar * stream_id);
const gchar *session_stream_topic (const SessionStream * stream);

/* ---- samples ---- */

typedef struct
{
  gchar *topic;
  GstCaps *caps;
  GstBuffer *buffer;
} SessionTensor;

typedef struct
{
  guint64 number;               /* counts from 0 */
  SessionTickInfo *info;
  GPtrArray *tensors;           /* elements are SessionTensor */
} SessionSample;

/* The next sample. NULL without an error: no sample is left. */
SessionSample *session_next_sample (Session * session, GError ** error);
void session_sample_free (SessionSample * sample);

/* ---- input of streams ---- */

typedef enum
{
  SESSION_ROW,                  /* a message: one row, or a block of rows */
  SESSION_GAP,
  SESSION_CAPS,
  SESSION_SEGMENT,
  SESSION_ORIGIN,
  SESSION_EOS,
  SESSION_FLUSH,
  SESSION_REFERENCE,            /* a reference timestamp of the buffer whose rows follow */
  SESSION_LOST,                 /* n rows that the recorder dropped */
  SESSION_MISSING               /* n messages whose sequence numbers are not in the file */
} SessionItemKind;

typedef struct
{
  SessionItemKind kind;
  guint64 number;               /* number of a row within the stream, from 0; for other items the rows before it */
  guint64 n;                    /* rows */
  gint64 running_ns;            /* running time of the row or GAP; SESSION_NO_TIME: none */
  gint64 duration_ns;           /* -1: unknown */
  gchar *text;                  /* caps, segment, origin or reference */
  GstBuffer *buffer;            /* the row: one memory; with has_row_times a second memory of int64, ns after running_ns */
  gboolean has_row_times;
} SessionItem;

/* The next input of the stream. NULL without an error: nothing is left. Free with session_item_free. */
SessionItem *session_next_item (Session * session, SessionStream * stream, GError ** error);
void session_item_free (SessionItem * item);
/* The text of the stream's next input, which owns it. NULL without an error: the next input is of another kind, or nothing is left. */
const gchar *session_peek_text (Session * session, SessionStream * stream, SessionItemKind kind, GError ** error);
