/* robocache: a libcuda.so.1 that works, but for the calls that it is told to fail
 *
 * Wrappers of the functions that can fail (faulttable.h) count, and fail when they should.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "faulttable.h"
#include "passingdriver.h"

__attribute__ ((constructor)) static void
arm (void)
{
  fault_arm_from_environment ();
}

void *
passing_wanted (const char *name)
{
  return fault_find (name);
}

CUresult
passing_call (void *wanted, PassingFunction real, PASSING_WORDS)
{
  const int result = fault_due (wanted);

  return result != 0 ? (CUresult) result : real (PASSING_ARGUMENTS);
}
