/* robocache: bytes of a recording or a serial port to a stream of rows, and files of points to clouds
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_PARSE_H
#define GST_ROBOCACHE_PARSE_H

#include <gst/gst.h>

#include "gst/parse/points/cloudreader.h"
#include "common/time/livewait.h"
#include "gst/parse/records/recordreader.h"
#include "gst/parse/records/recordstamp.h"
#include "gst/parse/records/recordcounts.h"
#include "common/element/stats.h"
#include "common/time/tickgrid.h"

G_BEGIN_DECLS

#define GST_TYPE_ROBOCACHE_PARSE (gst_robocache_parse_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheParse, gst_robocache_parse, GST, ROBOCACHE_PARSE, GstElement)

GST_ELEMENT_REGISTER_DECLARE (robocacheparse);

/* Where a file of points ends, and with it a cloud that does not say so itself. */
typedef enum
{
  GST_ROBOCACHE_PARSE_CLOUD_END_AUTO,
  GST_ROBOCACHE_PARSE_CLOUD_END_BUFFER,
  GST_ROBOCACHE_PARSE_CLOUD_END_STREAM
} GstRobocacheParseCloudEnd;

#define GST_TYPE_ROBOCACHE_PARSE_CLOUD_END (gst_robocache_parse_cloud_end_get_type ())
GType gst_robocache_parse_cloud_end_get_type (void);

typedef struct
{
  RobocacheRecordFormat format;
  gchar *delimiter, *channels, *layout;
  guint time_column;
  gint arrival_column;          /* -1: not replayed live */
  RobocacheTimeUnit time_unit;
  RobocacheStart start;
  gint64 time_origin;           /* ROBOCACHE_NO_ORIGIN: not set */
  RobocacheClockMode clock_mode;
  gint max_errors;              /* -1: no limit */
  guint64 points_per_cloud;     /* 0: not said */
  GstRobocacheParseCloudEnd cloud_end;
  gint rate[2];                 /* clouds a second; 0/1: not said */
} GstRobocacheParseSettings;

struct _GstRobocacheParse
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;

  /* object lock */
  GstRobocacheParseSettings properties;
  GstClockTime stats_interval;
  RobocacheRecordCounts counters;
  GstSegment segment;           /* of the output; its position is the last row or cloud */
  GstClockTime newest, duration;        /* of what was seen; duration is none until a whole file was read */
  GstEvent *seek;               /* that the next segment from upstream answers */
  guint32 segment_seqnum;
  RobocacheClockEstimate clock; /* when the sensor's clock is followed */
  gboolean live, replays, tracks;       /* READY → PAUSED on */
  gboolean upstream_has_times;  /* its segment is one of TIME, and ours */
  RobocacheTickGrid rate;       /* of clouds; num 0: none */

  /* streaming thread, or no streaming thread */
  RobocacheRecordReader *reader;        /* of rows; NULL: clouds */
  RobocacheRecordStamp stamp;
  gint max_errors;
  RobocacheCloudReader *clouds; /* NULL: rows */
  GstRobocacheParseCloudEnd cloud_end;  /* AUTO: not known yet */
  gboolean has_frames;          /* the caps of files of points have a framerate */
  guint64 points_at_fault;      /* how many were read well before the last malformed record */
  guint caps_version;           /* of the reader's columns that caps were sent for; 0: none */
  gboolean segment_wanted;
  gboolean discont;
  gboolean failed;              /* an error was posted: nothing goes on */
  gint errors_in_row;
  gchar *first_fault;
  gboolean said_before_origin;
  GstClockTime previous;        /* time of the row before */
  GList *waiting_events;        /* that must follow our segment */
  RobocacheStatsTimer stats_timer;

  RobocacheLiveWait wait;
};

/* ---- the life of a buffer (gstrobocacheparse.c) ---- */

GST_DEBUG_CATEGORY_EXTERN (gst_robocache_parse_debug);

/* Sends the recording's caps, in downstream's spelling when they are tensors. FALSE: downstream does not take them, which was
 * posted. */
gboolean gst_robocache_parse_push_caps (GstRobocacheParse * parse, GstCaps * caps);
/* After caps: the segment and the events that must come after it, where they were not sent. */
void gst_robocache_parse_send_segment (GstRobocacheParse * parse);
/* Whether a seek leaves what is at pts out; counts it. */
gboolean gst_robocache_parse_is_outside_segment (GstRobocacheParse * parse, GstClockTime pts);
/* Counts a record that was dropped, and says so. */
GstFlowReturn gst_robocache_parse_take_malformed (GstRobocacheParse * parse, const gchar * fault);
/* The settings do not fit the input, or it cannot be read: posts the error. */
GstFlowReturn gst_robocache_parse_refuse (GstRobocacheParse * parse, const GError * fault);
/* What all buffers have in common. */
GstFlowReturn gst_robocache_parse_push (GstRobocacheParse * parse, GstBuffer * buffer);

/* ---- rows (gstrobocacheparserows.c) ---- */

/* A buffer of records comes. */
GstFlowReturn gst_robocache_parse_take_records (GstRobocacheParse * parse, GstBuffer * buffer);
/* Hands out every record that is whole. */
GstFlowReturn gst_robocache_parse_process_rows (GstRobocacheParse * parse);
/* Caps, for columns that are new, and what follows them. */
gboolean gst_robocache_parse_send_row_headers (GstRobocacheParse * parse);

/* ---- clouds (gstrobocacheparseclouds.c) ---- */

/* A piece of a file of points, or a file, comes. */
GstFlowReturn gst_robocache_parse_take_points (GstRobocacheParse * parse, GstBuffer * buffer);
/* A file ends here, whole or not. */
GstFlowReturn gst_robocache_parse_end_file (GstRobocacheParse * parse);
/* Caps of the input, which may say what a point is and how often there is a cloud. */
gboolean gst_robocache_parse_take_cloud_caps (GstRobocacheParse * parse, const GstCaps * caps);

/* ---- seeks and queries (gstrobocacheparseseek.c) ---- */

/* Makes our segment what a seek asks for. */
gboolean gst_robocache_parse_seek_segment (GstSegment * segment, GstEvent * event);
/* The seek that the next segment from upstream answers, or NULL. */
void gst_robocache_parse_set_seek (GstRobocacheParse * parse, GstEvent * event);

gboolean gst_robocache_parse_src_event (GstPad * pad, GstObject * parent, GstEvent * event);
gboolean gst_robocache_parse_src_query (GstPad * pad, GstObject * parent, GstQuery * query);

G_END_DECLS
#endif
