/* robocache: text of a page: escaped text, and numbers with units
 *
 * The text is the same in every locale.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* Appends formatted text, as printf; arguments for %s are escaped, so only the format can contain markup. Their invalid UTF-8 and control
 * characters become U+FFFD. */
void robocache_page_append (GString * out, const gchar * format, ...) G_GNUC_PRINTF (2, 3);

/* Free the texts of all functions below with g_free. "12 345", with narrow spaces. */
gchar *robocache_count_text (guint64 n);
/* "12.3 ms", "850 µs", "2.5 min" */
gchar *robocache_duration_text (gdouble ns);
/* With three significant digits: "99.8", "0.0123", "1.2e+12" */
gchar *robocache_number_text (gdouble number);
gchar *robocache_percent_text (guint64 n, guint64 of);

/* The best unit for durations up to this one, in ns. */
gdouble robocache_unit_of_duration (gdouble ns, const gchar ** name);
