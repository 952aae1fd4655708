#!/bin/bash
# robocache: what robocache inspect shows of files: tables, bags, clouds, what is refused, JSON
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/cases.sh"
export GST_REGISTRY_1_0=$work/registry

# inspect ARGUMENT...: its table, with single spaces
inspect () {
  run "$programs/robocache-inspect" "$@"
  said=$(tr -s ' ' <<<"$said")
}

# json PATH: a value of the JSON in $said, as Python writes it
json () { python3 -c 'import json, sys; print(eval("json.load(sys.stdin)" + sys.argv[1]))' "$1" <<<"$said"; }

"$programs/robocache-sample-data" data > /dev/null || { echo "SKIP inspect: needs Python"; exit 77; }
cd data || exit 1

# ---- tables ----

inspect joints.csv
expect table "$status $errors" "0 "
expect_match table_begins "$said" '^joints\.csv: table, 1 stream, from 0 s$'
expect_match table_row "$said" '^joints table row 6: q0, q1, q2, … 100 Hz 0 2000 \+0\.000 s 19\.990 s none -$'
expect_match table_says_how_times_are_read "$said" '^note: time in s \(guessed: it has decimals\)$'
inspect imu.csv
expect_match table_kinds "$said" '^imu: kinds quaternion,real\*3$'

# rows at 100 Hz with a hole of 210 ms, which is above 8 periods and above 20 ms, and every other row of a pair 1 ms late
awk 'BEGIN { print "t,q"; for (i = 0; i < 100; i++) if (i < 40 || i >= 60) printf "%.3f,%d\n", i / 100 + (i % 2) / 1000, i }' > hole.csv
inspect hole.csv
expect_match table_gap "$said" '^hole table row 1: q 90\.91 Hz 2ms 80 \+0\.000 s 0\.991 s 1, up to 209ms -$'
inspect hole.csv,max-gap=300ms
expect_match table_gap_by_option "$said" ' none -$'
inspect hole.csv,max-gap=10ms
expect_match table_gaps_by_option "$said" ' 41, up to 209ms -$'

# columns that have values in different rows are streams of their own
awk 'BEGIN { print "t,a,b"; for (i = 0; i < 100; i++) printf(i % 2 ? "%.2f,%d,\n" : "%.2f,,%d\n", i / 100, i) }' > sparse.csv
inspect sparse.csv
expect table_streams "$(grep -c '^sparse (\|^sparse.* table row 1: [ab] 50 Hz 0 50 ' <<<"$said")" 2
printf 't,q,note\n0,1,a b\n0.1,2,c d\n0.2,3,e f\n' > text.csv
inspect text.csv
expect_match table_refuses_text "$said" '^refused: columns of text: note$'

# ---- clouds ----

inspect cloud.pcd
expect_match cloud "$said" '^cloud\.pcd pcd cloud 3: x, y, z - - 1 - - - -$'
expect_match cloud_points "$said" '^note: 300 points of 12 bytes$'

# ---- training sets ----

mkdir -p set/meta
cat > set/meta/info.json <<'END'
{"codebase_version": "v3.0", "robot_type": "so101", "total_episodes": 2, "total_frames": 120, "fps": 30, "features": {
 "action": {"dtype": "float32", "shape": [2], "names": ["a.pos", "b.pos"]},
 "observation.effort": {"dtype": "float32", "shape": [8], "names": ["effort"]},
 "observation.state": {"dtype": "float32", "shape": [3], "names": {"motors": ["a", "b", "c"]}},
 "observation.images.front": {"dtype": "video", "shape": [48, 64, 3], "names": ["height", "width", "channels"]}}}
END
inspect set
expect_match set "$said" '^set: training set of LeRobot, 4 streams$'
expect_match set_action "$said" '^action float32 row 2: a\.pos, b\.pos 30 Hz 0 120 '
expect_match set_one_name "$said" '^observation\.effort float32 row 8 30 Hz '
expect_match set_names_in_an_object "$said" '^observation\.state float32 row 3: a, b, c 30 Hz '
expect_match set_pictures "$said" '^observation\.images\.front video video 48x64x3 30 Hz '
expect_match set_episodes "$said" '^note: 2 episodes, 120 frames, version v3\.0, robot so101$'
echo '{"fps": ' > set/meta/info.json
inspect set
expect set_damaged "$status $errors" "1 error: set/meta/info.json is not JSON"

# ---- what cannot be read ----

inspect missing.csv
expect missing "$status $said $errors" "1  error: missing.csv: No such file or directory"
printf '\x93NUMPY\x01\x00v\x00' > array.npy
inspect array.npy joints.csv
expect_match refused "$errors" '^error: array\.npy: the input begins like a NumPy array: convert it with numpy\.savetxt$'
expect_match others_are_shown "$said" '^joints table '
expect refused_status "$status" 1
inspect --json array.npy joints.csv
expect json_has_error "$(json '[0]["error"].split(":")[0]') $(json '[1]["streams"][0]["period_ns"]')" "array.npy 10000000"
inspect
expect nothing_given "$status $errors" "2 error: no file is given; see --help"

# ---- live topics ----

run "$programs/robocache-inspect" --watch 5s joints.csv
expect_match watch_of_files "$status $errors" '^2 error: .* are options of live topics: use --ros'
run "$programs/robocache-inspect" --ros --watch 5
expect watch_without_unit "$status $errors" "2 error: --watch 5: expected a time above 0 with a unit, like 5s"
if ! gst-inspect-1.0 robocacherossrc > /dev/null 2>&1; then
  inspect --ros
  expect_match ros_needs_a_build "$errors" '^error: this build does not join live topics of ROS 2: '
fi

# ---- bags ----

if ! gst-inspect-1.0 robocachebagsrc > /dev/null 2>&1; then
  echo "SKIP bags: this build lacks robocachebagsrc"
  exit "$failed"
fi
inspect run.mcap
expect bag "$status $errors" "0 "
expect_match bag_begins "$said" '^run\.mcap: bag, 2 streams, from 2023-11-14T22:13:20Z$'
expect_match bag_row "$said" '^/joint_states sensor_msgs/msg/JointState joints 2: q0\.position, q1\.position 100 Hz 0 500 \+0\.000 s 4\.990 s none 1: the timeline$'
expect_match bag_kinds "$said" '^/imu: kinds quaternion,real\*6$'
inspect bag --json
expect bag_json "$(json '[0]["streams"][1]["stream"]') $(json '[0]["streams"][1]["count"]') $(json '[0]["streams"][1]["first_ns"]')" \
  "/imu 1000 1700000000000000000"
expect bag_json_clock "$(json '[0]["streams"][0]["clock"]["is_timeline"]') $(json '[0]["streams"][0]["clock"]["shift_ns"]')" "True 0"
inspect run.mcap,time-source=gps
expect_match wrong_time_source "$status $errors" '^1 error: run\.mcap: time-source=gps: expected auto, stamp or log$'
inspect cut.mcap
expect_match cut_bag_is_said "$said" '^note: cut\.mcap: the recording is cut: '
if ldd "$(gst-inspect-1.0 robocache | awk '/Filename/ { print $2 }')" | grep -q libsqlite3; then
  inspect old.db3
  expect_match bag_refuses_topic "$said" '^refused: /force of type my_msgs/msg/Force cannot be read: '
  expect_match bag_without_stream "$status $errors" '^1 error: .*no readable message of /force: the recording has no definition of it: '
  inspect old.db3,msg-path=src
  expect_match bag_with_definitions "$said" '^/force my_msgs/msg/Force row 2: contacts, newtons 100 Hz '
fi
exit "$failed"
