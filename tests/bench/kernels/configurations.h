/* robocache: what the benchmarks of the kernels measure, from a file
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_CONFIGURATIONS_H
#define BENCH_CONFIGURATIONS_H

#include <glib.h>

#include "kernels/align.h"
#include "kernels/voxel.h"

G_BEGIN_DECLS

#define BENCH_MAX_STREAMS 64
#define BENCH_MAX_CHUNKS 8

/* What is said of every work. */
typedef struct
{
  gchar *name;
  const gchar *size;            /* small, medium or large */
  gdouble wanted_us;            /* cold; 0: none */
  gboolean alone;               /* nothing is set beside it */
  gint64 least_items, most_items;       /* of batches over several GPUs; 0: there are none */
  gint64 most_items_there;      /* of those that are where they are computed */
  gint64 energy_items;          /* of batches whose energy is measured; 0: there are none */
} BenchWork;

typedef struct
{
  gint64 rows, channels;
} BenchStream;

typedef struct
{
  BenchWork work;
  gint64 batch, ticks;
  BenchStream streams[BENCH_MAX_STREAMS];
  gint n_streams;
  RcDtype in, out;
  RcInterpolation interpolation;
  gint64 quaternions;           /* from channel 0 on */
  gboolean live;                /* brackets of one tick */
} BenchAlignment;

typedef struct
{
  BenchWork work;
  gint64 clouds, points, axis, features;
  gint64 chunks[BENCH_MAX_CHUNKS];      /* in which a cloud comes: points, or rows of an image, of each */
  gint n_chunks;
  gint64 width, height;         /* of depth images; 0: points */
  gboolean distorts;            /* the lens of those */
  RcDtype in, feature_in;
  gdouble feature_range;        /* mean; 0: found in the data */
  gboolean ranges_whole;        /* mean: of all chunks at once */
  RcVoxelMode mode;
  RcVoxelOutput output;
  RcDtype type;
  gdouble side;                 /* of the part of the grid that points lie in, all sides alike; 1: everywhere */
  gboolean room;                /* points lie on the walls of a room */
  gdouble voxel_m;
  gint64 max_points;            /* first: of a voxel */
  gboolean kept;                /* two clouds by turns into a grid of which it is known what it holds */
  gint64 window;                /* clouds of a grid, of which one leaves as another comes; 0: all are made anew */
} BenchVoxels;

typedef struct
{
  GArray *alignments;           /* BenchAlignment */
  GArray *voxels;               /* BenchVoxels */
} BenchConfigurations;

/* Which works. */
typedef struct
{
  const gchar *size;            /* NULL: all */
  gchar **only;                 /* those whose name holds one of them; NULL: all */
  gboolean wanted;              /* those with a time that is wanted */
} BenchWish;

/* The works of a file that are wished for, in its order; NULL, with the place and what was expected, where it is wrong. */
BenchConfigurations *bench_configurations_read (const gchar * path, const BenchWish * wish, GError ** error);
void bench_configurations_free (BenchConfigurations * configurations);

/* The path of a file that lies where the program does; free it. */
gchar *bench_beside_the_program (const gchar * file);

gboolean bench_is_size (const gchar * name);
const gchar *bench_interpolation_name (RcInterpolation interpolation);

G_END_DECLS
#endif
