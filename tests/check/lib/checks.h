/* robocache: the program of a file's tests, from a list of them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/check/gstcheck.h>

/* A test runs once, a number of times, or once for each row of a table: __i__ counts from 0. */
#define ONCE(test) tcase_add_test (tests, test)
#define TIMES(n, test) tcase_add_loop_test (tests, test, 0, (gint) (n))
#define EACH(rows, test) TIMES (G_N_ELEMENTS (rows), test)

/* Sets a property out of its range, which GLib warns of; newer ones have a critical. */
#define SET_OUT_OF_RANGE(code) \
  do { \
    const GLogLevelFlags fatal = g_log_set_always_fatal (G_LOG_FATAL_MASK); \
    _gst_check_expecting_log = TRUE; \
    _gst_check_raised_warning = _gst_check_raised_critical = FALSE; \
    code; \
    _gst_check_expecting_log = FALSE; \
    g_log_set_always_fatal (fatal); \
    fail_unless (_gst_check_raised_warning || _gst_check_raised_critical); \
  } while (0)

/* The main function. setup and teardown run around each test, and may be NULL. The list may also call functions with `suite`. */
#define CHECK_MAIN(name, setup, teardown, ...) CHECK_MAIN_IF (name, TRUE, setup, teardown, __VA_ARGS__)

/* The same; where is_ready is FALSE it exits with 77, which skips the program. */
#define CHECK_MAIN_IF(name, is_ready, setup, teardown, ...) \
  int \
  main (int argc, char **argv) \
  { \
    Suite *suite; \
    TCase *tests; \
 \
    gst_check_init (&argc, &argv); \
    if (!(is_ready)) \
      return 77; \
    suite = suite_create (#name); \
    tests = tcase_create (#name); \
    suite_add_tcase (suite, tests); \
    tcase_add_checked_fixture (tests, setup, teardown); \
    __VA_ARGS__; \
    return gst_check_run_suite (suite, #name, __FILE__); \
  }
