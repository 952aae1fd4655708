/* robocache: the custom meta of a sample of robocachefuse
 *
 * RobocacheSampleMeta has the fields "tick" (int64, running time in ns), "streams" (string, names of the pads in the order of
 * the rows of info), "info" (GBytes): int64 [window][streams][4] of tick, time of the row at or before it, time of the row
 * after it, and status: RcRowStatus, plus 4 if a frame of the row is corrupted. Times are running times; G_MININT64: no such row. If a
 * frame has reference timestamps, "references" is a GstValueArray of structures with
 * "stream" (string), "reference" (caps), "timestamp" and "duration" (uint64).
 *
 * Live, it also has the data of the decision: "decided" (int64, running time at which the tick was decided), "taken" (GBytes: int64
 * [streams][3], rows, GAPs and events that the stream had received), "journal" (GBytes: int64 [entries][4] of kind, pad, n and
 * time: see journal.h; all entries since the last sample), "journal-start" (int64, number of earlier entries) and "journal-pads" (string,
 * names of the pads by number).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* Adds the meta to a buffer of any pool. info: info_bytes, copied. */
void fuse_sample_init (GstBuffer * sample, const gchar * streams, gint64 tick, gconstpointer info, gsize info_bytes);
/* Like fuse_sample_init, for a buffer that already has the meta; its memory is reused. */
void fuse_sample_update (GstBuffer * sample, gint64 tick, gconstpointer info);
/* The info of the meta; returns a reference. */
GBytes *fuse_sample_info (GstBuffer * sample);
/* The data of the decision: GArrays of int64, or of structures of int64. */
typedef struct
{
  gint64 decided;
  GArray *taken, *journal;
  guint64 journal_start;
  const gchar *journal_pads;
} FuseSampleDecision;

/* decision NULL: removes the data of a decision from the meta. */
void fuse_sample_set_decision (GstBuffer * sample, const FuseSampleDecision * decision);
/* Copies the reference timestamps of a frame of a stream to the meta. */
void fuse_sample_add_references (GstBuffer * sample, const gchar * stream, GstBuffer * frame);
