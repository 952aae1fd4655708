/* robocache: memory of a test case, on the host and where each backend computes
 *
 * All arrays of a case are regions of one arena. A backend works on a copy, and is right when the copy, brought back, has
 * the bytes that the reference wrote to the arena, padding included.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "tests/kernels/place.h"

/* Memory for one case of at most bytes; NULL on failure. Free with arena_free, before the places are closed. */
typedef struct Arena Arena;
Arena *arena_new (size_t bytes);
void arena_free (Arena * arena);

/* Forgets all regions. */
void arena_clear (Arena * arena);

/* bytes that begin `past` bytes after a multiple of 256, filled with 0xA5. name, in messages, lives as long. Ends the program with a
 * FAIL line when the arena is full. */
void *arena_take (Arena * arena, const char *name, int64_t bytes, int64_t past);

/* Regions before this are inputs that are not compared, until arena_clear: for very large ones. */
void arena_compare_from_here (Arena * arena);

/* A sum over the bytes of all regions that are compared. */
uint64_t arena_sum (const Arena * arena);

/* Copies all regions to the place's copy, and waits. Returns whether that succeeded. */
int arena_upload (Arena * arena, const Place * place, Test * test);

/* The place's address of a host address in the arena. */
void *arena_there (const Arena * arena, const Place * place, const void *host);

/* Waits for the place, brings its copy back and fails the test where a byte differs: with the region, both values and text. */
void arena_compare (Arena * arena, const Place * place, const char *text, Test * test);

/* The region that begins at a host address which arena_take returned: bytes up to its end. */
int64_t arena_bytes (const Arena * arena, const void *host);
