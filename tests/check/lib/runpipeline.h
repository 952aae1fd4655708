/* robocache: run a pipeline to its end, and keep what came out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>

typedef struct
{
  GPtrArray *buffers;           /* GstBuffer */
  GstCaps *caps;                /* the last ones */
  gchar *error;                 /* the text of the first error message from the element named "e", or NULL */
  guint n_errors, n_warnings;   /* of the element named "e" */
  gchar *warning;               /* the first one */
  GstStructure *stats;          /* of the element named "e" at the end */
} Output;

/* Plays a pipeline that has a fakesink named "sink" (and the element under test named "e") until EOS or an error. */
Output play_to_end (GstElement *pipeline);

/* A pipeline whose element under test is e. */
typedef struct
{
  GstElement *pipeline, *e;
  gchar *file;                  /* NULL, or what it reads, and run_end removes */
} Run;

/* Frees description. */
Run run_begin (gchar *description);

void run_preroll (const Run *run);

void run_end (Run *run);

Output run_pipeline (const gchar *description);

void output_clear (Output *out);

GstBuffer *output_buffer (const Output *out, guint i);

GstClockTime output_pts (const Output *out, guint i);

gfloat output_value (const Output *out, guint i, guint channel);

/* A number of the element's stats at the end. */
guint64 output_count (const Output *out, const gchar *field);

/* Times, numbers and bytes of all buffers. */
GBytes *output_bytes (const Output *out);

/* The bytes of each of so many lives of a pipeline, all the same. */
GBytes *expect_equal_lives (const Run *run, guint n_lives);

/* One error and one warning from the element, with these words; NULL: none. name: of the case. */
void expect_complaints (const Output *out, const gchar *error, const gchar *warning, const gchar *name);

/* Plays a file or a source with a sink named "sink" in segments, where stops[i] is the end of segment i (-1: of the stream),
 * without a flush between them, and expects so many buffers in each: none is lost, or sent twice. */
void expect_segments (const Run *run, const GstClockTime *stops, const gint *n_buffers, guint n);
