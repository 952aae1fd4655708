/* robocache: enum types of properties
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ENUMTYPE_H
#define ROBOCACHE_ENUMTYPE_H

#include <glib-object.h>

G_BEGIN_DECLS

/* Defines a function that returns the enum type of that name, of values {value, what it means, nick}. */
#define ROBOCACHE_DEFINE_ENUM(function, name, ...) \
GType \
function (void) \
{ \
  static gsize type = 0; \
  static const GEnumValue values[] = { __VA_ARGS__, {0, NULL, NULL} }; \
  if (g_once_init_enter (&type)) \
    g_once_init_leave (&type, g_enum_register_static (name, values)); \
  return type; \
}

G_END_DECLS
#endif
