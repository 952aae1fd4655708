/* robocache: robocachekinematics, converts rows of joints to rows of frames, and back
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "columns.h"

/* Counts of rows since the element started. */
typedef struct
{
  guint64 rows, missing;        /* missing: rows whose output has NaN */
  guint64 solutions[RC_INVERSE_MISSING + 1];    /* counts by RcInverseStatus */
  guint64 iterations, max_iterations;   /* sum over all rows, and maximum of one row */
  gdouble max_distance, max_angle;      /* largest residuals of rows that converged */
} RobocacheKinematicsCounts;

/* Converts rows of one format. */
typedef struct
{
  const RobocacheKinematicsSettings *settings;
  RobocacheModel model;
  RobocacheColumns columns;
  RcKinematicsPlan *plan;
  RobocachePoseForm form;
  RcDtype in, out;
  guint64 n_in, n_new;          /* number of channels of input rows, and of new channels */
  gchar *names;                 /* names of output channels, separated by commas; NULL: some have no name */

  /* state from earlier rows */
  gboolean has_reference, has_solution;
  RcTransform references[RC_KINEMATICS_MAX_FRAMES];
  gdouble solution[RC_KINEMATICS_MAX_VARIABLES];

  /* buffers for one row */
  gdouble *row, *made;          /* [n_in], [n_new] */
  gdouble *jacobians;           /* [n_frames][6][n_variables]; NULL: not needed */
} RobocacheConverter;

/* Converts rows whose n_in channels have these names. settings and the backend must outlive the converter. FALSE and an error: failed.
 * Zero the converter before, and clear it in either case. */
gboolean robocache_converter_init (RobocacheConverter * converter, const RobocacheKinematicsSettings * settings,
    const RobocacheRobot * robot, RcBackend * backend, RcDtype in, guint64 n_in, const gchar * names, GError ** error);
void robocache_converter_clear (RobocacheConverter * converter);

/* Number of channels of an output row. */
guint64 robocache_converter_channels (const RobocacheConverter * converter);

/* Discards the state from earlier rows. */
void robocache_converter_reset (RobocacheConverter * converter);

/* Converts n rows, one after another in both arrays. Call it in the float mode of the kernels. FALSE and an error: failed. */
gboolean robocache_converter_run (RobocacheConverter * converter, gconstpointer in, gpointer out, guint64 n,
    RobocacheKinematicsCounts * counts, GError ** error);
