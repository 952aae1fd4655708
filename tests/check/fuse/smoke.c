/* robocache: robocachefuse plays what its core plays by itself
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fusescenario.h"
#include "tests/core/tables/smoke.h"

CHECK_MAIN (robocachefusesmoke, NULL, NULL, add_scenarios (suite, smoke_scenarios, G_N_ELEMENTS (smoke_scenarios), TRUE))
