/* robocache: times in a format of the user
 *
 * Conversions are those of strptime, in English whatever the locale: %Y %y %m %d %e %b %B %h %j %H %I %M %S %p %T %R %D %F %a %A %s %z %Z
 * %n %t %%, and %f of Python for digits behind a point. %S takes digits behind a point or comma, too. Digits below 1 ns are cut off.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/text/timetext.h"

/* FALSE and an error that names time-format: a conversion is unknown, or there are neither hours nor %s. *has_day: its times are since 1970
 * in UTC, or else since midnight. */
gboolean robocache_time_format_check (const gchar * format, gboolean * has_day, GError ** error);

/* Converts all of text. format is valid. */
RobocacheTimeStatus robocache_time_from_format (const gchar * text, const gchar * format, gint64 * time_ns);
