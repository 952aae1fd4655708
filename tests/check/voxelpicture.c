/* robocache: the colours of a picture, and the numbers at its axes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>
#include <math.h>

#include "common/axisticks.h"
#include "common/colourmap.h"

/* ---- colours ---- */

static gdouble
linear (guint32 colour, guint shift)
{
  const gdouble c = (colour >> shift & 0xff) / 255.0;

  return c <= 0.04045 ? c / 12.92 : pow ((c + 0.055) / 1.055, 2.4);
}

/* Lightness of CIELAB, 0 to 100. */
static gdouble
lightness (guint32 colour)
{
  return 116.0 * cbrt (0.2126 * linear (colour, 16) + 0.7152 * linear (colour, 8) + 0.0722 * linear (colour, 0)) - 16.0;
}

/* Lighter with every step, and by about as much everywhere, so that the order is seen without any hue. */
GST_START_TEST (test_colours_are_in_order)
{
  const guint32 *map = robocache_colour_map ();
  const gdouble quarter = (lightness (map[255]) - lightness (map[0])) / 4.0;

  fail_unless (lightness (map[0]) < 25.0 && lightness (map[255]) > 85.0);
  for (guint i = 1; i < ROBOCACHE_COLOUR_STEPS; i++)
    fail_unless (lightness (map[i]) > lightness (map[i - 1]) - 0.3, "step %u", i);
  for (guint i = 0; i < 4; i++) {
    const gdouble rise = lightness (map[MIN (64 * (i + 1), 255)]) - lightness (map[64 * i]);

    fail_unless (rise > 0.75 * quarter && rise < 1.25 * quarter, "quarter %u rises by %g of %g", i, rise, quarter);
  }
}

GST_END_TEST;

/* Blue to yellow: blue light falls against red and green, which is what people see who do not tell red from green. */
GST_START_TEST (test_colours_go_from_blue_to_yellow)
{
  const guint32 *map = robocache_colour_map ();

  fail_unless (linear (map[0], 0) > 3.0 * linear (map[0], 16) && linear (map[0], 0) > 3.0 * linear (map[0], 8));
  fail_unless (linear (map[255], 16) > 2.0 * linear (map[255], 0) && linear (map[255], 8) > 2.0 * linear (map[255], 0));
}

GST_END_TEST;

GST_START_TEST (test_colour_steps)
{
  const gdouble range[2] = { -1.0, 3.0 };

  fail_unless_equals_int (robocache_colour_step (-1.0, range), 0);
  fail_unless_equals_int (robocache_colour_step (-INFINITY, range), 0);
  fail_unless_equals_int (robocache_colour_step (0.0, range), 64);
  fail_unless_equals_int (robocache_colour_step (1.0, range), 128);
  fail_unless_equals_int (robocache_colour_step (3.0, range), 255);
  fail_unless_equals_int (robocache_colour_step (INFINITY, range), 255);
}

GST_END_TEST;

GST_START_TEST (test_shades)
{
  fail_unless_equals_int (robocache_colour_shade (0x123456, 1.0), 0x123456);
  fail_unless_equals_int (robocache_colour_shade (0xffffff, 0.0), 0x000000);
  fail_unless_equals_int (robocache_colour_shade (0xffffff, 0.5), 0xbcbcbc);
  fail_unless (fabs (robocache_colour_luminance (0xffffff) - 1.0) < 1e-9);
  fail_unless (fabs (robocache_colour_luminance (0x00ff00) - 0.7152) < 1e-9);
}

GST_END_TEST;

/* ---- ticks ---- */

static const struct
{
  gdouble least, greatest, wanted;
  const gchar *texts;
} axes[] = {
  {0.0, 10.0, 5.0, "0 2 4 6 8 10"},
  {-3.25, 3.25, 7.0, "-3 -2 -1 0 1 2 3"},
  {-0.15, 0.35, 5.0, "-0.1 0.0 0.1 0.2 0.3"},
  {0.0, 0.3, 3.0, "0.0 0.1 0.2 0.3"},
  {1000.02, 1000.11, 4.0, "1000.05 1000.10"},
  {0.0, 1.0, 1.9, "0 1"},
  {0.0, 2.9, 0.1, "0"},
  {0.0, 7e-4, 4.0, "0.0000 0.0002 0.0004 0.0006"},
  {0.0, 4e9, 4.0, "0 1e+09 2e+09 3e+09 4e+09"},
  {0.0, 1e-12, 2.0, "0 5e-13 1e-12"},
  {1.0, 1.0, 4.0, ""},
  {2.0, 1.0, 4.0, ""},
  {0.0, NAN, 4.0, ""},
  {0.0, INFINITY, 4.0, ""},
};

GST_START_TEST (test_ticks)
{
  GString *texts = g_string_new (NULL);
  RobocacheAxisTicks ticks;

  robocache_axis_ticks (&ticks, axes[__i__].least, axes[__i__].greatest, axes[__i__].wanted);
  for (guint i = 0; i < ticks.n; i++) {
    gchar text[ROBOCACHE_TICK_TEXT];

    robocache_axis_tick_text (&ticks, i, text);
    g_string_append_printf (texts, "%s%s", i ? " " : "", text);
  }
  fail_unless_equals_string (texts->str, axes[__i__].texts);
  g_string_free (texts, TRUE);
}

GST_END_TEST;

/* Where a double has no room for steps, there are few ticks, and no end that never comes. */
GST_START_TEST (test_ticks_end)
{
  RobocacheAxisTicks ticks;

  robocache_axis_ticks (&ticks, 1e30, nextafter (1e30, INFINITY), 5.0);
  fail_unless (ticks.n <= ROBOCACHE_MAX_TICKS);
  robocache_axis_ticks (&ticks, 0.0, 1.0, 1e9);
  fail_unless (ticks.n > 10 && ticks.n <= ROBOCACHE_MAX_TICKS);
}

GST_END_TEST;

static Suite *
voxelpicture_suite (void)
{
  Suite *suite = suite_create ("voxelpicture");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_colours_are_in_order);
  tcase_add_test (tc, test_colours_go_from_blue_to_yellow);
  tcase_add_test (tc, test_colour_steps);
  tcase_add_test (tc, test_shades);
  tcase_add_loop_test (tc, test_ticks, 0, G_N_ELEMENTS (axes));
  tcase_add_test (tc, test_ticks_end);
  return suite;
}

GST_CHECK_MAIN (voxelpicture);
