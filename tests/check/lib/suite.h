/* robocache: a program of tests, as a table of them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef SUITE_H
#define SUITE_H

#include <gst/check/gstcheck.h>

typedef struct
{
  const gchar *name;
  TFun function;
  guint n_cases;
} Test;

#define TEST(function) {#function, function, 1}
/* A test of n cases, each of which is __i__ once. */
#define CASES(function, n) {#function, function, n}

static inline Suite *
suite_of (const gchar *name, const Test *tests, guint n)
{
  Suite *suite = suite_create (name);
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  for (guint i = 0; i < n; i++)
    _tcase_add_test (tc, tests[i].function, tests[i].name, 0, 0, 0, (gint) tests[i].n_cases);
  return suite;
}

/* The main function of a program with a table named tests. */
#define TESTS_MAIN(name) \
  static Suite * \
  name##_suite (void) \
  { \
    return suite_of (#name, tests, G_N_ELEMENTS (tests)); \
  } \
  GST_CHECK_MAIN (name)

#endif
