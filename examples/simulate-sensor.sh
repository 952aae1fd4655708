#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Writes rows of a simulated sensor, with the faults of a real one, to a file of float32.
#
#   simulate-sensor.sh KIND FILE [ROWS [SEED]]
#
# KIND is proprio, force, imu or points; ROWS are 1000, SEED is 0. The same SEED gives the same file on every machine.
set -euo pipefail
if [ $# -lt 2 ]; then sed -n '3,7s/^# \{0,1\}//p' "$0"; exit 2; fi
. "$(dirname "$0")/pipeline.sh"
begin_output "$2"
launch robocachetestsrc kind="$(quoted "$1")" num-buffers="$(quoted "${3:-1000}")" seed="$(quoted "${4:-0}")" \
    jitter=500000 drop=0.01 disorder=0.01 gap=160000000 gap-interval=2000000000 \
  ! filesink location="$(quoted "$output")"
keep_output
