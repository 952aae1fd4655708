#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Aligns a camera, joints and forces on common ticks of 50 Hz, live, for two seconds. Prints one line per sample.
set -euo pipefail
. "$(dirname "$0")/env.sh"
gst-launch-1.0 -v robocachefuse name=fuse rate=50/1 ! fakesink sync=false silent=false \
  videotestsrc is-live=true num-buffers=60 ! video/x-raw,format=RGB,width=640,height=480,framerate=30/1 ! fuse.camera_0 \
  robocachetestsrc kind=proprio is-live=true channels=14 rate=100/1 jitter=2000000 num-buffers=200 ! fuse.proprio_0 \
  robocachetestsrc kind=force is-live=true channels=6 rate=1000/1 num-buffers=2000 ! fuse.force_0 \
  | sed -n 's/.*last-message = chain.*(\([0-9]* bytes\),.* \(pts: [0-9:.]*\),.*/\2, \1/p'
