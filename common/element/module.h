/* robocache: modules, which link libraries that few elements need
 *
 * A module lies beside the plugin, and has no suffix of a plugin, so GStreamer does not scan it. Its one symbol is a function that returns the
 * functions of the module.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

typedef gconstpointer (*RobocacheModuleSymbol) (void);

/* Loads a module, which then stays loaded, and returns its functions. Any thread may call it, again and again. NULL and a
 * ROBOCACHE_ERROR_PROPERTY: it cannot be loaded. */
gconstpointer robocache_module_load (const gchar * file, const gchar * symbol, GError ** error);
