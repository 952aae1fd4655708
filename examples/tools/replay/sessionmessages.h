/* robocache: recorded messages about the decisions of robocachefuse, and about events of its streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/mcap/read/fileindex.h"
#include "common/mcap/records.h"
#include "gst/fuse/core/journal.h"

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

/* FALSE and an error: the message is damaged. */
gboolean session_event_read (SessionEvent * event, RobocacheMcapBytes message, GError ** error);
void session_event_clear (SessionEvent * event);
/* Parses "format=time rate=1 start=0 …". FALSE: not a segment in format time. */
gboolean session_segment_parse (GstSegment * segment, const gchar * text);

/* The origin of a stream's times, by which the recorder shifted the times of the messages that follow. */
typedef struct
{
  gint64 origin_ns, shift_ns;
  gboolean is_first_row;
} SessionOrigin;

gboolean session_origin_parse (SessionOrigin * origin, const gchar * text);

/* A reference timestamp of the buffer that follows. */
typedef struct
{
  guint64 number, references;   /* number of this reference of the buffer, and count of the buffer's references */
  guint64 messages, dropped;    /* messages of the buffer that follow, and messages of it that the recorder dropped */
  gint64 pts_ns;                /* running time; -1: none */
  GstClockTime time, duration;  /* the duration of the event */
  GstCaps *caps;
} SessionReference;

/* FALSE: the text is not a reference. Clear with gst_clear_caps (&reference->caps). */
gboolean session_reference_parse (SessionReference * reference, const gchar * text);

/* ---- ticks ---- */

/* The sources of a stream's row in a sample, and the stream's input up to then. Times are running times, SESSION_NO_TIME: none. */
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
  guint window, n_streams;      /* n_streams: streams of each row of the window */
  GArray *streams;              /* elements are SessionTickStream: [window][n_streams] */
  gint64 journal_start;
  gchar **pads;                 /* pads of the journal, by number */
  GArray *journal;              /* elements are FuseJournalEntry */
  GPtrArray *names;             /* owns the names of the streams */
} SessionTickInfo;

/* NULL and an error: the message is damaged. */
SessionTickInfo *session_tick_info_read (RobocacheMcapBytes message, GError ** error);
void session_tick_info_free (SessionTickInfo * info);

/* FALSE and an error: the fields of this type differ from those of this version. */
gboolean session_check_schema (const RobocacheMcapSchemaInfo * schema, GError ** error);
