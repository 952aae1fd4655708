#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Two recordings (CSV, time in the first column, one clock) on common ticks, to a file of float32: the channels of the one,
# then those of the other. quickstart.sh does the same for any number of files, and writes a CSV.
#
#   fuse-recordings.sh CSV CSV FILE [RATE [UNIT]]
#
# RATE is in Hz (100). UNIT of the times: s (default), ms, us or ns.
set -euo pipefail
if [ $# -lt 3 ]; then sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 2; fi
. "$(dirname "$0")/env.sh"
exec gst-launch-1.0 -q robocachefuse name=fuse rate="${4:-100}" layout=concat ! filesink location="$3" \
  filesrc location="$1" ! robocacheparse start=keep time-unit="${5:-s}" ! fuse.proprio_0 \
  filesrc location="$2" ! robocacheparse start=keep time-unit="${5:-s}" ! fuse.force_0
