/* robocache: energy of the CPU's packages, as they count it (RAPL)
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_PACKAGES_H
#define BENCH_PACKAGES_H

#include <stddef.h>

#define MAX_PACKAGES 16

typedef struct
{
  char energy[4096];            /* the file of its counter, in uJ */
  double range_uj;              /* where it begins again at 0 */
  double last_uj;               /* as it was read last */
  double before_uj;             /* of the times that it has begun again */
} Package;

typedef struct
{
  int n;
  Package packages[MAX_PACKAGES];
} Packages;

/* Those of a folder like /sys/class/powercap. 0: nothing can be read, as why says. */
int packages_open (Packages * packages, const char *folder, char *why, size_t why_bytes);

/* Of all, since some time; negative: it cannot be read. To be read more often than counters begin again, which takes a minute
 * at least. */
double packages_joules (Packages * packages);

#endif
