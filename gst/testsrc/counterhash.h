/* robocache: random numbers that depend only on a seed and a counter
 *
 * The same counter always gives the same number, so a stream can begin anywhere. The mixing
 * function is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

static inline guint64
robocache_hash_mix (guint64 x)
{
  x = (x ^ (x >> 30)) * G_GUINT64_CONSTANT (0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * G_GUINT64_CONSTANT (0x94D049BB133111EB);
  return x ^ (x >> 31);
}

/* 64 random bits. Streams of one seed are independent of each other. */
static inline guint64
robocache_hash (guint64 seed, guint64 stream, guint64 counter)
{
  const guint64 golden = G_GUINT64_CONSTANT (0x9E3779B97F4A7C15);

  return robocache_hash_mix (
      robocache_hash_mix (robocache_hash_mix (seed + golden) + stream * golden) + counter * golden);
}

/* Uniform in [0, 1). */
static inline gdouble
robocache_hash_unit (guint64 seed, guint64 stream, guint64 counter)
{
  return (gdouble) (robocache_hash (seed, stream, counter) >> 11) * 0x1p-53;
}

/* Uniform in 0 … n - 1, n > 0. */
static inline guint64
robocache_hash_below (guint64 seed, guint64 stream, guint64 counter, guint64 n)
{
  return (guint64) (((unsigned __int128) robocache_hash (seed, stream, counter) * n) >> 64);
}
