#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A live robot on the GPU: camera frames uploaded there, joints at 100 Hz and force at 1 kHz with jitter, fused into device
# memory. Says what it cost, and fails when anything is allocated once it runs, memory grows, or a tick is late.
#
#   live.sh [SECONDS [LATE_MS]]     default 300 s; a tick may leave LATE_MS (default 5) after its time plus the latency
#
# In a bundle (bundle.sh) on a machine with a GPU.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
seconds=${1:-300}
late_ms=${2:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$here/env" gst-launch-1.0 -m robocachefuse name=fuse backend=cuda rate=100/1 stats-interval=1000000000 camera_0::max-gap=-1 ! \
  "other/tensors(memory:RobocacheCUDA)" ! fakesink sync=false \
  videotestsrc is-live=true pattern=ball ! video/x-raw,format=RGBA,width=640,height=480,framerate=30/1 ! cudaupload ! \
  "video/x-raw(memory:CUDAMemory)" ! fuse.camera_0 \
  robocachetestsrc is-live=true kind=proprio rate=100/1 jitter=1000000 seed=1 ! fuse.proprio_0 \
  robocachetestsrc is-live=true kind=force rate=1000/1 jitter=200000 seed=2 ! fuse.force_0 > "$work/log" 2>&1 &
pid=$!
for ((second = 1; second <= seconds; second++)); do
  sleep 1
  if ! kill -0 $pid 2> /dev/null; then
    echo "FAIL live: ended after $second s: $(grep -m1 ERROR "$work/log" || tail -n1 "$work/log")"
    exit 1
  fi
  echo "$second $(awk '/^VmRSS/ {print $2}' /proc/$pid/status) $(awk '{print $14 + $15}' /proc/$pid/stat)" >> "$work/process"
done
kill -INT $pid
wait $pid

# field NAME: its values, one a message
field() { grep -o " $1=([a-z0-9]*)-\\?[0-9]*" "$work/log" | sed 's/.*)//'; }
# at LINE FILE: a line, from the end where it is negative
first=$((seconds / 5 > 0 ? seconds / 5 : 1))
value() { field "$1" | sed -n "${2}p"; }

failed=0
expect() {                      # expect NAME CONDITION: as a case
  if (($2)); then echo "PASS live_$1"; else echo "FAIL live_$1: $2"; failed=1; fi
}
messages=$(field ticks-out | wc -l)
if [ "$messages" -lt 3 ]; then
  echo "FAIL live: $messages messages in $seconds s: $(tail -n1 "$work/log")"
  exit 1
fi
late_ns=$(value lateness-max $messages)
rss_first=$(awk -v n=$first '$1 == n {print $2}' "$work/process")
rss_last=$(tail -n1 "$work/process" | cut -d' ' -f2)
ticks=$(($(value ticks-out $messages) - $(value ticks-out $first)))
cpu=$(awk -v n=$first '$1 == n {first = $3} END {print $3 - first}' "$work/process")
hz=$(getconf CLK_TCK)
echo "live: $(value ticks-out $messages) ticks, lag p50 $(value lag-p50 $messages) ns, p99 $(value lag-p99 $messages) ns, max" \
  "$(value lag-max $messages) ns; lateness p99 $(value lateness-p99 $messages) ns, max $late_ns ns"
echo "live: CPU $((cpu * 1000000 / hz / ticks)) us a tick, $((cpu * 100 / hz / (seconds - first))) % of a core; RSS $rss_first kB" \
  "after $first s, $rss_last kB at the end; device memory $(value device-memory $messages) bytes, pinned" \
  "$(value pinned-memory $messages) bytes"
expect ticks "$ticks > 90 * ($messages - $first)"
expect nothing_allocated "$(value pool-misses $messages) == $(value pool-misses $first)"
expect device_memory_flat "$(value device-memory $messages) == $(value device-memory $first)"
expect pinned_memory_flat "$(value pinned-memory $messages) == $(value pinned-memory $first)"
expect memory_flat "$rss_last <= $rss_first + 2048"
expect ticks_in_time "$late_ns <= $late_ms * 1000000"
exit $failed
