#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A recording (CSV, time in the first column) on an exact grid, to a file of float32.
#
#   resample-recording.sh CSV FILE RATE [UNIT [CHANNELS]]
#
# RATE is in Hz, like 100 or 30000/1001. UNIT of the times: s (default), ms, us or ns. CHANNELS: names or columns, like q0,3-5.
set -euo pipefail
if [ $# -lt 3 ]; then sed -n '3,7s/^# \{0,1\}//p' "$0"; exit 2; fi
. "$(dirname "$0")/env.sh"
exec gst-launch-1.0 -q filesrc location="$1" ! robocacheparse time-unit="${4:-s}" ${5:+channels="$5"} \
  ! robocacheresample rate="$3" ! filesink location="$2"
