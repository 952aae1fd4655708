/* robocache: the common state, lock and settings of the recorders
 *
 * A live source writes its messages into the open chunk in its chain function. A source that is not live waits until its messages are the
 * next in time (merge.h). A thread of the element compresses and writes chunks (output.h).
 *
 * Lock order: preroll lock → lock → object locks of the element and its pads. No other lock is held while an event, a query, a message or output leaves
 * the element, or while the last reference of a buffer or event may be dropped.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "gst/mcapmux/file/recording.h"
#include "pad.h"
#include "gst/mcapmux/file/settings.h"
#include "gst/mcapmux/file/timeline.h"

typedef struct _MuxOutputTask MuxOutputTask;

/* Functions that receive the bytes of files. Called by the output task without locks. FLUSHING and EOS end the task without an error,
 * other results with an error. */
typedef struct
{
  GstFlowReturn (*open_file) (GstElement * element, guint file, GError ** error);
  GstFlowReturn (*write) (GstElement * element, guint file, const RobocacheMcapBytes * pieces, guint n_pieces, GError ** error);
  /* closed: the content of the file. */
  GstFlowReturn (*close_file) (GstElement * element, guint file, const MuxOutput * closed, GError ** error);
  /* All files are closed. seqnum: that of the EOS event that ended the last stream, or of none. */
  void (*end) (GstElement * element, guint32 seqnum);
} MuxOutputFunctions;

typedef struct _MuxRecorder MuxRecorder;
struct _MuxRecorder
{
  /* constant */
  GstElement *element;          /* no reference: the element owns the recorder */
  const MuxOutputFunctions *functions;  /* from the first start on */
  gboolean is_sink;             /* the element is a sink, not a muxer with a source pad */
  GstDebugCategory *category;   /* the element's log category */

  /* object lock */
  MuxSettings settings;
  GstClockTime fragment_duration;       /* 0: one file */

  MuxSettings started;          /* constant while started */
  GstClockTime started_fragment_duration;

  GRecMutex preroll_lock;       /* held during the commit of a state (preroll.h) */
  GMutex lock;                  /* guards all below, and the streams of the pads */
  GCond work;                   /* output is ready */
  GCond progress;               /* a source may continue */
  GPtrArray *pads;              /* GstRobocacheMcapPad items, by number */
  GQueue released;              /* GstMiniObject items: their last references are dropped without the lock */
  gboolean is_started, is_playing;
  gboolean needs_preroll;       /* a sink: its state waits for data */
  gboolean is_held, has_held_data;      /* the state also waits for the end of a seek; data have arrived during it */
  gboolean is_live;             /* a source was live when the recording began */
  MuxRecording *recording;      /* NULL unless started */
  MuxEvents events;
  MuxTimeline timeline;
  guint64 last_log_ns;          /* log time of the last message */
  guint64 next_statistics_ns;   /* log time at which statistics are due; 0: not written yet */
  GstFlowReturn flow;           /* not OK: the answer to sources since the recording ended */
  gboolean has_failed;          /* the error was posted; only then sources get the answer */
  gboolean is_finished;         /* recording has ended */
  guint32 end_seqnum;           /* seqnum of the last EOS event, or GST_SEQNUM_INVALID */
  guint64 n_overflow;           /* rows dropped since the last posted warning */
  gboolean is_over;             /* rows are being dropped */
  GstClockID timer;             /* closes chunks of live streams; NULL: none */

  MuxOutputTask *task;
};

void mux_recorder_init (MuxRecorder * recorder, GstElement * element);
void mux_recorder_clear (MuxRecorder * recorder);

/* Releases the lock and the objects in released, and wakes the output task if output is ready. */
void mux_recorder_unlock (MuxRecorder * recorder);
GstRobocacheMcapPad *mux_recorder_nth_pad (MuxRecorder * recorder, guint i);

/* Ends the streams with flow as answer, and posts error (taken) unless they have ended before. Called without the lock. */
void mux_recorder_fail (MuxRecorder * recorder, const gchar * of, GstFlowReturn flow, GError * error);
