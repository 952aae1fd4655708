#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A camera's frames through the GPU's decoder, robocachefuse and a network, for a long time; beside it, twice a minute, a second process
# of the kind is started and killed. Fails when the first one fails, or memory of it or of the device grows.
#
#   camera.sh [SECONDS]     default 1200, at least 180
#
# In a bundle (bundle.sh) on a machine with a GPU that nothing else uses.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
seconds=${1:-1200}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

camera() { exec "$here/env" "$here/bench/bench-camera" --h264 "$here/frames.h264" "$@"; }

camera --seconds "$seconds" --every 60 > "$work/log" 2>&1 &
pid=$!
# prints its reports as they come: this script may be stopped before its end
tail -n +1 --pid=$pid -f "$work/log" &
tail_pid=$!
# the first process reports at each whole minute of its own time: the second one runs from second 10 to 50
killed=0
for ((second = 1; second < seconds; second++)); do
  sleep 1
  if ! kill -0 $pid 2> /dev/null; then break; fi
  case $((second % 60)) in
    10 | 30) camera --seconds 3600 > "$work/second" 2>&1 & second_pid=$! ;;
    25 | 45)
      # it had its pipeline when it ended
      if grep -q '^camera: 0 s' "$work/second" && kill -KILL "$second_pid"; then killed=$((killed + 1)); fi
      wait "$second_pid" 2> /dev/null
      ;;
  esac
done
wait $pid
status=$?
if [ -n "${second_pid:-}" ]; then kill -KILL "$second_pid" 2> /dev/null; fi
wait $tail_pid

failed=0
expect() {                      # expect NAME CONDITION: as a case
  if (($2)); then echo "PASS camera_$1"; else echo "FAIL camera_$1: $2"; failed=1; fi
}
# report head|tail FIELD: of the first or the last report of memory after the start
report() { grep '^camera: [1-9]' "$work/log" | "$1" -n 1 | grep -o "$2 [0-9]*" | grep -o '[0-9]*$'; }
first=$(report head 'device memory in use') last=$(report tail 'device memory in use')
expect runs "$status == 0"
expect second_process_was_killed "$killed > 0"
expect device_memory_flat "${last:-1} <= ${first:-0} + 4096"
exit $failed
