/* robocache: alignments have the same bits on the GPU as on the CPU
 *
 *   align [--seed N] [--separate] [--few] [--only SECTION]
 *   align --sections
 *
 * --separate puts every array in an allocation of its own, for compute-sanitizer; --few runs a tenth of the cases;
 * --sections only says their names.
 * Sections are in the table below.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "aligncase.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#define ARENA_BYTES ((size_t) 512 << 20)
#define THREAD_ARENA_BYTES ((size_t) 16 << 20)
#define N_THREADS 4

typedef struct
{
  Gpu gpu;
  RcBackend *cpu;
  Arena *arena;
  uint64_t seed;
  int few;
  int failures;
  int cases;
} Suite;

static const char *const interpolations[] = { "linear", "nearest", "previous", "cubic", "hermite", "mean" };

static const CaseWish random_wish = { ANY_DTYPE, ANY_DTYPE, ANY_INTERPOLATION, 1, RANDOM_SIZE, RANDOM_SIZE, RANDOM_SIZE,
  RANDOM_SIZE, 0, 0
};

/* n cases of a wish, as one test. */
static void
check_cases (Suite *suite, const char *name, const CaseWish *wish, int n)
{
  const int wanted = suite->few ? (n + 9) / 10 : n;
  static AlignCase c;
  Test test = { name, "" };
  int i;

  for (i = 0; i < wanted && test_holds (&test); i++) {
    const uint64_t seed = suite->seed + (uint64_t) suite->cases++;

    if (case_make (&c, wish, seed, suite->arena))
      case_check (&c, suite->arena, &suite->gpu, suite->cpu, &test);
    else
      test_fail (&test, "seed %" PRIu64 " does not fit the arena", seed);
  }
  suite->failures += test_end (&test);
}

/* Every dtype to every dtype, with every interpolation. */
static void
check_dtypes (Suite *suite)
{
  char name[128];
  int in, out, i;

  for (in = 0; in < RC_N_DTYPES; in++) {
    for (i = 0; i < 6; i++) {
      CaseWish wish = random_wish;
      Test test = { name, "" };
      const uint64_t first = suite->seed + (uint64_t) suite->cases;
      static AlignCase c;

      for (out = 0; out < RC_N_DTYPES; out++) {
        int k;

        wish.in = (RcDtype) in;
        wish.out = (RcDtype) out;
        wish.interpolation = i;
        for (k = 0; k < (suite->few ? 1 : out == in ? 10 : 3); k++) {
          if (case_make (&c, &wish, suite->seed + (uint64_t) suite->cases++, suite->arena))
            case_check (&c, suite->arena, &suite->gpu, suite->cpu, &test);
          else
            test_fail (&test, "seed %" PRIu64 " does not fit the arena", c.seed);
        }
      }
      snprintf (name, sizeof (name), "align_%s_%s_to_all (%d cases from seed %" PRIu64 ")",
          rc_dtype_name ((RcDtype) in), interpolations[i], (int) (suite->seed + (uint64_t) suite->cases - first), first);
      suite->failures += test_end (&test);
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
  char name[128];
  size_t d, c, i;

  for (d = 0; d < sizeof (dtypes) / sizeof (dtypes[0]); d++) {
    for (c = 0; c < sizeof (channels) / sizeof (channels[0]); c++) {
      for (i = 0; i < 3; i++) {
        const CaseWish wish = { dtypes[d][0], dtypes[d][1], modes[i], 1, 3, 60, 80, channels[c], 1, 0, 1 };

        snprintf (name, sizeof (name), "align_together_%s_%s_%s_%" PRId64, rc_dtype_name (dtypes[d][0]),
            rc_dtype_name (dtypes[d][1]), interpolations[modes[i]], channels[c]);
        check_cases (suite, name, &wish, 3);
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
  char name[128];
  size_t b, r, t, c, n = 0;

  for (b = 0; b < 3; b++) {
    for (r = 0; r < sizeof (rows) / sizeof (rows[0]); r++) {
      for (t = 0; t < 4; t++) {
        for (c = 0; c < 3; c++, n++) {
          const CaseWish wish = { dtypes[n % 5], dtypes[n % 5], ANY_INTERPOLATION, 1, batches[b], rows[r], ticks[t],
            channels[c], 0, n % 2
          };

          if ((batches[b] * rows[r] > 100000 && (c != 1 || t < 3)) || (suite->few && n % 9 != 0))
            continue;
          snprintf (name, sizeof (name), "align_shape_%" PRId64 "x%" PRId64 "_to_%" PRId64 "x%" PRId64, batches[b],
              rows[r], ticks[t], channels[c]);
          check_cases (suite, name, &wish, 1);
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
  char name[128];
  size_t c, d;
  int i;

  for (c = 0; c < sizeof (channels) / sizeof (channels[0]); c++) {
    for (d = 0; d < 5; d++) {
      for (i = 0; i < 6; i++) {
        const int64_t many = channels[c] > 5000;
        const CaseWish wish = { dtypes[d], dtypes[d], i, 1, many ? 1 : 3, many ? 4 : 60, many ? 3 : 80, channels[c], 1,
          0
        };

        snprintf (name, sizeof (name), "align_wide_%s_%s_%" PRId64, rc_dtype_name (dtypes[d]), interpolations[i],
            channels[c]);
        check_cases (suite, name, &wish, 1);
      }
    }
  }
}

static void
check_large (Suite *suite)
{
  static const CaseWish wishes[] = {
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
  char name[128];
  size_t i;

  for (i = 0; i < sizeof (wishes) / sizeof (wishes[0]); i++) {
    const CaseWish *w = &wishes[i];

    if (suite->few && w->batch * w->rows * w->channels > 1000000)
      continue;
    snprintf (name, sizeof (name), "align_large_%" PRId64 "x%" PRId64 "x%" PRId64 "_%s_to_%" PRId64 "x%s_%s", w->batch,
        w->rows, w->channels, rc_dtype_name (w->in), w->ticks, rc_dtype_name (w->out),
        interpolations[w->interpolation]);
    check_cases (suite, name, w, 1);
  }
}

/* Rows that are too many to be staged, in no order near the end: nothing beyond them is read, as a memory checker sees. */
static void
check_endings (Suite *suite)
{
  char name[128];
  int64_t rows;

  for (rows = 4097; rows < 9000; rows += 163) {
    CaseWish wish = random_wish;

    wish.batch = 1;
    wish.rows = rows;
    wish.ticks = 3;
    wish.channels = 2;
    wish.ends_badly = 1;
    snprintf (name, sizeof (name), "align_bad_ending_of_%" PRId64 "_rows", rows);
    check_cases (suite, name, &wish, 20);
  }
}

/* As kernel arguments, few and many, and as a table; of one dtype, which has its own kernels, and mixed. */
static void
check_streams (Suite *suite)
{
  static const int counts[] = { 2, 3, 4, 5, 12, 13, 31, 32, 33, 64, 100 };
  char name[128];
  size_t i;

  for (i = 0; i < sizeof (counts) / sizeof (counts[0]); i++) {
    CaseWish wish = random_wish;

    wish.n_streams = counts[i];
    snprintf (name, sizeof (name), "align_%d_streams", counts[i]);
    check_cases (suite, name, &wish, 20);
    wish.batch = 1;
    snprintf (name, sizeof (name), "align_%d_streams_brackets", counts[i]);
    check_cases (suite, name, &wish, 10);
    wish = random_wish;
    wish.n_streams = counts[i];
    wish.in = wish.out = RC_BFLOAT16;
    wish.interpolation = RC_LINEAR;
    snprintf (name, sizeof (name), "align_%d_streams_bfloat16", counts[i]);
    check_cases (suite, name, &wish, 5);
    wish.rows = 4100;
    wish.channels = 12;
    wish.in = wish.out = ANY_DTYPE;
    snprintf (name, sizeof (name), "align_%d_streams_of_4100_rows", counts[i]);
    check_cases (suite, name, &wish, 2);
  }
}

/* ---- graphs ---- */

/* Captured once and launched twice, the second time on other rows. */
static void
check_graph (Suite *suite, const char *name, const CaseWish *wish)
{
  const uint64_t seed = suite->seed + (uint64_t) suite->cases++;
  cudaStream_t stream = suite->gpu.stream;
  cudaGraph_t graph = NULL;
  cudaGraphExec_t ready = NULL;
  Test test = { name, "" };
  static AlignCase c;
  DeviceCase device;
  RcError error;
  int i;

  if (!case_make (&c, wish, seed, suite->arena))
    test_fail (&test, "seed %" PRIu64 " does not fit the arena", seed);
  if (case_to_device (&c, suite->arena, &suite->gpu, &device, &test)) {
    test_expect (&test, cudaStreamBeginCapture (stream, cudaStreamCaptureModeGlobal) == cudaSuccess, "seed %" PRIu64,
        seed);
    if (rc_align_run (device.plan, &device.args, stream, &error) != RC_OK)
      test_fail (&test, "GPU: %s (%s)", error.message, case_text (&c));
    if (cudaStreamEndCapture (stream, &graph) != cudaSuccess || cudaGraphInstantiate (&ready, graph, 0) != cudaSuccess)
      test_fail (&test, "capture: %s", cudaGetErrorString (cudaGetLastError ()));
    for (i = 0; i < 2 && test_holds (&test); i++) {
      DeviceCase again;
      uint8_t *rows = (uint8_t *) c.streams[0].rows;

      if (i == 1 && rows != NULL && c.streams[0].n_rows > 0)
        rows[0] ^= 0x55;
      if (case_to_device (&c, suite->arena, &suite->gpu, &again, &test)) {
        test_expect (&test, cudaGraphLaunch (ready, stream) == cudaSuccess, "launch %d", i);
        case_run_cpu (&c, suite->cpu, &test);
        case_compare (&c, suite->arena, &suite->gpu, &test);
      }
      case_leave_device (&again);
    }
  }
  cudaGraphExecDestroy (ready);
  cudaGraphDestroy (graph);
  case_leave_device (&device);
  suite->failures += test_end (&test);
}

static void
check_graphs (Suite *suite)
{
  CaseWish wish = random_wish;

  check_graph (suite, "align_graph_one_stream", &wish);
  wish.n_streams = 40;
  check_graph (suite, "align_graph_40_streams", &wish);
  wish.rows = 4500;
  wish.channels = 12;
  check_graph (suite, "align_graph_40_long_streams", &wish);
}

/* ---- threads ---- */

typedef struct
{
  const Suite *suite;
  int number;
  Test test;
} Worker;

static void *
work (void *data)
{
  Worker *worker = data;
  Gpu gpu = worker->suite->gpu;
  AlignCase *c = malloc (sizeof (*c));
  CaseWish wish = random_wish;
  Arena *arena;
  int i;

  wish.n_streams = 3;
  if (cudaStreamCreateWithFlags (&gpu.stream, cudaStreamNonBlocking) != cudaSuccess
      || (arena = arena_new (THREAD_ARENA_BYTES, &gpu)) == NULL) {
    test_fail (&worker->test, "no stream or no memory in thread %d", worker->number);
    free (c);
    return NULL;
  }
  for (i = 0; i < (worker->suite->few ? 5 : 50) && test_holds (&worker->test); i++) {
    if (case_make (c, &wish, worker->suite->seed + 1000000 + 1000 * (uint64_t) worker->number + (uint64_t) i, arena))
      case_check (c, arena, &gpu, worker->suite->cpu, &worker->test);
  }
  arena_free (arena);
  cudaStreamDestroy (gpu.stream);
  free (c);
  return NULL;
}

static void
check_threads (Suite *suite)
{
  Worker workers[N_THREADS];
  pthread_t threads[N_THREADS];
  char name[64];
  int i;

  for (i = 0; i < N_THREADS; i++) {
    workers[i] = (Worker) {.suite = suite,.number = i,.test = {"", ""} };
    pthread_create (&threads[i], NULL, work, &workers[i]);
  }
  for (i = 0; i < N_THREADS; i++) {
    pthread_join (threads[i], NULL);
    snprintf (name, sizeof (name), "align_thread_%d_of_%d", i, N_THREADS);
    workers[i].test.name = name;
    suite->failures += test_end (&workers[i].test);
  }
}

/* ---- brackets that no search gives ---- */

/* The CPU refuses them; the GPU, which cannot, makes the row missing and reads nothing outside. */
static void
check_bad_brackets (Suite *suite)
{
  static const RcBracket bad[] = {
    {RC_BLEND_COPY, RC_ALIGNED, 5, 0, 0, 0, 0, {0, 0, 0}},
    {RC_BLEND_LINEAR, RC_ALIGNED, 0, -1, 0, 0, 0, {0, 0, 0}},
    {RC_BLEND_CUBIC, RC_ALIGNED, 0, 1, 0, 1 << 30, 0, {0, 0, 0}},
    {RC_BLEND_MEAN, RC_ALIGNED, 3, 6, 0, 0, 0, {0, 0, 0}},
    {7, RC_ALIGNED, 0, 1, 0, 0, 0, {0, 0, 0}},
    {RC_BLEND_COPY, RC_MISSING, 0, 0, 0, 0, 0, {0, 0, 0}},
    {RC_BLEND_LINEAR, RC_HELD, 0, 4, 0, 0, 0.5, {0, 0, 0}},     /* this one is good */
  };
  enum { N = sizeof (bad) / sizeof (bad[0]) };
  const RcAlignStreamSpec stream_spec = { RC_FLOAT32, RC_FLOAT32, 1, {RC_LINEAR, -1, 0, 0}, NULL, 0, NULL, 0, NULL, 0 };
  const RcAlignSpec spec = { &stream_spec, 1 };
  Test test = { "align_bad_brackets", "" };
  float rows[5] = { 1, 2, 3, 4, 5 }, out[N];
  uint8_t *memory = NULL, status[N];
  RcAlignPlan *plan = NULL;
  RcFootprint footprint = { 0 };
  RcError error = { 0 };
  int i;

  if (rc_align_plan (suite->gpu.backend, &spec, &plan, &footprint, &error) != RC_OK
      || cudaMalloc ((void **) &memory, 4096 + footprint.scratch_bytes) != cudaSuccess) {
    test_fail (&test, "plan or memory: %s", error.message);
  } else {
    RcAlignStreamArgs stream = { 0 };
    RcAlignArgs args = { &stream, 1, N, NULL, 0, memory + 4096 };

    stream.rows = memory;
    stream.n_rows = 5;
    stream.row_stride = 4;
    stream.brackets = (const RcBracket *) (memory + 1024);
    stream.out = memory + 2048;
    stream.out_row_stride = 4;
    stream.status = memory + 3072;
    cudaMemcpy (memory, rows, sizeof (rows), cudaMemcpyHostToDevice);
    cudaMemcpy (memory + 1024, bad, sizeof (bad), cudaMemcpyHostToDevice);
    if (rc_align_run (plan, &args, suite->gpu.stream, &error) != RC_OK)
      test_fail (&test, "%s", error.message);
    cudaStreamSynchronize (suite->gpu.stream);
    cudaMemcpy (out, memory + 2048, sizeof (out), cudaMemcpyDeviceToHost);
    test_expect (&test, cudaMemcpy (status, memory + 3072, sizeof (status), cudaMemcpyDeviceToHost) == cudaSuccess,
        "read");
    for (i = 0; i < N - 1; i++)
      test_expect (&test, status[i] == RC_MISSING && out[i] != out[i], "bracket %d: status %d, %g", i, status[i],
          out[i]);
    test_expect (&test, status[N - 1] == RC_HELD && out[N - 1] == 3.0f, "status %d, %g", status[N - 1], out[N - 1]);
  }
  rc_align_plan_free (plan);
  cudaFree (memory);
  suite->failures += test_end (&test);
}

static const struct
{
  const char *name;
  void (*check) (Suite * suite);
} sections[] = {
  {"dtypes", check_dtypes},
  {"shapes", check_shapes},
  {"wide", check_wide},
  {"together", check_together},
  {"endings", check_endings},
  {"streams", check_streams},
  {"graphs", check_graphs},
  {"threads", check_threads},
  {"brackets", check_bad_brackets},
  {"large", check_large},
};

int
main (int argc, char **argv)
{
  const RcWhere there = { RC_BACKEND_CUDA, 0, RC_CPU_BEST, 0 }, here = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };
  static Suite suite = {.seed = 20260214 };
  const char *only = NULL;
  RcError error;
  size_t s;
  int i;

  if (argc == 2 && strcmp (argv[1], "--sections") == 0) {
    for (s = 0; s < sizeof (sections) / sizeof (sections[0]); s++)
      puts (sections[s].name);
    return 0;
  }
  for (i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--seed") == 0 && i + 1 < argc)
      suite.seed = strtoull (argv[++i], NULL, 10);
    else if (strcmp (argv[i], "--only") == 0 && i + 1 < argc)
      only = argv[++i];
    suite.gpu.separate |= strcmp (argv[i], "--separate") == 0;
    suite.few |= strcmp (argv[i], "--few") == 0;
  }
  if (rc_backend_open (&here, &suite.cpu, &error) != RC_OK) {
    printf ("FAIL align_open_cpu: %s\n", error.message);
    return 1;
  }
  if (rc_backend_open (&there, &suite.gpu.backend, &error) != RC_OK) {
    test_skip ("align_gpu", error.message);
    rc_backend_close (suite.cpu);
    return error.status == RC_NO_DEVICE ? 0 : 1;
  }
  printf ("seed %" PRIu64 "\n", suite.seed);
  cudaSetDevice (0);
  if (cudaStreamCreateWithFlags (&suite.gpu.stream, cudaStreamNonBlocking) != cudaSuccess
      || (suite.arena = arena_new (ARENA_BYTES, &suite.gpu)) == NULL) {
    printf ("FAIL align_memory: no stream or no memory\n");
    return 1;
  }
  for (s = 0; s < sizeof (sections) / sizeof (sections[0]); s++) {
    if (only == NULL || strcmp (only, sections[s].name) == 0)
      sections[s].check (&suite);
  }
  printf ("%d cases compared from seed %" PRIu64 ", beside those of threads\n", suite.cases, suite.seed);
  arena_free (suite.arena);
  cudaStreamDestroy (suite.gpu.stream);
  rc_backend_close (suite.gpu.backend);
  rc_backend_close (suite.cpu);
  return suite.failures != 0;
}
