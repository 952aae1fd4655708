/* robocache: rules for the rows of a buffer, and their insertion into a stream of robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "notes.h"

/* The result of an insertion, except for notes. */
typedef struct
{
  guint64 n_outside;            /* number of rows outside the segment */
  gboolean jumped;              /* the sensor's clock jumped */
} FuseInsertion;

/* Inserts rows. For a live sensor, the number of kept rows is limited, and rows must be near the running time now, if it is known. FALSE
 * and an error: the rows cannot be inserted. */
gboolean fuse_stream_insert (FuseStream * stream, const FuseRows * rows, gboolean live, gint64 now, FuseInsertion * insertion,
    GQueue * notes, GError ** error);
