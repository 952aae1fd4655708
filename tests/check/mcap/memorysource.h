/* robocache: a file of MCAP in memory, for a reader
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <string.h>

#include "common/mcap/read/source.h"

static gboolean
read_memory (gpointer user_data, guint64 offset, gsize size, guint8 *to, GError **error)
{
  const RobocacheMcapBytes *bytes = user_data;

  if (size > 0)
    memcpy (to, bytes->data + offset, size);
  return TRUE;
}

/* Makes a source of bytes in memory, which must outlive the source. */
static RobocacheMcapSource
source_of_memory (const RobocacheMcapBytes *bytes)
{
  return (RobocacheMcapSource) {.size = bytes->size,.read = read_memory,.user_data = (gpointer) bytes };
}
