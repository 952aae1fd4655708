/* robocache: the fields of a point that the properties layout and channels describe
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/points/pointfields.h"

/* Sets the fields of a struct string, with the names "x,y,z,…" of its numbers. */
gboolean robocache_point_fields_from_layout (RobocachePointFields * fields, const gchar * layout, const gchar * names,
    GError ** error);
