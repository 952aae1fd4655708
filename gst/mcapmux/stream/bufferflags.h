/* robocache: properties of a buffer other than PTS and data, as text when they change
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* Properties of the previous buffer. */
typedef struct
{
  GstClockTime duration;
  guint flags;
  gboolean has_dts;
  GstClockTimeDiff dts_after_pts;
} MuxBufferNotes;

/* Initializes notes: no duration, no decoding time, no flag. */
void mux_buffer_notes_init (MuxBufferNotes * notes);

/* Whether a buffer differs from the previous one. Durations that differ by 1 ns, as at 30 frames a second, count only with is_exact;
 * durations do not count if messages contain them (has_duration). Sets *text ("flags=discont dts=-40000000", dts relative to PTS;
 * "flags="); free with g_free. */
gboolean mux_buffer_notes_change (MuxBufferNotes * notes, GstBuffer * buffer, gboolean has_duration, gboolean is_exact,
    gchar ** text);
