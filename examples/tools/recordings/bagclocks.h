/* robocache: the element that reads a bag of ROS 2, and the clocks of its topics
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <stdio.h>

#include "recording.h"

/* Makes a robocachebagsrc with the options and clocks of a bag. NULL and an error. */
GstElement *bag_source_new (const Recording * bag, GError ** error);
/* The error of a message from that element, with the path. */
void bag_source_take_error (const Recording * bag, GstMessage * message, GError ** error);

/* Finds the clocks of all bags in recordings, by their option time-source, and prints them to `talk`, unless that is NULL. Bags whose timelines differ get the
 * recorder's clock. FALSE and an error: a bag cannot be read, or the option has another value. */
gboolean bag_clocks_find (const GPtrArray * recordings, FILE * talk, GError ** error);

/* Sentences about the clocks of a bag, or of a stream of it, printable; NULL: its times are log times. Free with g_strfreev. */
gchar **bag_clocks_lines (const Recording * recording);

typedef struct _BagClocks BagClocks;

/* The clocks of a bag; NULL: its times are log times. */
BagClocks *bag_clocks_new (const Recording * bag);
void bag_clocks_free (BagClocks * clocks);

/* The clock that stamps a topic. */
typedef struct
{
  guint number;                 /* from 1 */
  gboolean is_timeline;         /* all times are on this clock */
  gboolean is_recorder;
  gint64 shift, uncertainty;    /* ns: added to its first stamp to put it on the timeline */
  gdouble drift;                /* ppm: of the shift */
} BagClock;

/* FALSE: the topic's times are log times. clocks may be NULL. */
gboolean bag_clocks_get (const BagClocks * clocks, const gchar * topic, BagClock * clock);

/* A log time on the timeline; clocks may be NULL. */
gint64 bag_clocks_arrival (const BagClocks * clocks, gint64 log_ns);
/* Number of a topic's clock; 0 where all are on one timeline. clocks may be NULL. */
guint bag_clocks_number (const BagClocks * clocks, const gchar * topic);
