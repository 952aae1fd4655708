/* robocache: what an element writes to the debug log
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/check/gstcheck.h>

typedef struct
{
  GMutex lock;
  GString *lines;               /* "LEVEL message", of the category alone */
  const gchar *category;
} Logs;

Logs *logs_begin (const gchar *category);

/* Expects the lines that begin with and contain these words, each "LEVEL words". Frees logs. */
void logs_end (Logs *logs, const gchar *const *expected);
