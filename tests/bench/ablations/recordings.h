/* robocache: recordings that the ablations of alignments share: times, the rows that are expected, copies on the device
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_RECORDINGS_H
#define BENCH_RECORDINGS_H

#include <cuda.h>

#include "ablations.h"
#include "episodes.h"
#include "kernels/bracket.h"
#include "kernels/dtype.h"

typedef struct
{
  const char *name;
  int32_t batch, n_rows, n_ticks, channels;
} RecordingShape;

#define RECORDING_EPISODES 4    /* that differ; the others repeat them, since to make and to check them would take long */

/* On the host. Rows have jitter of a third of their period; ticks lie between the first row and the last. */
typedef struct
{
  RecordingShape shape;
  int64_t *times, *tick_times;
  RcBracket *brackets;          /* [batch, n_ticks] */
  int64_t rows_needed;          /* that some tick reads */
} Recording;

void recording_make (Recording * recording, const RecordingShape * shape);
void recording_free (Recording * recording);

int64_t recording_elements_in (const Recording * recording);
int64_t recording_elements_out (const Recording * recording);
/* Episodes that differ. */
int64_t recording_distinct (const Recording * recording);
/* Memory of all episodes, n bytes, of which those that differ are there. */
void recording_repeat (const Recording * recording, void *memory, int64_t bytes);
/* Times, the rows that some tick needs, ticks and output rows, each once. */
BenchBytes recording_must_move (const Recording * recording, int in_size, int out_size);

/* Uniform in [-1, 1): [batch, n_rows, channels]; the caller frees it. */
float *recording_random_rows (const Recording * recording);

/* What the CPU backend makes of rows of a dtype, linear: [batch, n_ticks, channels]; the caller frees it. */
void *recording_expected (const Recording * recording, RcBackend * cpu, RcDtype dtype, const void *rows);

/* Copies on the device, as many as rotate past the L2, and what is launched for each. */
typedef struct
{
  RcBackend *backend;
  EpisodesArgs args[BENCH_MAX_COPIES];
  CUtensorMap *maps;            /* of the rows of each, for kernels that take one; NULL: none */
  int n;
  int64_t out_bytes;            /* of each */
  BenchBytes must_move;
  AblationLaunch launch;
} RecordingCopies;

RecordingCopies *recording_copy (const Recording * recording, const Bench * bench, const void *rows, int in_size, int out_size);
/* Gives all copies these scales. */
void recording_copies_scale (RecordingCopies * copies, const float *scales, int n);
void recording_copies_free (RecordingCopies * copies);

/* What the launch takes. The output of the first copy is none before. */
BenchTimes recording_times (const RecordingCopies * copies, const Bench * bench);
/* The output of the first copy, on the host; the caller frees it. */
void *recording_output (const RecordingCopies * copies);
/* Whether it has the bits that are expected. */
int recording_is (const RecordingCopies * copies, const Bench * bench, const void *expected);

#endif
