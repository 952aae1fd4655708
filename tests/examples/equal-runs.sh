#!/bin/bash
# robocache: not live, every run of a pipeline writes the same bytes, beside two busy loops and however late pads come
#
# equal-runs.sh [N]: N runs of each pipeline; without N, $ROBOCACHE_RUNS or 5
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/cases.sh"
n_runs=${1:-${ROBOCACHE_RUNS:-5}}

# Ten seconds each. The value of a row is its number, so that of a tick is known.
rows () { echo t,v; awk -v n=$((10 * $1)) -v rate="$1" 'BEGIN { for (i = 0; i < n; i++) printf "%.3f,%d\n", i / rate, i }'; }
rows 100 > joints.csv
rows 1000 > force.csv
rows 250 > imu.csv
expected () { awk 'BEGIN { for (i = 0; i < 1000; i++) print i, 10 * i'"$1"' }' | python3 -c 'import array, sys
sys.stdout.buffer.write(array.array("f", map(float, sys.stdin.read().split())).tobytes())'; }
expected '' > two.f32
expected ', 2.5 * i' > three.f32

csv () { echo "filesrc location=$1.csv ! robocacheparse time-origin=0"; }
# record FILE NAME...: these recordings in one
record () {
  local inputs=() name
  for name in "${@:2}"; do inputs+=("$(csv "$name") ! m."); done
  # shellcheck disable=SC2068
  gst-launch-1.0 -q robocachemcapmux name=m ! filesink location="$1" ${inputs[@]}
}
if gst-inspect-1.0 robocachemcapmux > /dev/null && gst-inspect-1.0 robocachebagsrc > /dev/null; then
  record joints.mcap joints
  record force.mcap force
  record all.mcap joints force imu
else
  echo "SKIP equal_runs: this build has no recordings"
  exit 77
fi

demux () { echo "filesrc location=$1.mcap ! robocachemcapdemux"; }
bag () { echo "robocachebagsrc location=$1.mcap"; }
declared='force_0::expected-caps=other/tensors,format=static,num_tensors=1,types=float32,dimensions=(string)1,framerate=0/1'
# name | what is expected | settings | streams
pipelines="
two_csv | two | | $(csv joints) ! f.proprio_0 $(csv force) ! f.force_0
csv_and_demuxer | two | | $(csv joints) ! f.proprio_0 $(demux force) ! f.force_0
csv_and_demuxer_with_queue | two | | $(csv joints) ! f.proprio_0 $(demux force) ! queue ! f.force_0
two_demuxers | two | | $(demux joints) ! f.proprio_0 $(demux force) ! f.force_0
two_bags | two | | $(bag joints) ! f.proprio_0 $(bag force) ! f.force_0
three_pads_of_a_demuxer | three | | $(demux all) name=d d.src_0 ! f.proprio_0 d.src_1 ! f.force_0 d.src_2 ! f.sink_0
expected_caps | two | $declared | $(csv joints) ! f.proprio_0 $(demux force) ! queue ! f.force_0
required_by_pads | two | pads=force_0,required=true | $(csv joints) ! f.proprio_0 $(demux force) ! f.force_0
"

# outcome EXPECTED SETTINGS STREAMS: of one run
outcome () {
  rm -f out.f32
  # shellcheck disable=SC2086
  eval timeout 30 gst-launch-1.0 -q robocachefuse name=f rate=100/1 layout=concat ${2:+"${2@Q}"} ! filesink location=out.f32 $3 > log.txt 2>&1
  local status=$?
  if [ $status -ne 0 ] || [ -s log.txt ]; then echo "status $status: $(head -1 log.txt)"
  elif cmp -s out.f32 "$1.f32"; then echo equal
  else echo "$(stat -c %s out.f32) other bytes"; fi
}

for _ in 1 2; do while :; do :; done & busy+=($!); done
trap 'kill "${busy[@]}"; rm -rf "$work"' EXIT
while IFS='|' read -r name wanted settings streams; do
  [ -n "$name" ] || continue
  # shellcheck disable=SC2086
  name=$(echo $name) wanted=$(echo $wanted) settings=$(sed 's/^ *//; s/ *$//' <<< "$settings")
  outcomes=$(for ((i = 0; i < n_runs; i++)); do outcome "$wanted" "$settings" "$streams"; done | sort | uniq -c | sed 's/^ *//')
  expect "$name" "$outcomes" "$n_runs equal"
done <<< "$pipelines"
exit $failed
