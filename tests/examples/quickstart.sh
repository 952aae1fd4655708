#!/bin/bash
# robocache: the command of the first minute, with nothing left to set up
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/cases.sh"
quickstart=$examples/quickstart.sh

# it would install them
missing=$(. "$examples/setup.sh"; robocache_missing_packages "${ROBOCACHE_PACKAGES[@]}" gstreamer1.0-plugins-good | xargs)
if [ -n "$missing" ]; then
  echo "SKIP quickstart: not installed: $missing"
  exit 0
fi

said=$(bash "$quickstart" 2>errors.txt)
expect robot "$? $(cat errors.txt)" "0 "
expect_match robot_says_what_it_is "$said" '^A robot, live for 5 s: camera 640x480 at 30 fps, 14 joints at 100 Hz'
progress='^ *[0-9.]* s  *[0-9]* ticks  rows in: camera'
expect_within robot_progress "$(grep -c "$progress" <<<"$said")" 1 10
expect_match robot_values "$said" 'joint 0 [+-][0-9.]+ rad  torque x [+-][0-9.]+ Nm$'
expect_match robot_heading "$said" '^stream +rows in +used +late +duplicate +unused +kept +aligned +held +missing +median age +99 % age$'
expect_match robot_camera "$said" '^camera_0 +150 '
expect_match robot_joints "$said" '^proprio_0 +500 '
expect_match robot_force "$said" '^force_0 +5000 '
# 250, but for those at the beginning that were due before the machine was ready; after the last row they go on until it says
# that this was the end. The tick at t s is number 50 t + 1.
late=$(grep "$progress" <<<"$said" | awk '{ print int(50 * $1 + 1.5) - $3; exit }')
expect_within robot_ticks "$(sed -n 's/^ticks: \([0-9]*\) out, 0 dropped; late by: median .* ms, 99 % .* ms, worst .* ms$/\1/p' <<<"$said")" \
  $((250 - late)) 500
expect rows_add_up "$(rows_add_up "$said")" "3 0"
expect ticks_add_up "$(awk '/^(camera|proprio|force)_0 / { print $8 + $9 + $10 }' <<<"$said" | sort -u)" \
  "$(sed -n 's/^ticks: \([0-9]*\) out.*/\1/p' <<<"$said")"
expect clouds "$(grep -c 'cloud [0-9]*: 20000 points, 1[01][0-9]* of 139425 voxels occupied$' <<<"$said")" 10
expect_match picture "$said" '^The room without its ceiling .*: voxels.png$'
expect picture_is_png "$(head -c 4 voxels.png | od -An -c | xargs) $(od -An -tu1 -j18 -N2 voxels.png | xargs) $(od -An -tu1 -j22 -N2 voxels.png | xargs)" \
  '211 P N G 3 192 2 208'
expect no_terminal_codes "$(tr -dc '\r\033' <<<"$said" | wc -c)" 0

printf 't,x\n0,0\n0.5,1\n1,2\n' > 'my recording.csv'
said=$(bash "$quickstart" --rate 2 'my recording.csv' 2>errors.txt)
expect recordings "$? $(cat errors.txt)" "0 "
expect recordings_values "$(xargs < aligned.csv)" "tick_ns,x 0,0 500000000,1 1000000000,2"
expect_match recordings_table "$said" '^my recording +3 '

said=$(bash "$quickstart" nowhere.csv 2>errors.txt)
expect missing_file "$? $(cat errors.txt)" "1 error: nowhere.csv: No such file or directory"
said=$(bash "$quickstart" --help 2>errors.txt)
expect help "$? $(cat errors.txt)" "0 "
expect_match help_of_the_program "$said" '--interpolation=HOW'

if [ -r "$data/arm_joints_250hz.csv" ] && [ -r "$data/arm_torque_250hz.csv" ]; then
  (cd "$examples/.." && bash examples/quickstart.sh --rate 100 --output "$work/arm.csv" \
    "$data/arm_joints_250hz.csv" "$data/arm_torque_250hz.csv") > /dev/null 2>errors.txt
  expect arm "$? $(wc -l < arm.csv) $(cat errors.txt)" "0 376 "
else
  echo "SKIP arm: $data/arm_joints_250hz.csv is not there (set ROBOCACHE_TEST_DATA)"
fi

"$programs/simulated-robot" extra > /dev/null 2>errors.txt
expect robot_argument "$? $(cat errors.txt)" '1 error: unexpected argument "extra"'
"$programs/simulated-robot" --seconds=0 --cloud-seconds=0 --picture=nowhere/voxels.png > /dev/null 2>errors.txt
expect_match picture_nowhere "$? $(cat errors.txt)" '^1 error: .*nowhere/voxels.png.*No such file or directory$'
"$programs/simulated-robot" --seconds=0 --cloud-seconds=0 --picture= > empty.txt 2>errors.txt
expect no_picture "$? $(cat empty.txt errors.txt)" "0 "
"$programs/simulated-robot" --seconds=-3 > /dev/null 2>errors.txt
expect robot_seconds "$? $(cat errors.txt)" '1 error: --seconds=-3: expected 0 to 86400'
exit $failed
