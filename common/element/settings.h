/* robocache: properties that are a plain field of a struct
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_SETTINGS_H
#define ROBOCACHE_SETTINGS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Copies a property value to or from a field, whose C type follows from the value's: an enum, gint, guint, gint64,
 * guint64, gdouble, gboolean, gchar * (owned by the field), or for a fraction gint[2]. */
void robocache_setting_set (gpointer field, const GValue * value);
void robocache_setting_get (gconstpointer field, GValue * value);

G_END_DECLS
#endif
