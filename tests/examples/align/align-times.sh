#!/bin/bash
# robocache: the time column and its unit: what is guessed, what is named, and what cannot be time
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/../cases.sh"
program=robocache-align

# said NAME PATTERN FILE CONTENT [OPTION...]: what is said of a recording of that content
said () {
  printf '%b' "$4" > "$3"
  align --no-status --rate 100 -o rows.csv "${@:5}" "$3"
  expect_match "$1" "$status $errors $said" "^0 .*$2"
}
# keeps NAME PATTERN ARGUMENT...: one line on stderr that matches, and an output that is as it was
keeps () {
  echo precious > kept.csv
  run "$programs/$program" --overwrite -o kept.csv "${@:3}" < /dev/null
  if [[ $status = [12] ]] && [ "$(wc -l <<<"$errors")" -eq 1 ] && grep -Eq -- "$2" <<<"$errors" && [ "$(cat kept.csv)" = precious ]
  then pass "$1"; else fail "$1" "status $status, \"$errors\" for \"$2\""; fi
}

# ---- the column ----

said by_name 'time is stamp_ns and not arrival_ns, in ns \(by the name stamp_ns\)' a.csv \
  'arrival_ns,stamp_ns,v\n1326899528468056009,1326899528368056009,1\n1326899528478056009,1326899528378056009,2\n'
expect by_name_rows "$(tail -n +3 rows.csv | xargs)" "0,1.32689957e+18,1 10000000,1.32689957e+18,2"
said stamp_before_time 'time is stamp and not time, in s' b.csv 'time,stamp,v\n5,0,1\n5.01,0.01,2\n'
printf 'q0,q1\n0,1\n0.01,2\n' > q.csv
keeps no_name '^error: q.csv: no column has a name of a time, like stamp, timestamp, time or t: the table has q0, q1; set time-column' q.csv
printf 'seq,epoch_ms,v,clock_ns\n0,1732450000000,1,5\n1,1732450000010,2,6\n2,1732450000020,3,7\n' > count.csv
said count_of_rows 'time is epoch_ms and not clock_ns, in ms \(by the name epoch_ms\)' count.csv "$(cat count.csv)\n"
said count_of_rows_is_the_time 'time in ms \(guessed' count.csv "$(cat count.csv)\n" --time-column seq
said other_column_is_the_time 'time in ms \(by the name epoch_ms\)' count.csv "$(cat count.csv)\n" --time-column epoch_ms
said first_of_one_name 'time in s \(guessed: it has decimals\)' c.csv 't,v\n0,1\n0.01,2\n'
said named_by_the_user 'time in s \(guessed' d.csv 'stamp,v\n5,0\n6,0.01\n7,0.02\n' --time-column v --rate 50
said of_ros 'time is field.header.stamp and not %time, in ns \(guessed: the times then count from 1970\)' e.csv \
  '%time,field.header.stamp,v\n1326899528478056009,1326899528468056009,1\n1326899528488056009,1326899528478056009,2\n'
expect own_table "$("$programs/$program" --rate 10 -o - rows.csv 2>&1 >/dev/null | grep -c 'time is tick_ns and not .*, in ns (by the name tick_ns)')" 1

said comment_before_the_header 'time is stamp, in s' g.csv '# recorded today\n# v1.2\nv,stamp\n5,0\n6,0.01\n'
said header_of_numpy 'time is stamp, in s' h.csv '# recorded today\n# v,stamp\n5,0\n6,0.01\n'
said malformed_first_line 'time in s .*; omits 1 lines before the data' i.csv 'a,"b\n0,5\n0.01,6\n'

# a quantity is no time: joints, with repeated values and both directions
awk 'BEGIN { print "q0,q1"; for (i = 0; i < 300; i++) printf "%.4f,%.4f\n", sin(i / 40), cos(i / 40) }' > joints.csv
keeps joints '^error: joints.csv: no column has a name of a time, like stamp, .*: the table has q0, q1; set time-column to the column of the time$' joints.csv
tail -n +2 joints.csv > headless.csv
keeps headless '^error: headless.csv: The time is in column 0, since time-column is not set, but' headless.csv
sed '1s/q0/t/' joints.csv > torque.csv
keeps torque_called_t '^error: torque.csv: The time is in column 0 \("t"\), but among its first [0-9]+ rows' torque.csv
align -o rows.csv --time-column q0 joints.csv
expect_match user_named_column "$status $errors" '^0 warning: joints.csv: The time is in column 0 \("q0"\), but among its first 100 rows, .*; is time-column right\?$'
if have arm_without_times arm_joints_250hz.csv; then
  cut -d, -f2- "$data/arm_joints_250hz.csv" > arm.csv
  keeps arm_without_times '^error: arm.csv: no column has a name of a time, like stamp, .*: the table has q0, q1, q2, .*; set time-column' arm.csv
fi
if have rover rover_imu_20hz.csv rover_twist_40hz.csv; then
  runs rover "$programs/$program" --overwrite --rate 50 -o rows.csv "$data/rover_imu_20hz.csv" "$data/rover_twist_40hz.csv"
  expect_match rover_by_capture "$said" 'tick_ns counts from 1326899528368658417 ns'
fi

# ---- rows in a wrong order ----

awk 'BEGIN { srand(7); for (i = 0; i < 2000; i++) printf "%.6f %.3f,%d\n", rand(), i / 200, i }' | sort -n \
  | { echo t,v; cut -d' ' -f2; } > shuffled.csv
said rate_of_a_shuffled_file '2000 rows of 1 channels, about 200 Hz.*time in s' shuffled2.csv "$(cat shuffled.csv)\n"
awk 'BEGIN { srand(7); for (i = 0; i < 2000; i++) printf "%.6f %d,%d\n", rand(), 5000 * i, i }' | sort -n \
  | { echo stamp,v; cut -d' ' -f2; } > shuffled.csv
align --rate 100 -o rows.csv shuffled.csv
expect_match unit_of_a_shuffled_file "$said" 'about 200 Hz.*time in us \(guessed: the median step of 5000 is then 5 ms\)'
printf 't,v\n' > swapped.csv
for ((i = 0; i < 400; i += 2)); do printf '%d.%03d,1\n%d.%03d,2\n' $(((i + 1) * 5 / 1000)) $(((i + 1) * 5 % 1000)) $((i * 5 / 1000)) $((i * 5 % 1000)); done >> swapped.csv
align --rate 100 -o rows.csv swapped.csv
expect_match rate_of_swapped_rows "$said" '400 rows of 1 channels, about 200 Hz'

# ---- dates ----

said dates 'about 100 Hz, from 1326899528.468 s to 1326899528.488 s; time in s \(they are dates\)' dates.csv \
  'time,v\n2012-01-18T15:12:08.468Z,1\n2012-01-18T15:12:08.478Z,2\n2012-01-18T15:12:08.488Z,3\n'
expect dates_rows "$(tail -n +3 rows.csv | xargs)" "0,1 10000000,2 20000000,3"
said dates_without_header '3 rows of 1 channels, about 100 Hz' dates2.csv \
  '2012-01-18 16:12:08.468+01:00,1\n2012-01-18 16:12:08.478+01:00,2\n2012-01-18 16:12:08.488+01:00,3\n'
align --no-status -o rows.csv dates.csv dates2.csv
expect dates_of_two_zones "$(tail -n +3 rows.csv | xargs)" "0,1,1 10000000,2,2 20000000,3,3"

# ---- the unit ----

said unit_of_epoch_s 'time in s \(guessed: the times then count from 1970\)' u1.csv 't,v\n1326899528,1\n1326899529,2\n1326899530,3\n'
said unit_of_a_long_gap 'time in s \(guessed: it has decimals\)' u2.csv 't,v\n0,1\n0.01,2\n0.02,3\n500,3\n'
printf 't_us,v\n' > u3.csv
for i in 0 1 2 3 4 5; do echo "$((i * 4000)).5,$i"; done >> u3.csv
said unit_by_name_with_decimals 'time in us \(by the name t_us\)' u4.csv "$(cat u3.csv)\n"
# the user said so: a warning that names the unit that fits, and it goes on
{ echo t,v; for i in 0 1 2 3 4 5 6 7; do echo "$((i * 400)),$i"; done; } > us.csv
align --rate 1/10 -o rows.csv --time-unit s us.csv
expect_match wrong_unit_of_the_user "$status $errors" \
  '^0 warning: us.csv: The median step of the first rows is 400 s with time-unit=s; with time-unit=us it is 400 us: set this unit$'
{ echo t,v; for i in 0 1 2 3 4 5 6 7; do echo "0.00$((i * 4)),$i"; done; } > s.csv
align --rate 100 -o rows.csv --time-unit us s.csv
expect_match wrong_unit_of_the_user_the_other_way "$status $errors" \
  '^0 warning: s.csv: The median step of the first rows is [0-9.]* ns with time-unit=us; with time-unit=s it is [0-9.]* ms: set this unit$'
{ echo stamp_s,v; for i in 0 1 2 3 4 5 6 7; do echo "$((i * 4000)),$i"; done; } > named.csv
keeps wrong_unit_by_name '^error: named.csv: The median step of the first rows is 4000 s with time-unit=s, which was not set; with time-unit=us it is 4 ms: set this unit, or time-unit=s$' \
  named.csv
exit $failed
