/* robocache: tests that run where there is neither GLib nor gst-check
 *
 * A test prints one line: PASS name, FAIL name: why or SKIP name: why, as tests/summary.py counts them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The test that runs. It fails with the first reason; later ones add nothing. */
typedef struct
{
  char name[128];
  char why[1024];               /* empty: it holds so far */
} Test;

static inline Test __attribute__ ((format (printf, 1, 2)))
test_begin (const char *name, ...)
{
  Test test = { "", "" };
  va_list args;

  va_start (args, name);
  vsnprintf (test.name, sizeof (test.name), name, args);
  va_end (args);
  return test;
}

static inline void __attribute__ ((format (printf, 2, 3)))
test_fail (Test *test, const char *format, ...)
{
  va_list args;

  if (test->why[0] != '\0')
    return;
  va_start (args, format);
  vsnprintf (test->why, sizeof (test->why), format, args);
  va_end (args);
}

#define COUNT(list) (sizeof (list) / sizeof ((list)[0]))

#define test_expect(test, condition, ...) \
  do { \
    if (!(condition)) \
      test_fail (test, #condition ": " __VA_ARGS__); \
  } while (0)

static inline int
test_holds (const Test *test)
{
  return test->why[0] == '\0';
}

/* Prints the verdict; the number of failures. */
static inline int
test_end (const Test *test)
{
  if (test_holds (test))
    printf ("PASS %s\n", test->name);
  else
    printf ("FAIL %s: %s\n", test->name, test->why);
  fflush (stdout);
  return !test_holds (test);
}

static inline void
test_skip (const char *name, const char *why)
{
  printf ("SKIP %s: %s\n", name, why);
}
