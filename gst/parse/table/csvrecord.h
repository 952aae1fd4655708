/* robocache: splits a line of a CSV file into fields
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* "," ";" "|" ":" …, "\t" or "tab", " " or "space"; '\0': "auto". With a space, a run of blanks counts as one delimiter, and blanks around the line are
 * ignored. FALSE and an error that quotes the string: it could be part of a number, a quote or a line end. */
gboolean robocache_csv_delimiter_parse (const gchar * string, gchar * delimiter, GError ** error);

/* Splits line (without its line end, writable, line[length] is writable too) in place; fields receives a gchar * for each field.
 * Blanks around a field do not belong to it, unless it is quoted: "a ""quoted"" one". A field does not continue in the next line. FALSE
 * and an error: a quote is not closed, or not followed by a delimiter. */
gboolean robocache_csv_split (gchar * line, gsize length, gchar delimiter, GPtrArray * fields, GError ** error);

/* Reads a decimal number, nan or inf, independently of the locale. FALSE: text contains anything else. */
gboolean robocache_csv_number (const gchar * text, gdouble * value);

/* Makes the comma of "-1,5" a point. FALSE, and text is unchanged: it is no number with a decimal comma. */
gboolean robocache_csv_replace_comma (gchar * text);

/* Reads true or false, in any case, as 1 or 0. */
gboolean robocache_csv_truth (const gchar * text, gdouble * value);

/* Whether a field is empty, or a word for a value that is missing: NA, N/A, #N/A, #NA, <NA>, null, none or NaN, in any
 * case. */
gboolean robocache_csv_is_missing (const gchar * text);
