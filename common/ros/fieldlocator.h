/* robocache: the positions of selected fields in each message of a type
 *
 * Fields are found by their names in the schema of the messages, so older and newer definitions of a type are read in the same way.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cdr.h"
#include "schema.h"

/* Moves the reader behind all items of a field, or a whole message of type `index`. */
void robocache_ros_skip_field (const RobocacheRosSchema * schema, const RobocacheRosField * field, RobocacheCdrReader * reader);
void robocache_ros_skip_message (const RobocacheRosSchema * schema, guint index, RobocacheCdrReader * reader);
/* The number of items of a field: 1, that of an array, or the count of a sequence, which is read and checked. */
guint32 robocache_ros_read_count (const RobocacheRosSchema * schema, const RobocacheRosField * field, RobocacheCdrReader * reader);

/* The position of a field in one message. */
typedef struct
{
  gsize offset;                 /* offset of the first item in the reader's body, after padding */
  guint32 count;                /* number of items; 1 for a single field */
} RobocacheRosPlace;

typedef struct _RobocacheFieldLocator RobocacheFieldLocator;

/* A locator of n paths like "header.stamp.sec" in type `index` of the schema, which must outlive it. A path may pass only through single
 * messages, to a field of any kind. */
RobocacheFieldLocator *robocache_field_locator_new (const RobocacheRosSchema * schema, guint index,
    const gchar * const *paths, guint n);
void robocache_field_locator_free (RobocacheFieldLocator * locator);
/* The field of a path; NULL: the type has no such field. */
const RobocacheRosField *robocache_field_locator_field (const RobocacheFieldLocator * locator, guint path);

/* Finds the positions in one message, which begins at the reader's position. to_the_end: leaves the reader after the message; otherwise
 * after the last field that is found. Missing fields have count 0. FALSE: a fault of the reader. */
gboolean robocache_field_locator_run (RobocacheFieldLocator * locator, RobocacheCdrReader * reader, gboolean to_the_end,
    RobocacheRosPlace * places);
