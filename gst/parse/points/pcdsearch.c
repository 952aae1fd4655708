/* robocache: where PCD files begin in bytes that come in pieces
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE             /* memmem */
#endif
#include "pcdsearch.h"

#include <string.h>

#include "common/device/budget.h"
#include "pcdheader.h"

void
robocache_pcd_search_init (RobocachePcdSearch *search)
{
  *search = (RobocachePcdSearch) {.held = g_byte_array_new (),
    .found = g_array_new (FALSE, FALSE, sizeof (RobocachePcdBeginning))
  };
}

void
robocache_pcd_search_clear (RobocachePcdSearch *search)
{
  g_byte_array_unref (search->held);
  g_array_unref (search->found);
}

void
robocache_pcd_search_restart (RobocachePcdSearch *search)
{
  search->position = 0;
  g_byte_array_set_size (search->held, 0);
  g_array_set_size (search->found, 0);
  search->n_skipped = 0;
  search->no_memory = FALSE;
}

/* The first of n bytes, from `at` on, where the magic stands, or as much of it as there are bytes; n: nowhere. */
static gsize
next_magic (const guint8 *bytes, gsize at, gsize n)
{
  const gsize length = strlen (ROBOCACHE_PCD_MAGIC);
  const guint8 *magic = memmem (bytes + at, n - at, ROBOCACHE_PCD_MAGIC, length);

  if (magic)
    return (gsize) (magic - bytes);
  for (at = MAX (at, n - MIN (n, length - 1)); at < n; at++) {
    if (memcmp (bytes + at, ROBOCACHE_PCD_MAGIC, n - at) == 0)
      break;
  }
  return at;
}

/* Notes the files that begin at the first n_new of n bytes. How many of those it is known of: the others need more bytes. */
static gsize
scan (RobocachePcdSearch *search, const guint8 *bytes, gsize n, gsize n_new)
{
  gsize at = 0;

  while ((at = next_magic (bytes, at, n)) < n_new) {
    RobocachePcdBeginning beginning = {.position = search->position + at };

    if (!robocache_pcd_header_begins (bytes + at, MIN (n - at, ROBOCACHE_PCD_MAX_BEGINNING), &beginning.keyword)) {
      at++;
      continue;
    }
    if (beginning.keyword < 0)
      return at;
    search->no_memory |= !robocache_check_array (search->found, "beginnings of files", NULL);
    if (search->no_memory)
      return n_new;
    g_array_append_val (search->found, beginning);
    at++;
  }
  return n_new;
}

/* Goes on with the bytes that are held: FALSE when all of the n that come are, too. */
static gboolean
settle_held (RobocachePcdSearch *search, const guint8 *bytes, gsize n)
{
  const gsize n_held = search->held->len;
  gsize n_known;

  g_byte_array_append (search->held, bytes, (guint) MIN (n, ROBOCACHE_PCD_MAX_BEGINNING));
  n_known = scan (search, search->held->data, search->held->len, n_held);
  search->position += n_known;
  g_byte_array_remove_range (search->held, 0, (guint) (n_known < n_held ? n_known : search->held->len));
  return n_known == n_held;
}

void
robocache_pcd_search_push (RobocachePcdSearch *search, const guint8 *bytes, gsize n)
{
  gsize n_known;

  if (search->held->len > 0 && !settle_held (search, bytes, n))
    return;
  n_known = scan (search, bytes, n, n);
  search->position += n_known;
  g_byte_array_append (search->held, bytes + n_known, (guint) (n - n_known));
}

void
robocache_pcd_search_end (RobocachePcdSearch *search)
{
  search->position += search->held->len;
  g_byte_array_set_size (search->held, 0);
}

const RobocachePcdBeginning *
robocache_pcd_search_next (const RobocachePcdSearch *search)
{
  return search->n_skipped < search->found->len ? &g_array_index (search->found, RobocachePcdBeginning, search->n_skipped) : NULL;
}

void
robocache_pcd_search_skip (RobocachePcdSearch *search)
{
  if (++search->n_skipped == search->found->len) {
    g_array_set_size (search->found, 0);
    search->n_skipped = 0;
  }
}
