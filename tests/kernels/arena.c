/* robocache: memory of a test case, on the host and where each backend computes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/kernels/arena.h"

#include <stdlib.h>

#define MAX_REGIONS 800
#define ALIGNMENT 256

struct Arena
{
  uint8_t *host, *back;
  size_t bytes, used;
  struct
  {
    const Place *place;         /* NULL: it has no copy */
    uint8_t *all;               /* unless regions are separate */
    uint8_t *regions[MAX_REGIONS];
  } copies[MAX_PLACES];
  struct
  {
    const char *name;
    size_t offset, bytes;
  } regions[MAX_REGIONS];
  int n_regions, first_compared;
};

Arena *
arena_new (size_t bytes)
{
  Arena *arena = calloc (1, sizeof (*arena));

  arena->bytes = bytes;
  arena->host = aligned_alloc (ALIGNMENT, bytes);
  arena->back = aligned_alloc (ALIGNMENT, bytes);
  if (arena->host != NULL && arena->back != NULL)
    return arena;
  arena_free (arena);
  return NULL;
}

void
arena_clear (Arena *arena)
{
  for (int p = 0; p < MAX_PLACES; p++) {
    for (int i = 0; i < arena->n_regions && arena->copies[p].place != NULL && arena->copies[p].all == NULL; i++) {
      place_free (arena->copies[p].place, arena->copies[p].regions[i]);
      arena->copies[p].regions[i] = NULL;
    }
  }
  arena->used = 0;
  arena->n_regions = arena->first_compared = 0;
}

void
arena_compare_from_here (Arena *arena)
{
  arena->first_compared = arena->n_regions;
}

/* FNV-1a */
uint64_t
arena_sum (const Arena *arena)
{
  uint64_t sum = 1;

  for (int i = arena->first_compared; i < arena->n_regions; i++) {
    for (size_t k = 0; k < arena->regions[i].bytes; k++)
      sum = (sum ^ arena->host[arena->regions[i].offset + k]) * UINT64_C (0x100000001b3);
  }
  return sum;
}

void
arena_free (Arena *arena)
{
  if (arena == NULL)
    return;
  arena_clear (arena);
  for (int p = 0; p < MAX_PLACES; p++) {
    if (arena->copies[p].place != NULL)
      place_free (arena->copies[p].place, arena->copies[p].all);
  }
  free (arena->host);
  free (arena->back);
  free (arena);
}

void *
arena_take (Arena *arena, const char *name, int64_t bytes, int64_t past)
{
  const size_t offset = (arena->used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, size = (size_t) (bytes + past);

  if (arena->n_regions == MAX_REGIONS || offset + size > arena->bytes) {
    printf ("FAIL arena: there is no room for %zu bytes of %s after %zu of %zu\n", size, name, offset, arena->bytes);
    exit (EXIT_FAILURE);
  }
  arena->regions[arena->n_regions].name = name;
  arena->regions[arena->n_regions].offset = offset;
  arena->regions[arena->n_regions++].bytes = size;
  arena->used = offset + size;
  memset (arena->host + offset, 0xA5, size);
  return arena->host + offset + past;
}

/* The region that has a host address; -1: none. */
static int
region_of (const Arena *arena, const void *host)
{
  const size_t at = (size_t) ((const uint8_t *) host - arena->host);

  for (int i = 0; host != NULL && i < arena->n_regions; i++) {
    if (at >= arena->regions[i].offset && at < arena->regions[i].offset + arena->regions[i].bytes)
      return i;
  }
  return -1;
}

int64_t
arena_bytes (const Arena *arena, const void *host)
{
  const int i = region_of (arena, host);

  return i < 0 ? 0 : (int64_t) (arena->regions[i].offset + arena->regions[i].bytes)
      - ((const uint8_t *) host - arena->host);
}

int
arena_upload (Arena *arena, const Place *place, Test *test)
{
  uint8_t **all = &arena->copies[place->number].all;

  arena->copies[place->number].place = place;
  if (!place->separate) {
    if (*all == NULL)
      *all = place_alloc (place, arena->bytes);
    test_expect (test, *all != NULL, "no memory for an arena of %zu bytes", arena->bytes);
    return test_holds (test) && place_copy (place, *all, arena->host, arena->used, test);
  }
  for (int i = 0; i < arena->n_regions && test_holds (test); i++) {
    uint8_t **region = &arena->copies[place->number].regions[i];

    if (*region == NULL)
      *region = place_alloc (place, arena->regions[i].bytes);
    test_expect (test, *region != NULL, "no memory for %zu bytes", arena->regions[i].bytes);
    if (test_holds (test))
      place_copy (place, *region, arena->host + arena->regions[i].offset, arena->regions[i].bytes, test);
  }
  return test_holds (test);
}

static uint8_t *
region_there (const Arena *arena, const Place *place, int i)
{
  uint8_t *const all = arena->copies[place->number].all;

  return all != NULL ? all + arena->regions[i].offset : arena->copies[place->number].regions[i];
}

void *
arena_there (const Arena *arena, const Place *place, const void *host)
{
  const int i = region_of (arena, host);

  return i < 0 ? NULL : region_there (arena, place, i) + ((const uint8_t *) host - arena->host - arena->regions[i].offset);
}

void
arena_compare (Arena *arena, const Place *place, const char *text, Test *test)
{
  const size_t from = arena->first_compared < arena->n_regions ? arena->regions[arena->first_compared].offset : arena->used;

  if (!place->separate)
    place_copy (place, arena->back + from, arena->copies[place->number].all + from, arena->used - from, test);
  for (int i = arena->first_compared; i < arena->n_regions && test_holds (test); i++) {
    const uint8_t *here = arena->host + arena->regions[i].offset, *there = arena->back + arena->regions[i].offset;
    const size_t bytes = arena->regions[i].bytes;
    size_t k = 0;

    if (place->separate)
      place_copy (place, arena->back + arena->regions[i].offset, region_there (arena, place, i), bytes, test);
    if (memcmp (here, there, bytes) == 0)
      continue;
    while (here[k] == there[k])
      k++;
    test_fail (test, "byte %zu of %zu of %s (region %d) is %02x on %s, and not %02x; %s", k, bytes, arena->regions[i].name, i, there[k],
        place->name, here[k], text);
  }
}
