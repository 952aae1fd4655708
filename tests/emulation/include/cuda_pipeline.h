/* robocache: copies to shared memory that a thread waits for later, emulated
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

inline void
__pipeline_memcpy_async (void *to, const void *from, size_t bytes)
{
  emulation::copy_later (to, from, bytes);
}

inline void
__pipeline_commit ()
{
  emulation::end_copy_group ();
}

inline void
__pipeline_wait_prior (size_t n)
{
  emulation::wait_for_copies (n);
}
