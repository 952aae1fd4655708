/* robocache: robocachekinematics, loads and stores numbers of any floating-point type
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "kernels/dtype.h"

/* Loads n numbers of a type, from any address. */
void robocache_numbers_load (RcDtype dtype, gconstpointer from, gdouble * to, guint64 n);
/* Stores n numbers, each rounded once to nearest even. A NaN becomes canonical. */
void robocache_numbers_store (RcDtype dtype, const gdouble * from, gpointer to, guint64 n);
