/* robocache: text of a page: escaped, and numbers with their units
 *
 * The same in every locale.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include <glib.h>

G_BEGIN_DECLS

/* Appends text that may hold anything, as XML: invalid UTF-8 and control characters become U+FFFD. */
void report_append_escaped (GString * out, const gchar * text);
/* printf whose arguments %s are escaped text; markup stands in the format alone. */
void report_append (GString * out, const gchar * format, ...) G_GNUC_PRINTF (2, 3);

/* All below: free with g_free. "12 345", with narrow spaces. */
gchar *report_count_text (guint64 n);
/* "12.3 ms", "850 µs", "2.5 min" */
gchar *report_duration_text (gdouble ns);
/* With three significant digits: "99.8", "0.0123", "1.2e+12" */
gchar *report_number_text (gdouble number);
gchar *report_percent_text (guint64 n, guint64 of);

/* The unit in which durations up to this one are read well, as ns. */
gdouble report_unit_of_duration (gdouble ns, const gchar ** name);

G_END_DECLS
#endif
