#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Resamples a live IMU of about 200 Hz on a grid of exactly 100 Hz for one second, with slerp. Prints one line per row.
set -euo pipefail
. "$(dirname "$0")/env.sh"
gst-launch-1.0 -v robocachetestsrc kind=imu is-live=true rate=200/1 jitter=1000000 num-buffers=200 \
  ! robocacheresample rate=100/1 quaternions=0 ! fakesink sync=false silent=false \
  | sed -n 's/.*last-message = chain.*(\([0-9]* bytes\),.* \(pts: [0-9:.]*\),.*/\2, \1/p'
