/* robocache: the memory of a process: its limit, and its size
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* Leaves so many bytes to the process beside those that it has. Returns the limit before. */
rlim_t limit_memory (guint64 more);

void restore_memory (rlim_t before);

/* Whether a limit holds here. Sanitizers reserve memory as they go, and qemu-user ignores limits. */
gboolean has_memory_limit (void);

/* Whether a test that needs a limit is skipped, with a line of its name. */
gboolean skip_without_memory_limit (const gchar *name);

/* Resident memory of this process. */
guint64 resident_kib (void);

/* ---- the heap of the C library ---- */

/* Sanitizers have allocators of their own, which do not count here. */
#if defined (__SANITIZE_ADDRESS__) || defined (__SANITIZE_THREAD__)
#define HAS_HEAP_COUNT FALSE
#else
#define HAS_HEAP_COUNT TRUE
#endif

/* Bytes that are in use. */
gsize heap_in_use (void);
