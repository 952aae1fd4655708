/* robocache: a pipeline of robocacherossrc, and a peer that publishes what it reads
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "ddspeer.h"
#include "tests/check/lib/recordings/demuxrun.h"

#define WRENCH "geometry_msgs/WrenchStamped"
#define WRENCH_CAPS " caps[other/tensors float64 6 fx,fy,fz,tx,ty,tz]"

typedef struct
{
  GstElement *pipeline, *source;
  DemuxOutput output;
  Peer *peer;
  gint64 origin_ns;             /* a second that has begun */
} Live;

/* Each test has a domain of its own. wait is without end, and time-origin is that second. */
void live_begin (Live *live, guint domain, const gchar *properties);
void live_play (Live *live);
void live_end (Live *live);

guint live_buffers (Live *live);
void wait_for_buffers (Live *live, guint n);
/* Until a field of stats is n or more. */
void wait_for_count (const Live *live, const gchar *field, guint64 n);
guint64 live_count (const Live *live, const gchar *field);

/* A new writer with the settings "reliable volatile 10 -", which has a reader then. */
void open_wrench (Live *live, const gchar *topic, guint writer, const gchar *settings);
/* A wrench of this force, captured so many ms after the origin, or at a time. */
void send_wrench (Live *live, guint writer, guint ms, guint force);
void send_wrench_at (Live *live, guint writer, gint64 time_ns, guint force);

/* Compares the texts of the pads: append_pads. */
void expect_pads (Live *live, const gchar *expected);
/* The text of the next warning or error begins so. */
void expect_complaint (const Live *live, const gchar *expected);
