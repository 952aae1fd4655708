/* robocache: definitions of messages: foxglove_msgs and robocache_msgs
 *
 * robocache_msgs are ours altogether. Source of foxglove_msgs: github.com/foxglove/schemas, fields, types and order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "packages.h"

const RobocacheRosDefinition robocache_ros_ours[] = {
  {"foxglove_msgs/CompressedVideo",
        "builtin_interfaces/Time timestamp\n"
        "string frame_id\n"
        "uint8[] data  # one frame; with parameter sets if it is a key frame\n"
        "string format  # h264 or h265: Annex B\n"},
  {"foxglove_msgs/PackedElementField",
        "uint8 UNKNOWN=0\n"
        "uint8 UINT8=1\n"
        "uint8 INT8=2\n"
        "uint8 UINT16=3\n"
        "uint8 INT16=4\n"
        "uint8 UINT32=5\n"
        "uint8 INT32=6\n"
        "uint8 FLOAT32=7\n"
        "uint8 FLOAT64=8\n"
        "string name\n"
        "uint32 offset\n"
        "uint8 type\n"},
  {"foxglove_msgs/VoxelGrid",
        "builtin_interfaces/Time timestamp\n"
        "string frame_id\n"
        "geometry_msgs/Pose pose  # of the corner with minimum x, y, z\n"
        "uint32 row_count\n"
        "uint32 column_count\n"
        "geometry_msgs/Vector3 cell_size\n"
        "uint32 slice_stride  # bytes, as the two below\n"
        "uint32 row_stride\n"
        "uint32 cell_stride\n"
        "foxglove_msgs/PackedElementField[] fields\n"
        "uint8[] data  # x fastest, then y, then z\n"},
  {"robocache_msgs/Event",
        "std_msgs/Header header  # stamp: time of capture at which it holds\n"
        "string kind  # gap, eos, flush, segment, caps, property, ...\n"
        "string topic  # of the stream; empty: of the recorder\n"
        "uint32 sequence  # messages of the topic before it\n"
        "int64 duration  # ns; -1: none\n"
        "string text  # caps, or property=value\n"},
  {"robocache_msgs/Row",
        "# A row of a stream, or several that arrived in one buffer. One of the value arrays is used, that of the stream's type.\n"
        "std_msgs/Header header\n"
        "string[] names  # of the channels of a row\n"
        "uint8 status  # 0 aligned, 1 held, 2 missing\n"
        "int64 duration  # of the buffer, ns; -1: unknown\n"
        "int64[] times  # of each row, ns after the stamp; empty: evenly over the duration\n"
        "int8[] values_int8\n"
        "uint8[] values_uint8\n"
        "int16[] values_int16\n"
        "uint16[] values_uint16\n"
        "int32[] values_int32\n"
        "uint32[] values_uint32\n"
        "int64[] values_int64\n"
        "uint64[] values_uint64\n"
        "uint16[] values_float16  # bits of IEEE binary16\n"
        "uint16[] values_bfloat16  # upper halves of binary32\n"
        "float32[] values_float32\n"
        "float64[] values_float64\n"},
  {"robocache_msgs/Tensor",
        "std_msgs/Header header\n"
        "string name\n"
        "string dtype  # int8 ... uint64, float16, bfloat16, float32, float64\n"
        "uint64[] dims  # the first is the fastest axis\n"
        "uint8 status  # 0 aligned, 1 held, 2 missing\n"
        "int64 duration  # ns; -1: unknown\n"
        "uint8[] data  # little endian, dense\n"},
  {"robocache_msgs/Tick",
        "# What a fused sample was made of. Times are running times in ns; -9223372036854775808: none.\n"
        "std_msgs/Header header\n"
        "int64 tick\n"
        "int64 decided  # when the sample was decided\n"
        "uint32 window  # rows a stream\n"
        "robocache_msgs/TickStream[] streams  # all of the oldest row of the window first\n"
        "uint64 journal_start  # entries of the journal in messages before this one\n"
        "string journal_pads  # names by number, joined by commas\n"
        "int64[] journal  # of four: kind, pad, n, time; live, what was taken in and decided since the last sample\n"},
  {"robocache_msgs/TickStream",
        "string name\n"
        "int64 before  # time of the row at or before the tick\n"
        "int64 after  # time of the row after it\n"
        "int64 age  # of the row before, ns\n"
        "uint8 status  # 0 aligned, 1 held, 2 missing\n"
        "uint64 rows  # taken in by the time of decision\n"
        "uint64 gaps\n"
        "uint64 events\n"},
  {NULL}
};
