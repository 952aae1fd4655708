/* robocache: one line of a CSV file, cut into fields
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_CSVRECORD_H
#define ROBOCACHE_CSVRECORD_H

#include <glib.h>

G_BEGIN_DECLS

/* "," ";" "|" ":" …, "\t" or "tab", " " or "space". With a space, runs of blanks count as one, those around the
 * line as none. FALSE and an error that quotes the string for what could be part of a number, a quote or a line end. */
gboolean robocache_csv_delimiter_parse (const gchar * string, gchar * delimiter, GError ** error);

/* Cuts line (without its line end, writable, line[length] is writable too) in place; fields receives a gchar * each.
 * Blanks around a field do not belong to it, unless it is quoted: "a ""quoted"" one". A field does not go on in the
 * next line. FALSE and an error when a quote is not closed, or followed by anything but a delimiter. */
gboolean robocache_csv_split (gchar * line, gsize length, gchar delimiter, GPtrArray * fields, GError ** error);

/* A decimal number, nan or inf, read without regard to the locale. FALSE when that is not all of text. */
gboolean robocache_csv_number (const gchar * text, gdouble * value);

G_END_DECLS
#endif
