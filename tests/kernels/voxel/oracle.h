/* robocache: voxel grids once more, the slow and obvious way, to test against
 *
 * From the definition of the arithmetic and not from the kernels: floor, frexp, ldexp and llrint of libm, a sorted list
 * of (voxel, point) pairs, and conversions of its own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VOXEL_ORACLE_H
#define VOXEL_ORACLE_H

#include "kernels/voxel.h"

/* Points as the kernel gets them (data) and as doubles (values: fields of each point). */
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
  int64_t *point_voxels;        /* [points of the cloud] linear index, or what RC_VOXEL_INDEX says in its place */
  RcVoxelCounters counters;
} OracleGrid;

OracleGrid *oracle_voxelize (const RcVoxelSpec * spec, const OracleCloud * cloud, int64_t n_points);
void oracle_free (OracleGrid * grid);

/* Writes a number as dtype. */
void oracle_store (void *out, int64_t i, RcDtype dtype, double x);
double oracle_load (const void *in, int64_t i, RcDtype dtype);

#endif
