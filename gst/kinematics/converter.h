/* robocache: robocachekinematics, rows of joints to rows of frames, and back
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_KINEMATICS_CONVERTER_H
#define ROBOCACHE_KINEMATICS_CONVERTER_H

#include <gst/gst.h>

#include "columns.h"

G_BEGIN_DECLS

/* Of rows since the element started. */
typedef struct
{
  guint64 rows, missing;        /* missing: rows that came out with NaN */
  guint64 solutions[RC_INVERSE_MISSING + 1];    /* by RcInverseStatus */
  guint64 iterations, max_iterations;   /* of all rows, and of one */
  gdouble max_distance, max_angle;      /* residuals of rows that converged */
} RobocacheKinematicsCounts;

/* What rows of one format become. */
typedef struct
{
  const RobocacheKinematicsSettings *settings;
  RobocacheModel model;
  RobocacheColumns columns;
  RcKinematicsPlan *plan;
  RobocachePoseForm form;
  RcDtype in, out;
  guint64 n_in, n_new;          /* channels of input rows, and those that are new */
  gchar *names;                 /* of output channels, separated by commas; NULL: not all have one */

  /* what rows leave for those that follow */
  gboolean has_reference, has_solution;
  RcTransform references[RC_KINEMATICS_MAX_FRAMES];
  gdouble solution[RC_KINEMATICS_MAX_VARIABLES];

  /* of one row */
  gdouble *row, *made;          /* [n_in], [n_new] */
  gdouble *jacobians;           /* [n_frames][6][n_variables]; NULL: not wanted */
} RobocacheConverter;

/* Converts rows of n_in channels named so. settings, and the backend, must outlive it. FALSE and an error. Zero it before, and clear it
 * in either case. */
gboolean robocache_converter_init (RobocacheConverter * converter, const RobocacheKinematicsSettings * settings,
    const RobocacheRobot * robot, RcBackend * backend, RcDtype in, guint64 n_in, const gchar * names, GError ** error);
void robocache_converter_clear (RobocacheConverter * converter);

/* Channels of an output row. */
guint64 robocache_converter_channels (const RobocacheConverter * converter);

/* Forgets the rows before. */
void robocache_converter_reset (RobocacheConverter * converter);

/* Converts n rows, one after another in both arrays. Call it in the float mode of the kernels. FALSE and an error. */
gboolean robocache_converter_run (RobocacheConverter * converter, gconstpointer in, gpointer out, guint64 n,
    RobocacheKinematicsCounts * counts, GError ** error);

G_END_DECLS
#endif
