// robocache: what PCL's VoxelGrid costs on the same cloud, for voxels.py
//
//   bench-voxels-pcl CLOUD
//
// Prints lines of a name, and of median, p5 and p95 in us, with tabs between.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
#include <pcl/filters/voxel_grid.h>
#include <pcl/point_types.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

static const int runs = 31;
static const float side = 256.0f;

static void
measure (const pcl::PointCloud<pcl::PointXYZ>::Ptr &cloud, int axis)
{
  std::vector<double> us;

  for (int i = 0; i < runs; i++) {
    const auto before = std::chrono::steady_clock::now ();
    pcl::VoxelGrid<pcl::PointXYZ> filter;
    pcl::PointCloud<pcl::PointXYZ> out;

    filter.setInputCloud (cloud);
    filter.setLeafSize (side / axis, side / axis, side / axis);
    filter.filter (out);
    us.push_back (std::chrono::duration<double, std::micro> (std::chrono::steady_clock::now () - before).count ());
  }
  std::sort (us.begin (), us.end ());
  std::printf ("centroid, sparse, %d^3\t%.1f\t%.1f\t%.1f\n", axis, us[runs / 2], us[runs / 20], us[runs - 1 - runs / 20]);
}

int
main (int argc, char **argv)
{
  pcl::PointCloud<pcl::PointXYZ>::Ptr cloud (new pcl::PointCloud<pcl::PointXYZ>);
  std::FILE *file = argc == 2 ? std::fopen (argv[1], "rb") : nullptr;
  float p[3];

  if (file == nullptr) {
    std::fprintf (stderr, "usage: bench-voxels-pcl CLOUD\n");
    return 1;
  }
  while (std::fread (p, sizeof (p), 1, file) == 1)
    cloud->push_back (pcl::PointXYZ (p[0], p[1], p[2]));
  std::fclose (file);
  for (int axis : {64, 256})
    measure (cloud, axis);
  return 0;
}
