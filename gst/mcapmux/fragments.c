/* robocache: when a recording goes on in another file
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fragments.h"

/* Whether a stream continues in the first file until its next key frame. */
static gboolean
waits_for_key (const GstRobocacheMcapPad *pad)
{
  return pad->stream.is_video && !pad->is_eos && !pad->is_removed;
}

static gboolean
is_due (const MuxRecorder *recorder, guint64 log_ns)
{
  guint64 start_ns;

  return recorder->started_fragment_duration > 0 && !mux_recording_has_next (recorder->recording)
      && mux_recording_get_start (recorder->recording, &start_ns) && log_ns >= start_ns
      && log_ns - start_ns >= recorder->started_fragment_duration;
}

static gboolean
some_wait_for_key (MuxRecorder *recorder)
{
  for (guint i = 0; i < recorder->pads->len; i++)
    if (waits_for_key (mux_recorder_nth_pad (recorder, i)))
      return TRUE;
  return FALSE;
}

/* A file in which no stream continues is completed before the next one begins, so a full disk leaves only one incomplete file. */
static void
go_on (MuxRecorder *recorder, guint64 log_ns)
{
  GST_CAT_INFO_OBJECT (recorder->category, recorder->element, "the next file begins at log time %" G_GUINT64_FORMAT ", after fragment-duration=%"
      GST_TIME_FORMAT, log_ns, GST_TIME_ARGS (recorder->started_fragment_duration));
  if (!some_wait_for_key (recorder)) {
    mux_recording_change_file (recorder->recording);
    return;
  }
  mux_recording_open_next (recorder->recording);
  for (guint i = 0; i < recorder->pads->len; i++) {
    GstRobocacheMcapPad *pad = mux_recorder_nth_pad (recorder, i);

    pad->stream.in_next = !waits_for_key (pad);
    pad->wants_key = waits_for_key (pad) && pad->is_live;
    if (!pad->stream.in_next)
      GST_CAT_DEBUG_OBJECT (recorder->category, pad, "stays in the file before until its next key frame");
  }
}

/* When all streams are in the next file, it is the only one. */
static void
close_first (MuxRecorder *recorder)
{
  for (guint i = 0; i < recorder->pads->len; i++)
    if (!mux_recorder_nth_pad (recorder, i)->stream.in_next)
      return;
  GST_CAT_DEBUG_OBJECT (recorder->category, recorder->element, "all streams are in the next file");
  mux_recording_close_first (recorder->recording);
  for (guint i = 0; i < recorder->pads->len; i++)
    mux_recorder_nth_pad (recorder, i)->stream.in_next = FALSE;
}

void
mux_fragments_choose (MuxRecorder *recorder, GstRobocacheMcapPad *pad, guint64 log_ns)
{
  if (is_due (recorder, log_ns))
    go_on (recorder, log_ns);
  if (!mux_recording_has_next (recorder->recording))
    return;
  pad->stream.in_next |= pad->stream.items.is_key;
  close_first (recorder);
}

void
mux_fragments_forget (MuxRecorder *recorder, GstRobocacheMcapPad *pad)
{
  if (!mux_recording_has_next (recorder->recording))
    return;
  pad->stream.in_next = TRUE;
  close_first (recorder);
}
