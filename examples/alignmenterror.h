/* robocache: by how much a sample is beside its tick, for sensors whose signals are known
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_ALIGNMENTERROR_H
#define ROBOCACHE_EXAMPLES_ALIGNMENTERROR_H

#include <stdio.h>

#include "gst/testsrc/testsignal.h"

G_BEGIN_DECLS

typedef struct
{
  RobocacheTestKind kind;
  guint n_channels;
  GArray *errors;               /* gdouble ns, of each row so far: how much later than time the row's values are */
} AlignmentError;

void alignment_error_init (AlignmentError * error, RobocacheTestKind kind, guint n_channels);
void alignment_error_clear (AlignmentError * error);

/* A row of robocachetestsrc's signals that should be those of time (ns since the source began). */
void alignment_error_add (AlignmentError * error, gint64 time, const gfloat * row);

/* Writes its quantiles, one line. */
void alignment_error_print (FILE * out, AlignmentError * error, const gchar * label);

G_END_DECLS
#endif
