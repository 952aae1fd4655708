/* robocache: reports of the core of robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "stream.h"

typedef enum
{
  FUSE_NOTE_LATENCY,            /* the latency may have changed: call fuse_core_update_latency */
  FUSE_NOTE_CLOCK,              /* an event of a tracked sensor clock */
  FUSE_NOTE_LOST_ROWS,
  FUSE_NOTE_LOST_TICKS,
  /* warnings, with a text */
  FUSE_NOTE_FORMAT,             /* times or values of rows */
  FUSE_NOTE_SETTING,
  FUSE_NOTE_TIME,               /* running time */
  FUSE_NOTE_REFERENCE_LOST
} FuseNoteKind;

typedef struct
{
  FuseNoteKind kind;
  FuseStream *stream;           /* NULL: the core itself */
  gchar *text;                  /* text of a warning */
  RobocacheClockEvent clock_event;
  RobocacheClockEstimate clock;
  RobocacheLoss loss;           /* lost ticks: their number, and time and lateness of the first one */
  gint64 duration;              /* duration of a tick; ROBOCACHE_NO_TIME: unknown */
  RobocacheRowCounts rows;      /* counts of the stream's rows */
  guint64 ticks_out, ticks_dropped;
} FuseNote;

/* Appends a note to notes. text: transferred; may be NULL. */
FuseNote *fuse_note_add (GQueue * notes, FuseNoteKind kind, FuseStream * stream, gchar * text);
/* Appends a warning about a stream, prefixed with its name. warning: transferred; NULL: nothing is appended. */
void fuse_note_add_warning (GQueue * notes, FuseNoteKind kind, FuseStream * stream, gchar * warning);
void fuse_note_free (FuseNote * note);
