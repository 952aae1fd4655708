/* robocache: reads elements of a tensor as numbers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_TENSORELEMENTS_H
#define ROBOCACHE_TENSORELEMENTS_H

#include <glib.h>

#include "kernels/dtype.h"

G_BEGIN_DECLS

/* The element at any address. int64 and uint64 are rounded to a double. */
gdouble robocache_element_read (RcDtype dtype, const guint8 * at);
/* The same of n elements that are `stride` bytes apart, to[n]. */
void robocache_elements_read (RcDtype dtype, const guint8 * from, gsize stride, gsize n, gdouble * to);

G_END_DECLS
#endif
