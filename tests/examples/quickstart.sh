#!/bin/bash
# robocache: the command of the first minute, with nothing left to set up
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/cases.sh"
quickstart=$examples/quickstart.sh

# it would install them
installed quickstart gstreamer1.0-plugins-good || exit 0

runs robot bash "$quickstart"
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
runs recordings bash "$quickstart" --rate 2 'my recording.csv'
expect recordings_values "$(tail -n +2 aligned.csv | xargs)" "tick_ns,x,my recording.status,my recording.age_ns 0,0,0,0 500000000,1,0,0 1000000000,2,0,0"
expect_match recordings_table "$said" '^my recording +3 '

# a recording of ROS 2, as a file and as the folder of a bag
export GST_PLUGIN_PATH_1_0=$ROBOCACHE_BUILD_DIR/gst
if gst-inspect-1.0 robocachebagsrc > /dev/null && gst-inspect-1.0 robocachemcapsink > /dev/null; then
  for layout in file rosbag2; do
    gst-launch-1.0 -q robocachetestsrc kind=force num-buffers=200 rate=100/1 ! robocachemcapsink location=run.$layout layout=$layout \
      sink_0::topic=/force
    runs "$layout" bash "$quickstart" --overwrite --rate 50 run.$layout
    expect_match "${layout}_says" "$said" "^run.$layout /force: 200 rows of 6 channels, about 100 Hz"
    expect "${layout}_rows" "$(sed -n 2p aligned.csv | cut -d , -f 2-) $(wc -l < aligned.csv)" "fx,fy,fz,tx,ty,tz,force.status,force.age_ns 102"
  done
else
  echo "SKIP recording: this build has no robocachebagsrc"
fi

run bash "$quickstart" --overwrite nowhere.csv
expect missing_file "$status $errors" "1 error: nowhere.csv: No such file or directory"
runs help bash "$quickstart" --help
expect_match help_of_the_program "$said" '--interpolation=HOW'

if have arm arm_joints_250hz.csv arm_torque_250hz.csv; then
  (cd "$examples/.." && bash examples/quickstart.sh --rate 100 --output "$work/arm.csv" \
    "$data/arm_joints_250hz.csv" "$data/arm_torque_250hz.csv") > /dev/null 2>errors.txt
  expect arm "$? $(wc -l < arm.csv) $(cat errors.txt)" "0 377 "
fi

program=robocache-simulate
refuse robot_argument '^error: unexpected argument "extra"$' extra
refuse picture_nowhere '^error: .*nowhere/voxels.png.*No such file or directory$' \
  --seconds=0 --cloud-seconds=0 --picture=nowhere/voxels.png
runs no_picture "$programs/$program" --seconds=0 --cloud-seconds=0 --picture=
expect no_picture_says_nothing "$said" ""
runs robot_with_tool "$programs/$program" --overwrite --seconds=1 --cloud-seconds=0 --picture= --urdf="$examples/arm.urdf" --tool=tool
expect tool_in_the_report "$(grep -q 'tool of proprio_0' report.html && echo shown)" shown
runs wrong_tool "$programs/$program" --overwrite --seconds=1 --cloud-seconds=0 --picture= --urdf="$examples/arm.urdf" --tool=hand
expect_match wrong_tool_is_told "$(cat report.html)" 'tool&#39;s path is not shown'
refuse robot_replaces_nothing '^error: --report report.html exists; write to another file, or set --overwrite$' --seconds=1 --picture= \
  --report=report.html
runs robot_again "$programs/$program" --seconds=1 --cloud-seconds=1
expect robot_chooses_new_names "$(ls report*.html voxels*.png | xargs)" "report-2.html report.html voxels-2.png voxels.png"
refuse robot_seconds '^error: --seconds=-3: expected 0 to 86400' --seconds=-3
exit $failed
