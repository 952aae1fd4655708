/* robocache: reads elements of a tensor as numbers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "kernels/dtype.h"

/* The element at any address. int64 and uint64 are rounded to a double. */
gdouble robocache_element_read (RcDtype dtype, const guint8 * at);
/* Like robocache_element_read, for n elements that are `stride` bytes apart, to[n]. */
void robocache_elements_read (RcDtype dtype, const guint8 * from, gsize stride, gsize n, gdouble * to);
