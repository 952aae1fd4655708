/* robocache: voxel grids, computed the slow and obvious way
 *
 * From the definition of the arithmetic and not from the kernels: floor, frexp, ldexp and rint of libm, and a sorted list of
 * (voxel, point) pairs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/voxel.h"

/* One item's points, in their order of arrival: fields of each as doubles. */
typedef struct OracleCloud
{
  int64_t n, fields;
  double *values;
} OracleCloud;

typedef struct OracleGrid
{
  int64_t channels;
  int64_t n_occupied;
  int64_t *voxels;              /* [n_occupied] increasing linear index */
  int64_t *counts;              /* [n_occupied] */
  double *results;              /* [n_occupied, channels], not yet rounded to the output's dtype */
  double *plain_means;          /* the same for mean and centroid, as a long double sum / count */
  double *magnitudes;           /* [channels] greatest finite |x| */
  int64_t *point_voxels;        /* [n] linear index, or the number of RC_VOXEL_INDEX in its place */
  int64_t *clamped;             /* [n] values of the point beyond the range */
  int64_t *points;              /* [sum of counts] points of the first voxel in their order, of the next one … */
} OracleGrid;

/* n_points: N of the job. Free with oracle_free. */
OracleGrid *oracle_voxelize (const RcVoxelSpec * spec, const OracleCloud * cloud, int64_t n_points);
void oracle_free (OracleGrid * grid);
