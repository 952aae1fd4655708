/* robocache: packages.c on a folder that is made up. Prints PASS or FAIL for each case.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/bench/limits/packages.h"

static char folder[] = "/tmp/packages-XXXXXX";
static int failed;

static void
expect (const char *name, double got, double expected)
{
  const int same = fabs (got - expected) < 1e-9;

  printf ("%s %s: got %g, expected %g\n", same ? "PASS" : "FAIL", name, got, expected);
  failed |= !same;
}

static void
write_file (const char *zone, const char *file, const char *text)
{
  char path[256];
  FILE *out;

  snprintf (path, sizeof (path), "%s/%s", folder, zone);
  mkdir (path, 0700);
  snprintf (path, sizeof (path), "%s/%s/%s", folder, zone, file);
  out = fopen (path, "w");
  if (out == NULL || fputs (text, out) < 0 || fclose (out) != 0)
    exit (2);
}

static void
write_zone (const char *zone, const char *name, const char *energy)
{
  write_file (zone, "name", name);
  write_file (zone, "energy_uj", energy);
  write_file (zone, "max_energy_range_uj", "10000000\n");
}

int
main (void)
{
  static Packages packages;
  char why[400] = "", command[64];

  if (mkdtemp (folder) == NULL)
    return 2;
  expect ("no zones", packages_open (&packages, folder, why, sizeof (why)), 0);
  expect ("no zones are said", strstr (why, folder) != NULL, 1);
  write_zone ("intel-rapl:0", "package-0\n", "3000000\n");
  write_zone ("intel-rapl:0:0", "core\n", "1000000\n");
  write_zone ("intel-rapl:1", "psys\n", "5000000\n");
  write_zone ("intel-rapl:2", "package-1\n", "9000000\n");
  write_zone ("dtpm", "package-9\n", "4000000\n");
  expect ("zones", packages_open (&packages, folder, why, sizeof (why)), 1);
  expect ("packages alone", packages.n, 2);
  expect ("their sum", packages_joules (&packages), 12);
  write_file ("intel-rapl:2", "energy_uj", "1000000\n");
  expect ("a counter that began again", packages_joules (&packages), 14);
  write_file ("intel-rapl:2", "energy_uj", "500000\n");
  expect ("and again", packages_joules (&packages), 23.5);
  write_file ("intel-rapl:0", "energy_uj", "");
  expect ("a counter that is gone", packages_joules (&packages), -1);
  snprintf (command, sizeof (command), "rm -r %s", folder);
  return system (command) != 0 || failed;
}
