/* robocache: input and output of robocache align: streams of bags, and the aligned CSV
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <stdio.h>

#include "examples/tools/recordings/recordings.h"
#include "examples/tools/recordings/rossource.h"

/* ---- aligned samples of recordings as lines of CSV ---- */

/* The header is a comment with the origin, the time of tick 0 in ns on the recordings' clock, and a line of names. The first column is
 * tick_ns, the tick in ns from the origin. The channels of all recordings follow, and then, if the user asks for it, two columns per
 * recording: LABEL.status, 0 aligned, 1 held, 2 missing, and LABEL.age_ns, the duration from the last row at or before the tick to the
 * tick. */

typedef struct
{
  FILE *file;
  const GPtrArray *recordings;  /* Recordings, surveyed: the streams of the samples, in the same order */
  gint64 origin;                /* time of tick 0, ns on the recordings' clock */
  gboolean has_status;
} AlignedCsv;

/* Sets is_aligned if a sample has an aligned row, and writes nothing. FALSE and an error as for aligned_csv_write_sample. */
gboolean aligned_csv_note_status (const AlignedCsv * csv, GstSample * sample, gboolean * is_aligned, GError ** error);

void aligned_csv_write_header (const AlignedCsv * csv);
/* Writes a sample with one float32 tensor of all channels. Sets is_aligned if it has an aligned row. FALSE and an error if the sample has
 * another format; write errors stay in the FILE. */
gboolean aligned_csv_write_sample (const AlignedCsv * csv, GstSample * sample, gboolean * is_aligned, GError ** error);

/* ---- streams of a bag of ROS 2 as recordings to align ---- */

/* A bag is read twice: first to survey its rows, then for the rows. Streams without rows of numbers, such as pictures, are left out with
 * a message. */

/* Adds the paths that are read for a recording: files, and folders of message definitions. Free them with g_free. */
void bag_streams_add_inputs (GPtrArray * inputs, const Recording * recording);

/* Replaces each bag in recordings with its streams, surveyed, and writes to `talk` which streams are left out. FALSE and an error: a bag
 * cannot be read, or has no rows. */
gboolean bag_streams_survey (GPtrArray * recordings, FILE * talk, GError ** error);

/* If recording i is the first stream of its bag, adds the elements that read the bag, and links all its streams to the pads sink_N of
 * fuse. Running time 0 is origin. */
gboolean bag_streams_add (GPtrArray * recordings, guint i, GstElement * pipeline, GstElement * fuse, gint64 origin, GError ** error);

/* ---- live topics of ROS 2 ---- */

/* Watches topics, prints a table of them to `talk`, and adds those that are rows of numbers to recordings, which is empty. arguments:
 * "TOPIC,key=value,…", NULL: all topics. FALSE and an error: an option is wrong, or there is no such topic. */
gboolean live_topics_survey (GPtrArray * recordings, const RosOptions * ros, gchar ** arguments, const RecordingsOptions * options, FILE * talk,
    GError ** error);

typedef struct _LiveTopics LiveTopics;

/* Adds the element that reads topics, as pads sink_N of fuse. recordings must outlive the result. NULL and an error. Free the result when the
 * pipeline is in state NULL. */
LiveTopics *live_topics_add (GPtrArray * recordings, const RosOptions * ros, GstElement * pipeline, GstElement * fuse, GError ** error);
void live_topics_free (LiveTopics * live);
/* Plays the pipeline. */
void live_topics_play (LiveTopics * live, GstElement * pipeline);
/* The system clock at running time 0, once a row has been read (ns). */
gint64 live_topics_origin (const LiveTopics * live);
/* Ends all streams. */
void live_topics_end (LiveTopics * live);
