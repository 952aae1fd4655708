#!/bin/bash
# robocache: the capture application captures, says what it gets, and ends cleanly however it is ended
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/cases.sh"
programs=$ROBOCACHE_BUILD_DIR/examples
capture=$programs/capture-app

runs capture "$capture" --seconds 2 --every 1
# on a busy machine some rows come too late for their ticks, and not of all streams for the same one
any='[^ ]+( [0-9.]+ ms old)?'
there='(aligned|held) [0-9.]+ ms old'
expect_match sample_of_camera "$said" "^tick [0-9.]+ s:  camera_0 $there  proprio_0 $any, joint 0 [+-][0-9.na]+  force_0 $any\$"
expect_match sample_of_proprio "$said" "^tick [0-9.]+ s:  camera_0 $any  proprio_0 $there, joint 0 [+-][0-9.]+  force_0 $any\$"
expect_match sample_of_force "$said" "^tick [0-9.]+ s:  camera_0 $any  proprio_0 $any, joint 0 [+-][0-9.na]+  force_0 $there\$"
expect ticks_are_20_ms_apart "$(sed -n 's/^tick \([0-9.]*\) s:.*/\1/p' <<<"$said" | awk 'NR > 1 && ($1 - last - 0.02) ^ 2 > 1e-8 { n++ }
  { last = $1 } END { print n + 0 }')" 0
shown=$(grep -c '^tick ' <<<"$said")
# how many are missing at the beginning is up to the machine, which gets ready meanwhile
expect_within lasts_for_two_seconds "$(sed -n 's/^tick \([0-9]*\)\.\([0-9]*\) s:.*/\1\2/p' <<<"$said" | tail -1 | sed 's/^0*//')" 1500 60000
expect_match samples_are_counted "$said" "^$shown samples$"
expect_match ticks_are_counted "$said" "^ticks: $shown out, 0 dropped; late by: median"
expect_match table_of_joints "$said" '^joints +[0-9]+ '
expect_match table_of_force "$said" '^force +[0-9]+ '

# ended_by NAME SIGNAL: starts it, waits until a sample is out, sends the signal
ended_by () {
  local line status
  mkfifo "$1.fifo"
  "$capture" --every 1 > "$1.fifo" 2> "$1.errors" &
  local pid=$!
  exec 3< "$1.fifo"
  while read -r line <&3 && [[ $line != tick* ]]; do :; done
  kill -s "$2" "$pid"
  said=$(cat <&3)
  exec 3<&-
  wait "$pid"
  status=$?
  expect "$1" "$status $(cat "$1.errors")" "0 "
  expect_match "$1_drains" "$said" '^ticks: [0-9]+ out, 0 dropped'
}
ended_by interrupt INT
ended_by terminate TERM

# a camera that never ends: the first signal ends the sensors, the second one the program
endless='videotestsrc is-live=true ! video/x-raw,format=RGB,width=64,height=48,framerate=10/1 ! valve drop=true'
mkfifo endless.fifo
"$capture" --every 1 --camera "$endless" > endless.fifo 2> endless.errors &
pid=$!
exec 3< endless.fifo
while read -r line <&3 && [[ $line != tick* ]]; do :; done
kill -s INT "$pid"
kill -s TERM "$pid"
said=$(cat <&3)
exec 3<&-
wait "$pid"
expect second_interrupt "$? $(cat endless.errors)" "0 "
expect_match second_interrupt_shows_statistics "$said" '^joints +[1-9][0-9]* '

program=capture-app
without_plugin () { GST_PLUGIN_PATH_1_0=$work GST_REGISTRY_1_0=$work/registry.bin "$@"; }
run without_plugin "$capture"
expect plugin_missing "$status $errors" '1 error: no element "robocachefuse"; is GST_PLUGIN_PATH_1_0 set? (. examples/env.sh)'
refuse camera_unknown '^error: camera "nosuchcamera": no element "nosuchcamera"$' --camera nosuchcamera
refuse camera_of_sound '^error: camera "fakesrc ! audio/x-raw": it does not link: put videoconvert after it, to get video/x-raw' \
  --camera 'fakesrc ! audio/x-raw'
refuse camera_fails '^error: .*: ' --camera 'filesrc location=nowhere.raw ! video/x-raw,format=RGB,width=2,height=2,framerate=1/1'
refuse seconds_negative '^error: expected ' --seconds=-1
refuse argument '^error: unexpected argument "extra"$' extra

runs own_camera "$capture" --seconds 1 --camera 'videotestsrc is-live=true ! video/x-raw,format=GRAY8,width=64,height=48,framerate=10/1'
expect_match own_camera_is_fused "$said" '^camera +[1-9][0-9]* '

# a session in a file: all that the sensors and the camera sent
if gst-inspect-1.0 robocachemcapsink > inspected.txt 2>&1; then
  small='videotestsrc is-live=true ! video/x-raw,format=RGB,width=64,height=48,framerate=30/1'
  runs recorded "$capture" --seconds 2 --record session.mcap --camera "$small"
  for topic in joints:100 force:1000 camera:30; do
    played=$(gst-launch-1.0 -v filesrc location=session.mcap ! robocachemcapdemux "topics=/${topic%:*}" ! fakesink silent=false sync=false)
    expect_within "recorded_${topic%:*}" "$(grep -c ': last-message = chain' <<<"$played")" $((${topic#*:} / 2)) $((${topic#*:} * 120))
  done
  program=capture-app
  runs recorded_with_quotes "$capture" --seconds 1 --record 'a "run" ! fakesink.mcap' --camera "$small"
  expect quotes_in_the_name "$(test -s 'a "run" ! fakesink.mcap' && echo written)" written
  before=$(sha256sum session.mcap)
  refuse record_exists '^error: .*session.mcap exists: ' --record session.mcap
  expect record_is_kept "$(sha256sum session.mcap)" "$before"
  refuse record_nowhere '^error: .*cannot create nowhere/session.mcap: No such file or directory' --record nowhere/session.mcap
fi
exit $failed
