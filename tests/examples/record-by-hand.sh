#!/bin/bash
# robocache: streams recorded with gdppay and filesink, and replayed
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/cases.sh"

for i in 1 2 3 4 5 6 7 8 9; do echo "0.0$i,$i"; done > a.csv
for i in 1 2 3 4 5 6 7 8 9; do echo "0.0$i,-$i"; done > b.csv
source='robocachetestsrc num-buffers=50'
rows='filesrc location=a.csv ! robocacheparse'
fused='robocachefuse name=fuse rate=100 info=tensor'
inputs='filesrc location=a.csv ! robocacheparse ! fuse.sink_0 filesrc location=b.csv ! robocacheparse ! fuse.sink_1'

# record FILE DESCRIPTION [OTHERS]: what DESCRIPTION sends to a file, beside OTHERS
record () {
  # shellcheck disable=SC2086
  gst-launch-1.0 -q $2 ! gdppay ! filesink location="$1" ${3-}
}
# replay FILE: the times of its buffers, and the sizes
replay () {
  gst-launch-1.0 -v filesrc location="$1" ! gdpdepay ! fakesink silent=false sync=false \
    | sed -n 's/.*last-message = chain.*(\([0-9]* bytes\),.* pts: \([0-9:.]*\),.*/\2 \1/p'
}

# ---- equal runs make equal files ----

for name in source rows fused; do
  for run in 1 2; do
    # shellcheck disable=SC2046
    record "$name.$run" "${!name}" "$([ $name = fused ] && echo "$inputs")"
  done
  expect "${name}_is_the_same_again" "$(cmp "$name.1" "$name.2" && echo same)" same
done

# ---- what was recorded is replayed ----

for name in source rows fused; do
  runs "${name}_replays_without_a_word" gst-launch-1.0 -q filesrc location="$name.1" ! gdpdepay ! fakesink sync=false
done
expect source_rows "$(replay source.1 | wc -l) $(replay source.1 | tail -1)" "50 0:00:00.490000000 56 bytes"
expect rows_from_a_file "$(replay rows.1 | wc -l) $(replay rows.1 | tail -1)" "9 0:00:00.080000000 4 bytes"
# two values, and for each stream four numbers of info
expect fused_samples "$(replay fused.1 | wc -l) $(replay fused.1 | tail -1)" "9 0:00:00.080000000 72 bytes"

# ---- a recording that is killed keeps what was written ----

for signal in KILL TERM; do
  gst-launch-1.0 -q robocachetestsrc is-live=true rate=100 ! gdppay ! filesink location=$signal buffer-mode=unbuffered &
  pid=$!
  for ((i = 0; i < 300 && $(stat -c %s $signal 2>/dev/null || echo 0) < 2000; i++)); do sleep 0.1; done
  size=$(stat -c %s $signal)
  kill -$signal $pid
  wait $pid 2>/dev/null
  expect_within ${signal}_keeps_its_bytes "$(stat -c %s $signal)" "$size" 1000000
  expect_within ${signal}_keeps_its_rows "$(replay $signal 2>/dev/null | wc -l)" 1 100000
done
exit $failed
