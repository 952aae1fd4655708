#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Draws the pictures of the documentation anew, from the simulated room without its ceiling and its two near walls.
#
#   make.sh [FOLDER]   to here, or to a folder, with the plugin of ./build, or of $ROBOCACHE_BUILD_DIR
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
pictures=${1:-$here}
# shellcheck source=../../examples/env.sh
. "$here/../../examples/env.sh"

# picture NAME VOXELIZE VIEW: what settings of robocachevoxelize and of robocachevoxelview make
picture () {
  local voxelize view
  read -ra voxelize <<<"$2"
  read -ra view <<<"$3"
  gst-launch-1.0 -q robocachetestsrc kind=points channels=60000 num-buffers=1 \
    ! robocachevoxelize backend=cpu origin="<-3.05,-2.45,-0.05>" voxel-size="<0.1,0.1,0.1>" grid=60:50:29 "${voxelize[@]}" \
    ! robocachevoxelview "${view[@]}" ! videoconvert ! pngenc compression-level=9 ! filesink location="$pictures/$1.png"
}

picture isometric-height mode=occupancy view=isometric
picture isometric-value mode=count 'view=isometric colour-by=value value-range=<0.0,30.0>'
picture top-height mode=occupancy view=top
picture top-value 'mode=mean output=sparse' 'view=top colour-by=value'
