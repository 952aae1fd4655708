/* robocache: a pool of buffers without a fixed number
 *
 * The base class's pool is for users who wait for one of a bounded number of buffers, and pays for that with system calls. This
 * one keeps what came back on a stack. With a bound (max_buffers) it is the base class's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_STACKPOOL_H
#define ROBOCACHE_STACKPOOL_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define ROBOCACHE_TYPE_STACK_POOL (robocache_stack_pool_get_type ())
G_DECLARE_DERIVABLE_TYPE (RobocacheStackPool, robocache_stack_pool, ROBOCACHE, STACK_POOL, GstBufferPool)

/* Subclasses implement alloc_buffer. */
struct _RobocacheStackPoolClass
{
  GstBufferPoolClass parent_class;

  /* A buffer was there, or had to be allocated. May be NULL. */
  void (*count) (RobocacheStackPool * pool, gboolean was_there);
};

G_END_DECLS
#endif
