/* robocache: a check for inner loops of tests
 *
 * fail_unless tells the test runner about every check that passes, through a pipe: a million of them take seconds.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TEST_EXPECT_H
#define TEST_EXPECT_H

#include <gst/check/gstcheck.h>

#define expect(condition, ...) \
  G_STMT_START { \
    if (!(condition)) \
      ck_abort_msg (#condition ": " __VA_ARGS__); \
  } G_STMT_END

#endif
