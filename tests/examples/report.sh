#!/bin/bash
# robocache: the report of recordings and of aligned sessions: every chart has data, names are escaped, accounts add up
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/cases.sh"
export GST_PLUGIN_PATH=$ROBOCACHE_BUILD_DIR/gst GST_REGISTRY=$work/registry
reader=$ROBOCACHE_SOURCE_DIR/tests/examples/reportpage.py

# fact NAME: of the page that was read last
fact () { sed -n "s/^$1 *//p" <<<"$facts"; }

# page NAME FILE: what every page must be
page () {
  facts=$(python3 -B "$reader" "$2" 2>&1)
  expect "$1_has_charts" "$(($(fact charts) > 0)) $(fact empty) $(fact unlabelled)" "1 0 0"
  expect "$1_has_numbers" "$(fact wrong-numbers)" ""
  expect "$1_is_alone" "$(fact outside)" ""
}

# ---- recordings as CSV ----

hostile='a<b>&"'"'"'.csv'
{ echo 't,x</svg>,y&z'; for i in $(seq 0 99); do [ "$i" -gt 40 ] && [ "$i" -lt 60 ] || echo "$((i * 10)),$i,$((i % 7))"; done; } > "$hostile"
{ echo "t,$(seq -s, -f 'c%g' 20)"; for i in $(seq 0 49); do echo "$((i * 20)),$(seq -s, "$i" $((i + 19)))"; done; } > wide.csv
printf 't,v,w\n0,nan,1\n100,inf,1\n200,-inf,1\n300,nan,1\n900,nan,1\n' > nonfinite.csv
printf 't,v\n500,3\n' > one.csv
printf 't,arrival,v\n' > late.csv
for i in $(seq 0 30); do echo "$((i * 30)),$((i * 30 + 5 + i % 3)),$i"; done >> late.csv

run "$programs/robocache-align" --overwrite --rate 50 --time-unit ms "$hostile" wide.csv nonfinite.csv one.csv late.csv,arrival-column=arrival
expect recordings "$status $errors" "0 "
expect_match says_where "$said" '^report: aligned.html$'
page recordings aligned.html
expect recordings_title "$(fact title)" "$hostile, wide.csv, nonfinite.csv, one.csv, late.csv"
expect recordings_streams "$(fact stream)" "${hostile%.csv} charts 8 account 81 = 81
wide charts 20 account 50 = 50
nonfinite charts 4 account 2 = 2
nonfinite_2 charts 6 account 5 = 5
one charts 4 account 1 = 1
late charts 7 account 31 = 31"
expect recordings_notes "$(fact notes)" "2 values of the channels drawn are not finite."
expect_match verdict_says_missing "$(fact verdict)" 'nonfinite is missing from 0\.00 to [0-9.]+ s'
expect_match verdict_says_gap "$(fact verdict)" 'has 1 gap in its rows, the longest of 200[^0-9]*ms from 0\.40 s'
expect_match verdict_says_nan "$(fact verdict)" 'nonfinite has NaN or infinity in 100.% of its values'
expect_match figure_of_nan "$(cat aligned.html)" '<dt>NaN</dt><dd>100[^<]*%<small>or infinite, of the values'
expect_match settings_are_shown "$(fact settings)" 'element\.rate=50/1'
expect no_settings_of_objects "$(grep -c 'template' <<<"$(fact settings)")" 0
read -r light dark <<<"$(fact colours)"
expect_within missing_differs_in_light "$light" 90 441
expect_within missing_differs_in_dark "$dark" 90 441
expect_match says_of_many "$(cat aligned.html)" 'the first 8 of 20 channels'
expect_match says_gap "$(cat aligned.html)" '<dt>gaps</dt><dd>1<small>longest 200'

browser=$(python3 -B "$reader" --browser aligned.html)
if [ "$browser" = "browser none" ]; then
  echo "SKIP browser: the package chromium is not installed"
else
  facts=$browser
  expect browser_charts "$(fact charts)" "$(grep -c '<svg ' aligned.html)"
  expect browser_console "$(fact console)" ""
  # the overview, and a page for each stream
  expect browser_pages "$(fact pages)" 7
fi

rm -f aligned.html
runs no_report "$programs/robocache-align" --overwrite --rate 50 --report= wide.csv
expect no_report_no_file "$(ls aligned.html 2>/dev/null | wc -l) $(grep -c 'report:' <<<"$said")" "0 0"
mkdir -p out
runs elsewhere "$programs/robocache-align" --overwrite --rate 50 --output out/x.csv wide.csv
expect report_named_after_output "$(ls out | xargs)" "x.csv x.html"
for case in 'y.html y.html.html' 'z z.html' 'v1.2/z v1.2/z.html' '.hidden .hidden.html'; do
  mkdir -p v1.2
  runs "report_of_${case% *}" "$programs/robocache-align" --rate 50 --output "${case% *}" wide.csv
  expect_match "report_of_${case% *}_name" "$said" "^report: ${case#* }$"
done
runs to_stdout "$programs/robocache-align" --overwrite --report page.html wide.csv
expect named_report "$(ls page.html)" "page.html"
run "$programs/robocache-align" --overwrite --output - wide.csv
expect no_report_beside_stdout "$status $(ls aligned.html 2>/dev/null | wc -l)" "0 0"
run "$programs/robocache-align" --overwrite --report nowhere/report.html wide.csv
expect report_nowhere "$status $errors" "1 error: nowhere/report.html: No such file or directory"

# a force with a disturbance of 200 Hz at 1 kHz, and one without
awk 'BEGIN { print "t,fx,fy"; for (i = 0; i < 2000; i++) printf "%.3f,%.5f,%.4f\n", i / 1000, sin (6.2831853 * 0.2003 * i), i / 1000 }' > force.csv
run "$programs/robocache-align" --overwrite --rate 30 force.csv
expect folded "$status $errors" "0 warning: force.csv: 100 % of the variance of channel 0 lies above 15 Hz, half of the rate of ticks, and is aliased: \
set interpolation=lowpass, which looks 166.7ms ahead, or interpolation=mean, which looks half a tick ahead"
expect_match folded_in_the_report "$(cat aligned.html)" 'Variance above 15(\.[0-9]*)? Hz, half of the rate of ticks: 100 % of fx. It is aliased unless interpolation is lowpass, which looks 166.7ms'
page folded aligned.html
expect_match folded_is_the_verdict "$(fact verdict)" '^force is aliased: 100 % of the variance of fx is above half of the tick rate$'
runs not_folded "$programs/robocache-align" --overwrite --rate 30 --interpolation mean force.csv
page not_folded aligned.html
expect_match not_folded_is_no_fault "$(fact verdict)" '^Every tick has a row of every stream, and no row is lost\.$'
expect_match settings_name_the_stream "$(fact settings)" ' force\.interpolation=mean'

# files whose names are those of other pads
cp force.csv sink_1.csv
runs pads_for_names "$programs/robocache-align" --overwrite --rate 30 sink_1.csv,interpolation=lowpass force.csv,interpolation=mean
page pads_for_names aligned.html
expect_match settings_keep_their_stream "$(fact settings | xargs)" ' force\.interpolation=mean.* sink_1\.interpolation=lowpass| sink_1\.interpolation=lowpass.* force\.interpolation=mean'

# times since 1970, and a session of more than 10 s with a hole: attitude is missing from 8.2 s, where its last row is too old
awk 'BEGIN { print "stamp,roll"; for (i = 0; i < 300; i++) if (i <= 160 || i > 190) printf "%.2f,%d\n", 1700000000 + i / 20, i }' > attitude.csv
run "$programs/robocache-align" --overwrite --rate 20 --max-gap 100ms attitude.csv
page epoch aligned.html
expect_match epoch_verdict "$(fact verdict)" \
  '^attitude is missing from 8\.2 to 9\.5 s: in 8\.7[^0-9]*% of the ticks; attitude has 1 gap in its rows, the longest of 1\.55[^0-9]*s from 8\.0 s$'
expect_match epoch_begin "$(cat aligned.html)" '<dt>begins</dt><dd>2023-11-14 22:13:20 UTC<'

program=robocache-align
refuse report_is_recording '^error: --report wide.csv is one of the inputs; write to another file$' --report wide.csv wide.csv

# ---- what exists is replaced only if the user asks for it ----

echo old > kept.csv
echo old > kept.html
refuse existing_output '^error: --output kept.csv exists; write to another file, or set --overwrite$' --output kept.csv wide.csv
refuse existing_report '^error: --report kept.html exists; write to another file, or set --overwrite$' --output kept.mcap wide.csv
refuse existing_named_report '^error: --report kept.csv exists; write to another file, or set --overwrite$' --report kept.csv wide.csv
ln -s kept.csv link.csv
refuse existing_behind_a_link '^error: --output link.csv exists; write to another file, or set --overwrite$' --output link.csv wide.csv
expect existing_is_kept "$(cat kept.csv kept.html | xargs)" "old old"
runs overwritten "$programs/robocache-align" --rate 50 --overwrite --output kept.csv wide.csv
expect overwritten_both "$(grep -c old kept.csv kept.html | xargs)" "kept.csv:0 kept.html:0"

# ---- recordings as MCAP ----

program=robocache-report
if [ ! -x "$programs/$program" ]; then
  echo "SKIP mcap: built without MCAP"
  exit $failed
fi
joints='robocachetestsrc kind=proprio channels=7 rate=100/1 jitter=2000000 num-buffers=400 name=a'
force='robocachetestsrc kind=force rate=500/1 num-buffers=2000 name=b'
gst-launch-1.0 -q robocachemcapsink name=record location=run.mcap sync-interval=0 sink_0::topic=/joint_states sink_1::topic=/wrench \
  sink_2::topic=/fused robocachefuse name=fuse rate=50/1 ! queue ! record.sink_2 \
  $joints ! tee name=ta ! queue max-size-buffers=0 max-size-time=0 ! fuse.proprio_0 ta. ! queue max-size-buffers=0 max-size-time=0 ! record.sink_0 \
  $force ! tee name=tb ! queue max-size-buffers=0 max-size-time=0 ! fuse.force_0 tb. ! queue max-size-buffers=0 max-size-time=0 ! record.sink_1
runs mcap "$programs/$program" run.mcap
expect_match mcap_says "$said" '^run.mcap: 2 streams, [12][0-9]+ ticks$'
expect_match report_named_after_recording "$said" '^report: run.html$'
page mcap run.html
expect mcap_streams "$(fact stream | sort)" "/joint_states charts 18 account 400 = 400
/wrench charts 16 account 2000 = 2000"
expect_match mcap_names_pads "$(cat run.html)" '7 channels of float32, in samples as proprio_0'

# one tensor of all streams: the recorded rows tell which channels of it are whose
gst-launch-1.0 -q robocachemcapsink name=record location=concat.mcap sync-interval=0 sink_0::topic=/robot/proprio_0 \
  sink_1::topic=/robot/force_0 sink_2::topic=/fused robocachefuse name=fuse rate=50/1 layout=concat ! queue ! record.sink_2 \
  $joints ! tee name=ta ! queue max-size-buffers=0 max-size-time=0 ! fuse.proprio_0 ta. ! queue max-size-buffers=0 max-size-time=0 ! record.sink_0 \
  $force ! tee name=tb ! queue max-size-buffers=0 max-size-time=0 ! fuse.force_0 tb. ! queue max-size-buffers=0 max-size-time=0 ! record.sink_1
runs concat "$programs/$program" concat.mcap --output concat.html
page concat concat.html
expect concat_streams "$(fact stream | sort)" "/robot/force_0 charts 16 account 2000 = 2000
/robot/proprio_0 charts 18 account 400 = 400"
expect concat_has_values "$(grep -o tick-dot concat.html | wc -l)" "$(grep -o tick-dot run.html | wc -l)"
printf 'ULog\001\0225%s' 0123456789 > log.ulg
refuse other_format '^error: log.ulg: not an MCAP file: robocache inspect says what it is, and robocache align makes a report of other recordings$' log.ulg
refuse existing_page '^error: --output run.html exists; write to another file, or set --overwrite$' run.mcap
refuse existing_page_elsewhere '^error: --output kept.html exists; write to another file, or set --overwrite$' run.mcap --output kept.html
runs overwritten_page "$programs/$program" run.mcap --overwrite

# cut in the middle: what is whole is shown
head -c "$(($(stat -c %s run.mcap) * 2 / 3))" run.mcap > cut.mcap
runs cut "$programs/$program" cut.mcap --output cut.html
page cut cut.html
expect_match cut_is_said "$(fact notes)" 'The recording is cut: its last whole record ends at byte [0-9]+ of [0-9]+\.'

gst-launch-1.0 -q robocachemcapsink name=record location=inputs.mcap sync-interval=0 $force ! record.sink_0
runs inputs "$programs/$program" inputs.mcap -o inputs.html
page inputs inputs.html
expect_match inputs_have_no_ticks "$(fact notes)" 'no aligned samples'

# the robot's tool, of a URDF that is attached or given
arm=$ROBOCACHE_SOURCE_DIR/examples/arm.urdf
if gst-inspect-1.0 robocachekinematics > /dev/null 2>&1; then
  gst-launch-1.0 -q robocachemcapsink name=record location=arm.mcap sync-interval=0 attachments="$arm" sink_0::topic=/joint_states \
    sink_1::topic=/fused robocachefuse name=fuse rate=50/1 ! queue ! record.sink_1 \
    $joints ! tee name=ta ! queue max-size-buffers=0 max-size-time=0 ! fuse.proprio_0 ta. ! queue max-size-buffers=0 max-size-time=0 ! record.sink_0
  runs tool "$programs/$program" arm.mcap --tool tool
  page tool arm.html
  expect tool_streams "$(fact stream | sort)" "/joint_states charts 18 account 400 = 400
tool of /joint_states charts 12 account none"
  expect tool_channels "$(grep -c 'manipulability over the session' arm.html) $(grep -c 'distance from limits (rad, m) over the session' arm.html)" "1 1"
  runs given "$programs/$program" --overwrite run.mcap --urdf "$arm" --tool link6
  page given run.html
  expect_match given_is_shown "$(fact stream | xargs)" 'link6 of /joint_states charts 12'
  runs two_ends "$programs/$program" --overwrite arm.mcap
  page two_ends arm.html
  expect_match two_ends_are_said "$(fact notes)" 'that --urdf and --tool choose is not shown: .* has 2 end links \(left_finger, right_finger\)'
  runs no_joints "$programs/$program" --overwrite inputs.mcap --urdf "$arm" --tool tool
  page no_joints inputs.html
  expect_match no_joints_is_said "$(fact notes)" 'No stream has a channel for each joint that moves tool: q0, q1, q2, q3, q4, q5, q6\.'
  refuse no_urdf '^error: run.mcap: .*nowhere.urdf.*: No such file or directory$' --overwrite run.mcap --urdf nowhere.urdf
  refuse no_robot '^error: run.mcap: urdf=wide.csv: line 1: not XML' --overwrite run.mcap --urdf wide.csv
  cp "$arm" arm.urdf
  refuse output_is_urdf '^error: --output ./arm.urdf is one of the inputs; write to another file$' run.mcap --urdf arm.urdf --output ./arm.urdf
  refuse no_link '^error: run.mcap: .*"nose" is not a link of robot "arm"$' --overwrite run.mcap --urdf "$arm" --tool nose
else
  echo "SKIP tool: built without libxml2"
fi

# stamps SECONDS...: writes an MCAP file, years.mcap, with a message for each stamp, which arrives 2023, and names that a terminal obeys
stamps () {
  python3 - "$@" <<'END'
import struct, sys

def text(value):
    return struct.pack("<I", len(value)) + value

def record(opcode, content):
    return struct.pack("<BQ", opcode, len(content)) + content

header = b"builtin_interfaces/Time stamp\nstring frame_id\n"
time = b"int32 sec\nuint32 nanosec\n"
definition = (b"std_msgs/Header header\nVector3 vector\n" + b"=" * 80 + b"\nMSG: std_msgs/Header\n" + header + b"=" * 80
              + b"\nMSG: builtin_interfaces/Time\n" + time + b"=" * 80 + b"\nMSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z\n")
data = record(1, text(b"ros2") + text(b"")) + record(3, struct.pack("<H", 1) + text(b"geometry_msgs/msg/Vector3Stamped") + text(b"ros2msg") + text(definition))
data += record(4, struct.pack("<HH", 1, 1) + text(b"/a\x1b[31m") + text(b"cdr") + text(b""))
for i, second in enumerate(sys.argv[1:]):
    arrival = 1700000000 * 10**9 + i * 10**7
    cdr = b"\0\1\0\0" + struct.pack("<iI", int(second), i % 100 * 10**7) + text(b"f\x1b\0") + b"\0" + struct.pack("<ddd", i, 2, 3)
    data += record(5, struct.pack("<HIQQ", 1, i, arrival, arrival) + cdr)
open("years.mcap", "wb").write(b"\x89MCAP0\r\n" + data + record(15, bytes(4)) + record(2, bytes(20)) + b"\x89MCAP0\r\n")
END
}

# stamps from 1901 to today, in each order: the axis has those that are near the times of arrival
many=$(yes 1700000000 | head -n 60)
far='1 rows and 0 ticks are not shown: they are more than 10 years from the others\.'
for case in "first:-2147483648 $many" "middle:${many} -2147483648 $many" "last:$many -2147483648" "future:$many 2147483647"; do
  # shellcheck disable=SC2086
  stamps ${case#*:}
  runs "years_${case%%:*}" timeout 20 "$programs/$program" years.mcap --overwrite -o years.html
  page "years_${case%%:*}" years.html
  expect_match "years_${case%%:*}_is_said" "$(fact notes)" "$far"
done
# the first stamp is none, so it is the time of arrival
# shellcheck disable=SC2046
stamps $(yes '0 0 1 1 2 2' | head -n 20 | xargs)
runs years_of_a_simulation timeout 20 "$programs/$program" years.mcap --overwrite -o years.html
page years_of_a_simulation years.html
expect_match years_of_a_simulation_is_said "$(fact notes)" '^.*[0-9] rows and 0 ticks are not shown'
stamps -2147483648 2147483647 -2147483648 0
runs years_apart timeout 20 "$programs/$program" years.mcap --overwrite -o years.html

# ---- names that a terminal obeys: escaped in all that is printed ----

# unescaped FILE...: control characters of the files, and of what was printed last
unescaped () { LC_ALL=C grep -aHc $'[\x01-\x08\x0b-\x1f\x7f]' "$@" - <<<"$said$errors" | grep -v ':0$'; }

printf 't,v\033[31m,"w\r"\n0,1,2\n0.01,2,3\n0.02,3,4\n' > $'esc\033[2J.csv'
runs escaped_csv "$programs/robocache-align" --overwrite --time-unit s -o esc.csv --report esc.html $'esc\033[2J.csv'
expect escaped_csv_names "$(sed -n 2p esc.csv | cut -d, -f2-4) $(unescaped esc.csv esc.html)" \
  'v\x1b[31m,w\x0d,esc\x1b[2J.status '
expect_match escaped_csv_table "$said" '^esc\\x1b\[2J +3 '
run "$programs/robocache-align" --overwrite $'no\033[2J\n.csv'
expect escaped_error "$status $errors" '1 error: no\x1b[2J\n.csv: No such file or directory'
run "$programs/$program" $'no\033[2J.mcap'
expect escaped_report_error "$status $errors" '1 error: no\x1b[2J.mcap: No such file or directory'
# shellcheck disable=SC2086
stamps $(yes 1700000000 | head -n 10)
if gst-inspect-1.0 robocachebagsrc > /dev/null 2>&1; then
  run "$programs/robocache-align" --overwrite -o esc.csv --report esc.html years.mcap
  expect escaped_topic "$status $(sed -n 2p esc.csv | grep -o 'a[^,]*status') $(unescaped esc.csv esc.html)" '0 a\x1b[31m.status '
  expect_match escaped_topic_table "$said" '^a\\x1b\[31m +10 '
fi
if [ -x "$programs/robocache-recover" ]; then
  cp years.mcap $'esc\033[2J.mcap'
  run "$programs/robocache-recover" $'esc\033[2J.mcap'
  expect escaped_recover "$status $(unescaped) $(grep -c 'esc\\x1b\[2J' <<<"$said")" '0  2'
fi

refuse no_recording '^error: nowhere.mcap: No such file or directory$' nowhere.mcap
refuse no_mcap '^error: wide.csv: ' wide.csv
refuse no_argument '^error: expected one recording; see --help$'
refuse folder '^error: out: not a file$' out
refuse output_nowhere '^error: nowhere/x.html: No such file or directory$' run.mcap --output nowhere/x.html
refuse output_is_recording '^error: --output run.mcap is one of the inputs; write to another file$' run.mcap --output run.mcap
exit $failed
