#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Aligns two recordings of one clock on common ticks, and writes a file of float32: the channels of the first recording, then
# those of the second. Each is a CSV with a column stamp, timestamp, time or t, or the time in the first column.
# robocache align aligns any number of files, and writes a CSV.
#
#   fuse-recordings.sh CSV CSV FILE [RATE [UNIT]]
#
# RATE is in Hz (100). UNIT of the times: s, ms, us or ns (the one in the column's name, like t_ms, or else s).
set -euo pipefail
if [ $# -lt 3 ]; then sed -n '3,9s/^# \{0,1\}//p' "$0"; exit 2; fi
. "$(dirname "$0")/pipeline.sh"
begin_output "$3" "$1" "$2"
unit=${5:+time-unit=$(quoted "$5")}
launch robocachefuse name=fuse rate="$(quoted "${4:-100}")" layout=concat \
  ! filesink location="$(quoted "$output")" \
  filesrc location="$(quoted "$1")" ! robocacheparse start=keep $unit ! fuse.proprio_0 \
  filesrc location="$(quoted "$2")" ! robocacheparse start=keep $unit ! fuse.force_0
keep_output
