#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Voxelizes a live lidar's clouds of 10 Hz for one second: centroids and indices of the occupied voxels of 10 cm. Prints one
# line per grid.
set -euo pipefail
. "$(dirname "$0")/env.sh"
gst-launch-1.0 -v robocachetestsrc kind=points is-live=true channels=20000 rate=10/1 num-buffers=10 \
  ! robocachevoxelize mode=centroid output=sparse max-voxels=20000 \
    origin="<-3.25,-3.25,-0.15>" voxel-size="<0.1,0.1,0.1>" grid=65:65:33 \
  ! fakesink sync=false silent=false \
  | sed -n 's/.*last-message = chain.*(\([0-9]* bytes\),.* \(pts: [0-9:.]*\),.*/\2, \1/p'
