/* robocache: conversions, sine and arccosine, angles and quaternions, on their own
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "align/oracle.h"
#include "kernels/arithmetic.h"
#define RC_LEVEL baseline
#include "kernels/cpu/convert.h"
#include "tests/check/lib/checks.h"

/* ---- float16 and bfloat16 ---- */

typedef struct
{
  const OracleFormat *format;
  guint16 nan;
  gfloat (*to_float32) (guint16 bits);
  guint16 (*from_float32) (gfloat x);
  guint16 (*from_float64) (gdouble x);
} Half;

static const Half halves[] = {
  {&oracle_float16, 0x7E00, rc_float32_from_float16, rc_float16_from_float32, rc_float16_from_float64},
  {&oracle_bfloat16, 0x7FC0, rc_float32_from_bfloat16, rc_bfloat16_from_float32, rc_bfloat16_from_float64},
};

/* In the tests of this part __i__ is the format. */
GST_START_TEST (test_every_half_and_back)
{
  const Half *half = &halves[__i__];

  for (guint i = 0; i < 65536; i++) {
    const gdouble expected = oracle_decode16 (*half->format, (guint16) i);
    const gfloat got = half->to_float32 ((guint16) i);

    if (isnan (expected))
      fail_unless (rc_bits32 (got) == 0x7FC00000, "%04x: %08x", i, rc_bits32 (got));
    else
      fail_unless (got == expected && !signbit (got) == !(i & 0x8000), "%04x: got %a, expected %a", i, got, expected);
    fail_unless (half->from_float32 (got) == (isnan (expected) ? half->nan : i), "%04x: %04x", i, half->from_float32 (got));
    fail_unless (half->from_float64 (got) == (isnan (expected) ? half->nan : i), "%04x: %04x", i, half->from_float64 (got));
  }
}

GST_END_TEST;

/* Between each two neighbours: the midpoint, and the float32 and float64 on both sides of it. */
GST_START_TEST (test_every_midpoint)
{
  const Half *half = &halves[__i__];
  const guint infinity = __i__ == 0 ? 0x7C00 : 0x7F80;

  for (guint i = 0; i < infinity; i++) {
    const gdouble low = oracle_decode16 (*half->format, (guint16) i);
    const gdouble unit = i + 1 < infinity ? oracle_decode16 (*half->format, (guint16) (i + 1)) - low
        : low - oracle_decode16 (*half->format, (guint16) (i - 1));
    const gdouble middle = low + unit / 2;
    const guint even = i % 2 == 0 ? i : i + 1;

    fail_unless (half->from_float64 (middle) == even, "%04x: %04x", i, half->from_float64 (middle));
    fail_unless (half->from_float64 (nextafter (middle, 0)) == i, "%04x", i);
    fail_unless (half->from_float64 (nextafter (middle, INFINITY)) == i + 1, "%04x", i);
    fail_unless (half->from_float64 (-middle) == (even | 0x8000), "%04x", i);
    if ((gfloat) middle == middle) {
      fail_unless (half->from_float32 ((gfloat) middle) == even, "%04x: %04x", i, half->from_float32 ((gfloat) middle));
      fail_unless (half->from_float32 (nextafterf ((gfloat) middle, 0)) == i, "%04x", i);
      fail_unless (half->from_float32 (nextafterf ((gfloat) middle, INFINITY)) == i + 1, "%04x", i);
      fail_unless (half->from_float32 (-(gfloat) middle) == (even | 0x8000), "%04x", i);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_random_bits_to_half)
{
  const Half *half = &halves[__i__];
  GRand *rand = g_rand_new_with_seed (5);

  for (guint i = 0; i < 1000000; i++) {
    const gfloat f = rc_float32 (g_rand_int (rand));
    const gdouble d = rc_float64 ((guint64) g_rand_int (rand) << 32 | g_rand_int (rand));
    const gdouble near = f * (1 + g_rand_double_range (rand, -0x1p-30, 0x1p-30));

    fail_unless (half->from_float32 (f) == oracle_encode16 (*half->format, oracle_round (*half->format, f)), "%a", f);
    fail_unless (half->from_float64 (d) == oracle_encode16 (*half->format, oracle_round (*half->format, d)), "%a", d);
    fail_unless (half->from_float64 (near) == oracle_encode16 (*half->format, oracle_round (*half->format, near)), "%a",
        near);
  }
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_extremes_to_half)
{
  const Half *half = &halves[__i__];
  const guint infinity = __i__ == 0 ? 0x7C00 : 0x7F80;

  fail_unless_equals_int (half->from_float32 (INFINITY), infinity);
  fail_unless_equals_int (half->from_float32 (-INFINITY), infinity | 0x8000);
  fail_unless_equals_int (half->from_float64 (INFINITY), infinity);
  fail_unless_equals_int (half->from_float64 (G_MAXDOUBLE), infinity);
  fail_unless_equals_int (half->from_float32 (0.f), 0);
  fail_unless_equals_int (half->from_float32 (-0.f), 0x8000);
  fail_unless_equals_int (half->from_float64 (-0.0), 0x8000);
  fail_unless_equals_int (half->from_float64 (0x1p-1074), 0);
  fail_unless_equals_int (half->from_float32 (rc_float32 (0xFF800001)), half->nan);
  fail_unless_equals_int (half->from_float64 (rc_float64 (G_GUINT64_CONSTANT (0xFFF0000000000001))), half->nan);
  fail_unless_equals_int (half->from_float64 (rc_float64 (G_GUINT64_CONSTANT (0x7FFFFFFFFFFFFFFF))), half->nan);
}

GST_END_TEST;

/* ---- canonical NaN ---- */

GST_START_TEST (test_canonical)
{
  fail_unless (rc_bits32 (rc_canonical32 (rc_float32 (0xFFFFFFFF))) == 0x7FC00000);
  fail_unless (rc_bits64 (rc_canonical64 (rc_float64 (G_MAXUINT64))) == G_GUINT64_CONSTANT (0x7FF8000000000000));
  fail_unless (rc_bits32 (rc_canonical32 (-0.f)) == 0x80000000);
  fail_unless (rc_bits32 (rc_canonical32 (-INFINITY)) == 0xFF800000);
  fail_unless (rc_bits32 (rc_canonical32 (0x1p-149f)) == 1);
  fail_unless (rc_bits32 (rc_float32_from_float64 (-NAN)) == 0x7FC00000);
  fail_unless (rc_float32_from_float64 (0.1) == 0.1f);
  fail_unless_equals_int (rc_float16_from_float64 (1 + 0x1p-11 + 0x1p-40), 0x3C01);
  fail_unless_equals_int (rc_float16_from_float32 ((gfloat) (1 + 0x1p-11 + 0x1p-40)), 0x3C00);
  fail_unless_equals_int (rc_bfloat16_from_float64 (1 + 0x1p-8 + 0x1p-40), 0x3F81);
  fail_unless_equals_int (rc_bfloat16_from_float32 ((gfloat) (1 + 0x1p-8 + 0x1p-40)), 0x3F80);
}

GST_END_TEST;

/* ---- integers ---- */

GST_START_TEST (test_nearest_is_nearbyint)
{
  GRand *rand = g_rand_new_with_seed (6);

  for (guint i = 0; i < 1000000; i++) {
    const gdouble bits = rc_float64 ((guint64) g_rand_int (rand) << 32 | g_rand_int (rand));
    const gdouble half = g_rand_int (rand) * 0.5 - 1e9, wide = g_rand_double_range (rand, -0x1p54, 0x1p54);

    fail_unless (isnan (bits) ? isnan (rc_nearest (bits)) : rc_nearest (bits) == nearbyint (bits), "%a", bits);
    fail_unless (rc_nearest (half) == nearbyint (half), "%a", half);
    fail_unless (rc_nearest (wide) == nearbyint (wide), "%a", wide);
  }
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_nearest_near_its_limits)
{
  static const gdouble at[] = { 0x1p51, 0x1p52, 0x1p53, 0.5, 1.5, 2.5 };

  for (guint i = 0; i < G_N_ELEMENTS (at); i++) {
    const gdouble around[] = { at[i], nextafter (at[i], 0), nextafter (at[i], INFINITY), at[i] + 0.5, at[i] - 0.5 };

    for (guint k = 0; k < G_N_ELEMENTS (around); k++) {
      fail_unless (rc_nearest (around[k]) == nearbyint (around[k]), "%a", around[k]);
      fail_unless (rc_nearest (-around[k]) == nearbyint (-around[k]), "-%a", around[k]);
    }
  }
}

GST_END_TEST;

/* Of each type: its ends, what lies beyond them, and halves, which are rounded to even. 2^63 does not fit, the double before does. */
GST_START_TEST (test_integers_saturate)
{
  const RcDtype dtype = (RcDtype) (RC_INT8 + __i__);
  const gdouble least = oracle_least_integer (dtype), end = oracle_end_integer (dtype);
  const gdouble numbers[] = { NAN, -NAN, INFINITY, -INFINITY, G_MAXDOUBLE, -G_MAXDOUBLE, least, least - 1, least * 1.5 - 1, least - 0.5,
    nextafter (least, 0), nextafter (least, -INFINITY), end, end - 1, end - 0.5, end * 1.5, 2 * end, nextafter (end, 0),
    nextafter (end - 1, 0), nextafter (end - 1, INFINITY), 0x1p53 + 2, 0x1p63, 0x1p63 - 1024, -0x1p63 + 1024, 0.5, 1.5, 2.5, -0.0,
    -0.5, -1, -2.5, -3.5
  };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    guint64 got = 0, expected = 0;

    rc_conversions_baseline.store_float64[dtype] (&numbers[i], &got, 1);
    oracle_put (dtype, &expected, numbers[i]);
    fail_unless (got == expected, "%s of %a: bits %" G_GINT64_MODIFIER "x, not %" G_GINT64_MODIFIER "x", rc_dtype_name (dtype),
        numbers[i], got, expected);
  }
}

GST_END_TEST;

/* ---- rows ---- */

#define ROW 4099                /* no multiple of the lanes of a vector */

/* Doubles of all sizes, near the midpoints of float16, bfloat16 and integers, or of random bits. */
static gdouble
random_double (GRand *rand)
{
  const guint64 bits = (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);
  gdouble x = 0;

  switch (g_rand_int_range (rand, 0, 5)) {
    case 0:
      memcpy (&x, &bits, sizeof (x));
      return x;
    case 1:
      return ldexp ((gdouble) (gint64) bits, g_rand_int_range (rand, -100, 70));
    case 2:
      return nextafter (rc_float32_from_float16 ((guint16) bits) + ldexp (1, -25), g_rand_boolean (rand) ? 1e9 : -1e9);
    case 3:
      return nextafter (rc_float32_from_bfloat16 ((guint16) bits) * (1 + ldexp (1, -8)), g_rand_boolean (rand) ? INFINITY : -INFINITY);
    default:
      return g_rand_int_range (rand, -140000, 140000) / 2.0;
  }
}

/* A row at once, at an odd address, has the bits of its numbers one by one: vectors convert several at a time. */
GST_START_TEST (test_rows_are_numbers_one_by_one)
{
  const RcConversions *convert = &rc_conversions_baseline;
  const RcDtype dtype = (RcDtype) __i__;
  const gsize size = rc_dtype_size (dtype);
  GRand *rand = g_rand_new_with_seed (20261124);
  guint8 *row = g_malloc (ROW * 8 + 1), *one = g_malloc (ROW * 8);
  gdouble *doubles = g_new (gdouble, ROW), *loaded = g_new (gdouble, ROW), number;
  gfloat *floats = g_new (gfloat, ROW), *loaded_floats = g_new (gfloat, ROW), small;

  for (guint i = 0; i < ROW; i++) {
    doubles[i] = random_double (rand);
    floats[i] = (gfloat) doubles[i];
  }
  convert->store_float64[dtype] (doubles, row + 1, ROW);
  convert->load_float64[dtype] (row + 1, loaded, ROW);
  for (guint i = 0; i < ROW; i++) {
    convert->store_float64[dtype] (&doubles[i], one, 1);
    fail_unless (memcmp (one, row + 1 + i * size, size) == 0, "%s of %a", rc_dtype_name (dtype), doubles[i]);
    convert->load_float64[dtype] (one, &number, 1);
    fail_unless (memcmp (&number, &loaded[i], sizeof (number)) == 0, "%s of %a, loaded", rc_dtype_name (dtype), doubles[i]);
  }
  if (convert->store_float32[dtype]) {
    convert->store_float32[dtype] (floats, row + 1, ROW);
    convert->load_float32[dtype] (row + 1, loaded_floats, ROW);
  }
  for (guint i = 0; convert->store_float32[dtype] && i < ROW; i++) {
    convert->store_float32[dtype] (&floats[i], one, 1);
    fail_unless (memcmp (one, row + 1 + i * size, size) == 0, "%s of %a", rc_dtype_name (dtype), floats[i]);
    convert->load_float32[dtype] (one, &small, 1);
    fail_unless (memcmp (&small, &loaded_floats[i], sizeof (small)) == 0, "%s of %a, loaded", rc_dtype_name (dtype), floats[i]);
  }
  g_rand_free (rand);
  g_free (row);
  g_free (one);
  g_free (doubles);
  g_free (loaded);
  g_free (floats);
  g_free (loaded_floats);
}

GST_END_TEST;

/* ---- sine and arccosine ---- */

GST_START_TEST (test_sine)
{
  const gint n = 2000000;
  gdouble worst = 0, x;

  for (gint i = 0; i <= n; i++) {
    x = RC_PI / 2 * i / n;
    worst = MAX (worst, fabs (rc_sine (x) - sin (x)));
  }
  fail_unless (worst < 4e-16, "off by %g", worst);
  for (x = 1e-200; x < 1; x *= 1.01)    /* towards 0 the digits count */
    fail_unless (fabs (rc_sine (x) / sin (x) - 1) < 4e-16, "%g: %g", x, rc_sine (x));
  fail_unless (rc_sine (0.0) == 0.0);
  fail_unless (rc_sine (1e-300) == 1e-300);
}

GST_END_TEST;

GST_START_TEST (test_arccosine)
{
  const gint n = 2000000;
  gdouble worst = 0, x;

  for (gint i = 0; i <= n; i++) {
    x = (gdouble) i / n;
    worst = MAX (worst, fabs (rc_arccosine (x) - acos (x)));
  }
  fail_unless (worst < 5e-16, "off by %g", worst);
  for (x = 0x1p-53; x < 0.5; x *= 1.01)         /* beside 1 the digits count */
    fail_unless (1 - x == 1 || fabs (rc_arccosine (1 - x) / acos (1 - x) - 1) < 5e-16, "1 - %a", x);
  fail_unless (rc_arccosine (1.0) == 0.0);
}

GST_END_TEST;

/* ---- angles ---- */

GST_START_TEST (test_wrap_random)
{
  GRand *rand = g_rand_new_with_seed (7);

  for (guint i = 0; i < 1000000; i++) {
    const gdouble x = g_rand_double_range (rand, -1, 1) * pow (10, g_rand_int_range (rand, -3, 7));
    const gdouble got = rc_wrap (x), expected = oracle_wrap (x);
    const gdouble off = fabs (got - expected), tolerance = 1e-15 * MAX (8, fabs (x));

    fail_unless (got > -RC_PI && got <= RC_PI, "%a: %a", x, got);
    fail_unless (off < tolerance || fabs (off - 2 * RC_PI) < tolerance, "%.17g: got %.17g, expected %.17g", x, got,
        expected);
  }
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_wrap_stays_inside_for_any_number)
{
  GRand *rand = g_rand_new_with_seed (8);

  for (guint i = 0; i < 3000000; i++) {
    const gdouble x = rc_float64 ((guint64) g_rand_int (rand) << 32 | g_rand_int (rand));
    const gdouble got = rc_wrap (x);

    if (isfinite (x))
      fail_unless (got > -RC_PI && got <= RC_PI, "%a: %a", x, got);
    else
      fail_unless (isnan (got));
  }
  fail_unless (fabs (rc_wrap (G_MAXDOUBLE)) <= RC_PI && fabs (rc_wrap (-G_MAXDOUBLE)) <= RC_PI);
  g_rand_free (rand);
}

GST_END_TEST;

/* Every double within a few steps of the odd multiples of pi, where the angle jumps. */
GST_START_TEST (test_wrap_at_its_ends)
{
  for (gint k = -2001; k <= 2001; k += 2) {
    gdouble x = k * RC_PI;

    for (gint step = 0; step < 20; step++)
      x = nextafter (x, -INFINITY);
    for (gint step = 0; step < 40; step++) {
      const gdouble got = rc_wrap (x);

      fail_unless (got > -RC_PI && got <= RC_PI, "%a: %a", x, got);
      fail_unless (fabs (got) > 3.14159, "%a: %a", x, got);
      x = nextafter (x, INFINITY);
    }
  }
  fail_unless (rc_wrap (RC_PI) == RC_PI);
  fail_unless (rc_wrap (-RC_PI) == RC_PI);
  fail_unless (rc_wrap (0.0) == 0.0);
}

GST_END_TEST;

GST_START_TEST (test_blend_angle)
{
  const RcAngleLimits limits = rc_angle_limits (RC_FLOAT64, RC_FLOAT64);

  fail_unless (fabs (rc_blend_angle (3.0, -3.0, 0.25, &limits) - (3.0 + 0.25 * (2 * RC_PI - 6))) < 1e-15);
  fail_unless (fabs (rc_blend_angle (-3.0, 3.0, 0.25, &limits) + (3.0 + 0.25 * (2 * RC_PI - 6))) < 1e-15);
  fail_unless (fabs (rc_blend_angle (0.5, 0.7, 0.5, &limits) - 0.6) < 1e-15);
  fail_unless (fabs (rc_blend_angle (100.0, 100.2, 0.5, &limits) - 100.1) < 1e-13);
}

GST_END_TEST;

/* The limits of rows are what a dtype makes of pi and 2 pi, and the least result that a dtype rounds to them is the least one. */
GST_START_TEST (test_limits_of_turns)
{
  for (gint in = 0; in < RC_N_DTYPES; in++) {
    for (gint out = 0; out < RC_N_DTYPES; out++) {
      const RcAngleLimits limits = rc_angle_limits ((RcDtype) in, (RcDtype) out);
      const gdouble of_rows[] = { limits.pi, limits.two_pi }, tops[] = { limits.top_pi, limits.top_two_pi };

      for (gint i = 0; i < 2; i++) {
        const gdouble stored = oracle_stored ((RcDtype) out, of_rows[i]);

        fail_unless (of_rows[i] == oracle_stored ((RcDtype) in, (i + 1) * RC_PI), "%d: %a", in, of_rows[i]);
        fail_unless (oracle_stored ((RcDtype) out, tops[i]) == stored, "%d to %d: %a", in, out, tops[i]);
        fail_unless (oracle_stored ((RcDtype) out, nextafter (tops[i], 0)) < stored, "%d to %d: %a", in, out, tops[i]);
      }
    }
  }
}

GST_END_TEST;

/* Whatever the angle, the result is within the turn of its rows as it is stored, and the same angle. */
GST_START_TEST (test_turns)
{
  GRand *rand = g_rand_new_with_seed (11);

  for (guint i = 0; i < 1000000; i++) {
    const RcDtype in = RC_FLOAT16 + i % 4, out = RC_FLOAT16 + i / 4 % 4;
    const RcAngleLimits limits = rc_angle_limits (in, out);
    const gboolean is_full = i % 3 == 0;
    const gdouble low = is_full ? 0 : -limits.pi, high = is_full ? limits.two_pi : limits.pi;
    gdouble x = g_rand_double_range (rand, -30, 30), got;

    if (i % 5 == 0)             /* near a limit */
      x = nextafter (low + RC_PI * g_rand_int_range (rand, -4, 5), i % 2 ? -INFINITY : INFINITY);
    got = rc_into_turn (x, is_full ? 0 : -1, 1, &limits);
    fail_unless (got >= low && oracle_stored (out, got) < oracle_stored (out, high), "%a: %a", x, got);
    fail_unless (fabs (remainder (got - x, 2 * RC_PI)) <= high - limits.top_pi * (1 + is_full) + 2e-3, "%a: %a", x, got);
    if (x >= low && oracle_stored (out, x) < oracle_stored (out, high))
      fail_unless (got == x, "%a: %a", x, got);
    fail_unless (rc_into_turn (x, -1, 7, &limits) == x && rc_into_turn (x, -4, 1, &limits) == x);
  }
  fail_unless (isnan (rc_into_turn (NAN, 0, 1, &(RcAngleLimits) { RC_PI, RC_TWO_PI, RC_PI, RC_TWO_PI })));
  g_rand_free (rand);
}

GST_END_TEST;

/* ---- slerp ---- */

static void
random_quaternion (GRand *rand, gdouble *q)
{
  for (gint i = 0; i < 4; i++)
    q[i] = g_rand_double_range (rand, -1, 1);
}

static void
assert_slerp (const gdouble *a, const gdouble *b, gdouble w, gdouble tolerance)
{
  gdouble got[4], expected[4];

  rc_slerp (a, b, w, got);
  oracle_slerp (a, b, w, expected);
  fail_unless (fabs (rc_dot4 (got, got) - 1) < 1e-15 * 4);
  for (gint i = 0; i < 4; i++)
    fail_unless (fabs (got[i] - expected[i]) < tolerance, "(%g %g %g %g) (%g %g %g %g) %g: component %d is %.17g, expected "
        "%.17g", a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], w, i, got[i], expected[i]);
}

/* Any angle, and small ones on both sides of the switch from arc to chord. */
GST_START_TEST (test_slerp_random)
{
  GRand *rand = g_rand_new_with_seed (10);
  gdouble a[4], b[4];

  for (guint i = 0; i < 600000; i++) {
    const gdouble near = pow (10, g_rand_double_range (rand, -8, -1));

    random_quaternion (rand, a);
    for (guint k = 0; k < 4; k++)
      b[k] = (a[k] + near * g_rand_double_range (rand, -1, 1)) * (i % 2 == 0 ? 1 : -1);
    if (i % 4 > 1)
      random_quaternion (rand, b);
    assert_slerp (a, b, g_rand_double (rand), 1e-13);
  }
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_slerp_may_overwrite_its_input)
{
  gdouble a[4] = { 1, 0, 0, 0 }, q[4];
  const gdouble b[4] = { 0.6, 0.8, 0, 0 };

  rc_slerp (a, b, 0.3, q);
  rc_slerp (a, b, 0.3, a);
  fail_unless (memcmp (a, q, sizeof (q)) == 0);
}

GST_END_TEST;

GST_START_TEST (test_slerp_of_nothing_is_nan)
{
  const gdouble zero[4] = { 0 }, one[4] = { 1, 0, 0, 0 }, bad[4] = { NAN, 0, 0, 1 };
  gdouble q[4];

  for (gint i = 0; i < 4; i++) {
    rc_slerp (zero, one, 0.5, q);
    fail_unless (isnan (q[i]));
    rc_slerp (one, zero, 0.5, q);
    fail_unless (isnan (q[i]));
    rc_slerp (one, bad, 0.5, q);
    fail_unless (isnan (q[i]));
  }
}

GST_END_TEST;

CHECK_MAIN (arithmetic, NULL, NULL, EACH (halves, test_every_half_and_back), EACH (halves, test_every_midpoint),
    EACH (halves, test_random_bits_to_half), EACH (halves, test_extremes_to_half), ONCE (test_canonical),
    ONCE (test_nearest_is_nearbyint), ONCE (test_nearest_near_its_limits), TIMES (RC_UINT64 - RC_INT8 + 1, test_integers_saturate),
    TIMES (RC_N_DTYPES, test_rows_are_numbers_one_by_one), ONCE (test_sine), ONCE (test_arccosine), ONCE (test_wrap_random),
    ONCE (test_wrap_stays_inside_for_any_number), ONCE (test_wrap_at_its_ends), ONCE (test_blend_angle),
    ONCE (test_limits_of_turns), ONCE (test_turns), ONCE (test_slerp_random), ONCE (test_slerp_may_overwrite_its_input), ONCE (test_slerp_of_nothing_is_nan))
