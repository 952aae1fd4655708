/* robocache: seeds of a program that does random things, each in a process of its own; what fails is made shorter
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* An option of the program that chooses from a list: --NAME=all, --NAME=0,2,5 or --NAME=none. */
typedef struct
{
  const gchar *name;
  guint n;
} SeedsList;

typedef struct
{
  gint first, n;
  gint seconds;                 /* 0: n seeds; else as many as begin in that time, at least one */
  const gchar *arguments;       /* further ones of each process, separated by spaces */
  const SeedsList *lists;       /* the first one is always given: that is how a process knows what it is */
  guint n_lists;
  guint n_tries;                /* a list that fails once in so many fails */
  gboolean verbose;
} Seeds;

/* Whether an option's list has item i. */
gboolean seeds_list_has (const gchar *list, guint i);
/* How many failed: each one's output is printed, and that of the shortest lists that fail. n becomes the number that ran. */
guint seeds_run (Seeds *seeds);
