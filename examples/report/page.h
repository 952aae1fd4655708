/* robocache: a report as one page of HTML
 *
 * It needs no other file and no script, and is well-formed XML.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "report.h"

G_BEGIN_DECLS

/* Free with g_string_free. */
GString *report_to_page (const Report * report);
/* Writes it to a file, whole or not at all. FALSE and an error. */
gboolean report_write_page (const Report * report, const gchar * path, GError ** error);

G_END_DECLS
#endif
