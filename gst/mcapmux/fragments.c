/* robocache: when a recording goes on in another file
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fragments.h"

/* Whether a stream goes on in the first file until its next key frame. */
static gboolean
waits_for_key (const GstRobocacheMcapPad *pad)
{
  return pad->stream.is_video && !pad->is_eos && !pad->is_removed;
}

static gboolean
is_due (const MuxRecorderState *state, guint64 log_ns)
{
  guint64 start_ns;

  return state->started_fragment_duration > 0 && !mux_recording_has_next (state->recording)
      && mux_recording_get_start (state->recording, &start_ns) && log_ns >= start_ns
      && log_ns - start_ns >= state->started_fragment_duration;
}

static gboolean
some_wait_for_key (MuxRecorderState *state)
{
  for (guint i = 0; i < state->pads->len; i++)
    if (waits_for_key (mux_recorder_nth_pad (state, i)))
      return TRUE;
  return FALSE;
}

/* A file that nobody goes on with is complete before the next one begins: a disk that is full leaves one of them. */
static void
go_on (MuxRecorderState *state)
{
  if (!some_wait_for_key (state)) {
    mux_recording_change_file (state->recording);
    return;
  }
  mux_recording_open_next (state->recording);
  for (guint i = 0; i < state->pads->len; i++) {
    GstRobocacheMcapPad *pad = mux_recorder_nth_pad (state, i);

    pad->stream.in_next = !waits_for_key (pad);
    pad->wants_key = waits_for_key (pad) && pad->is_live;
  }
}

/* When all streams are in the next file, it is the only one. */
static void
close_first (MuxRecorderState *state)
{
  for (guint i = 0; i < state->pads->len; i++)
    if (!mux_recorder_nth_pad (state, i)->stream.in_next)
      return;
  mux_recording_close_first (state->recording);
  for (guint i = 0; i < state->pads->len; i++)
    mux_recorder_nth_pad (state, i)->stream.in_next = FALSE;
}

void
mux_fragments_choose (MuxRecorderState *state, GstRobocacheMcapPad *pad, guint64 log_ns)
{
  if (is_due (state, log_ns))
    go_on (state);
  if (!mux_recording_has_next (state->recording))
    return;
  pad->stream.in_next |= pad->stream.items.is_key;
  close_first (state);
}

void
mux_fragments_forget (MuxRecorderState *state, GstRobocacheMcapPad *pad)
{
  if (!mux_recording_has_next (state->recording))
    return;
  pad->stream.in_next = TRUE;
  close_first (state);
}
