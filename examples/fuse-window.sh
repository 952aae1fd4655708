#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Writes the input of a policy to a file of float32: per tick one tensor of 20:10, the last ten rows of joints and forces,
# 20 ms apart.
#
#   fuse-window.sh [FILE]
set -euo pipefail
. "$(dirname "$0")/pipeline.sh"
begin_output "${1:-window.f32}"
launch robocachefuse name=fuse rate=50/1 window=10 layout=concat ! filesink location="$(quoted "$output")" \
  robocachetestsrc kind=proprio channels=14 rate=100/1 num-buffers=101 ! fuse.proprio_0 \
  robocachetestsrc kind=force channels=6 rate=1000/1 num-buffers=1001 ! fuse.force_0
keep_output
