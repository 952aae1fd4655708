/* robocache: values of properties as users write them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_SETTINGTEXT_H
#define ROBOCACHE_SETTINGTEXT_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Initializes value, and fills it in. An int64 is a duration: a number of ns, or one with a unit, like 100ms. Text of a string is
 * taken as it is. FALSE and a ROBOCACHE_ERROR_PROPERTY that names the property, and what it takes; value is not initialized then. */
gboolean robocache_setting_from_text (GParamSpec * pspec, const gchar * text, GValue * value, GError ** error);

G_END_DECLS
#endif
