/* robocache: clouds by name, from harmless to hostile, and the forms of grids that are made of them
 *
 * A point is a function of its number alone, so a cloud of any size is made piece by piece. Needs no GLib.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VOXEL_CLOUDS_H
#define VOXEL_CLOUDS_H

#include "kernels/voxel.h"

#define CLOUD_FIELDS 5          /* float32 x, y, z and two features */
#define CLOUD_FEATURES 2

typedef struct VoxelCloud VoxelCloud;
struct VoxelCloud
{
  const char *name;
  int64_t batch;                /* items, each with points of its own */
  int64_t n;                    /* points of an item; of a recording, as many as it has */
  int64_t grid[3];
  double origin[3], voxel_size[3];
  /* point of which random says everything; NULL: of a recording */
  void (*point) (const VoxelCloud * cloud, uint64_t random, float *point);
  float *recorded;              /* [n, 3] */
};

extern const VoxelCloud voxel_clouds[];
extern const size_t n_voxel_clouds;

/* 10^8 points in chunks. */
extern const VoxelCloud voxel_cloud_of_many;

/* The recorded cloud: float32 x, y, z in a file. 0: it cannot be read. */
int voxel_cloud_load (VoxelCloud * cloud, const char *path);
void voxel_cloud_unload (VoxelCloud * cloud);

/* points [n, CLOUD_FIELDS]: those from first on, of all items one after another. */
void voxel_cloud_fill (const VoxelCloud * cloud, int64_t first, int64_t n, float *points);

typedef struct
{
  RcVoxelMode mode;
  RcVoxelOutput output;
  RcDtype dtype;
} VoxelForm;

/* Every mode with every output that it has. */
extern const VoxelForm voxel_forms[];
extern const size_t n_voxel_forms;

/* Whether a cloud's grid has that form: none of 2^31 voxels and more is dense, or bits. */
int voxel_cloud_takes (const VoxelCloud * cloud, const VoxelForm * form);

/* "count_sparse_uint32"; valid until the next call in this thread. */
const char *voxel_form_name (const VoxelForm * form);

RcVoxelSpec voxel_cloud_spec (const VoxelCloud * cloud, const VoxelForm * form);

#endif
