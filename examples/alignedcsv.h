/* robocache: aligned samples of recordings as lines of CSV
 *
 * The first column is the tick, and its name says what it counts from: tick_ns_since_N, N in ns on the recordings' clock. The
 * channels of all recordings follow, then, where asked for, two columns a recording: LABEL.status, 0 aligned, 1 held, 2 missing,
 * and LABEL.age_ns, the time from its row at or before the tick to the tick.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_ALIGNEDCSV_H
#define ROBOCACHE_EXAMPLES_ALIGNEDCSV_H

#include <gst/gst.h>
#include <stdio.h>

G_BEGIN_DECLS

typedef struct
{
  FILE *file;
  const GPtrArray *recordings;  /* Recording, surveyed: the streams of the samples in their order */
  gint64 origin;                /* ns on the recordings' clock: tick 0 */
  gboolean has_status;
} AlignedCsv;

/* Sets is_aligned if a sample has an aligned row, and writes nothing. FALSE and an error as below. */
gboolean aligned_csv_note_status (const AlignedCsv * csv, GstSample * sample, gboolean * is_aligned, GError ** error);

void aligned_csv_write_names (const AlignedCsv * csv);
/* A sample of one float32 tensor of all channels. Sets is_aligned if it has an aligned row. FALSE and an error when the sample is
 * another; errors of the file are the file's. */
gboolean aligned_csv_write_sample (const AlignedCsv * csv, GstSample * sample, gboolean * is_aligned, GError ** error);

G_END_DECLS
#endif
