#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A raw file of float32 x, y, z (one cloud) to a file of one byte a voxel: 1 where there is a point.
#
#   voxelize-file.sh CLOUD GRID [SIZE [ORIGIN [NX:NY:NZ]]]
#
# SIZE is the edge of a voxel in metres (1.0), ORIGIN the corner of the grid as x,y,z (-128.0,-128.0,-128.0).
set -euo pipefail
if [ $# -lt 2 ]; then sed -n '3,7s/^# \{0,1\}//p' "$0"; exit 2; fi
. "$(dirname "$0")/env.sh"
size=${3:-1.0} origin=${4:--128.0,-128.0,-128.0} grid=${5:-256:256:256}
exec gst-launch-1.0 -q filesrc location="$1" blocksize="$(stat -c %s "$1")" \
  ! 'application/x-pointcloud,fields=(string)"x,y,z",type=(string)float32' \
  ! robocachevoxelize origin="<$origin>" voxel-size="<$size,$size,$size>" grid="$grid" \
  ! filesink location="$2"
