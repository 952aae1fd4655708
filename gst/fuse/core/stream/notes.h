/* robocache: what the core of robocachefuse has to report
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_NOTES_H
#define FUSE_NOTES_H

#include "stream.h"

G_BEGIN_DECLS

typedef enum
{
  FUSE_NOTE_LATENCY,            /* what the core needs has changed: see fuse_core_update_latency */
  FUSE_NOTE_CLOCK,              /* of a sensor's clock that is tracked */
  FUSE_NOTE_LOST_ROWS,
  FUSE_NOTE_LOST_TICKS,
  /* warnings, with a text */
  FUSE_NOTE_STREAM,             /* rows, or what came of them */
  FUSE_NOTE_FORMAT,             /* times or values of rows */
  FUSE_NOTE_SETTING,
  FUSE_NOTE_TIME,               /* running time */
  FUSE_NOTE_REFERENCE_LOST
} FuseNoteKind;

typedef struct
{
  FuseNoteKind kind;
  FuseStream *stream;           /* NULL: of the core */
  gchar *text;                  /* NULL: it has none */
  RobocacheClockEvent clock_event;
  RobocacheClockEstimate clock;
  RobocacheLoss loss;           /* of ticks: time of the first, how many, and how late it was */
  gint64 duration;              /* of a tick; ROBOCACHE_NO_TIME: unknown */
  RobocacheRowCounts rows;      /* of the stream */
  guint64 ticks_out, ticks_dropped;
} FuseNote;

/* A new note at the end of notes. text is taken, and may be NULL. */
FuseNote *fuse_note_add (GQueue * notes, FuseNoteKind kind, FuseStream * stream, gchar * text);
void fuse_note_free (FuseNote * note);

G_END_DECLS
#endif
