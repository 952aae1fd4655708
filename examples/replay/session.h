/* robocache: a recorded session: the samples of a robocachefuse, and the rows and events of the streams that it took in
 *
 * The files are read once from end to end for what is said anywhere, then again as far as samples and rows are asked for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_SESSION_H
#define ROBOCACHE_EXAMPLES_SESSION_H

#include "sessionmessages.h"

G_BEGIN_DECLS

typedef struct _Session Session;
typedef struct _SessionStream SessionStream;

/* sample_topic: that the samples were recorded as; NULL: there is but one. NULL and an error. */
Session *session_open (gchar ** paths, const gchar * sample_topic, GError ** error);
void session_free (Session * session);

const gchar *session_sample_topic (const Session * session);
/* Settings event `number`; NULL: none. */
const GstStructure *session_settings (const Session * session, gint64 number);
/* Whether reference timestamps were recorded. */
gboolean session_has_references (const Session * session);
/* The stream of a topic, or of an id. NULL: nothing of it was recorded. */
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
  GPtrArray *tensors;           /* of SessionTensor */
} SessionSample;

/* The next sample; NULL: none is left, or an error. */
SessionSample *session_next_sample (Session * session, GError ** error);
void session_sample_free (SessionSample * sample);

/* ---- what streams took in ---- */

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
  SESSION_MISSING               /* n messages that the sequence has and the file has not */
} SessionItemKind;

typedef struct
{
  SessionItemKind kind;
  guint64 number;               /* of the row among those of the stream, from 0; of others: rows before it */
  guint64 n;                    /* rows */
  gint64 running_ns;            /* of the row or GAP; SESSION_NO_TIME: none */
  gint64 duration_ns;           /* -1: unknown */
  gchar *text;                  /* caps, segment, origin or reference */
  GstBuffer *buffer;            /* of a row: one memory, or with has_row_times a second one of int64 ns after running_ns */
  gboolean has_row_times;
} SessionItem;

/* What the stream took in next; NULL: nothing is left, or an error. Free with session_item_free. */
SessionItem *session_next_item (Session * session, SessionStream * stream, GError ** error);
void session_item_free (SessionItem * item);
/* The text of what the stream took in next; NULL: it is of another kind, nothing is left, or an error. The item's. */
const gchar *session_peek_text (Session * session, SessionStream * stream, SessionItemKind kind, GError ** error);

G_END_DECLS
#endif
