/* robocache: rows of quantities that messages may omit
 *
 * A quantity is a list of numbers, like the positions of joints. The row has the quantities that messages of the stream have had so far;
 * quantities that are missing in the current message are NaN.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/ros/rowmessage.h"
#include "streamreader.h"

#define ROBOCACHE_MAX_QUANTITIES 4

typedef struct
{
  gchar *key;
  const gchar *role;
  guint n_quantities;
  gchar **names[ROBOCACHE_MAX_QUANTITIES];      /* names of the numbers of each quantity */
  guint n_names[ROBOCACHE_MAX_QUANTITIES];
  gboolean has[ROBOCACHE_MAX_QUANTITIES];
  GstCaps *caps;                /* NULL: not made yet */
  guint n_channels;
  RobocacheRowMessage noted;    /* form of rows in the recorded caps; kind NONE: float64, in the order of the quantities */
} RobocacheQuantityStream;

/* Makes a stream; role is a constant. */
RobocacheQuantityStream *robocache_quantity_stream_new (const gchar * key, const gchar * role, guint n_quantities);
void robocache_quantity_stream_free (RobocacheQuantityStream * stream);
/* Sets the names of a quantity's numbers (taken). */
void robocache_quantity_stream_set_names (RobocacheQuantityStream * stream, guint quantity, gchar ** names);

/* Restores rows as in the recorded caps, if these are caps of messages of this kind. FALSE: they are not. */
gboolean robocache_quantity_stream_restore (RobocacheQuantityStream * stream, const GstCaps * caps, RobocacheRowMessageKind kind);

/* Adds the row of a message; numbers of missing quantities are NULL. */
void robocache_quantity_stream_add (RobocacheQuantityStream * stream, RobocacheStreamReader * reader,
    const gdouble * const numbers[ROBOCACHE_MAX_QUANTITIES]);
