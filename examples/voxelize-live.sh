#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A live lidar's clouds, 10 Hz, as voxels of 10 cm for one second: the centroids and places of those that are occupied.
# Prints a line a grid.
set -euo pipefail
. "$(dirname "$0")/env.sh"
gst-launch-1.0 -v robocachetestsrc kind=points is-live=true channels=20000 rate=10/1 num-buffers=10 \
  ! robocachevoxelize mode=centroid output=sparse max-voxels=20000 \
    origin="<-3.25,-3.25,-0.15>" voxel-size="<0.1,0.1,0.1>" grid=65:65:33 \
  ! fakesink sync=false silent=false \
  | sed -n 's/.*last-message = chain.*(\([0-9]* bytes\),.* \(pts: [0-9:.]*\),.*/\2, \1/p'
