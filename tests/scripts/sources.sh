#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Checks the example scripts about sources. Prints PASS or FAIL for each case.
#
#   sources.sh EXAMPLES
set -uo pipefail
examples=$1 failed=0
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

# expect NAME GOT EXPECTED
expect() {
  if [ "$2" = "$3" ]; then echo "PASS $1"; else echo "FAIL $1: got \"$2\", expected \"$3\""; failed=1; fi
}

bytes() { stat -c %s "$1" 2>/dev/null || echo none; }

"$examples/simulate-sensor.sh" imu "$work/imu" 500
expect simulate_sensor "$(bytes "$work/imu")" $((500 * 10 * 4))
"$examples/simulate-sensor.sh" imu "$work/again" 500
expect simulate_sensor_repeats "$(cmp "$work/imu" "$work/again" && echo same)" same
"$examples/simulate-sensor.sh" imu "$work/other" 500 1
expect simulate_sensor_by_seed "$(cmp -s "$work/imu" "$work/other" || echo differs)" differs

printf 't,a,b\n0,0,10\n0.1,1,20\n0.2,2,30\n1,2,30\n' > "$work/ramp.csv"
"$examples/resample-recording.sh" "$work/ramp.csv" "$work/ramp" 20
expect resample_recording "$(od -An -v -w8 -f "$work/ramp" | head -n 6 | xargs)" "0 10 0.5 15 1 20 1.5 25 2 30 nan nan"
"$examples/resample-recording.sh" "$work/ramp.csv" "$work/b" 10 s b
expect resample_recording_channels "$(od -An -v -w4 -f "$work/b" | head -n 3 | xargs)" "10 20 30"

printf 'arrival,stamp,q\n120,100,1\n125,110,2\n130,105,3\n' > "$work/late.csv"
expect replay_recording "$("$examples/replay-recording.sh" "$work/late.csv" 1 0 ms | tr '\n' ' ')" \
  "pts: 0:00:00.000000000, 4 bytes pts: 0:00:00.010000000, 4 bytes pts: 0:00:00.005000000, 4 bytes "

for script in simulate-sensor resample-recording replay-recording; do
  "$examples/$script.sh" > "$work/usage" 2>&1
  expect "usage_of_$script" "$? $(grep -c "  $script.sh" "$work/usage")" "2 1"
done
exit $failed
