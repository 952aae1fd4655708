/* robocache: what the recorders share: their state, lock and settings
 *
 * A source that is live writes its messages into the open chunk in its chain function; one that is not waits until they are the next in
 * time (merge.h). A thread of the element compresses and writes chunks (output.h).
 *
 * Lock order: lock → object locks of the element and its pads. No lock is held while an event, a query, a message or output leaves the
 * element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_RECORDER_H
#define MUX_RECORDER_H

#include "gst/mcapmux/file/recording.h"
#include "pad.h"
#include "gst/mcapmux/file/settings.h"
#include "gst/mcapmux/file/timeline.h"

G_BEGIN_DECLS

#define GST_TYPE_ROBOCACHE_MCAP_RECORDER (gst_robocache_mcap_recorder_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstRobocacheMcapRecorder, gst_robocache_mcap_recorder, GST, ROBOCACHE_MCAP_RECORDER, GstElement)

typedef struct _MuxOutputTask MuxOutputTask;

/* Where the bytes of files go. Called by the output task without locks; FLUSHING and EOS end quietly, others with an error. */
struct _GstRobocacheMcapRecorderClass
{
  GstElementClass parent_class;

  /* Before the task starts, from READY on. May be NULL. */
  gboolean (*start) (GstRobocacheMcapRecorder * recorder, GError ** error);
  GstFlowReturn (*open_file) (GstRobocacheMcapRecorder * recorder, guint file, GError ** error);
  GstFlowReturn (*write) (GstRobocacheMcapRecorder * recorder, guint file, const RobocacheMcapBytes * pieces, guint n_pieces,
      GError ** error);
  /* closed: what is in it. */
  GstFlowReturn (*close_file) (GstRobocacheMcapRecorder * recorder, guint file, const MuxOutput * closed, GError ** error);
  /* All files are closed. */
  void (*end) (GstRobocacheMcapRecorder * recorder);
  /* After the task ended. May be NULL. */
  void (*stop) (GstRobocacheMcapRecorder * recorder);
};

/* The recorder's private part. */
typedef struct _GstRobocacheMcapRecorderPrivate MuxRecorderState;
struct _GstRobocacheMcapRecorderPrivate
{
  /* object lock */
  MuxSettings settings;
  GstClockTime fragment_duration;       /* 0: one file */

  gboolean is_sink;             /* constant: it is the end of the pipeline */
  MuxSettings started;          /* constant while started */
  GstClockTime started_fragment_duration;

  GMutex lock;                  /* guards all below, and the streams of the pads */
  GCond work;                   /* there is output */
  GCond progress;               /* a source may continue */
  GPtrArray *pads;              /* GstRobocacheMcapPad, by number */
  gboolean is_started, is_playing;
  gboolean is_live;             /* a source was, when the recording began */
  MuxRecording *recording;      /* NULL unless started */
  MuxEvents events;
  MuxTimeline timeline;
  guint64 last_log_ns;          /* of the last message */
  guint64 next_statistics_ns;   /* log time at which they are due; 0: none were written */
  GstFlowReturn flow;           /* not OK: what sources are answered since the recording ended */
  gboolean is_finished;         /* nothing more is recorded */
  guint64 n_overflow;           /* rows dropped since that was last posted */
  gboolean is_over;             /* rows are dropped now */
  GstClockID timer;             /* closes chunks of live streams; NULL: none */

  MuxOutputTask *task;
};

MuxRecorderState *mux_recorder_state (GstRobocacheMcapRecorder * recorder);

/* Lets go of the lock, and wakes the output task if there is output. */
void mux_recorder_unlock (MuxRecorderState * state);
GstRobocacheMcapPad *mux_recorder_nth_pad (MuxRecorderState * state, guint i);

/* Ends the streams with a flow, and posts error (taken) unless they ended before. Called without the lock. */
void mux_recorder_fail (GstRobocacheMcapRecorder * recorder, const gchar * of, GstFlowReturn flow, GError * error);

G_END_DECLS
#endif
