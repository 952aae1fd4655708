/* robocache: the custom meta of a sample of robocachefuse
 *
 * RobocacheSampleMeta has the fields "tick" (int64, running time in ns), "streams" (string, names of the pads in the order of
 * the rows of info), "info" (GBytes): int64 [window][streams][4] of tick, time of the row at or before it, time of the row
 * after it, and status: RcRowStatus, and 4 where a frame that the row is made of is corrupted; running times, G_MININT64
 * where there is none. Where a frame carries reference timestamps, "references" is a GstValueArray of structures with
 * "stream" (string), "reference" (caps), "timestamp" and "duration" (uint64).
 *
 * Live, it also has what decided: "decided" (int64, running time at which the tick was decided), "taken" (GBytes: int64
 * [streams][3], rows, GAPs and events that the stream had taken in), "journal" (GBytes: int64 [entries][4] of kind, pad, n and
 * time: see journal.h; all since the last sample), "journal-start" (int64, entries before these) and "journal-pads" (string,
 * names of the pads by number).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_SAMPLEMETA_H
#define GST_ROBOCACHE_SAMPLEMETA_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Adds the meta to a buffer of any pool. info: info_bytes, copied. */
void fuse_sample_init (GstBuffer * sample, const gchar * streams, gint64 tick, gconstpointer info, gsize info_bytes);
/* The same for a buffer that has the meta, whose memory is used again. */
void fuse_sample_update (GstBuffer * sample, gint64 tick, gconstpointer info);
/* The info that the meta holds; a reference. */
GBytes *fuse_sample_info (GstBuffer * sample);
/* What decided: GArrays of int64, whose elements may be structures of them. */
typedef struct
{
  gint64 decided;
  GArray *taken, *journal;
  guint64 journal_start;
  const gchar *journal_pads;
} FuseSampleDecision;

/* NULL: none, and none stays of a sample whose memory is used again. */
void fuse_sample_set_decision (GstBuffer * sample, const FuseSampleDecision * decision);
/* Copies the reference timestamps of a frame of a stream to the meta. */
void fuse_sample_add_references (GstBuffer * sample, const gchar * stream, GstBuffer * frame);

G_END_DECLS
#endif
