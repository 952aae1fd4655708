/* robocache: rows stored in few bits: how fast, and how wrong
 *
 * Errors are against float64 interpolation of the rows as they were before they were stored.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "storage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codecs.h"
#include "kernels/arithmetic.h"
#include "recordings.h"

#define TAU 6.283185307179586

typedef struct
{
  RecordingShape shape;
  const char *unit;
  int is_quaternion;            /* channels in fours, and errors are angles */
  double (*signal) (int32_t channel, double second);
} Workload;

/* ---- signals ---- */

/* radians, up to 3 */
static double
joint_angle (int32_t channel, double second)
{
  return 2 * sin (TAU * (0.2 + 0.03 * channel) * second + channel) + sin (TAU * 0.71 * second + 2 * channel);
}

/* N, up to 20, and impacts of 600 N that a few rows see */
static double
force (int32_t channel, double second)
{
  const double since = fmod (second + 0.05 * channel, 0.4);

  return 20 * sin (TAU * (1 + 0.1 * channel) * second) + (since < 0.005 ? 600 * (1 - since / 0.005) : 0);
}

/* grey levels, 0 to 255, whole ones: the column of a picture that moves */
static double
pixel (int32_t channel, double second)
{
  return rint (127.5 + 90 * sin (0.11 * channel + 9 * second) + 37.5 * sin (0.0173 * channel - 5 * second));
}

/* unit quaternions, x y z w: a turn about an axis that turns */
static double
attitude (int32_t channel, double second)
{
  const int32_t body = channel / 4;
  const double half = TAU / 2 * (0.4 + 0.2 * body) * second, tilt = 0.3 * second + body;
  const double q[4] = { sin (half) * cos (tilt), sin (half) * sin (tilt) * 0.6, sin (half) * sin (tilt) * 0.8, cos (half) };

  return q[channel % 4];
}

static const Workload workloads[] = {
  {{"joint angles, 128x1000 -> 500x64", 128, 1000, 500, 64}, "rad", 0, joint_angle},
  {{"forces with impacts, 128x1000 -> 500x64", 128, 1000, 500, 64}, "N", 0, force},
  {{"images of 84x84x3, 32x16 -> 8", 32, 16, 8, 84 * 84 * 3}, "levels", 0, pixel},
  {{"quaternions, 128x1000 -> 500x64", 128, 1000, 500, 64}, "degrees", 1, attitude},
};

/* ---- rows ---- */

typedef struct
{
  const Workload *workload;
  Recording recording;
  double *rows;                 /* as they were; of the episodes that differ, as is all that follows */
  float *scales;                /* [2, channels] of int8 */
  double *truth;                /* [n_ticks, channels] of each episode */
} Signals;

static int64_t
elements_in (const Signals *signals)
{
  const Recording *recording = &signals->recording;

  return recording_elements_in (recording) / recording->shape.batch * recording_distinct (recording);
}

static int64_t
elements_out (const Signals *signals)
{
  const Recording *recording = &signals->recording;

  return recording_elements_out (recording) / recording->shape.batch * recording_distinct (recording);
}

static int64_t
tick_row (const Recording *recording, int64_t tick, int64_t row)
{
  return (tick / recording->shape.n_ticks * recording->shape.n_rows + row) * recording->shape.channels;
}

static void
make_rows (Signals *signals)
{
  const RecordingShape *shape = &signals->recording.shape;
  int64_t i;

  signals->rows = malloc ((size_t) elements_in (signals) * sizeof (double));
  for (i = 0; i < elements_in (signals); i++)
    signals->rows[i] = signals->workload->signal ((int32_t) (i % shape->channels),
        (double) signals->recording.times[i / shape->channels] / 1e9 + (double) (i / shape->channels / shape->n_rows));
}

/* The greatest magnitude of a channel becomes 127. */
static void
make_scales (Signals *signals)
{
  const int32_t channels = signals->recording.shape.channels;
  int64_t i;

  signals->scales = calloc (2 * (size_t) channels, sizeof (float));
  for (i = 0; i < elements_in (signals); i++) {
    float *most = &signals->scales[i % channels];

    *most = fmaxf (*most, (float) fabs (signals->rows[i]) / 127);
  }
  for (i = 0; i < channels; i++)
    signals->scales[channels + i] = 1 / signals->scales[i];
}

static void
make_truth (Signals *signals)
{
  const Recording *recording = &signals->recording;
  const int32_t channels = recording->shape.channels;
  const int64_t n = elements_out (signals) / channels;
  int64_t k;
  int32_t c;

  signals->truth = malloc ((size_t) (n * channels) * sizeof (double));
  for (k = 0; k < n; k++) {
    const RcBracket *b = &recording->brackets[k];
    const double *y0 = signals->rows + tick_row (recording, k, b->row);
    const double *y1 = signals->rows + tick_row (recording, k, b->next);
    double *y = signals->truth + k * channels;

    for (c = 0; c < channels; c++)
      y[c] = y0[c] + b->w * (y1[c] - y0[c]);
    for (c = 0; signals->workload->is_quaternion && c < channels; c += 4)
      rc_slerp (y0 + c, y1 + c, b->w, y + c);
  }
}

static void
make_signals (Signals *signals, const Workload *workload)
{
  signals->workload = workload;
  recording_make (&signals->recording, &workload->shape);
  make_rows (signals);
  make_scales (signals);
  make_truth (signals);
}

static void
free_signals (Signals *signals)
{
  recording_free (&signals->recording);
  free (signals->rows);
  free (signals->scales);
  free (signals->truth);
}

static void *
store (const Signals *signals, StorageKind kind)
{
  const int64_t bytes = recording_elements_in (&signals->recording) * codecs[kind].size;
  const int32_t channels = signals->recording.shape.channels;
  void *rows = malloc ((size_t) bytes);
  int64_t i;

  for (i = 0; i < elements_in (signals); i++)
    codec_write (kind, rows, i, (float) signals->rows[i], signals->scales[channels + i % channels]);
  recording_repeat (&signals->recording, rows, bytes);
  return rows;
}

/* ---- what a kernel should make ---- */

/* One tick, in the order of its arithmetic. */
static void
blend_tick (const Signals *signals, StorageKind kind, const void *rows, int64_t tick, StorageKind as, void *out)
{
  const Recording *recording = &signals->recording;
  const RcBracket *b = &recording->brackets[tick];
  const int32_t channels = recording->shape.channels;
  const int64_t row = tick_row (recording, tick, b->row), next = tick_row (recording, tick, b->next);
  const float w = (float) b->w;
  int32_t c, i;

  for (c = 0; c < channels; c += 4) {
    double q0[4], q1[4], q[4];

    for (i = 0; i < 4; i++) {
      const float y0 = codec_read (kind, rows, row + c + i, signals->scales[c + i]);
      const float y1 = codec_read (kind, rows, next + c + i, signals->scales[c + i]);

      q0[i] = y0;
      q1[i] = y1;
      q[i] = y0 + w * (y1 - y0);
    }
    if (signals->workload->is_quaternion)
      rc_slerp (q0, q1, w, q);
    for (i = 0; i < 4; i++)
      codec_write (as, out, tick * channels + c + i, (float) q[i], signals->scales[channels + c + i]);
  }
}

static void *
expect (const Signals *signals, StorageKind kind, const void *rows, StorageKind as)
{
  const int64_t bytes = recording_elements_out (&signals->recording) * codecs[as].size;
  void *out = malloc ((size_t) bytes);
  int64_t k;

  for (k = 0; k < elements_out (signals) / signals->recording.shape.channels; k++)
    blend_tick (signals, kind, rows, k, as, out);
  recording_repeat (&signals->recording, out, bytes);
  return out;
}

/* ---- errors ---- */

typedef struct
{
  double sum_of_squares, most;
  int64_t n;
} Errors;

static void
add_error (Errors *errors, double error)
{
  errors->sum_of_squares += error * error;
  errors->most = fmax (errors->most, error);
  errors->n++;
}

/* Degrees between two quaternions, of which the second has norm 1; stable for small ones. */
static double
angle_between (const double q[4], const double unit[4])
{
  const double norm = sqrt (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  double away = 0, towards = 0;
  int i;

  for (i = 0; i < 4; i++) {
    away += (q[i] / norm - unit[i]) * (q[i] / norm - unit[i]);
    towards += (q[i] / norm + unit[i]) * (q[i] / norm + unit[i]);
  }
  return 4 * asin (sqrt (fmin (away, towards)) / 2) * 360 / TAU;
}

static Errors
find_errors (const Signals *signals, StorageKind as, const void *out)
{
  const int32_t channels = signals->recording.shape.channels, each = signals->workload->is_quaternion ? 4 : 1;
  Errors errors = { 0, 0, 0 };
  int64_t i;

  for (i = 0; i < elements_out (signals); i += each) {
    double y[4];
    int k;

    for (k = 0; k < each; k++)
      y[k] = codec_read (as, out, i + k, signals->scales[(i + k) % channels]);
    add_error (&errors, each == 4 ? angle_between (y, signals->truth + i) : fabs (y[0] - signals->truth[i]));
  }
  return errors;
}

/* ---- runs ---- */

static void
measure (Ablations *all, const Signals *signals, StorageKind kind, int as_stored, Table *table)
{
  const StorageKind as = as_stored ? kind : STORAGE_FLOAT32;
  const int32_t channels = signals->recording.shape.channels;
  void *rows = store (signals, kind), *expected = expect (signals, kind, rows, as), *out;
  RecordingCopies *copies = recording_copy (&signals->recording, &all->bench, rows, codecs[kind].size, codecs[as].size);
  BenchTimes times;
  Errors errors;

  recording_copies_scale (copies, signals->scales, 2 * channels);
  copies->launch = (AblationLaunch) { storage_kernels[signals->workload->is_quaternion][as_stored][kind],
    copies->args[0].items * STORAGE_SLICES (channels), STORAGE_THREADS, 0, 0
  };
  times = recording_times (copies, &all->bench);
  out = recording_output (copies);
  errors = find_errors (signals, as, out);
  table_text (table, signals->workload->shape.name);
  table_text (table, codecs[kind].name);
  table_text (table, codecs[as].name);
  ablation_put_times (table, &all->bench, &copies->must_move, &times);
  table_small (table, sqrt (errors.sum_of_squares / (double) errors.n));
  table_small (table, errors.most);
  table_text (table, signals->workload->unit);
  table_text (table, ablation_checked (all, memcmp (out, expected, (size_t) copies->out_bytes) == 0));
  recording_copies_free (copies);
  free (rows);
  free (expected);
  free (out);
}

void
ablate_storage (Ablations *all)
{
  Table table;
  size_t i;
  int kind;

  table_begin (&table, all->folder, "storage", "work,stored_as,out_as," ABLATION_TIMES ",error_rms,error_max,"
      "unit,checked");
  for (i = 0; i < sizeof (workloads) / sizeof (workloads[0]); i++) {
    Signals signals;

    make_signals (&signals, &workloads[i]);
    for (kind = 0; kind < STORAGE_KINDS; kind++) {
      measure (all, &signals, kind, 0, &table);
      if (kind != STORAGE_FLOAT32)
        measure (all, &signals, kind, 1, &table);
    }
    free_signals (&signals);
  }
  table_end (&table);
}
