/* robocache: values of properties in the text of users
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* Initializes and sets value. An int64 is a duration: a number of ns, or a number with a unit, like 100ms. The text of a string is used
 * unchanged. FALSE and a ROBOCACHE_ERROR_PROPERTY that names the property and the values that it accepts; then value is not initialized.
 * */
gboolean robocache_setting_from_text (GParamSpec * pspec, const gchar * text, GValue * value, GError ** error);
