/* robocache: numbers of tensors as doubles
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_NUMBERS_H
#define REPORT_NUMBERS_H

#include <glib.h>

#include "kernels/dtype.h"

G_BEGIN_DECLS

/* Converts n numbers, which need no alignment. */
void report_numbers_to_doubles (RcDtype dtype, gconstpointer numbers, gdouble * doubles, gsize n);

G_END_DECLS
#endif
