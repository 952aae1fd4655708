/* robocache: robocachemcapdemux on a recording, and what came out as text; with TEST_BAGSRC robocachebagsrc
 *
 * For each pad, in their order, "src_0 TOPIC: WORDS;", and before them messages of the bus, as "warning WORDS" and "error WORDS". Words:
 *
 *   T=V,V   a buffer at T ms, tensors as values, others as #BYTES, or their hexadecimal digits; ! with DISCONT
 *   caps[FIELD...]   other caps than before: media type, and the fields that tests look at
 *   seg:START-STOP   gap:T,D   segment-done   eos   flush
 *
 * Flat text has the rows of a block as if each were a buffer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/time/rowtimes.h"
#include "tests/check/lib/messagetext.h"

/* The pipeline of a recording, whose element is named d. `between` follows filesrc. */
GstElement *launch_recording_with (gboolean by_bagsrc, const gchar *path, const gchar *between, const gchar *properties);

#ifdef TEST_BAGSRC
#define launch_recording(path, between, properties) launch_recording_with (TRUE, path, between, properties)
#else
#define launch_recording(path, between, properties) launch_recording_with (FALSE, path, between, properties)
#endif

typedef struct
{
  GMutex lock;
  GCond changed;
  GPtrArray *texts;             /* of GString */
  GPtrArray *caps;
  GPtrArray *caps_texts;        /* the last of each pad */
  guint n_buffers;
  gboolean is_flat;
  gboolean no_more_pads;
  gboolean has_events;          /* segments, gaps, flushes are noted */
  gboolean has_bytes;           /* others are hexadecimal digits */
} DemuxOutput;

void demux_output_init (DemuxOutput *output, GstElement *demux, gboolean has_events);

void demux_output_clear (DemuxOutput *output);

void append_message (GString *text, GstMessage *message);

/* Messages of the bus up to EOS, SEGMENT_DONE or an error. */
void wait_for_end (GstElement *pipeline, GString *text);

void append_pads (GString *text, DemuxOutput *output);
