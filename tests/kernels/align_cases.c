/* robocache: alignments written out, with results that can be seen to be right
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "scene.h"

/* ---- small streams written out: rows of two channels ---- */

typedef struct
{
  RcAlignStreamSpec spec;
  gint64 times[8];
  gfloat rows[8][2];
  gint64 n_rows;
} Small;

static void
small_run_status (const Small *small, gint64 tick, gfloat *out, RcRowStatus expected, RcAlignCounters *counters)
{
  const RcAlignSpec spec = { &small->spec, 1 };
  guint8 status = 99;
  RcAlignStreamArgs stream = { small->rows, small->n_rows, 8, 0, NULL, small->times, 0, NULL, out, 8, 0, &status, 0,
    counters
  };
  const RcAlignArgs args = { &stream, 1, 1, &tick, 0, NULL };
  RcBackend *backend = open_level (RC_CPU_BEST);
  RcAlignPlan *plan;
  RcError error;

  fail_unless (rc_align_plan (backend, &spec, &plan, NULL, &error) == RC_OK, "%s", error.message);
  fail_unless (rc_align_run (plan, &args, NULL, &error) == RC_OK, "%s", error.message);
  fail_unless_equals_int (status, expected);
  rc_align_plan_free (plan);
  rc_backend_close (backend);
}

static void
small_run (const Small *small, gint64 tick, gfloat *out, RcRowStatus expected)
{
  small_run_status (small, tick, out, expected, NULL);
}

static Small
small_new (RcInterpolation interpolation)
{
  Small small = { {RC_FLOAT32, RC_FLOAT32, 2, {interpolation, -1, 0, 0}}, {0, 100, 300, 400},
  {{1, 10}, {2, 20}, {4, 0}, {5, -8}}, 4
  };

  return small;
}

GST_START_TEST (test_linear_by_hand)
{
  Small small = small_new (RC_LINEAR);
  gfloat out[2];

  small_run (&small, 150, out, RC_ALIGNED);
  fail_unless (out[0] == 2.5f && out[1] == 15.f);
}

GST_END_TEST;

GST_START_TEST (test_nearest_midpoint_takes_the_earlier)
{
  Small small = small_new (RC_NEAREST);
  gfloat out[2];

  small_run (&small, 200, out, RC_ALIGNED);
  fail_unless (out[0] == 2.f && out[1] == 20.f);
  small_run (&small, 201, out, RC_ALIGNED);
  fail_unless (out[0] == 4.f && out[1] == 0.f);
}

GST_END_TEST;

GST_START_TEST (test_previous_needs_nothing_after)
{
  Small small = small_new (RC_PREVIOUS);
  gfloat out[2];

  small_run (&small, 1000000, out, RC_ALIGNED);
  fail_unless (out[0] == 5.f && out[1] == -8.f);
  small.spec.search.max_gap_ns = 99;
  small_run (&small, 499, out, RC_ALIGNED);
  small_run (&small, 500, out, RC_MISSING);
  fail_unless (isnan (out[0]) && isnan (out[1]));
}

GST_END_TEST;

/* A cubic goes through a parabola exactly, at irregular times too. */
GST_START_TEST (test_cubic_follows_a_parabola)
{
  Small small = small_new (RC_CUBIC);
  gfloat out[2];
  gint64 i;

  for (i = 0; i < 4; i++) {
    small.rows[i][0] = (gfloat) (small.times[i] * small.times[i]) / 100.f;
    small.rows[i][1] = 3.f - (gfloat) small.times[i];
  }
  small_run (&small, 220, out, RC_ALIGNED);
  fail_unless (fabsf (out[0] - 484.f) < 1e-3f && fabsf (out[1] + 217.f) < 1e-4f, "%g %g", out[0], out[1]);
}

GST_END_TEST;

/* Channel 1 is the rate of channel 0, a second: x = t^3 is met exactly. */
GST_START_TEST (test_hermite_follows_a_cubic)
{
  static const gint32 velocities[] = { 1 };
  Small small = small_new (RC_HERMITE);
  gfloat out[2];
  gint64 i;

  small.spec.velocities = velocities;
  small.spec.n_velocities = 1;
  for (i = 0; i < 4; i++) {
    const gdouble t = (gdouble) i;

    small.times[i] = i * G_GINT64_CONSTANT (1000000000);
    small.rows[i][0] = (gfloat) (t * t * t);
    small.rows[i][1] = (gfloat) (3 * t * t);
  }
  small_run (&small, G_GINT64_CONSTANT (1500000000), out, RC_ALIGNED);
  fail_unless (out[0] == 3.375f, "%g", out[0]);
  fail_unless (out[1] == 7.5f, "%g", out[1]);
}

GST_END_TEST;

GST_START_TEST (test_mean_takes_a_half_open_interval)
{
  Small small = small_new (RC_MEAN);
  gfloat out[2];

  small.spec.search.period_ns = 200;
  small_run (&small, 200, out, RC_ALIGNED);     /* 100 <= t < 300: the row at 100 alone */
  fail_unless (out[0] == 2.f && out[1] == 20.f);
  small.spec.search.period_ns = 201;
  small_run (&small, 200, out, RC_ALIGNED);     /* 100 <= t < 301 */
  fail_unless (out[0] == 3.f && out[1] == 10.f);
}

GST_END_TEST;

GST_START_TEST (test_mean_of_nothing_is_linear)
{
  Small small = small_new (RC_MEAN);
  gfloat out[2];

  small.spec.search.period_ns = 10;
  small_run (&small, 150, out, RC_ALIGNED);
  fail_unless (out[0] == 2.5f && out[1] == 15.f);
}

GST_END_TEST;

/* Three rows at one time: the last one, once. */
GST_START_TEST (test_mean_counts_equal_times_once)
{
  Small small = { {RC_FLOAT32, RC_FLOAT32, 2, {RC_MEAN, -1, 0, 1000}}, {0, 100, 100, 100, 200},
  {{1, 1}, {50, 50}, {60, 60}, {2, 2}, {6, 9}}, 5
  };
  gfloat out[2];

  small_run (&small, 100, out, RC_ALIGNED);
  fail_unless (out[0] == 3.f && out[1] == 4.f, "%g %g", out[0], out[1]);
}

GST_END_TEST;

GST_START_TEST (test_gap_is_missing_then_held)
{
  Small small = small_new (RC_LINEAR);
  gfloat out[2];

  small.spec.search.max_gap_ns = 199;
  small_run (&small, 150, out, RC_MISSING);
  fail_unless (isnan (out[0]));
  small.spec.search.hold_limit_ns = 50;
  small_run (&small, 150, out, RC_HELD);
  fail_unless (out[0] == 2.f && out[1] == 20.f);
  small_run (&small, 151, out, RC_MISSING);
  small.spec.search.max_gap_ns = 200;
  small_run (&small, 151, out, RC_ALIGNED);
}

GST_END_TEST;

GST_START_TEST (test_before_the_first_row_is_missing)
{
  Small small = small_new (RC_LINEAR);
  gfloat out[2];

  small.spec.search.hold_limit_ns = -1;
  small_run (&small, -1, out, RC_MISSING);
  small_run (&small, 0, out, RC_ALIGNED);
}

GST_END_TEST;

GST_START_TEST (test_after_the_last_row_is_held_forever)
{
  Small small = small_new (RC_LINEAR);
  gfloat out[2];

  small.spec.search.hold_limit_ns = -1;
  small_run (&small, G_MAXINT64, out, RC_HELD);
  fail_unless (out[0] == 5.f && out[1] == -8.f);
}

GST_END_TEST;

/* The whole range of int64 as one bracket. */
GST_START_TEST (test_extreme_times)
{
  Small small = { {RC_FLOAT32, RC_FLOAT32, 2, {RC_LINEAR, -1, 0, 0}}, {G_MININT64, G_MAXINT64}, {{0, 0}, {2, 4}}, 2 };
  gfloat out[2];

  small_run (&small, 0, out, RC_ALIGNED);
  fail_unless (out[0] == 1.f && out[1] == 2.f);
  small.spec.search.interpolation = RC_MEAN;
  small.spec.search.period_ns = G_MAXINT64;
  small_run (&small, G_MININT64, out, RC_ALIGNED);
  fail_unless (out[0] == 0.f);
}

GST_END_TEST;

GST_START_TEST (test_an_angle_takes_the_shorter_way)
{
  static const gint32 angles[] = { 1 };
  Small small = small_new (RC_LINEAR);
  gfloat out[2];

  small.spec.angles = angles;
  small.spec.n_angles = 1;
  small.rows[1][1] = 3.0f;
  small.rows[2][1] = -3.0f;
  small_run (&small, 200, out, RC_ALIGNED);
  fail_unless (fabsf (fabsf (out[1]) - (gfloat) G_PI) < 1e-6f, "%g", out[1]);
  fail_unless (out[0] == 3.f);
}

GST_END_TEST;

GST_START_TEST (test_nan_stays_in_its_channel)
{
  Small small = small_new (RC_LINEAR);
  gfloat out[2];
  guint32 bits;

  bits = 0xFFC12345;            /* a NaN with a sign and a payload */
  memcpy (&small.rows[1][0], &bits, 4);
  small_run (&small, 150, out, RC_ALIGNED);
  memcpy (&bits, &out[0], 4);
  fail_unless (bits == 0x7FC00000, "%08x", bits);
  fail_unless (out[1] == 15.f);
  small_run (&small, 100, out, RC_ALIGNED);
  memcpy (&bits, &out[0], 4);
  fail_unless (bits == 0xFFC12345, "a copied row keeps its bits: %08x", bits);
}

GST_END_TEST;

GST_START_TEST (test_infinities)
{
  Small small = small_new (RC_LINEAR);
  gfloat out[2];

  small.rows[2][0] = INFINITY;
  small.rows[1][1] = -INFINITY;
  small.rows[2][1] = INFINITY;
  small_run (&small, 150, out, RC_ALIGNED);
  fail_unless (isinf (out[0]) && out[0] > 0);
  fail_unless (isnan (out[1]));
}

GST_END_TEST;

GST_START_TEST (test_counters_add_up)
{
  Small small = small_new (RC_LINEAR);
  RcAlignCounters counters = { 5, 6, 7, 8 };
  gfloat out[2];

  small_run_status (&small, 150, out, RC_ALIGNED, &counters);
  small_run_status (&small, -5, out, RC_MISSING, &counters);
  small.spec.search.hold_limit_ns = 10;
  small_run_status (&small, 405, out, RC_HELD, &counters);
  fail_unless_equals_int64 (counters.aligned, 6);
  fail_unless_equals_int64 (counters.held, 7);
  fail_unless_equals_int64 (counters.missing, 8);
  fail_unless_equals_int64 (counters.disordered_episodes, 8);
}

GST_END_TEST;

/* ---- copies ---- */

/* One row copied from bytes to bytes. */
static void
copy_row (RcDtype in, RcDtype out, const void *row, gint64 channels, void *result)
{
  const RcAlignStreamSpec stream_spec = { in, out, channels, {RC_NEAREST, -1, 0, 0} };
  const RcAlignSpec spec = { &stream_spec, 1 };
  const RcBracket bracket = rc_bracket_copy (0, RC_ALIGNED);
  RcAlignStreamArgs stream = { row, 1, 0, 0, &bracket, NULL, 0, NULL, result };
  const RcAlignArgs args = { &stream, 1, 1, NULL, 0, NULL };
  RcBackend *backend = open_level (RC_CPU_BEST);
  RcAlignPlan *plan;
  RcError error;

  fail_unless (rc_align_plan (backend, &spec, &plan, NULL, &error) == RC_OK, "%s", error.message);
  fail_unless (rc_align_run (plan, &args, NULL, &error) == RC_OK, "%s", error.message);
  rc_align_plan_free (plan);
  rc_backend_close (backend);
}

/* __i__ is the dtype. */
GST_START_TEST (test_copies_keep_every_bit)
{
  GRand *rand = g_rand_new_with_seed (3);
  guint8 row[8 * 333], out[8 * 333];
  guint i;

  for (i = 0; i < sizeof (row); i++)
    row[i] = (guint8) g_rand_int (rand);
  copy_row ((RcDtype) __i__, (RcDtype) __i__, row, 333, out);
  fail_unless (memcmp (row, out, 333 * rc_dtype_size ((RcDtype) __i__)) == 0);
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_integers_widen_exactly)
{
  const gint32 row[] = { G_MININT32, -1, 0, 1, G_MAXINT32 };
  const gint64 expected[] = { G_MININT32, -1, 0, 1, G_MAXINT32 };
  gint64 out[5];

  copy_row (RC_INT32, RC_INT64, row, 5, out);
  fail_unless (memcmp (out, expected, sizeof (out)) == 0);
}

GST_END_TEST;

GST_START_TEST (test_int64_above_2_to_53_is_exact)
{
  const gint64 row[] = { G_GINT64_CONSTANT (9007199254740993), G_MAXINT64 - 1, -5 };
  const guint64 expected[] = { G_GUINT64_CONSTANT (9007199254740993), G_MAXINT64 - 1, 0 };
  guint64 out[3];

  copy_row (RC_INT64, RC_UINT64, row, 3, out);
  fail_unless (memcmp (out, expected, sizeof (out)) == 0);
}

GST_END_TEST;

GST_START_TEST (test_uint64_saturates_in_int64)
{
  const guint64 row[] = { G_MAXUINT64, (guint64) G_MAXINT64 + 1, G_MAXINT64, 7 };
  const gint64 expected[] = { G_MAXINT64, G_MAXINT64, G_MAXINT64, 7 };
  gint64 out[4];

  copy_row (RC_UINT64, RC_INT64, row, 4, out);
  fail_unless (memcmp (out, expected, sizeof (out)) == 0);
}

GST_END_TEST;

GST_START_TEST (test_integers_saturate_when_narrowed)
{
  const gint64 row[] = { G_MININT64, -129, -128, -1, 127, 128, 255, 256, G_MAXINT64 };
  const gint8 expected[] = { -128, -128, -128, -1, 127, 127, 127, 127, 127 };
  const guint8 unsigned_expected[] = { 0, 0, 0, 0, 127, 128, 255, 255, 255 };
  gint8 out[9];

  copy_row (RC_INT64, RC_INT8, row, 9, out);
  fail_unless (memcmp (out, expected, sizeof (out)) == 0);
  copy_row (RC_INT64, RC_UINT8, row, 9, out);
  fail_unless (memcmp (out, unsigned_expected, sizeof (out)) == 0);
}

GST_END_TEST;

GST_START_TEST (test_floats_to_integers)
{
  const gfloat row[] = { 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 300.f, -300.f, NAN, INFINITY, -INFINITY };
  const gint8 expected[] = { 0, 2, 2, 0, -2, 127, -128, 0, 127, -128 };
  gint8 out[10];

  copy_row (RC_FLOAT32, RC_INT8, row, 10, out);
  fail_unless (memcmp (out, expected, sizeof (out)) == 0);
}

GST_END_TEST;

GST_START_TEST (test_a_converted_nan_is_canonical)
{
  const guint32 row[] = { 0xFFFFFFFF, 0x7F800001, 0x7FC00000 };
  guint16 half[3];
  guint64 wide[3];
  guint i;

  copy_row (RC_FLOAT32, RC_FLOAT16, row, 3, half);
  copy_row (RC_FLOAT32, RC_FLOAT64, row, 3, wide);
  for (i = 0; i < 3; i++) {
    fail_unless (half[i] == 0x7E00, "%04x", half[i]);
    fail_unless (wide[i] == G_GUINT64_CONSTANT (0x7FF8000000000000));
  }
}

GST_END_TEST;

/* A mean is rounded once: through float32 this one would become the even neighbour below. */
GST_START_TEST (test_mean_rounds_once)
{
  static const gdouble rows[] = { 1.0 + 0x1p-11 + 0x1p-30, 1.0 + 0x1p-11 + 0x1p-30 };
  static const gint64 times[] = { 0, 1 }, tick = 0;
  const RcAlignStreamSpec stream_spec = { RC_FLOAT64, RC_FLOAT16, 1, {RC_MEAN, -1, 0, 10} };
  const RcAlignSpec spec = { &stream_spec, 1 };
  guint16 out = 0;
  RcAlignStreamArgs stream = { rows, 2, 8, 0, NULL, times, 0, NULL, &out };
  const RcAlignArgs args = { &stream, 1, 1, &tick, 0, NULL };
  RcBackend *backend = open_level (RC_CPU_BEST);
  RcAlignPlan *plan;

  fail_unless (rc_align_plan (backend, &spec, &plan, NULL, NULL) == RC_OK);
  fail_unless (rc_align_run (plan, &args, NULL, NULL) == RC_OK);
  fail_unless (out == 0x3C01, "%04x", out);
  rc_align_plan_free (plan);
  rc_backend_close (backend);
}

GST_END_TEST;

/* ---- quaternions ---- */

static void
blend_quaternions (const gdouble *a, const gdouble *b, gdouble w, gdouble *out)
{
  static const gint32 quaternions[] = { 0 };
  const RcAlignStreamSpec stream_spec = { RC_FLOAT64, RC_FLOAT64, 4, {RC_LINEAR, -1, 0, 0}, quaternions, 1 };
  const RcAlignSpec spec = { &stream_spec, 1 };
  const RcBracket bracket = { RC_BLEND_LINEAR, RC_ALIGNED, 0, 1, 0, 0, w, {0, 0, 0} };
  gdouble rows[8];
  RcAlignStreamArgs stream = { rows, 2, 32, 0, &bracket, NULL, 0, NULL, out };
  const RcAlignArgs args = { &stream, 1, 1, NULL, 0, NULL };
  RcBackend *backend = open_level (RC_CPU_BEST);
  RcAlignPlan *plan;

  memcpy (rows, a, 32);
  memcpy (rows + 4, b, 32);
  fail_unless (rc_align_plan (backend, &spec, &plan, NULL, NULL) == RC_OK);
  fail_unless (rc_align_run (plan, &args, NULL, NULL) == RC_OK);
  rc_align_plan_free (plan);
  rc_backend_close (backend);
}

GST_START_TEST (test_slerp_quarter_turn)
{
  const gdouble a[] = { 1, 0, 0, 0 }, b[] = { M_SQRT1_2, M_SQRT1_2, 0, 0 };
  gdouble q[4];

  blend_quaternions (a, b, 0.5, q);
  fail_unless (fabs (q[0] - cos (G_PI / 8)) < 1e-15 && fabs (q[1] - sin (G_PI / 8)) < 1e-15);
  fail_unless (q[2] == 0 && q[3] == 0);
}

GST_END_TEST;

GST_START_TEST (test_slerp_takes_the_shorter_arc)
{
  const gdouble a[] = { 1, 0, 0, 0 }, b[] = { -M_SQRT1_2, -M_SQRT1_2, 0, 0 };
  gdouble q[4];

  blend_quaternions (a, b, 0.5, q);
  fail_unless (fabs (q[0] - cos (G_PI / 8)) < 1e-15 && fabs (q[1] - sin (G_PI / 8)) < 1e-15);
}

GST_END_TEST;

GST_START_TEST (test_slerp_normalises)
{
  const gdouble a[] = { 0, 3, 0, 0 }, b[] = { 0, 0, 0.25, 0 };
  gdouble q[4];

  blend_quaternions (a, b, 0.5, q);
  fail_unless (fabs (q[1] - M_SQRT1_2) < 1e-15 && fabs (q[2] - M_SQRT1_2) < 1e-15);
}

GST_END_TEST;

GST_START_TEST (test_slerp_of_equal_quaternions)
{
  const gdouble a[] = { 0.5, 0.5, -0.5, 0.5 };
  gdouble q[4];

  blend_quaternions (a, a, 0.3, q);
  fail_unless (q[0] == 0.5 && q[1] == 0.5 && q[2] == -0.5 && q[3] == 0.5);
}

GST_END_TEST;

GST_START_TEST (test_slerp_of_a_zero_quaternion_is_nan)
{
  const gdouble a[] = { 0, 0, 0, 0 }, b[] = { 1, 0, 0, 0 };
  guint64 bits[4];
  gint i;

  blend_quaternions (a, b, 0.5, (gdouble *) bits);
  for (i = 0; i < 4; i++)
    fail_unless (bits[i] == G_GUINT64_CONSTANT (0x7FF8000000000000));
}

GST_END_TEST;

/* A mean is of plain numbers, quaternion or not. */
GST_START_TEST (test_mean_ignores_quaternions)
{
  static const gint32 quaternions[] = { 0 };
  static const gint64 times[] = { 0, 1 }, tick = 0;
  const gfloat rows[] = { 1, 0, 0, 0, 0, 1, 0, 0 };
  const RcAlignStreamSpec stream_spec = { RC_FLOAT32, RC_FLOAT32, 4, {RC_MEAN, -1, 0, 10}, quaternions, 1 };
  const RcAlignSpec spec = { &stream_spec, 1 };
  gfloat out[4];
  RcAlignStreamArgs stream = { rows, 2, 16, 0, NULL, times, 0, NULL, out };
  const RcAlignArgs args = { &stream, 1, 1, &tick, 0, NULL };
  RcBackend *backend = open_level (RC_CPU_BEST);
  RcAlignPlan *plan;

  fail_unless (rc_align_plan (backend, &spec, &plan, NULL, NULL) == RC_OK);
  fail_unless (rc_align_run (plan, &args, NULL, NULL) == RC_OK);
  fail_unless (out[0] == 0.5f && out[1] == 0.5f && out[2] == 0.f && out[3] == 0.f);
  rc_align_plan_free (plan);
  rc_backend_close (backend);
}

GST_END_TEST;

/* ---- episodes ---- */

typedef struct
{
  gint64 times[3][4];
  gint64 counts[3];
  gint64 ticks[3][2];
  gfloat rows[3][4], out[3][2];
  guint8 status[3][2];
  RcAlignCounters counters;
} Episodes;

static const Episodes ordered_episodes = { {{0, 10, 20, 30}, {0, 10, 20, 30}, {0, 10, 20, 30}}, {4, 4, 4},
{{5, 15}, {5, 25}, {15, 25}}, {{0, 1, 2, 3}, {10, 11, 12, 13}, {20, 21, 22, 23}}
};

static void
episodes_run (Episodes *e, gint64 times_stride, gint64 ticks_stride)
{
  const RcAlignStreamSpec stream_spec = { RC_FLOAT32, RC_FLOAT32, 1, {RC_LINEAR, -1, 0, 0} };
  const RcAlignSpec spec = { &stream_spec, 1 };
  RcAlignStreamArgs stream = { e->rows, 4, 4, 16, NULL, e->times[0], times_stride, e->counts, e->out, 4, 8,
    e->status[0], 2, &e->counters
  };
  const RcAlignArgs args = { &stream, 3, 2, e->ticks[0], ticks_stride, NULL };
  RcBackend *backend = open_level (RC_CPU_BEST);
  RcAlignPlan *plan;
  RcError error;

  fail_unless (rc_align_plan (backend, &spec, &plan, NULL, &error) == RC_OK, "%s", error.message);
  fail_unless (rc_align_run (plan, &args, NULL, &error) == RC_OK, "%s", error.message);
  rc_align_plan_free (plan);
  rc_backend_close (backend);
}

GST_START_TEST (test_episodes)
{
  Episodes e = ordered_episodes;

  episodes_run (&e, 32, 16);
  fail_unless (e.out[0][0] == 0.5f && e.out[0][1] == 1.5f);
  fail_unless (e.out[1][0] == 10.5f && e.out[1][1] == 12.5f);
  fail_unless (e.out[2][0] == 21.5f && e.out[2][1] == 22.5f);
  fail_unless_equals_int64 (e.counters.aligned, 6);
}

GST_END_TEST;

GST_START_TEST (test_episodes_share_ticks)
{
  Episodes e = ordered_episodes;

  episodes_run (&e, 32, 0);
  fail_unless (e.out[1][0] == 10.5f && e.out[1][1] == 11.5f);
  fail_unless (e.out[2][0] == 20.5f && e.out[2][1] == 21.5f);
}

GST_END_TEST;

GST_START_TEST (test_episodes_share_times)
{
  Episodes e = ordered_episodes;

  e.times[1][1] = -100;         /* not read */
  episodes_run (&e, 0, 16);
  fail_unless (e.out[1][0] == 10.5f && e.out[2][1] == 22.5f);
  fail_unless_equals_int64 (e.counters.disordered_episodes, 0);
}

GST_END_TEST;

GST_START_TEST (test_a_disordered_episode_is_missing_and_counted)
{
  Episodes e = ordered_episodes;

  e.times[1][3] = 19;
  episodes_run (&e, 32, 16);
  fail_unless (isnan (e.out[1][0]) && isnan (e.out[1][1]));
  fail_unless_equals_int (e.status[1][0], RC_MISSING);
  fail_unless (e.out[0][0] == 0.5f && e.out[2][0] == 21.5f);
  fail_unless_equals_int64 (e.counters.disordered_episodes, 1);
  fail_unless_equals_int64 (e.counters.missing, 2);
  fail_unless_equals_int64 (e.counters.aligned, 4);
}

GST_END_TEST;

/* Rows behind an episode's count are not looked at, however their times are. */
GST_START_TEST (test_ragged_episodes)
{
  Episodes e = ordered_episodes;

  e.counts[0] = 2;
  e.times[0][2] = -1;
  e.counts[2] = 0;
  episodes_run (&e, 32, 16);
  fail_unless (e.out[0][0] == 0.5f && isnan (e.out[0][1]));
  fail_unless (isnan (e.out[2][0]) && isnan (e.out[2][1]));
  fail_unless_equals_int64 (e.counters.disordered_episodes, 0);
}

GST_END_TEST;

GST_START_TEST (test_a_wild_row_count_is_missing_and_counted)
{
  Episodes e = ordered_episodes;

  e.counts[0] = 5;
  e.times[1][0] = 40;           /* which would be in order */
  e.counts[1] = -1;
  episodes_run (&e, 32, 16);
  fail_unless (isnan (e.out[0][0]) && isnan (e.out[1][0]) && e.out[2][0] == 21.5f);
  fail_unless_equals_int64 (e.counters.disordered_episodes, 2);
}

GST_END_TEST;

/* ---- several streams ---- */

/* Into slices of one concatenated row; the middle stream is absent, the last one an integer. */
GST_START_TEST (test_streams_concatenate)
{
  const RcAlignStreamSpec streams[] = {
    {RC_FLOAT64, RC_FLOAT32, 2, {RC_LINEAR, -1, 0, 0}},
    {RC_FLOAT32, RC_FLOAT32, 1, {RC_LINEAR, -1, 0, 0}},
    {RC_INT16, RC_FLOAT32, 1, {RC_PREVIOUS, -1, 0, 0}},
  };
  const RcAlignSpec spec = { streams, 3 };
  const gdouble a[] = { 0, 10, 1, 20 };
  const gint16 c[] = { 7, 9 };
  const gint64 a_times[] = { 0, 100 }, c_times[] = { 40, 60 }, ticks[] = { 50, 75 };
  gfloat out[2][4];
  RcAlignCounters counters[3] = { {0} };
  const RcAlignStreamArgs args[] = {
    {a, 2, 16, 0, NULL, a_times, 0, NULL, &out[0][0], 16, 0, NULL, 0, &counters[0]},
    {NULL, 0, 0, 0, NULL, NULL, 0, NULL, &out[0][2], 16, 0, NULL, 0, &counters[1]},
    {c, 2, 2, 0, NULL, c_times, 0, NULL, &out[0][3], 16, 0, NULL, 0, &counters[2]},
  };
  const RcAlignArgs run = { args, 1, 2, ticks, 0, NULL };
  RcBackend *backend = open_level (RC_CPU_BEST);
  RcAlignPlan *plan;
  RcError error;

  fail_unless (rc_align_plan (backend, &spec, &plan, NULL, &error) == RC_OK, "%s", error.message);
  fail_unless (rc_align_run (plan, &run, NULL, &error) == RC_OK, "%s", error.message);
  fail_unless (out[0][0] == 0.5f && out[0][1] == 15.f && isnan (out[0][2]) && out[0][3] == 7.f);
  fail_unless (out[1][0] == 0.75f && out[1][1] == 17.5f && isnan (out[1][2]) && out[1][3] == 9.f);
  fail_unless_equals_int64 (counters[1].missing, 2);
  fail_unless_equals_int64 (counters[2].aligned, 2);
  rc_align_plan_free (plan);
  rc_backend_close (backend);
}

GST_END_TEST;

/* __i__ is the dtype. */
GST_START_TEST (test_an_absent_stream_is_nan_or_zero)
{
  const RcAlignStreamSpec stream_spec = { RC_FLOAT32, (RcDtype) __i__, 300, {RC_LINEAR, -1, -1, 0} };
  const RcAlignSpec spec = { &stream_spec, 1 };
  guint8 out[300 * 8], status = 99;
  RcAlignStreamArgs stream = { NULL, 0, 0, 0, NULL, NULL, 0, NULL, out, 0, 0, &status };
  const RcAlignArgs args = { &stream, 1, 1, NULL, 0, NULL };
  RcBackend *backend = open_level (RC_CPU_BEST);
  RcAlignPlan *plan;
  gint64 i;

  memset (out, 0xA5, sizeof (out));
  fail_unless (rc_align_plan (backend, &spec, &plan, NULL, NULL) == RC_OK);
  fail_unless (rc_align_run (plan, &args, NULL, NULL) == RC_OK);
  fail_unless_equals_int (status, RC_MISSING);
  for (i = 0; i < 300; i++) {
    const gdouble x = oracle_get ((RcDtype) __i__, out + i * (gint64) rc_dtype_size ((RcDtype) __i__));

    fail_unless (rc_dtype_is_float ((RcDtype) __i__) ? isnan (x) : x == 0);
  }
  rc_align_plan_free (plan);
  rc_backend_close (backend);
}

GST_END_TEST;

static Suite *
align_cases_suite (void)
{
  Suite *s = suite_create ("align_cases");
  TCase *small = tcase_create ("small"), *copies = tcase_create ("copies");
  TCase *quaternions = tcase_create ("quaternions"), *episodes = tcase_create ("episodes");

  suite_add_tcase (s, small);
  tcase_add_test (small, test_linear_by_hand);
  tcase_add_test (small, test_nearest_midpoint_takes_the_earlier);
  tcase_add_test (small, test_previous_needs_nothing_after);
  tcase_add_test (small, test_cubic_follows_a_parabola);
  tcase_add_test (small, test_hermite_follows_a_cubic);
  tcase_add_test (small, test_mean_takes_a_half_open_interval);
  tcase_add_test (small, test_mean_of_nothing_is_linear);
  tcase_add_test (small, test_mean_counts_equal_times_once);
  tcase_add_test (small, test_gap_is_missing_then_held);
  tcase_add_test (small, test_before_the_first_row_is_missing);
  tcase_add_test (small, test_after_the_last_row_is_held_forever);
  tcase_add_test (small, test_extreme_times);
  tcase_add_test (small, test_an_angle_takes_the_shorter_way);
  tcase_add_test (small, test_nan_stays_in_its_channel);
  tcase_add_test (small, test_infinities);
  tcase_add_test (small, test_counters_add_up);

  suite_add_tcase (s, copies);
  tcase_add_loop_test (copies, test_copies_keep_every_bit, 0, RC_N_DTYPES);
  tcase_add_test (copies, test_integers_widen_exactly);
  tcase_add_test (copies, test_int64_above_2_to_53_is_exact);
  tcase_add_test (copies, test_uint64_saturates_in_int64);
  tcase_add_test (copies, test_integers_saturate_when_narrowed);
  tcase_add_test (copies, test_floats_to_integers);
  tcase_add_test (copies, test_a_converted_nan_is_canonical);
  tcase_add_test (copies, test_mean_rounds_once);

  suite_add_tcase (s, quaternions);
  tcase_add_test (quaternions, test_slerp_quarter_turn);
  tcase_add_test (quaternions, test_slerp_takes_the_shorter_arc);
  tcase_add_test (quaternions, test_slerp_normalises);
  tcase_add_test (quaternions, test_slerp_of_equal_quaternions);
  tcase_add_test (quaternions, test_slerp_of_a_zero_quaternion_is_nan);
  tcase_add_test (quaternions, test_mean_ignores_quaternions);

  suite_add_tcase (s, episodes);
  tcase_add_test (episodes, test_episodes);
  tcase_add_test (episodes, test_episodes_share_ticks);
  tcase_add_test (episodes, test_episodes_share_times);
  tcase_add_test (episodes, test_a_disordered_episode_is_missing_and_counted);
  tcase_add_test (episodes, test_ragged_episodes);
  tcase_add_test (episodes, test_a_wild_row_count_is_missing_and_counted);
  tcase_add_test (episodes, test_streams_concatenate);
  tcase_add_loop_test (episodes, test_an_absent_stream_is_nan_or_zero, 0, RC_N_DTYPES);
  return s;
}

GST_CHECK_MAIN (align_cases);
