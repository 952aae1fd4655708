#!/bin/bash
# robocache: the scripts with one pipeline each do what they say
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/cases.sh"

# floats FILE CHANNELS: a row a line
floats () { od -An -v -w$((4 * $2)) -f "$1" | awk '{ $1 = $1; print }'; }

# spacing TEXT: the distances of the pts, in ns, each once
spacing () {
  sed -n 's/^pts: \([0-9]*\):\([0-9]*\):\([0-9]*\)\.\([0-9]*\),.*/\1 \2 \3 \4/p' <<<"$1" \
    | awk '{ t = ($1 * 3600 + $2 * 60 + $3) * 1e9 + $4; if (NR > 1) printf "%.0f\n", t - last; last = t }' | sort -u | xargs
}

runs fuse_live bash "$examples/fuse-live.sh"
# the last row is of 1.999 s; how many samples there are before the first, the machine not being ready, and after the last, the
# end not being known, is up to the machine
expect_match fuse_live_is_whole "$said" '^pts: 0:00:01.980000000,'
expect fuse_live_spacing "$(spacing "$said")" 20000000
expect fuse_live_size "$(tail -1 <<<"$said" | sed 's/.*, //')" "$((640 * 480 * 3 + 14 * 4 + 6 * 4)) bytes"

runs fuse_window bash "$examples/fuse-window.sh" window.f32
expect fuse_window_size "$(stat -c %s window.f32)" $((51 * 10 * 20 * 4))
# the first window has one row, its last; the tenth has all, and its first is that row
expect fuse_window_begins "$(floats window.f32 200 | head -1 | tr ' ' '\n' | grep -c nan)" $((9 * 20))
expect fuse_window_fills "$(floats window.f32 20 | sed -n '91p')" "$(floats window.f32 20 | sed -n '10p')"
# and each window is the one before, moved by a row
expect fuse_window_shifts "$(floats window.f32 20 | sed -n "101,109p")" "$(floats window.f32 20 | sed -n "92,100p")"

printf 't,a,b\n10,0,1\n10.02,2,3\n10.04,4,5\n' > left.csv
printf 't,c\n10.01,10\n10.03,30\n' > right.csv
runs fuse_recordings bash "$examples/fuse-recordings.sh" left.csv right.csv fused.f32 100
expect fuse_recordings_values "$(floats fused.f32 3 | tr '\n' ';')" "0 1 nan;1 2 10;2 3 20;3 4 30;4 5 30;"
# recordings that do not belong together
printf 't,c\n1326899528.01,10\n1326899528.03,30\n' > utc.csv
echo precious > fused.f32
run bash "$examples/fuse-recordings.sh" left.csv utc.csv fused.f32 100
expect_match fuse_recordings_far "$status $errors" 'the first row of force_0 is at 1326899528.010 s, and that of proprio_0 at 10.000 s, more than a day'
expect fuse_recordings_far_keeps "$((status != 0)) $(cat fused.f32) $(find . -name '.robocache-*')" "1 precious "
printf 't,c\n20,10\n20.02,30\n' > later.csv
run bash "$examples/fuse-recordings.sh" left.csv later.csv fused.f32 100
expect_match fuse_recordings_apart "$status $errors" 'proprio_0 ends at 10.040 s, before force_0 begins at 20.000 s'
expect fuse_recordings_apart_size "$status $(stat -c %s fused.f32)" "0 $((1003 * 3 * 4))"
bash "$examples/fuse-recordings.sh" left.csv right.csv /dev/stdout 100 > stdout.f32
expect fuse_recordings_to_stdout "$? $(floats stdout.f32 3 | tr '\n' ';')" "0 0 1 nan;1 2 10;2 3 20;3 4 30;4 5 30;"
expect fuse_recordings_to_a_pipe "$(bash "$examples/fuse-recordings.sh" left.csv right.csv /dev/stdout 100 | wc -c)" 60
bash "$examples/fuse-recordings.sh" > usage.txt 2>&1
expect fuse_recordings_usage "$? $(grep -c '  fuse-recordings.sh CSV CSV FILE' usage.txt)" "2 1"

runs resample_live bash "$examples/resample-live.sh"
expect_within resample_live_rows "$(wc -l <<<"$said")" 98 101
expect resample_live_spacing "$(spacing "$said")" 10000000
expect resample_live_size "$(sed 's/.*, //' <<<"$said" | sort -u)" "40 bytes"

runs voxelize_live bash "$examples/voxelize-live.sh"
expect voxelize_live_grids "$(wc -l <<<"$said") $(spacing "$said")" "10 100000000"

# the plugin of this checkout is found from anywhere, and one that is already on the path is left in its place
expect env_finds_the_plugin "$(env -u GST_PLUGIN_PATH_1_0 -u GST_PLUGIN_PATH bash -c '. "$0/env.sh"; gst-inspect-1.0 robocachefuse' "$examples" \
  | sed -n 's/.*Filename *//p')" "$ROBOCACHE_BUILD_DIR/gst/libgstrobocache.so"
expect env_comes_last "$(GST_PLUGIN_PATH_1_0=/first bash -c '. "$0/env.sh"; echo "$GST_PLUGIN_PATH_1_0"' "$examples")" \
  "/first:$ROBOCACHE_BUILD_DIR/gst"
expect env_keeps_the_old_path "$(env -u GST_PLUGIN_PATH_1_0 GST_PLUGIN_PATH=/old bash -c '. "$0/env.sh"; echo "$GST_PLUGIN_PATH_1_0"' \
  "$examples")" "/old:$ROBOCACHE_BUILD_DIR/gst"
exit $failed
