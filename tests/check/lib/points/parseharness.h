/* robocache: ways to run robocacheparse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <unistd.h>

#include "tests/check/lib/elementharness.h"
#include "tests/check/lib/runpipeline.h"

gchar *write_file (gconstpointer bytes, gssize n);

gchar *describe (const gchar *path, const gchar *properties, guint block);

/* A pipeline that reads a file of these bytes (n: -1 of text). */
Run file_run_begin (gconstpointer bytes, gssize n, const gchar *properties, guint block);

Output parse (const gchar *text, const gchar *properties);

/* The element in a harness, with a bus. */
GstHarness *parse_harness (const gchar *properties);

GstFlowReturn push_text (GstHarness *h, const gchar *text);
