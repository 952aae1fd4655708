/* robocache: robocachekinematics, loads and stores numbers of any floating-point type
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_KINEMATICS_NUMBERS_H
#define ROBOCACHE_KINEMATICS_NUMBERS_H

#include <glib.h>

#include "kernels/dtype.h"

G_BEGIN_DECLS

/* Loads n numbers of a type, from any address. */
void robocache_numbers_load (RcDtype dtype, gconstpointer from, gdouble * to, guint64 n);
/* Stores n numbers, each rounded once to nearest even. A NaN becomes canonical. */
void robocache_numbers_store (RcDtype dtype, const gdouble * from, gpointer to, guint64 n);

G_END_DECLS
#endif
