/* robocache: robocachefuse plays what its core plays by itself
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fusescenario.h"
#include "tests/core/tables/smoke.h"

static Suite *
robocachefusesmoke_suite (void)
{
  Suite *s = suite_create ("robocachefusesmoke");

  add_scenarios (s, smoke_scenarios, G_N_ELEMENTS (smoke_scenarios), TRUE);
  return s;
}

GST_CHECK_MAIN (robocachefusesmoke);
