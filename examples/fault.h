/* robocache: an error for the user, in words
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_FAULT_H
#define ROBOCACHE_EXAMPLES_FAULT_H

#include <glib.h>

/* FAULT (error, format, ...): what was wrong, its value, and what was expected. Nobody acts on its code. */
#define FAULT(error, ...) g_set_error (error, g_quark_from_static_string ("robocache-example"), 0, __VA_ARGS__)

#endif
