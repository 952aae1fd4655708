/* robocache: the fields of a point that the properties layout and channels describe
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_POINTLAYOUTS_H
#define ROBOCACHE_POINTLAYOUTS_H

#include "common/points/pointfields.h"

G_BEGIN_DECLS

/* Sets the fields of a struct string, with the names "x,y,z,…" of its numbers. */
gboolean robocache_point_fields_from_layout (RobocachePointFields * fields, const gchar * layout, const gchar * names,
    GError ** error);

G_END_DECLS
#endif
