/* robocache: what a file has, or a robot: its streams, and what cannot be read
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "examples/tools/recordings/rossource.h"

typedef struct
{
  gchar *name;                  /* the topic, with the part of it that is a stream; or the file's name */
  gchar *type;                  /* of its messages, or of the file */
  gchar *kind;                  /* role of rows, or "row", "tensor", "cloud", "picture", "video", a media type */
  gchar *shape;                 /* "2: q0, q1", "640x480 RGB" */
  gchar **names;                /* of its channels or fields; NULL: they have none */
  guint n_channels;             /* 0: it has no rows of numbers and no points */
  gchar *kinds;                 /* of its channels; NULL: all are real */
  guint64 n;                    /* rows, clouds, pictures */
  gboolean has_times;
  gint64 first, last;           /* ns on the timeline */
  gint64 period;                /* ns: median; 0: unknown */
  RecordingSpacings spacings;
  gint64 disorder;              /* ns */
  gboolean has_clock;
  BagClock clock;
  guint64 n_malformed, n_lost;
  gchar *fault;                 /* why robocachefuse takes it in another way or not at all; NULL: it is a stream of rows */
} InspectedStream;

typedef struct
{
  gchar *name;                  /* path, or "ROS 2" */
  const gchar *kind;            /* "bag", "table", "cloud", "live topics", "training set of LeRobot" */
  GPtrArray *streams;           /* InspectedStream */
  GPtrArray *refused;           /* texts: what cannot be read, and why */
  GPtrArray *notes;             /* texts: clocks, how times are read, warnings */
} Inspection;

/* A file, with the options that follow its name. Takes the recording. An error: it cannot be read, or not to its end; then the result may be
 * NULL, or have what was found. */
Inspection *inspection_new_of_file (Recording * recording, GError ** error);
/* Live topics, "" for all. NULL and an error: they cannot be watched. */
Inspection *inspection_new_of_topics (const RosOptions * options, const gchar * topics, GError ** error);
/* A training set of LeRobot: a folder with meta/info.json. NULL and an error: that file cannot be read. */
gboolean inspection_is_of_set (const gchar * path);
Inspection *inspection_new_of_set (const gchar * path, GError ** error);
/* The topics that were watched. */
Inspection *inspection_new_of_survey (const StreamSurvey * survey, const gchar * kind);
/* One without streams. */
Inspection *inspection_new (const gchar * name, const gchar * kind);
void inspection_free (Inspection * inspection);

/* Adds a stream with a name and a type; its other fields are 0. */
InspectedStream *inspection_add_stream (Inspection * inspection, const gchar * name, const gchar * type);
/* The shape of n channels, with the first of their names, which may be NULL: "7: q0, q1, q2, …". Free with g_free. */
gchar *inspection_shape (guint n, gchar ** names);

/* ---- text ---- */

/* A table, and lines below it. */
void inspection_print (const Inspection * inspection, FILE * out);
/* An object of JSON, without a newline. Durations and times are integers in ns. error: printable; NULL: the file was read to its end. */
void inspection_print_json (const Inspection * inspection, const gchar * error, FILE * out);
/* A file that cannot be read. */
void inspection_print_json_error (const gchar * name, const gchar * error, FILE * out);
