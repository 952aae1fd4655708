/* robocache: what the core of robocachefuse has to report
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "notes.h"

FuseNote *
fuse_note_add (GQueue *notes, FuseNoteKind kind, FuseStream *stream, gchar *text)
{
  FuseNote *note = g_new0 (FuseNote, 1);

  note->kind = kind;
  note->stream = stream;
  note->text = text;
  g_queue_push_tail (notes, note);
  return note;
}

void
fuse_note_add_warning (GQueue *notes, FuseNoteKind kind, FuseStream *stream, gchar *warning)
{
  if (warning)
    fuse_note_add (notes, kind, stream, g_strdup_printf ("%s: %s", stream->name, warning));
  g_free (warning);
}

void
fuse_note_free (FuseNote *note)
{
  g_free (note->text);
  g_free (note);
}
