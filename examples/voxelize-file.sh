#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Voxelizes a raw file of float32 x, y, z (one cloud), and writes one byte per voxel: 1 if it holds a point.
#
#   voxelize-file.sh CLOUD GRID [SIZE [ORIGIN [NX:NY:NZ]]]
#
# SIZE is the edge of a voxel in metres (1.0), ORIGIN the corner of the grid as x,y,z (-128.0,-128.0,-128.0).
set -euo pipefail
if [ $# -lt 2 ]; then sed -n '3,7s/^# \{0,1\}//p' "$0"; exit 2; fi
. "$(dirname "$0")/pipeline.sh"
begin_output "$2" "$1"
size=${3:-1.0} origin=${4:--128.0,-128.0,-128.0} grid=${5:-256:256:256}
launch filesrc location="$(quoted "$1")" blocksize="$(stat -Lc %s -- "$1")" \
  ! 'application/x-pointcloud,fields=(string)"x,y,z",type=(string)float32' \
  ! robocachevoxelize origin="$(quoted "<$origin>")" voxel-size="$(quoted "<$size,$size,$size>")" grid="$(quoted "$grid")" \
  ! filesink location="$(quoted "$output")"
keep_output
