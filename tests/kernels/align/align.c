/* robocache: alignments have the same bits on every backend, and those of the oracle
 *
 *   align [--gpu] [--seed N] [--few] [--separate] [--only SECTION]      see tests/kernels/suite.h
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma GCC diagnostic ignored "-Woverride-init"        /* a wish overrides fields that are left to chance */
#include "case.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

/* Everything left to chance but some fields. */
#define WISH(...) {.in = ANY_DTYPE, .out = ANY_DTYPE, .interpolation = ANY_INTERPOLATION, .n_streams = 1, .batch = RANDOM_SIZE, \
    .rows = RANDOM_SIZE, .ticks = RANDOM_SIZE, .channels = RANDOM_SIZE, __VA_ARGS__}

#define ARENA_BYTES ((size_t) 512 << 20)
#define THREAD_ARENA_BYTES ((size_t) 16 << 20)
#define N_THREADS 4

static const char *const interpolations[] = { "linear", "nearest", "previous", "cubic", "hermite", "mean", "lowpass" };

static void
check_case (Suite *suite, const AlignWish *wish, Test *test)
{
  static AlignCase c;

  align_case_make (&c, wish, suite_next_seed (suite), suite->arena);
  align_case_check (&c, suite->arena, &suite->reference, suite->places, suite->n_places, test);
  suite_print_sum (suite);
}

/* n cases of a wish, as one test. */
static void
check_cases (Suite *suite, const AlignWish *wish, int n, Test test)
{
  for (int i = 0; i < suite_fewer (suite, n) && test_holds (&test); i++)
    check_case (suite, wish, &test);
  suite_end (suite, &test);
}

/* Every dtype to every dtype, with every interpolation. */
static void
check_dtypes (Suite *suite)
{
  for (int in = 0; in < RC_N_DTYPES; in++) {
    for (int i = 0; i < (int) COUNT (interpolations); i++) {
      AlignWish wish = WISH (.plain = 0);
      Test test = { "", "" };
      const uint64_t first = suite->seed + (uint64_t) suite->cases;

      for (int out = 0; out < RC_N_DTYPES; out++) {
        wish.in = (RcDtype) in;
        wish.out = (RcDtype) out;
        wish.interpolation = i;
        wish.tame = out % 2;
        for (int k = 0; k < (suite->few ? 1 : out == in ? 10 : 3) && test_holds (&test); k++)
          check_case (suite, &wish, &test);
      }
      snprintf (test.name, sizeof (test.name), "align_%s_%s_to_all (%d cases from seed %" PRIu64 ")",
          rc_dtype_name ((RcDtype) in), interpolations[i], (int) (suite->seed + (uint64_t) suite->cases - first), first);
      suite_end (suite, &test);
    }
  }
}

/* Quaternions, and positions with their rates, that kernels take several channels at a time; with
 * some numbers of channels there are fewer at the end of a row. */
static void
check_together (Suite *suite)
{
  static const RcDtype dtypes[][2] = { {RC_FLOAT32, RC_FLOAT32}, {RC_BFLOAT16, RC_BFLOAT16}, {RC_FLOAT16, RC_FLOAT16},
    {RC_FLOAT64, RC_FLOAT64}, {RC_FLOAT32, RC_BFLOAT16}, {RC_INT16, RC_FLOAT64}
  };
  static const int64_t channels[] = { 4, 8, 12, 16, 40, 64, 200 };
  static const RcInterpolation modes[] = { RC_LINEAR, RC_CUBIC, RC_HERMITE };

  for (size_t d = 0; d < COUNT (dtypes); d++) {
    for (size_t c = 0; c < COUNT (channels); c++) {
      for (size_t i = 0; i < 3; i++) {
        const AlignWish wish = { dtypes[d][0], dtypes[d][1], modes[i], 1, 3, 60, 80, channels[c], 1, 0, 1 };

        check_cases (suite, &wish, 3, test_begin ("align_together_%s_%s_%s_%" PRId64, rc_dtype_name (dtypes[d][0]),
            rc_dtype_name (dtypes[d][1]), interpolations[modes[i]], channels[c]));
      }
    }
  }
}

static void
check_shapes (Suite *suite)
{
  static const int64_t batches[] = { 1, 32, 256 }, rows[] = { 0, 1, 2, 33, 100, 4095, 4096, 4097, 9000 };
  static const int64_t ticks[] = { 0, 1, 7, 130 }, channels[] = { 1, 7, 32 };
  static const RcDtype dtypes[] = { RC_FLOAT32, RC_BFLOAT16, RC_FLOAT64, RC_UINT8, RC_FLOAT16 };
  size_t n = 0;

  for (size_t b = 0; b < 3; b++) {
    for (size_t r = 0; r < COUNT (rows); r++) {
      for (size_t t = 0; t < 4; t++) {
        for (size_t c = 0; c < 3; c++, n++) {
          const AlignWish wish = { dtypes[n % 5], dtypes[n % 5], ANY_INTERPOLATION, 1, batches[b], rows[r], ticks[t],
            channels[c], 0, n % 2
          };

          if ((batches[b] * rows[r] > 100000 && (c != 1 || t < 3)) || (suite->few && n % 9 != 0))
            continue;
          check_cases (suite, &wish, 1, test_begin ("align_shape_%" PRId64 "x%" PRId64 "_to_%" PRId64 "x%" PRId64, batches[b], rows[r],
              ticks[t], channels[c]));
        }
      }
    }
  }
}

/* Dense rows of many channels at aligned addresses: what moves 16 bytes at a time, and is cut by channels. */
static void
check_wide (Suite *suite)
{
  static const int64_t channels[] = { 8, 16, 64, 128, 256, 512, 1000, 1024, 5000, 300001 };
  static const RcDtype dtypes[] = { RC_FLOAT32, RC_BFLOAT16, RC_FLOAT16, RC_FLOAT64, RC_UINT8 };

  for (size_t c = 0; c < COUNT (channels); c++) {
    for (size_t d = 0; d < 5; d++) {
      for (int i = 0; i < 6; i++) {
        const int64_t many = channels[c] > 5000;
        const AlignWish wish = { dtypes[d], dtypes[d], i, 1, many ? 1 : 3, many ? 4 : 60, many ? 3 : 80, channels[c], 1,
          0
        };

        check_cases (suite, &wish, 1, test_begin ("align_wide_%s_%s_%" PRId64, rc_dtype_name (dtypes[d]), interpolations[i], channels[c]));
      }
    }
  }
}

static void
check_large (Suite *suite)
{
  static const AlignWish wishes[] = {
    {RC_FLOAT32, RC_FLOAT32, RC_LINEAR, 1, 1, 100000, 100000, 7, 1, 0},
    {RC_FLOAT32, RC_FLOAT32, RC_CUBIC, 1, 1, 100000, 5000, 7, 0, 0},
    {RC_FLOAT64, RC_FLOAT64, RC_LINEAR, 1, 2, 100000, 100000, 1, 1, 0},
    {RC_BFLOAT16, RC_BFLOAT16, RC_NEAREST, 1, 2, 30000, 20000, 64, 1, 0},
    {RC_FLOAT16, RC_FLOAT32, RC_MEAN, 1, 1, 100000, 2000, 14, 1, 0},
    {RC_FLOAT32, RC_BFLOAT16, RC_HERMITE, 1, 1, 20000, 30000, 21, 0, 0},
    {RC_INT8, RC_INT8, RC_PREVIOUS, 1, 17000, 4097, 3, 1, 0, 1},        /* more episodes than order flags */
    {RC_FLOAT32, RC_FLOAT32, RC_LINEAR, 1, 32, 500, 256, 256, 1, 0},
    {RC_FLOAT32, RC_FLOAT32, RC_LINEAR, 1, 256, 1000, 64, 64, 1, 0},
  };

  for (size_t i = 0; i < COUNT (wishes); i++) {
    const AlignWish *w = &wishes[i];

    if (suite->few && w->batch * w->rows * w->channels > 1000000)
      continue;
    check_cases (suite, w, 1, test_begin ("align_large_%" PRId64 "x%" PRId64 "x%" PRId64 "_%s_to_%" PRId64 "x%s_%s", w->batch, w->rows,
        w->channels, rc_dtype_name (w->in), w->ticks, rc_dtype_name (w->out), interpolations[w->interpolation]));
  }
}

/* Rows that are too many to be staged, in no order near the end: nothing beyond them is read, as a memory checker sees. */
static void
check_endings (Suite *suite)
{
  for (int64_t rows = 4097; rows < 9000; rows += 163) {
    AlignWish wish = WISH (.batch = 1, .rows = rows, .ticks = 3, .channels = 2, .ends_badly = 1);

    check_cases (suite, &wish, 20, test_begin ("align_bad_ending_of_%" PRId64 "_rows", rows));
  }
}

/* As kernel arguments, few and many, and as a table; of one dtype, which has its own kernels, and mixed. */
static void
check_streams (Suite *suite)
{
  static const int counts[] = { 2, 3, 4, 5, 12, 13, 31, 32, 33, 64, 100 };

  for (size_t i = 0; i < COUNT (counts); i++) {
    AlignWish wish = WISH (.n_streams = counts[i]);

    check_cases (suite, &wish, 20, test_begin ("align_%d_streams", counts[i]));
    wish.batch = 1;
    check_cases (suite, &wish, 10, test_begin ("align_%d_streams_brackets", counts[i]));
    wish = (AlignWish) WISH (.plain = 0);
    wish.n_streams = counts[i];
    wish.in = wish.out = RC_BFLOAT16;
    wish.interpolation = RC_LINEAR;
    check_cases (suite, &wish, 5, test_begin ("align_%d_streams_bfloat16", counts[i]));
    wish.rows = 4100;
    wish.channels = 12;
    wish.in = wish.out = ANY_DTYPE;
    check_cases (suite, &wish, 2, test_begin ("align_%d_streams_of_4100_rows", counts[i]));
  }
}

/* What sensors send of angles and quaternions, in and to all floats. */
static void
check_rotations (Suite *suite)
{
  for (int in = RC_FLOAT16; in <= RC_FLOAT64; in++) {
    for (int out = RC_FLOAT16; out <= RC_FLOAT64; out++) {
      for (int i = 0; i <= RC_MEAN; i++) {
        AlignWish wish = WISH (.interpolation = i, .tame = 1, .rotations = 1);

        if (suite->small && in != out && out != RC_FLOAT32)
          continue;
        wish.in = (RcDtype) in;
        wish.out = (RcDtype) out;
        check_cases (suite, &wish, i == RC_MEAN ? 420 : 120, test_begin ("align_rotations_%s_%s_%s", rc_dtype_name (wish.in),
            rc_dtype_name (wish.out), interpolations[i]));
      }
    }
  }
}

/* Filters of rows that mostly cover them: plain channels, and angles and quaternions as sensors send them. */
static void
check_lowpass (Suite *suite)
{
  for (int in = RC_FLOAT16; in <= RC_FLOAT64; in++) {
    for (int out = RC_FLOAT16; out <= RC_FLOAT64; out++) {
      for (int rotations = 0; rotations < 2; rotations++) {
        AlignWish wish = WISH (.interpolation = RC_LOWPASS, .tame = 1, .dense = 1, .rotations = rotations, .batch = 1);

        if (suite->small && in != out && out != RC_FLOAT32)
          continue;
        wish.in = (RcDtype) in;
        wish.out = (RcDtype) out;
        check_cases (suite, &wish, 480, test_begin ("align_lowpass_%s_%s_%s", rc_dtype_name (wish.in), rc_dtype_name (wish.out),
                rotations ? "rotations" : "plain"));
      }
    }
  }
}

/* Every width, so that every remainder of a vector occurs, and widths about the blocks of other dtypes. */
static void
check_widths (Suite *suite)
{
  static const int64_t blocks[] = { 255, 256, 257, 511, 1031 };

  for (int i = 0; i < (int) COUNT (interpolations); i++) {
    AlignWish wish = WISH (.interpolation = i, .tame = 1, .in = RC_FLOAT32, .out = RC_FLOAT32);
    Test test = test_begin ("align_widths_%s", interpolations[i]);

    for (wish.channels = 1; wish.channels <= 70 && test_holds (&test); wish.channels += suite->few ? 7 : 1)
      check_case (suite, &wish, &test);
    wish.in = wish.out = ANY_DTYPE;
    for (int64_t k = 0; k < 5 && test_holds (&test); k++) {
      wish.channels = blocks[k];
      check_case (suite, &wish, &test);
    }
    suite_end (suite, &test);
  }
}

/* ---- threads ---- */

/* With streams and an arena of its own, on the backends of the suite. */
typedef struct
{
  const Suite *suite;
  Place places[MAX_PLACES];
  int number;
  Test test;
} Worker;

static void
run_worker (Worker *worker, AlignCase *c, Arena *arena)
{
  const Suite *suite = worker->suite;
  AlignWish wish = WISH (.n_streams = 3);

  for (int i = 0; i < (suite->few ? 5 : 50) && test_holds (&worker->test); i++) {
    align_case_make (c, &wish, suite->seed + 1000000 + 1000 * (uint64_t) worker->number + (uint64_t) i, arena);
    align_case_check (c, arena, &suite->reference, worker->places, suite->n_places, &worker->test);
  }
}

static void *
work (void *data)
{
  Worker *worker = data;
  Arena *arena = arena_new (THREAD_ARENA_BYTES);
  AlignCase *c = malloc (sizeof (*c));
  RcError error;

  for (int p = 0; p < worker->suite->n_places; p++) {
    worker->places[p] = worker->suite->places[p];
    is_ok (rc_stream_new (worker->places[p].backend, &worker->places[p].stream, &error), &error, &worker->test);
  }
  if (test_holds (&worker->test))
    run_worker (worker, c, arena);
  arena_free (arena);
  for (int p = 0; p < worker->suite->n_places; p++)
    rc_stream_free (worker->places[p].backend, worker->places[p].stream);
  free (c);
  return NULL;
}

static void
check_threads (Suite *suite)
{
  static Worker workers[N_THREADS];
  pthread_t threads[N_THREADS];

  for (int i = 0; i < N_THREADS; i++) {
    workers[i] = (Worker) {.suite = suite,.number = i,.test = {"", ""} };
    pthread_create (&threads[i], NULL, work, &workers[i]);
  }
  for (int i = 0; i < N_THREADS; i++) {
    pthread_join (threads[i], NULL);
    snprintf (workers[i].test.name, sizeof (workers[i].test.name), "align_thread_%d_of_%d", i, N_THREADS);
    suite_end (suite, &workers[i].test);
  }
}

int
main (int argc, char **argv)
{
  static const Section sections[] = {
    {"written", check_written_alignments}, {"order", check_order_of_operations}, {"errors", check_align_errors},
    {"dtypes", check_dtypes}, {"widths", check_widths}, {"shapes", check_shapes}, {"wide", check_wide},
    {"together", check_together}, {"endings", check_endings}, {"streams", check_streams}, {"threads", check_threads},
    {"rotations", check_rotations}, {"lowpass", check_lowpass},
    {"large", check_large},
  };

  return suite_main ("align", argc, argv, sections, COUNT (sections), 20260214, ARENA_BYTES);
}
