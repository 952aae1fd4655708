#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What a policy takes as input: the last ten rows of joints and forces, 20 ms apart, as one tensor of 20:10 a tick, to a
# file of float32.
#
#   fuse-window.sh [FILE]
set -euo pipefail
. "$(dirname "$0")/env.sh"
exec gst-launch-1.0 -q robocachefuse name=fuse rate=50/1 window=10 layout=concat ! filesink location="${1:-window.f32}" \
  robocachetestsrc kind=proprio channels=14 rate=100/1 num-buffers=101 ! fuse.proprio_0 \
  robocachetestsrc kind=force channels=6 rate=1000/1 num-buffers=1001 ! fuse.force_0
