/* robocache: assertions in loops
 *
 * Of every assertion that holds check tells the process that runs the tests, so that it can say after which one a test crashed or
 * hung. In a loop over the bytes of a grid that takes far longer than all else, most of all under sanitizers. So each place tells it
 * a number of times, and then is silent. Included before everything else (meson.build).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/check/gstcheck.h>

#define MARKS_OF_A_PLACE 16

#define mark_place() __extension__ ({ \
    static _Thread_local int marks; \
 \
    if (marks < MARKS_OF_A_PLACE) { \
      marks++; \
      mark_point (); \
    } \
  })

#undef ck_assert_msg
#define ck_assert_msg(expr, ...) \
  ((expr) ? mark_place () \
      : _ck_assert_failed (__FILE__, __LINE__, "Assertion '" #expr "' failed", ##__VA_ARGS__, NULL))

#undef fail_if
#define fail_if(expr, ...) ck_assert_msg (!(expr), ##__VA_ARGS__)
