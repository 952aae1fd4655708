/* robocache: prints numbers with their units as a report has them, for a test that compares them with those of the live page
 *
 * Lines of JSON: [function of the page, its arguments, text].
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>

#include "common/page/pagetext.h"

static const gdouble numbers[] = { 0, 0.00001234, 0.0123, 0.99949, 1, 9.995, 12.34, 99.94, 99.96, 100, 999.5, 12345, 999999, 1e6, 1.2345e9, 3e15 };
static const gdouble durations[] = { 0, 1, 999, 1e3, 850e3, 1e6, 79.6e6, 999.9e6, 1e9, 3.65e9, 179e9, 180e9, 600e9, 10800e9, 1e15 };
static const guint64 counts[] = { 0, 999, 1000, 9999, 10000, 123456, 1234567, 12345678901 };
static const guint64 shares[][2] = { {0, 0}, {0, 5}, {5, 5}, {1, 3}, {1, 5000}, {4999, 5000}, {1, 1000}, {999, 1000}, {29, 1000} };

static void
print (const gchar *function, const gchar *arguments, gchar *text)
{
  printf ("[\"%s\", [%s], \"%s\"]\n", function, arguments, text);
  g_free (text);
}

static void
print_number (const gchar *function, gchar *(*text_of) (gdouble), gdouble number)
{
  gchar argument[G_ASCII_DTOSTR_BUF_SIZE];

  print (function, g_ascii_dtostr (argument, sizeof argument, number), text_of (number));
}

int
main (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    print_number ("numberText", robocache_number_text, numbers[i]);
    print_number ("numberText", robocache_number_text, -numbers[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (durations); i++) {
    print_number ("durationText", robocache_duration_text, durations[i]);
    print_number ("durationText", robocache_duration_text, -durations[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
    gchar *argument = g_strdup_printf ("%" G_GUINT64_FORMAT, counts[i]);

    print ("countText", argument, robocache_count_text (counts[i]));
    g_free (argument);
  }
  for (guint i = 0; i < G_N_ELEMENTS (shares); i++) {
    gchar *arguments = g_strdup_printf ("%" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT, shares[i][0], shares[i][1]);

    print ("percentText", arguments, robocache_percent_text (shares[i][0], shares[i][1]));
    g_free (arguments);
  }
  return 0;
}
