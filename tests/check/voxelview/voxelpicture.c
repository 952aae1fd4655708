/* robocache: the colours of a picture, and the numbers at its axes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>

#include "gst/voxelview/axisticks.h"
#include "gst/voxelview/colourmap.h"
#include "tests/check/lib/checks.h"

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

/* Lighter with every step, and by about as much everywhere, so that the order is seen without any hue. Blue to yellow: blue light
 * falls against red and green, which is what people see who do not tell red from green. */
GST_START_TEST (test_colours_are_in_order)
{
  const guint32 *map = robocache_colour_map (), first = map[0], last = map[255];
  const gdouble quarter = (lightness (last) - lightness (first)) / 4.0;

  fail_unless (lightness (first) < 25.0 && lightness (last) > 85.0);
  for (guint i = 1; i < ROBOCACHE_COLOUR_STEPS; i++)
    fail_unless (lightness (map[i]) > lightness (map[i - 1]) - 0.3, "step %u", i);
  for (guint i = 0; i < 4; i++) {
    const gdouble rise = lightness (map[MIN (64 * (i + 1), 255)]) - lightness (map[64 * i]);

    fail_unless (rise > 0.75 * quarter && rise < 1.25 * quarter, "quarter %u rises by %g of %g", i, rise, quarter);
  }
  fail_unless (linear (first, 0) > 3.0 * linear (first, 16) && linear (first, 0) > 3.0 * linear (first, 8));
  fail_unless (linear (last, 16) > 2.0 * linear (last, 0) && linear (last, 8) > 2.0 * linear (last, 0));
}

GST_END_TEST;

GST_START_TEST (test_steps_and_shades)
{
  static const struct
  {
    gdouble value;
    guint step;
  } steps[] = { {-1.0, 0}, {-INFINITY, 0}, {0.0, 64}, {1.0, 128}, {3.0, 255}, {INFINITY, 255} };
  const gdouble range[2] = { -1.0, 3.0 };

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    fail_unless (robocache_colour_step (steps[i].value, range) == steps[i].step, "the step of %g", steps[i].value);
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
  gdouble least, greatest, wanted, least_step;
  const gchar *texts;           /* numbers, then what belongs beside the axis */
} axes[] = {
  {0.0, 10.0, 5.0, 0.0, "0 2 4 6 8 10"},
  {-3.25, 3.25, 7.0, 0.0, "-3 -2 -1 0 1 2 3"},
  {-0.15, 0.35, 5.0, 0.0, "-0.1 0.0 0.1 0.2 0.3"},
  {0.0, 0.3, 3.0, 0.0, "0.0 0.1 0.2 0.3"},
  {0.0, 1.0, 1.9, 0.0, "0 1"},
  {0.0, 2.9, 0.1, 0.0, "0"},
  {102.3, 102.9, 3.0, 0.0, "102.4 102.6 102.8"},
  {0.0, 7e-4, 4.0, 0.0, "0.0000 0.0002 0.0004 0.0006"},
  {0.0, 8e4, 4.0, 0.0, "0 20000 40000 60000 80000"},
  /* very small and very large */
  {1e-7, 2e-7, 5.0, 0.0, "1.0 1.2 1.4 1.6 1.8 2.0 ×1e-7"},
  {0.0, 1e-12, 2.0, 0.0, "0.0 0.5 1.0 ×1e-12"},
  {0.0, 1e-300, 2.0, 0.0, "0.0 0.5 1.0 ×1e-300"},
  {0.0, 4e9, 4.0, 0.0, "0 1 2 3 4 ×1e9"},
  {1e6, 1.1e6, 2.0, 0.0, "1.00 1.05 1.10 ×1e6"},
  /* long, in a narrow range */
  {1000.02, 1000.11, 4.0, 0.0, "0.05 0.10 +1000"},
  {400000.0, 400040.0, 4.0, 0.0, "0 10 20 30 40 +400000"},
  {399950.0, 400060.0, 2.0, 0.0, "1000 +399000"},
  {-400040.0, -400000.0, 2.0, 0.0, "60 80 100 -400100"},
  {5400000.0, 5405000.0, 2.0, 0.0, "0 5000 +5400000"},
  {1.701e9, 1.701e9 + 80.0, 2.0, 0.0, "0 50 +1.701e9"},
  {1.7e9, 1.701e9, 2.0, 0.0, "0.0 0.5 1.0 ×1e6 +1.7e9"},
  {1e-7, 1.0001e-7, 2.0, 0.0, "0.0 0.5 1.0 ×1e-11 +1e-7"},
  /* whole */
  {4.5, 5.5, 5.0, 1.0, "5"},
  {0.5, 3.0, 5.0, 1.0, "1 2 3"},
  {0.0, 30.0, 3.0, 1.0, "0 10 20 30"},
  {1.0, 1.0, 4.0, 0.0, ""},
  {2.0, 1.0, 4.0, 0.0, ""},
  {0.0, NAN, 4.0, 0.0, ""},
  {0.0, INFINITY, 4.0, 0.0, ""},
};

GST_START_TEST (test_ticks)
{
  GString *texts = g_string_new (NULL);
  gchar text[ROBOCACHE_TICK_TEXT];
  RobocacheAxisTicks ticks;

  robocache_axis_ticks (&ticks, axes[__i__].least, axes[__i__].greatest, axes[__i__].wanted, axes[__i__].least_step);
  for (guint i = 0; i < ticks.n; i++) {
    robocache_axis_tick_text (&ticks, i, text);
    g_string_append_printf (texts, "%s%s", i ? " " : "", text);
  }
  robocache_axis_factor_text (&ticks, text);
  g_string_append_printf (texts, "%s%s", text[0] ? " " : "", text);
  robocache_axis_offset_text (&ticks, text);
  g_string_append_printf (texts, "%s%s", text[0] ? " " : "", text);
  fail_unless_equals_string (texts->str, axes[__i__].texts);
  g_string_free (texts, TRUE);
}

GST_END_TEST;

/* Wherever a range is and however narrow: no number is like the one before, and none has more than seven characters. */
GST_START_TEST (test_tick_texts_are_short_and_differ)
{
  for (gint decade = -12; decade <= 12; decade++) {
    for (gdouble span = 1e-8; span < 3.0; span *= 1.37) {
      const gdouble least = -1.37 * pow (10.0, decade), greatest = least + span * fabs (least);
      RobocacheAxisTicks ticks;
      gchar text[ROBOCACHE_TICK_TEXT], last[ROBOCACHE_TICK_TEXT] = "";

      robocache_axis_ticks (&ticks, least, greatest, 16.0 / 2.6, 0.0);
      fail_unless (ticks.n > 1);
      for (guint i = 0; i < ticks.n; i++) {
        robocache_axis_tick_text (&ticks, i, text);
        if (strlen (text) > 7 || g_str_equal (text, last))
          fail ("%s after %s, from %.12g to %.12g", text, last, least, greatest);
        g_strlcpy (last, text, sizeof (last));
      }
    }
  }
}

GST_END_TEST;

/* Where a double has no room for steps, there are few ticks, and no end that never comes. */
GST_START_TEST (test_ticks_end)
{
  RobocacheAxisTicks ticks;

  robocache_axis_ticks (&ticks, 1e30, nextafter (1e30, INFINITY), 5.0, 0.0);
  fail_unless (ticks.n <= ROBOCACHE_MAX_TICKS);
  robocache_axis_ticks (&ticks, 0.0, 1.0, 1e9, 0.0);
  fail_unless (ticks.n > 10 && ticks.n <= ROBOCACHE_MAX_TICKS);
}

GST_END_TEST;

CHECK_MAIN (voxelpicture, NULL, NULL, ONCE (test_colours_are_in_order), ONCE (test_steps_and_shades),
    EACH (axes, test_ticks), ONCE (test_tick_texts_are_short_and_differ),
    ONCE (test_ticks_end))
