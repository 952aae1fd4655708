/* robocache: energy of the CPU's packages, as they count it (RAPL)
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/limits/packages.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* Negative: there is none. */
static double
read_number (const char *path)
{
  FILE *file = fopen (path, "r");
  double number = -1;

  if (file != NULL && fscanf (file, "%lf", &number) != 1)
    number = -1;
  if (file != NULL)
    fclose (file);
  return number;
}

static int
name_is_of_a_package (const char *path)
{
  FILE *file = fopen (path, "r");
  char name[32] = "";

  if (file != NULL && fgets (name, sizeof (name), file) == NULL)
    name[0] = '\0';
  if (file != NULL)
    fclose (file);
  return strncmp (name, "package-", 8) == 0;
}

/* intel-rapl:N, which AMD's have too. Zones within a package are parts of it, and psys is the whole platform. */
static void
add_if_package (Packages *packages, const char *folder, const char *zone)
{
  Package *package = &packages->packages[packages->n];
  char path[sizeof (package->energy)];

  if (packages->n == MAX_PACKAGES || strncmp (zone, "intel-rapl:", 11) != 0 || strchr (zone + 11, ':') != NULL)
    return;
  snprintf (path, sizeof (path), "%s/%s/name", folder, zone);
  if (!name_is_of_a_package (path))
    return;
  *package = (Package) { "" };
  snprintf (package->energy, sizeof (package->energy), "%s/%s/energy_uj", folder, zone);
  snprintf (path, sizeof (path), "%s/%s/max_energy_range_uj", folder, zone);
  package->range_uj = read_number (path);
  packages->n++;
}

int
packages_open (Packages *packages, const char *folder, char *why, size_t why_bytes)
{
  DIR *zones = opendir (folder);
  struct dirent *entry;

  packages->n = 0;
  while (zones != NULL && (entry = readdir (zones)) != NULL)
    add_if_package (packages, folder, entry->d_name);
  if (zones != NULL)
    closedir (zones);
  if (packages->n == 0)
    snprintf (why, why_bytes, "this machine shows no RAPL in %s", folder);
  else if (packages_joules (packages) < 0)
    snprintf (why, why_bytes, "%s may not be read", packages->packages[0].energy);
  else
    return 1;
  return 0;
}

double
packages_joules (Packages *packages)
{
  double uj = 0;
  int i;

  for (i = 0; i < packages->n; i++) {
    Package *package = &packages->packages[i];
    const double now = read_number (package->energy);

    if (now < 0 || (now < package->last_uj && package->range_uj < 0))
      return -1;
    if (now < package->last_uj)
      package->before_uj += package->range_uj;
    package->last_uj = now;
    uj += package->before_uj + now;
  }
  return uj * 1e-6;
}
