/* robocache: what a buffer says beside its time and data, as text where it changes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_BUFFERFLAGS_H
#define MUX_BUFFERFLAGS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Notes of the buffer before. */
typedef struct
{
  GstClockTime duration;
  guint flags;
  gboolean has_dts;
  GstClockTimeDiff dts_after_pts;
} MuxBufferNotes;

/* Sets the notes of no buffer: no duration, no decoding time, no flag. */
void mux_buffer_notes_init (MuxBufferNotes * notes);

/* Whether a buffer says something else than the one before. Durations that differ by 1 ns, as those of 30 frames a second do, count only
 * with is_exact, and no duration does where messages hold it. Sets *text ("flags=discont dts=-40000000", dts after PTS; "flags="); free
 * with g_free. */
gboolean mux_buffer_notes_change (MuxBufferNotes * notes, GstBuffer * buffer, gboolean has_duration, gboolean is_exact,
    gchar ** text);

G_END_DECLS
#endif
