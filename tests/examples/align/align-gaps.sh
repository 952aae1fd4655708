#!/bin/bash
# robocache: recordings that cannot belong together, and results of nothing, are refused, and no file is written over
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/../cases.sh"
program=robocache-align

# keeps NAME PATTERN ARGUMENT...: the job ends with status 1 and one line on stderr that matches, and its output is as it was
keeps () {
  echo precious > kept.csv
  run "$programs/$program" --overwrite -o kept.csv "${@:3}" < /dev/null
  if [[ $status = [12] ]] && [ "$(wc -l <<<"$errors")" -eq 1 ] && grep -Eq -- "$2" <<<"$errors" && [ "$(cat kept.csv)" = precious ] \
    && [ -z "$(find . -name '.robocache-*')" ]
  then pass "$1"; else fail "$1" "status $status, \"$errors\" for \"$2\", $(ls -A | xargs)"; fi
}

printf 't,x\n0,1\n0.01,2\n0.02,3\n' > zero.csv
printf 't,y\n0.01,1\n0.02,2\n0.03,3\n' > beside.csv
printf 't,y\n7,1\n7.01,2\n7.02,3\n' > later.csv
printf 'stamp_ns,z\n1326899528468056009,1\n1326899528478056009,2\n1326899528488056009,3\n' > utc.csv

# ---- recordings that do not overlap ----

keeps disjoint '^error: zero.csv ends at 0.02 s and later.csv begins at 7 s, so they do not overlap: .*or use --allow-gaps$' zero.csv later.csv
expect_match span_of_the_first "$said" '^zero.csv: 3 rows .*, from 0 s to 0.02 s;'
expect_match span_of_the_second "$said" '^later.csv: 3 rows .*, from 7 s to 7.02 s;'
keeps disjoint_in_either_order '^error: zero.csv ends at 0.02 s and later.csv begins at 7 s' later.csv zero.csv
keeps disjoint_third '^error: zero.csv ends at 0.02 s and later.csv begins at 7 s' zero.csv beside.csv later.csv
keeps other_origin '^error: zero.csv ends at 0.02 s and utc.csv begins at 1326899528.468056009 s' zero.csv utc.csv
keeps offset_that_parts_them '^error: zero.csv ends at 0.02 s and beside.csv begins' zero.csv beside.csv,offset=1s
run "$programs/$program" --no-status -o - zero.csv,offset=7s later.csv
expect offset_that_joins_them "$status $(grep ^10000000, <<<"$said")" "0 10000000,2,2"
expect_match span_with_its_offset "$errors" '^zero.csv: 3 rows .*, from 7 s to 7.02 s with its offset;'
run "$programs/$program" --no-status --allow-gaps -o - zero.csv later.csv
expect gaps_allowed "$status $(tail -1 <<<"$said")" "0 7020000000,nan,3"
printf 't,y\n0.02,2\n0.03,3\n' > touching.csv
aligns they_touch "0,1,nan 10000000,2,nan 20000000,3,2 30000000,3,3" zero.csv touching.csv

program=robocache-offset
run "$programs/$program" zero.csv later.csv
expect_match estimate_offset "$status $errors" '^1 error: zero.csv ends at 0.02 s and later.csv begins at 7 s'
program=robocache-coverage
run "$programs/$program" --time-column 0 --arrival-column 0 zero.csv,channels=x later.csv,channels=y
expect_match replay_coverage "$status $errors" '^1 error: zero.csv ends at 0.02 s and later.csv begins at 7 s'
program=robocache-align

# ---- grids that nobody wants ----

printf 't,v\n0,1\n0.01,2\n100000,3\n' > long.csv
keeps long_grid '^error: 1e\+05 s at 1000/1 Hz are 1e\+08 ticks. Check time-column, time-unit and offset, set a lower --rate, or use --yes$' \
  --rate 1000 --time-unit s long.csv

# a person is asked
echo precious > kept.csv
run script -qec "$programs/$program --overwrite --rate 1000 --time-unit s -o kept.csv long.csv" /dev/null <<<n
expect_match asked "$said" 'are 1e\+08 ticks. Go on\? \[y/N\]'
expect no_is_no "$status $(cat kept.csv) $(find . -name '.robocache-*')" "1 precious "

# while it is written
progress='^[0-9]* ticks, [0-9.]* s \([0-9]* %\), [0-9]* s left$'
# a pause of more than an hour is no recording, unless the user says so
keeps long_pause '^error: fuse: no stream has a row between 0.211 s and 100000.000 s: .*use allow-gaps$' --yes --rate 1000 --time-unit s long.csv
printf 't,v\n0,1\n0.01,2\n8000,3\n' > pause.csv
run "$programs/$program" --no-status --allow-gaps --rate 1/2000 --time-unit s -o - pause.csv
expect pause_allowed "$status $(tail -n +2 <<<"$said" | cut -d, -f2 | xargs)" "0 v 1 nan nan nan 3"

echo precious > kept.csv
set -m
"$programs/$program" --overwrite --yes --allow-gaps --rate 1000 --time-unit s -o kept.csv long.csv > said.txt 2> errors.txt &
pid=$!
set +m
for ((i = 0; i < 300; i++)); do grep -Eq "$progress" said.txt && break; kill -0 $pid 2>/dev/null || break; sleep 0.1; done
kill -INT $pid
wait $pid
expect interrupted "$? $(cat kept.csv errors.txt) $(find . -name '.robocache-*')" "130 precious "
expect_match progress_of_a_file "$(cat said.txt)" "$progress"

# ---- results of nothing ----

keeps no_tick '^error: no tick at 100/1 Hz has a row of every required recording, so kept.csv was not written' --rate 100 --allow-gaps \
  zero.csv,required later.csv,required
printf 't,v\n0,1\n0.3,2\n0.6,3\n' > sparse.csv
keeps no_aligned_row '^error: none of [0-9]+ ticks has an aligned row, so kept.csv was not written: set a longer --max-gap' \
  --rate 3 --interpolation lowpass sparse.csv
# boot time that an offset puts on UTC: the guard of long grids is about the times with the offset
printf 't,v\n10,1\n10.01,2\n10.02,3\n' > boot.csv
printf 't,u\n1700000010,1\n1700000010.01,2\n1700000010.02,3\n' > now.csv
run "$programs/$program" --no-status -o - boot.csv,offset=1700000000s now.csv
expect boot_time_on_utc "$status $(grep -v tick <<<"$said" | tr '\n' ' ')" "0 0,1,1 10000000,2,2 20000000,3,3 "
expect_match boot_time_is_short "$errors" '; 0.020 s at 100/1 Hz$'
exit $failed
