/* robocache: alignment gives the same bits, whatever computes it, in whatever form and float mode
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE             /* feenableexcept */
#endif
#include <fenv.h>

#include "scene.h"

#include "kernels/floatmode.h"

static const RcInterpolation interpolations[] = { RC_LINEAR, RC_NEAREST, RC_PREVIOUS, RC_CUBIC, RC_HERMITE, RC_MEAN };
static const RcCpuLevel levels[] = { RC_CPU_BASELINE, RC_CPU_AVX2, RC_CPU_AVX512 };

/* Rows of random bits: denormals, infinities and NaNs of every kind among them. */
static void
scramble_rows (Scene *scene)
{
  GRand *rand = g_rand_new_with_seed (scene->seed);
  gint64 i;

  for (i = 0; i < scene->batch * scene->args.batch_stride + 8; i++)
    scene->data[i] = (guint8) g_rand_int (rand);
  g_rand_free (rand);
}

/* Rows so small that every product and most differences are denormal in float32. */
static void
make_rows_tiny (Scene *scene)
{
  const gint64 size = (gint64) rc_dtype_size (scene->spec.in);
  GRand *rand = g_rand_new_with_seed (scene->seed);
  gint64 i;

  for (i = 0; i + size <= scene->batch * scene->args.batch_stride; i += size)
    oracle_put (scene->spec.in, (guint8 *) scene->args.rows + i, g_rand_double_range (rand, -1e-38, 1e-38));
  g_rand_free (rand);
}

static Scene *
scene_of_mode (RcDtype in, RcDtype out, guint mode, guint32 seed)
{
  const SceneWish wish = { in, out, interpolations[mode],.special = TRUE };

  return scene_new (&wish, seed);
}

static void
run_level (const Scene *scene, RcCpuLevel level, SceneResult *result)
{
  RcBackend *backend = open_level (level);

  scene_result_init (result, scene);
  scene_run (scene, backend, result);
  rc_backend_close (backend);
}

static gint64
first_difference (const Scene *scene, const SceneResult *a, const SceneResult *b)
{
  gint64 i;

  for (i = 0; i < scene->out_bytes; i++) {
    if (a->out[i] != b->out[i])
      return i;
  }
  return -1;
}

static void
assert_same (const Scene *scene, const SceneResult *a, const SceneResult *b, const gchar *what)
{
  const gint64 at = first_difference (scene, a, b);

  fail_unless (at < 0, "%s, seed %u, %s to %s, interpolation %d: byte %" G_GINT64_FORMAT " is %02x and %02x", what,
      scene->seed, rc_dtype_name (scene->spec.in), rc_dtype_name (scene->spec.out), scene->spec.search.interpolation,
      at, a->out[at], b->out[at]);
  fail_unless (memcmp (a->status, b->status, (gsize) (scene->batch * scene->ticks)) == 0, "%s, seed %u", what,
      scene->seed);
  fail_unless (memcmp (&a->counters, &b->counters, sizeof (a->counters)) == 0, "%s, seed %u", what, scene->seed);
}

/* Both levels on the same scene. */
static void
compare_levels (Scene *scene, RcCpuLevel level)
{
  SceneResult baseline, other;

  run_level (scene, RC_CPU_BASELINE, &baseline);
  run_level (scene, level, &other);
  assert_same (scene, &baseline, &other, "levels differ");
  scene_result_clear (&baseline);
  scene_result_clear (&other);
  scene_free (scene);
}

static gboolean
has_level (RcCpuLevel level)
{
  RcBackend *backend = open_level (level);

  rc_backend_close (backend);
  return backend != NULL;
}

static void
compare_level (RcCpuLevel level, RcDtype in)
{
  guint out, mode;

  if (!has_level (level)) {
    g_printerr ("this machine lacks CPU level %d: nothing to compare\n", level);
    return;
  }
  for (out = 0; out < RC_N_DTYPES; out++) {
    for (mode = 0; mode < G_N_ELEMENTS (interpolations); mode++) {
      const guint32 seed = 100 * in + 10 * out + mode;
      Scene *scrambled = scene_of_mode (in, (RcDtype) out, mode, seed + 5000);

      compare_levels (scene_of_mode (in, (RcDtype) out, mode, seed), level);
      scramble_rows (scrambled);
      compare_levels (scrambled, level);
    }
  }
}

/* __i__ is the dtype of the rows. */
GST_START_TEST (test_avx2_is_baseline)
{
  compare_level (RC_CPU_AVX2, (RcDtype) __i__);
}

GST_END_TEST;

GST_START_TEST (test_avx512_is_baseline)
{
  compare_level (RC_CPU_AVX512, (RcDtype) __i__);
}

GST_END_TEST;

/* ---- the caller's float mode; __i__ is level * modes + mode ---- */

typedef struct
{
  const gchar *name;
  gint rounding;
  gboolean flush;
  gint traps;
} CallerMode;

static const CallerMode caller_modes[] = {
  {"upward", FE_UPWARD, FALSE, 0},
  {"downward", FE_DOWNWARD, FALSE, 0},
  {"toward zero", FE_TOWARDZERO, FALSE, 0},
  {"denormals flushed", FE_TONEAREST, TRUE, 0},
  {"upward, denormals flushed", FE_UPWARD, TRUE, 0},
  {"traps", FE_TONEAREST, FALSE, FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT},
};

/* As a library built with -ffast-math leaves a thread. */
static void
flush_denormals (void)
{
#if defined (__SSE2__)
  _mm_setcsr (_mm_getcsr () | 0x8040);
#elif defined (__aarch64__)
  guint64 fpcr;

  __asm__ volatile ("mrs %0, fpcr":"=r" (fpcr));
  __asm__ volatile ("msr fpcr, %0"::"r" (fpcr | 1 << 24));
#endif
}

/* What the thread's float mode is, exception flags left out. */
static guint64
float_mode (void)
{
#if defined (__SSE2__)
  return _mm_getcsr () & ~0x3Fu;
#elif defined (__aarch64__)
  guint64 fpcr;

  __asm__ volatile ("mrs %0, fpcr":"=r" (fpcr));
  return fpcr;
#else
  return (guint64) fegetround ();
#endif
}

static void
run_in_mode (const Scene *scene, RcBackend *backend, const CallerMode *mode, SceneResult *result)
{
  RcAlignStreamArgs stream = scene->args;
  const RcAlignArgs args = { &stream, scene->batch, scene->ticks, scene->tick_times, scene->ticks * 8, NULL };
  RcAlignPlan *plan = scene_plan (scene, backend);
  guint64 before, after;
  RcStatus status;
  fenv_t normal;

  stream.out = scene_first_out (scene, result);
  stream.status = result->status;
  stream.counters = &result->counters;
  fegetenv (&normal);
  fesetround (mode->rounding);
  if (mode->flush)
    flush_denormals ();
  feclearexcept (FE_ALL_EXCEPT);
  feenableexcept (mode->traps);
  before = float_mode ();
  status = rc_align_run (plan, &args, NULL, NULL);
  after = float_mode ();
  fesetenv (&normal);
  fail_unless (status == RC_OK);
  fail_unless (before == after, "%s: the float mode was %" G_GINT64_MODIFIER "x and is %" G_GINT64_MODIFIER "x",
      mode->name, before, after);
  fail_unless (before != float_mode (), "%s: the mode of this test is no other than usual", mode->name);
  rc_align_plan_free (plan);
}

GST_START_TEST (test_float_mode)
{
  static const RcDtype dtypes[] = { RC_FLOAT32, RC_FLOAT64, RC_FLOAT16, RC_BFLOAT16, RC_INT32, RC_UINT64 };
  const CallerMode *caller = &caller_modes[__i__ % (gint) G_N_ELEMENTS (caller_modes)];
  RcBackend *backend = open_level (levels[__i__ / (gint) G_N_ELEMENTS (caller_modes)]);
  guint d, mode, kind;

  for (d = 0; backend != NULL && d < G_N_ELEMENTS (dtypes); d++) {
    for (mode = 0; mode < G_N_ELEMENTS (interpolations); mode++) {
      for (kind = 0; kind < 3; kind++) {
        Scene *scene = scene_of_mode (dtypes[d], dtypes[(d + mode) % G_N_ELEMENTS (dtypes)], mode, 100 * d + 10 * mode);
        SceneResult usual, other;

        if (kind == 1)
          scramble_rows (scene);
        else if (kind == 2 && rc_dtype_is_float (dtypes[d]))
          make_rows_tiny (scene);
        scene_result_init (&usual, scene);
        scene_result_init (&other, scene);
        scene_run (scene, backend, &usual);
        run_in_mode (scene, backend, caller, &other);
        assert_same (scene, &usual, &other, caller->name);
        scene_result_clear (&usual);
        scene_result_clear (&other);
        scene_free (scene);
      }
    }
  }
  rc_backend_close (backend);
}

GST_END_TEST;

/* The test above would pass with any kernel if tiny rows gave no denormals: a blend of them is one, and is kept. */
GST_START_TEST (test_denormals_are_kept)
{
  const RcAlignStreamSpec stream_spec = { RC_FLOAT32, RC_FLOAT32, 16, {RC_LINEAR, -1, 0, 0} };
  const RcAlignSpec spec = { &stream_spec, 1 };
  const RcBracket bracket = { RC_BLEND_LINEAR, RC_ALIGNED, 0, 1, 0, 0, 0.5, {0, 0, 0} };
  gfloat rows[2][16], out[16];
  RcAlignStreamArgs stream = { rows, 2, 64, 0, &bracket, NULL, 0, NULL, out };
  const RcAlignArgs args = { &stream, 1, 1, NULL, 0, NULL };
  RcBackend *backend = open_level (levels[__i__]);
  RcAlignPlan *plan;
  gint i;

  for (i = 0; i < 16; i++) {
    rows[0][i] = 0x1p-149f * (gfloat) (2 * i);
    rows[1][i] = 0x1p-149f * (gfloat) (4 * i);
  }
  if (backend == NULL)
    return;
  fail_unless (rc_align_plan (backend, &spec, &plan, NULL, NULL) == RC_OK);
  fail_unless (rc_align_run (plan, &args, NULL, NULL) == RC_OK);
  for (i = 0; i < 16; i++)
    fail_unless (out[i] == 0x1p-149f * (gfloat) (3 * i), "channel %d is %a", i, out[i]);
  rc_align_plan_free (plan);
  rc_backend_close (backend);
}

GST_END_TEST;

/* ---- forms ---- */

/* Runs episode 0 through brackets found beforehand. */
static void
run_brackets (const Scene *scene, RcBackend *backend, SceneResult *result)
{
  RcBracket *brackets = g_new (RcBracket, MAX (1, scene->ticks));
  RcAlignStreamArgs stream = scene->args;
  const RcAlignArgs args = { &stream, 1, scene->ticks, NULL, 0, NULL };
  RcAlignPlan *plan = scene_plan (scene, backend);
  RcError error;
  gint64 k;

  for (k = 0; k < scene->ticks; k++)
    brackets[k] = rc_bracket_find (&scene->spec.search, scene->times, scene->args.n_rows, scene->tick_times[k]);
  stream.brackets = brackets;
  stream.times = NULL;
  stream.row_counts = NULL;
  stream.out = scene_first_out (scene, result);
  stream.status = result->status;
  stream.counters = &result->counters;
  fail_unless (rc_align_run (plan, &args, NULL, &error) == RC_OK, "seed %u: %s", scene->seed, error.message);
  rc_align_plan_free (plan);
  g_free (brackets);
}

/* __i__ is the interpolation. */
GST_START_TEST (test_brackets_are_times)
{
  RcBackend *backend = open_level (RC_CPU_BEST);
  guint32 seed;

  for (seed = 0; seed < 60; seed++) {
    const SceneWish wish = { (RcDtype) (seed % RC_N_DTYPES), (RcDtype) (seed / 5 % RC_N_DTYPES), interpolations[__i__],
      .special = TRUE,.batch = 1
    };
    Scene *scene = scene_new (&wish, seed);
    SceneResult times, brackets;

    scene_result_init (&times, scene);
    scene_result_init (&brackets, scene);
    scene_run (scene, backend, &times);
    run_brackets (scene, backend, &brackets);
    assert_same (scene, &times, &brackets, "brackets differ from times");
    scene_result_clear (&times);
    scene_result_clear (&brackets);
    scene_free (scene);
  }
  rc_backend_close (backend);
}

GST_END_TEST;

static gint
compare_times (gconstpointer a, gconstpointer b, gpointer sign)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return GPOINTER_TO_INT (sign) * ((x > y) - (x < y));
}

/* Enough of both for many blocks, with the ticks in order, in reverse, and as they come; brackets do not say which rows of a
 * mean have equal times. __i__ is the interpolation. */
GST_START_TEST (test_ticks_in_any_order)
{
  static const gint64 rows[] = { 1, 7, 8, 9, 50, 1000 };
  RcBackend *backend = open_level (RC_CPU_BEST);
  guint i;

  for (i = 0; i < 3 * G_N_ELEMENTS (rows); i++) {
    const SceneWish wish = { RC_FLOAT32, RC_FLOAT32, interpolations[__i__],.channels = 1 + i,.batch = 1,
      .equal_times = i % 2 && interpolations[__i__] != RC_MEAN,.rows = rows[i / 3],.ticks = 100 + i
    };
    Scene *scene = scene_new (&wish, i);
    const gint sign = (gint) (i % 3) - 1;
    SceneResult times, brackets;

    g_qsort_with_data (scene->tick_times, (gint) scene->ticks, sizeof (gint64), compare_times, GINT_TO_POINTER (sign));
    scene_result_init (&times, scene);
    scene_result_init (&brackets, scene);
    scene_run (scene, backend, &times);
    run_brackets (scene, backend, &brackets);
    assert_same (scene, &times, &brackets, "ticks in another order");
    scene_check (scene, &times);
    scene_result_clear (&times);
    scene_result_clear (&brackets);
    scene_free (scene);
  }
  rc_backend_close (backend);
}

GST_END_TEST;

/* ---- threads ---- */

/* A threads of one, who does everything the other way round. */
static void
run_backwards (gpointer self, void (*work) (gpointer data, gint64 i), gpointer data, gint64 n)
{
  gint *calls = self;

  *calls += 1;
  while (n-- > 0)
    work (data, n);
}

/* __i__ is the interpolation. */
GST_START_TEST (test_episodes_in_any_order)
{
  const SceneWish wish = { RC_FLOAT32, RC_FLOAT16, interpolations[__i__],.special = TRUE,.batch = 20 };
  gint calls = 0;
  const RcThreadPool threads = { run_backwards, &calls };
  RcBackend *backend = open_with_threads (RC_CPU_BEST, &threads);
  Scene *scene = scene_new (&wish, 1);
  SceneResult alone, shared;

  scene->row_counts[3] = -1;    /* an episode that cannot be searched */
  run_level (scene, RC_CPU_BEST, &alone);
  scene_result_init (&shared, scene);
  scene_run (scene, backend, &shared);
  fail_unless_equals_int (calls, 1);
  fail_unless_equals_int64 (shared.counters.disordered_episodes, 1);
  assert_same (scene, &alone, &shared, "episodes in another order");
  scene_result_clear (&alone);
  scene_result_clear (&shared);
  scene_free (scene);
  rc_backend_close (backend);
}

GST_END_TEST;

/* ---- equal times ---- */

/* Keeps of equal times the last row, in place. */
static void
drop_equal_times (Scene *scene)
{
  const gint64 stride = scene->args.row_stride;
  gint64 e, i;

  for (e = 0; e < scene->batch; e++) {
    gint64 *times = scene->times + e * scene->args.n_rows, kept = 0;
    guint8 *rows = (guint8 *) scene->args.rows + e * scene->args.batch_stride;

    for (i = 0; i < scene->row_counts[e]; i++) {
      if (kept > 0 && times[kept - 1] == times[i])
        kept--;
      times[kept] = times[i];
      memmove (rows + kept * stride, rows + i * stride, (gsize) stride);
      kept++;
    }
    scene->row_counts[e] = kept;
  }
}

GST_START_TEST (test_equal_times_are_their_last_row)
{
  RcBackend *backend = open_level (RC_CPU_BEST);
  guint32 seed;

  for (seed = 0; seed < 60; seed++) {
    const SceneWish wish = { RC_FLOAT32, (RcDtype) (seed % RC_N_DTYPES), interpolations[__i__],.special = TRUE,
      .equal_times = TRUE
    };
    Scene *scene = scene_new (&wish, seed);
    SceneResult equal, increasing;

    scene_result_init (&equal, scene);
    scene_result_init (&increasing, scene);
    scene_run (scene, backend, &equal);
    drop_equal_times (scene);
    scene_run (scene, backend, &increasing);
    assert_same (scene, &equal, &increasing, "equal times differ from their last row");
    scene_result_clear (&equal);
    scene_result_clear (&increasing);
    scene_free (scene);
  }
  rc_backend_close (backend);
}

GST_END_TEST;

/* A run of all ticks and a run of each tick alone, with one plan used for all. */
GST_START_TEST (test_ticks_one_by_one)
{
  const SceneWish wish = { RC_FLOAT32, RC_FLOAT32, interpolations[__i__],.special = TRUE,.batch = 1 };
  RcBackend *backend = open_level (RC_CPU_BEST);
  Scene *scene = scene_new (&wish, 11);
  RcAlignPlan *plan = scene_plan (scene, backend);
  SceneResult all, single;
  gint64 k;

  scene_result_init (&all, scene);
  scene_result_init (&single, scene);
  scene_run (scene, backend, &all);
  for (k = 0; k < scene->ticks; k++) {
    RcAlignStreamArgs stream = scene->args;
    const RcAlignArgs args = { &stream, 1, 1, scene->tick_times + k, 0, NULL };

    stream.out = scene_first_out (scene, &single) + k * scene->args.out_row_stride;
    stream.status = single.status + k;
    stream.counters = &single.counters;
    fail_unless (rc_align_run (plan, &args, NULL, NULL) == RC_OK);
  }
  assert_same (scene, &all, &single, "ticks one by one differ");
  rc_align_plan_free (plan);
  scene_result_clear (&all);
  scene_result_clear (&single);
  scene_free (scene);
  rc_backend_close (backend);
}

GST_END_TEST;

/* ---- the order of operations that docs/arithmetic.md fixes, in float32 and float64 ---- */

#define N_ORDER 37

#define ORDER_TEST(real, dtype) \
static void \
check_order_##real (RcBlend blend, GRand *rand) \
{ \
  static const gint32 velocities[N_ORDER] = { 36, 35, 34, 33, 32, 31, 30, 29, 28, 27 }; \
  const RcAlignStreamSpec stream_spec = { dtype, dtype, N_ORDER, {RC_HERMITE, -1, 0, 0}, NULL, 0, NULL, 0, velocities, 10 \
  }; \
  const RcAlignSpec spec = { &stream_spec, 1 }; \
  RcBracket b = { blend, RC_ALIGNED, 1, 2, 0, 3 }; \
  real y[4][N_ORDER], out[N_ORDER]; \
  RcAlignStreamArgs stream = { y, 4, sizeof (y[0]), 0, &b, NULL, 0, NULL, out }; \
  const RcAlignArgs args = { &stream, 1, 1, NULL, 0, NULL }; \
  RcBackend *backend = open_level (RC_CPU_BEST); \
  RcAlignPlan *plan; \
  real w, c0, c1, c2; \
  gint i; \
\
  for (i = 0; i < 4 * N_ORDER; i++) \
    y[i / N_ORDER][i % N_ORDER] = (real) g_rand_double_range (rand, -10, 10); \
  b.w = g_rand_double (rand); \
  for (i = 0; i < 3; i++) \
    b.c[i] = g_rand_double_range (rand, -1, 1); \
  w = (real) b.w; \
  c0 = (real) b.c[0]; \
  c1 = (real) b.c[1]; \
  c2 = (real) b.c[2]; \
  fail_unless (rc_align_plan (backend, &spec, &plan, NULL, NULL) == RC_OK); \
  fail_unless (rc_align_run (plan, &args, NULL, NULL) == RC_OK); \
  for (i = 0; i < N_ORDER; i++) { \
    const real y0 = y[1][i], y1 = y[2][i]; \
    real expected = y0 + w * (y1 - y0); \
\
    if (blend == RC_BLEND_CUBIC) \
      expected = ((y0 + c0 * (y1 - y0)) + c1 * (y[0][i] - y0)) + c2 * (y[3][i] - y0); \
    else if (blend == RC_BLEND_HERMITE && i < 10) \
      expected = ((y0 + c0 * (y1 - y0)) + c1 * y[1][velocities[i]]) + c2 * y[2][velocities[i]]; \
    expect (out[i] == expected, "blend %d, channel %d: got %a, expected %a", blend, i, out[i], expected); \
  } \
  rc_align_plan_free (plan); \
  rc_backend_close (backend); \
}

ORDER_TEST (gfloat, RC_FLOAT32)
ORDER_TEST (gdouble, RC_FLOAT64)

/* __i__ is the blend. */
GST_START_TEST (test_order_of_operations)
{
  GRand *rand = g_rand_new_with_seed (12);
  gint i;

  for (i = 0; i < 200; i++) {
    check_order_gfloat ((RcBlend) __i__, rand);
    check_order_gdouble ((RcBlend) __i__, rand);
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* A mean begins with its first row, adds the others in time order and divides once. */
GST_START_TEST (test_order_of_a_mean)
{
  static const gint64 times[] = { 0, 1, 2, 3, 4, 5, 6 }, tick = 3;
  const RcAlignStreamSpec stream_spec = { RC_FLOAT64, RC_FLOAT64, 5, {RC_MEAN, -1, 0, 10} };
  const RcAlignSpec spec = { &stream_spec, 1 };
  GRand *rand = g_rand_new_with_seed (13);
  gdouble y[7][5], out[5];
  RcAlignStreamArgs stream = { y, 7, 40, 0, NULL, times, 0, NULL, out };
  const RcAlignArgs args = { &stream, 1, 1, &tick, 0, NULL };
  RcBackend *backend = open_level (RC_CPU_BEST);
  RcAlignPlan *plan;
  gint i, c;

  for (i = 0; i < 35; i++)
    y[i / 5][i % 5] = i % 5 == 4 ? -0.0 : g_rand_double_range (rand, -1, 1) * pow (10, i % 7);
  fail_unless (rc_align_plan (backend, &spec, &plan, NULL, NULL) == RC_OK);
  fail_unless (rc_align_run (plan, &args, NULL, NULL) == RC_OK);
  for (c = 0; c < 5; c++) {
    gdouble sum = y[0][c];

    for (i = 1; i < 7; i++)
      sum = sum + y[i][c];
    sum = sum / 7;
    fail_unless (memcmp (&out[c], &sum, 8) == 0, "channel %d: got %a, expected %a", c, out[c], sum);
  }
  rc_align_plan_free (plan);
  rc_backend_close (backend);
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
align_bits_suite (void)
{
  const gint modes = G_N_ELEMENTS (interpolations);
  Suite *s = suite_create ("align_bits");
  TCase *tc = tcase_create ("levels"), *mode = tcase_create ("float mode"), *forms = tcase_create ("forms");
  TCase *order = tcase_create ("order");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_avx2_is_baseline, 0, RC_N_DTYPES);
  tcase_add_loop_test (tc, test_avx512_is_baseline, 0, RC_N_DTYPES);
  suite_add_tcase (s, mode);
  tcase_add_loop_test (mode, test_float_mode, 0, G_N_ELEMENTS (levels) * G_N_ELEMENTS (caller_modes));
  tcase_add_loop_test (mode, test_denormals_are_kept, 0, G_N_ELEMENTS (levels));
  suite_add_tcase (s, forms);
  tcase_add_loop_test (forms, test_brackets_are_times, 0, modes);
  tcase_add_loop_test (forms, test_ticks_in_any_order, 0, modes);
  tcase_add_loop_test (forms, test_episodes_in_any_order, 0, modes);
  tcase_add_loop_test (forms, test_equal_times_are_their_last_row, 0, modes);
  tcase_add_loop_test (forms, test_ticks_one_by_one, 0, modes);
  suite_add_tcase (s, order);
  tcase_add_loop_test (order, test_order_of_operations, RC_BLEND_LINEAR, RC_BLEND_HERMITE + 1);
  tcase_add_test (order, test_order_of_a_mean);
  return s;
}

GST_CHECK_MAIN (align_bits);
