/* robocache: interpolation as a product with a banded matrix, against two loads and a fused blend
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "banded.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/arithmetic.h"
#include "recordings.h"
#include "storage.h"

static const RecordingShape shape = { "64x4096 -> 2048x64, bfloat16", 64, 4096, 2048, BANDED_CHANNELS };

typedef struct
{
  const char *name;
  const void *const *kernel;
  int threads;
  int ticks;                    /* that share the rows of a product; 0: no product */
  int products;                 /* of these rows */
  double most_error;            /* of rows below 1; 0: the bits of the CPU backend */
} Variant;

/* The output is rounded to 8 bits, so by 2^-9; weights in 8 bits are wrong by 2^-9 each, in twice 8 by far less. */
static const Variant variants[] = {
  {"two rows a tick, float32 weights", &storage_kernels[0][1][STORAGE_BFLOAT16], STORAGE_THREADS, 0, 0, 0},
  {"mma.sync, bfloat16 weights", &banded_mma[0], BANDED_THREADS, BANDED_MMA_TICKS, 1, 3 * 0x1p-9},
  {"mma.sync, weights in two parts", &banded_mma[1], BANDED_THREADS, BANDED_MMA_TICKS, 2, 1.02 * 0x1p-9},
  {"wgmma, bfloat16 weights", &banded_wgmma[0], BANDED_THREADS, BANDED_WGMMA_TICKS, 1, 3 * 0x1p-9},
  {"wgmma, weights in two parts", &banded_wgmma[1], BANDED_THREADS, BANDED_WGMMA_TICKS, 2, 1.02 * 0x1p-9},
};

/* ---- what a variant multiplies ---- */

/* Rows that the products of all ticks have, on average; those of no tick are multiplied with zeros. */
static double
rows_multiplied (const Recording *recording, const Variant *variant)
{
  const int64_t ticks = (int64_t) shape.batch * shape.n_ticks;
  double sum = 0;
  int64_t k;

  if (variant->ticks == 0)
    return 2;
  for (k = 0; k < ticks; k += variant->ticks) {
    const int64_t item = k / EPISODES_ITEM_TICKS * EPISODES_ITEM_TICKS;
    const int64_t origin = recording->brackets[item].row, first = recording->brackets[k].row - origin;
    const int64_t last = recording->brackets[k + variant->ticks - 1].next - origin;

    sum += (double) ((last / BANDED_STEP - first / BANDED_STEP + 1) * BANDED_STEP * variant->ticks);
  }
  return variant->products * sum / (double) ticks;
}

/* ---- what it made ---- */

typedef struct
{
  double most, same;            /* error; share of elements with the bits of the CPU backend */
} Accuracy;

static double
value (uint16_t bits)
{
  return rc_float32_from_bfloat16 (bits);
}

static Accuracy
compare (const Recording *recording, const uint16_t *rows, const uint16_t *expected, const uint16_t *out)
{
  const int64_t n = recording_elements_out (recording);
  Accuracy accuracy = { 0, 0 };
  int64_t i;

  for (i = 0; i < n; i++) {
    const int64_t tick = i / shape.channels, c = i % shape.channels, episode = tick / shape.n_ticks;
    const RcBracket *b = &recording->brackets[tick];
    const double y0 = value (rows[(episode * shape.n_rows + b->row) * shape.channels + c]);
    const double y1 = value (rows[(episode * shape.n_rows + b->next) * shape.channels + c]);

    /* a NaN is an error, too */
    if (!(fabs (value (out[i]) - (y0 + b->w * (y1 - y0))) <= accuracy.most))
      accuracy.most = fabs (value (out[i]) - (y0 + b->w * (y1 - y0)));
    accuracy.same += out[i] == expected[i];
  }
  accuracy.same /= (double) n;
  return accuracy;
}

/* ---- runs ---- */

static void
measure (Ablations *all, const Recording *recording, const Variant *variant, RecordingCopies *copies, const uint16_t *rows,
    const uint16_t *expected, Table *table)
{
  const double multiplied = rows_multiplied (recording, variant);
  BenchTimes times;
  uint16_t *out;
  Accuracy accuracy;

  copies->launch = (AblationLaunch) { *variant->kernel, copies->args[0].items, variant->threads, 0, 0 };
  times = recording_times (copies, &all->bench);
  out = recording_output (copies);
  accuracy = compare (recording, rows, expected, out);
  table_text (table, shape.name);
  table_text (table, variant->name);
  ablation_put_times (table, &all->bench, &copies->must_move, &times);
  table_number (table, multiplied, 1);
  table_number (table, 2 * multiplied * (double) recording_elements_out (recording) / times.cold.median / 1e6, 1);
  table_small (table, accuracy.most);
  table_number (table, 100 * accuracy.same, 2);
  table_text (table, ablation_checked (all, variant->most_error > 0 ? accuracy.most <= variant->most_error
          : accuracy.same == 1));
  free (out);
}

static uint16_t *
make_rows (const Recording *recording)
{
  const int64_t n = recording_elements_in (recording);
  float *values = recording_random_rows (recording);
  uint16_t *rows = malloc ((size_t) n * sizeof (*rows));
  int64_t i;

  for (i = 0; i < n; i++)
    rows[i] = rc_bfloat16_from_float32 (values[i]);
  free (values);
  return rows;
}

void
ablate_banded (Ablations *all)
{
  RecordingCopies *copies;
  Recording recording;
  uint16_t *rows, *expected;
  Table table;
  size_t k;

  recording_make (&recording, &shape);
  rows = make_rows (&recording);
  expected = recording_expected (&recording, all->bench.cpu, RC_BFLOAT16, rows);
  copies = recording_copy (&recording, &all->bench, rows, 2, 2);
  table_begin (&table, all->folder, "banded", "work,variant," ABLATION_TIMES ",products_an_element,tflops,"
      "error_max,same_bits_percent,checked");
  for (k = 0; k < sizeof (variants) / sizeof (variants[0]); k++)
    measure (all, &recording, &variants[k], copies, rows, expected, &table);
  table_end (&table);
  recording_copies_free (copies);
  recording_free (&recording);
  free (rows);
  free (expected);
}
