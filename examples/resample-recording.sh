#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Resamples a recording (CSV) on an exact grid, and writes a file of float32. Rows in holes of the recording are NaN.
#
#   resample-recording.sh CSV FILE RATE [UNIT [CHANNELS]]
#
# RATE is in Hz, like 100 or 30000/1001. UNIT of the times: s, ms, us or ns (the one in the column's name, like t_ms, or else s).
# CHANNELS: names or columns, like q0,3-5.
set -euo pipefail
if [ $# -lt 3 ]; then sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 2; fi
. "$(dirname "$0")/pipeline.sh"
begin_output "$2" "$1"
launch filesrc location="$(quoted "$1")" \
  ! robocacheparse ${4:+time-unit="$(quoted "$4")"} ${5:+channels="$(quoted "$5")"} \
  ! robocacheresample rate="$(quoted "$3")" gap-policy=nan ! filesink location="$(quoted "$output")"
keep_output
