/* robocache: rows of quantities that messages may leave out
 *
 * A quantity is a list of numbers, like the positions of joints. The row has those that a message of the stream has had so far; one
 * that this message has not is NaN.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_QUANTITYSTREAM_H
#define ROBOCACHE_QUANTITYSTREAM_H

#include "common/ros/rowmessage.h"
#include "streamreader.h"

G_BEGIN_DECLS

#define ROBOCACHE_MAX_QUANTITIES 4

typedef struct
{
  gchar *key;
  const gchar *role;
  guint n_quantities;
  gchar **names[ROBOCACHE_MAX_QUANTITIES];      /* of the numbers of each */
  guint n_names[ROBOCACHE_MAX_QUANTITIES];
  gboolean has[ROBOCACHE_MAX_QUANTITIES];
  GstCaps *caps;                /* NULL: to be made */
  guint n_channels;
  RobocacheRowMessage noted;    /* rows as their writer had them; kind NONE: float64, in the order above */
} RobocacheQuantityStream;

/* role is a constant. */
RobocacheQuantityStream *robocache_quantity_stream_new (const gchar * key, const gchar * role, guint n_quantities);
void robocache_quantity_stream_free (RobocacheQuantityStream * stream);
/* Names of a quantity's numbers; takes them. */
void robocache_quantity_stream_set_names (RobocacheQuantityStream * stream, guint quantity, gchar ** names);

/* Rows as in caps that the writer of the messages noted, if those are messages of that kind. FALSE: they are not. */
gboolean robocache_quantity_stream_restore (RobocacheQuantityStream * stream, const GstCaps * caps, RobocacheRowMessageKind kind);

/* Adds the row of a message; numbers of quantities that it has not are NULL. */
void robocache_quantity_stream_add (RobocacheQuantityStream * stream, RobocacheStreamReader * reader,
    const gdouble * const numbers[ROBOCACHE_MAX_QUANTITIES]);

G_END_DECLS
#endif
