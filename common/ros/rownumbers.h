/* robocache: numbers of a message in the dtype of a row
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ROWNUMBERS_H
#define ROBOCACHE_ROWNUMBERS_H

#include "cdr.h"
#include "kernels/dtype.h"
#include "schema.h"

G_BEGIN_DECLS

/* The dtype of a number of that kind. */
RcDtype robocache_row_dtype_of_kind (RobocacheRosKind kind);
/* A dtype for n numbers, of which negative kinds do not count: theirs where it is one, else the smallest that holds each exactly. Where
 * none does, float64, and *is_exact is FALSE. float32 without numbers. */
RcDtype robocache_row_dtype_of_kinds (const gint * kinds, guint n, gboolean * is_exact);
/* Converts a number in the message to `to`, in dtype, which is one that the functions above return for it. */
void robocache_row_number_convert (const RobocacheCdrReader * reader, const guint8 * from, RobocacheRosKind kind, RcDtype dtype,
    gpointer to);

G_END_DECLS
#endif
