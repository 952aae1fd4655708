/* robocache: a buffer whose size depends on an input, so a failed allocation is an error and does not abort
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* A zeroed struct is an empty buffer. */
typedef struct
{
  guint8 *data;
  gsize size, capacity;
} RobocacheMcapBuffer;

void robocache_mcap_buffer_clear (RobocacheMcapBuffer * buffer);
/* Resizes the buffer. Bytes up to the smaller size are kept; other bytes are undefined. FALSE and an error with the number of bytes: no memory;
 * the buffer is unchanged. */
gboolean robocache_mcap_buffer_resize (RobocacheMcapBuffer * buffer, gsize size, GError ** error);
gboolean robocache_mcap_buffer_append (RobocacheMcapBuffer * buffer, const guint8 * bytes, gsize size, GError ** error);
