/* robocache: converts numbers of a message to the dtype of a row
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cdr.h"
#include "kernels/dtype.h"
#include "schema.h"

/* The dtype of a number of this kind. */
RcDtype robocache_row_dtype_of_kind (RobocacheRosKind kind);
/* A common dtype for n numbers; negative kinds are ignored. It is the dtype of all numbers if they agree, else the smallest that
 * represents each exactly. If none does, it is float64, and *is_exact is FALSE. Without numbers, it is float32. */
RcDtype robocache_row_dtype_of_kinds (const gint * kinds, guint n, gboolean * is_exact);
/* Converts a number in the message to dtype, which must be a result of the functions above. */
void robocache_row_number_convert (const RobocacheCdrReader * reader, const guint8 * from, RobocacheRosKind kind, RcDtype dtype,
    gpointer to);
