/* robocache: reads one element of a tensor as a number
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ELEMENT_H
#define ROBOCACHE_ELEMENT_H

#include <glib.h>

#include "kernels/dtype.h"

G_BEGIN_DECLS

/* The element at any address. int64 and uint64 are rounded to a double. */
gdouble robocache_element_read (RcDtype dtype, const guint8 * at);

G_END_DECLS
#endif
