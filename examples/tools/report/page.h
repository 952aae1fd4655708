/* robocache: a report as one page of HTML
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "report.h"


/* The page needs no other file and no script, and is well-formed XML. */

/* Writes the page to a file, completely or not at all. FALSE and an error on failure. */
gboolean report_write_page (const Report * report, const gchar * path, GError ** error);

/* The path of the page about a file: its own with .html in the place of the extension, or behind it if that is .html. Free with g_free. */
gchar *report_path_of (const gchar * path);
