/* robocache: with cuda a batch is split over the devices that were named, with auto never
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>

#include "common/backend/enginechoice.h"

static const struct
{
  RobocacheBackend choice;
  guint named;
  gboolean in_on_device, splits;
  guint expected;
} cases[] = {
  /* auto: no split pays */
  {ROBOCACHE_BACKEND_AUTO, 0, FALSE, TRUE, 1},
  {ROBOCACHE_BACKEND_AUTO, 4, FALSE, FALSE, 1},
  {ROBOCACHE_BACKEND_AUTO, 4, FALSE, TRUE, 1},
  {ROBOCACHE_BACKEND_AUTO, 4, TRUE, TRUE, 1},
  /* cuda does as it is told */
  {ROBOCACHE_BACKEND_CUDA, 0, FALSE, TRUE, 1},
  {ROBOCACHE_BACKEND_CUDA, 1, FALSE, TRUE, 1},
  {ROBOCACHE_BACKEND_CUDA, 4, FALSE, FALSE, 1},
  {ROBOCACHE_BACKEND_CUDA, 4, FALSE, TRUE, 4},
  {ROBOCACHE_BACKEND_CUDA, 3, TRUE, TRUE, 3},
};

GST_START_TEST (test_shards)
{
  const RobocacheDeviceSettings settings = {.choice = cases[__i__].choice,.n_devices = cases[__i__].named };
  const RobocacheJob job = {.in_on_device = cases[__i__].in_on_device,.splits = cases[__i__].splits };

  fail_unless_equals_int (robocache_device_shards (&settings, &job), cases[__i__].expected);
}

GST_END_TEST;

static Suite *
devicebatch_suite (void)
{
  Suite *suite = suite_create ("devicebatch");
  TCase *tc = tcase_create ("shards");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_shards, 0, G_N_ELEMENTS (cases));
  return suite;
}

GST_CHECK_MAIN (devicebatch);
