/* robocache: a pool of buffers without a fixed number
 *
 * The pool of the base class lets users wait for one of a bounded number of buffers, which costs system calls. This pool keeps returned
 * buffers on a stack. With a limit (max_buffers), it behaves like the base class.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#define ROBOCACHE_TYPE_STACK_POOL (robocache_stack_pool_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstRobocacheStackPool, robocache_stack_pool, ROBOCACHE, STACK_POOL, GstBufferPool)

/* Subclasses implement alloc_buffer. */
struct _GstRobocacheStackPoolClass
{
  GstBufferPoolClass parent_class;

  /* Called for each acquired buffer, which was reused (was_there) or allocated. May be NULL. */
  void (*count) (GstRobocacheStackPool * pool, gboolean was_there);
};
