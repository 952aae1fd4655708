/* robocache: the messages of a recording that say what robocachefuse did, and what happened to its streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_SESSIONMESSAGES_H
#define ROBOCACHE_EXAMPLES_SESSIONMESSAGES_H

#include <gst/gst.h>

#include "common/mcap/records.h"
#include "common/mcap/read/definitions.h"
#include "gst/fuse/core/journal.h"

G_BEGIN_DECLS

#define SESSION_TICK_TYPE "robocache_msgs/msg/Tick"
#define SESSION_EVENT_TYPE "robocache_msgs/msg/Event"
#define SESSION_NO_TIME G_MININT64

/* ---- events ---- */

typedef struct
{
  gint64 stamp_ns;
  gchar *kind, *topic, *text;
  gint64 duration_ns;           /* -1: none */
} SessionEvent;

/* FALSE and an error: damaged. */
gboolean session_event_read (SessionEvent * event, RobocacheMcapBytes message, GError ** error);
void session_event_clear (SessionEvent * event);
/* "format=time rate=1 start=0 …". FALSE: it is none in time. */
gboolean session_segment_parse (GstSegment * segment, const gchar * text);

/* The origin of a stream's times, by which the recorder shifted what follows. */
typedef struct
{
  gint64 origin_ns, shift_ns;
  gboolean is_first_row;
} SessionOrigin;

gboolean session_origin_parse (SessionOrigin * origin, const gchar * text);

/* A reference timestamp of the buffer that follows. */
typedef struct
{
  guint64 number, references;   /* among those of the buffer, and how many these are */
  guint64 messages, dropped;    /* of the buffer: that follow, and that the recorder dropped */
  gint64 pts_ns;                /* running time; -1: none */
  GstClockTime time, duration;  /* the latter is the event's */
  GstCaps *caps;
} SessionReference;

/* FALSE: it is none. Clear with gst_clear_caps (&reference->caps). */
gboolean session_reference_parse (SessionReference * reference, const gchar * text);

/* ---- ticks ---- */

/* What a stream's row of a sample was made of, and what the stream had taken in. Times are running times, SESSION_NO_TIME: none. */
typedef struct
{
  const gchar *name;
  gint64 before_ns, after_ns;
  guint status;
  gint64 rows, gaps, events;
} SessionTickStream;

typedef struct
{
  gint64 tick_ns, decided_ns;
  guint window, n_streams;      /* of a row of the window */
  GArray *streams;              /* of SessionTickStream: [window][n_streams] */
  gint64 journal_start;
  gchar **pads;                 /* of the journal, by number */
  GArray *journal;              /* of FuseJournalEntry */
  GPtrArray *names;             /* owns those of the streams */
} SessionTickInfo;

/* NULL and an error: damaged. */
SessionTickInfo *session_tick_info_read (RobocacheMcapBytes message, GError ** error);
void session_tick_info_free (SessionTickInfo * info);

/* FALSE and an error: messages of these types have other fields than ours. */
gboolean session_check_schema (const RobocacheMcapSchemaInfo * schema, GError ** error);

G_END_DECLS
#endif
