/* robocache: what a buffer says beside its time and data
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bufferflags.h"

/* Flags that speak of the data. DELTA_UNIT is not among them: the data show it. */
static const struct
{
  guint flag;
  const gchar *name;
} names[] = {
  {GST_BUFFER_FLAG_LIVE, "live"}, {GST_BUFFER_FLAG_DECODE_ONLY, "decode-only"}, {GST_BUFFER_FLAG_DISCONT, "discont"},
  {GST_BUFFER_FLAG_RESYNC, "resync"}, {GST_BUFFER_FLAG_CORRUPTED, "corrupted"}, {GST_BUFFER_FLAG_MARKER, "marker"},
  {GST_BUFFER_FLAG_HEADER, "header"}, {GST_BUFFER_FLAG_GAP, "gap"}, {GST_BUFFER_FLAG_DROPPABLE, "droppable"},
  {GST_BUFFER_FLAG_NON_DROPPABLE, "non-droppable"},
};

void
mux_buffer_notes_init (MuxBufferNotes *notes)
{
  *notes = (MuxBufferNotes) {.duration = GST_CLOCK_TIME_NONE};
}

static MuxBufferNotes
read_notes (GstBuffer *buffer)
{
  MuxBufferNotes notes = { .duration = GST_BUFFER_DURATION (buffer), .has_dts = GST_BUFFER_DTS_IS_VALID (buffer) };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    notes.flags |= GST_BUFFER_FLAGS (buffer) & names[i].flag;
  if (notes.has_dts && GST_BUFFER_PTS_IS_VALID (buffer))
    notes.dts_after_pts = GST_CLOCK_DIFF (GST_BUFFER_PTS (buffer), GST_BUFFER_DTS (buffer));
  return notes;
}

static gboolean
differ (GstClockTime a, GstClockTime b, gboolean is_exact)
{
  if (is_exact || !GST_CLOCK_TIME_IS_VALID (a) || !GST_CLOCK_TIME_IS_VALID (b))
    return a != b;
  return a > b + 1 || b > a + 1;
}

static gchar *
describe (const MuxBufferNotes *notes)
{
  GString *text = g_string_new ("flags=");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (notes->flags & names[i].flag)
      g_string_append_printf (text, "%s%s", text->str[text->len - 1] == '=' ? "" : "+", names[i].name);
  if (notes->has_dts)
    g_string_append_printf (text, " dts=%" G_GINT64_FORMAT, notes->dts_after_pts);
  return g_string_free (text, FALSE);
}

gboolean
mux_buffer_notes_change (MuxBufferNotes *notes, GstBuffer *buffer, gboolean has_duration, gboolean is_exact, gchar **text)
{
  MuxBufferNotes now = read_notes (buffer);
  gboolean is_other;

  if (has_duration)
    now.duration = notes->duration;
  is_other = differ (now.duration, notes->duration, is_exact) || now.flags != notes->flags || now.has_dts != notes->has_dts
      || now.dts_after_pts != notes->dts_after_pts;
  if (!is_other)
    return FALSE;
  *notes = now;
  *text = describe (&now);
  return TRUE;
}
