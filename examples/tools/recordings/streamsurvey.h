/* robocache: a survey of the streams of an element that has a pad for each, such as a bag of ROS 2 or live topics
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "bagclocks.h"
#include "common/tensors/tensorcaps.h"
#include "common/time/clocks/clocksurvey.h"

typedef struct
{
  Recording *recording;         /* its rows, times, caps and channels; a buffer that is not a row counts as one */
  gchar *fault;                 /* why robocachefuse cannot align it with other streams of rows; NULL: it can */
  guint64 n_bytes;              /* of all buffers */

  /* while the element plays */
  RobocacheTensorsInfo info;
  guint8 *is_rounded;           /* by channel */
  const BagClocks *clocks;      /* NULL: none were found */
  RobocacheClockSurvey *arrivals;       /* NULL: clocks are not found */
} SurveyedStream;

typedef struct
{
  GPtrArray *streams;           /* SurveyedStream, in the order of their pads */
  GPtrArray *notes, *warnings;  /* texts, printable: messages of the element; topics that cannot be read are notes */
  GstStructure *stats;          /* of the element, at the end */
  Recording *bag;
  BagClocks *clocks;            /* NULL: none were found */
  RobocacheClockSurvey *arrivals;       /* while the element plays; NULL: clocks are not found */
} StreamSurvey;

/* Takes an element without pads of its own or with one, plays it to its end, or for `duration` ns from now (GST_CLOCK_TIME_NONE: to its end),
 * and notes what its pads send. Running time must be the recordings' clock. bag: path, options and clocks of the streams; must outlive the
 * survey. finds_clocks: finds the clocks of the streams by their arrivals, and sets those of bag. FALSE and an error: the element failed. Free with stream_survey_clear in both cases. */
gboolean stream_survey_run (StreamSurvey * survey, Recording * bag, GstElement * source, gboolean finds_clocks, GstClockTime duration,
    GError ** error);
void stream_survey_clear (StreamSurvey * survey);

/* The part of a pad's stream id after the id of the run, like "/imu@base_link", or "". Free with g_free. */
gchar *stream_survey_stream_of_pad (GstPad * pad);
