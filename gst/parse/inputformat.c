/* robocache: the formats of input that robocacheparse reads
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "inputformat.h"

#include <string.h>

#include "common/element/errors.h"
#include "common/element/propertytypes.h"

ROBOCACHE_DEFINE_ENUM (robocache_input_format_get_type, "RobocacheInputFormat",
    {ROBOCACHE_INPUT_CSV, "Lines of text with delimited fields", "csv"},
    {ROBOCACHE_INPUT_BINARY, "Records of fixed size, described by layout", "binary"},
    {ROBOCACHE_INPUT_PCD, "Clouds: PCD files 0.5 to 0.7", "pcd"},
    {ROBOCACHE_INPUT_KITTI, "Clouds: float32 x, y, z, intensity", "kitti"},
    {ROBOCACHE_INPUT_NUSCENES, "Clouds: float32 x, y, z, intensity, ring", "nuscenes"},
    {ROBOCACHE_INPUT_POINTS, "Clouds: points described by layout and channels, or by the caps of the input", "points"},
    {ROBOCACHE_INPUT_PLY, "Clouds: vertices of PLY files, ascii and binary", "ply"},
    {ROBOCACHE_INPUT_LAS, "Clouds: LAS files 1.0 to 1.4, not compressed", "las"})

gboolean
robocache_input_refuse (const gchar *bytes, gsize n, gboolean is_text, GError **error)
{
  static const struct
  {
    const gchar *magic;
    gsize n;
    const gchar *what;
  } kinds[] = {
    {ROBOCACHE_PCD_MAGIC, 6, "a file of points: set format=pcd"},
    {"ply", 3, "a file of points: set format=ply"},
    {"LASF", 4, "a file of points: set format=las"},
    {"#ROSBAG V", 9, "a bag of ROS 1: robocachebagsrc reads it, or convert it with rosbags-convert"},
    {"\x89MCAP0", 6, "an MCAP file: robocachebagsrc and robocachemcapdemux read it"},
    {"SQLite format 3", 15, "an SQLite file, like a bag of ROS 2: robocachebagsrc reads it"},
    {"ULog\x01\x12\x35", 7, "a PX4 log (ULog): convert it with ulog2csv"},
    {"\xa3\x95", 2, "a log of ArduPilot: convert it with mavlogdump.py --format csv"},
    {"\xd4\xc3\xb2\xa1", 4, "a capture of packets (PCAP): convert it with the lidar's own tool, like ouster-cli or veloview"},
    {"\xa1\xb2\xc3\xd4", 4, "a capture of packets (PCAP): convert it with the lidar's own tool, like ouster-cli or veloview"},
    {"\x4d\x3c\xb2\xa1", 4, "a capture of packets (PCAP): convert it with the lidar's own tool, like ouster-cli or veloview"},
    {"\x0a\x0d\x0d\x0a", 4, "a capture of packets (PCAPNG): convert it with the lidar's own tool, like ouster-cli or veloview"},
    {"\x89HDF", 4, "an HDF5 file: convert it to CSV, like with pandas.read_hdf"},
    {"\x93NUMPY", 6, "a NumPy array: convert it with numpy.savetxt"},
    {"PAR1", 4, "a Parquet file: convert it to CSV, like with pandas.read_parquet"},
    {"PK\x03\x04", 4, "a ZIP file, like those of Excel and NumPy: convert it to CSV"},
    {"\x1f\x8b", 2, "gzip data: decompress it with gunzip"},
    {"\x28\xb5\x2f\xfd", 4, "Zstandard data: decompress it with zstd -d"},
    {"MATLAB 5.0 MAT-file", 19, "a file of MATLAB: write it with writetable or writematrix"},
    {"\xff\xfe", 2, "text in UTF-16: convert it with iconv -f UTF-16 -t UTF-8"},
    {"\xfe\xff", 2, "text in UTF-16: convert it with iconv -f UTF-16 -t UTF-8"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    if (n < kinds[i].n || (!is_text && kinds[i].n < 4) || memcmp (bytes, kinds[i].magic, kinds[i].n) != 0)
      continue;
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "the input begins like %s", kinds[i].what);
    return TRUE;
  }
  return FALSE;
}

gboolean
robocache_input_format_is_of_clouds (RobocacheInputFormat format)
{
  return format >= ROBOCACHE_INPUT_PCD;
}
