/* robocache: bytes of the C library's heap that are in use
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HEAP_H
#define HEAP_H

#include <glib.h>
#include <malloc.h>

/* Sanitizers have allocators of their own, which do not count here. */
#if defined (__SANITIZE_ADDRESS__) || defined (__SANITIZE_THREAD__)
#define HAS_HEAP_COUNT FALSE
#else
#define HAS_HEAP_COUNT TRUE
#endif

static inline gsize
heap_in_use (void)
{
  const struct mallinfo2 info = mallinfo2 ();

  return info.uordblks + info.hblkhd;
}

#endif
