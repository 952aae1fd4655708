#!/bin/bash
# robocache: recordings become one CSV: ticks, values, names, a common origin, and what is guessed
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/../cases.sh"

# two recordings whose values are straight lines: x = 100 t, y = -10 t with t in s on one clock
{ echo t,x; for i in 0 1 2 3 4 5 6 7 8; do echo "$((4 + i / 4)).$((i % 4 * 25 / 10))$((i % 4 * 25 % 10)),$((400 + 25 * i))"; done; } > a.csv
{ echo stamp_ms,y; for i in $(seq 0 10); do echo "$((4500 + 100 * i)),$((-45 - i))"; done; } > b.csv

align --rate 10 a.csv b.csv
expect exit_status "$status $errors" \
  "0 warning: a.csv: max-gap is 200ms, but the rows are 250ms apart, so ticks between rows are not aligned: set max-gap above 250ms (the default, until the period is known from 8 rows)"
expect default_output "$(head -2 aligned.csv)" "# origin_ns=4000000000: tick_ns counts from this time on the recordings' clock
tick_ns,x,y,a.status,a.age_ns,b.status,b.age_ns"
expect ticks "$(column aligned.csv tick_ns)" \
  "0 100000000 200000000 300000000 400000000 500000000 600000000 700000000 800000000 900000000 1000000000 1100000000 1200000000 1300000000 1400000000 1500000000 1600000000 1700000000 1800000000 1900000000 2000000000"
expect interpolated "$(column aligned.csv x)" \
  "400 400 400 425 425 450 450 450 475 475 500 500 500 525 525 550 550 550 575 575 600"
expect one_origin "$(column aligned.csv y)" \
  "nan nan nan nan nan -45 -46 -47 -48 -49 -50 -51 -52 -53 -54 -55 -55 -55 nan nan nan"
expect_match says_origin "$said" '^tick_ns counts from 4000000000 ns on the recordings. clock; 2.000 s at 10/1 Hz$'
expect_match says_count "$said" '^21 ticks of 2 channels written to aligned.csv$'
expect_match table_heading "$said" '^stream +rows in +used +late +duplicate +unused +kept +aligned +held +missing +median age +99 % age$'
expect_match table_of_first "$said" '^a +9 +9 +0 +0 +0 +0 +5 +16 +0 +[0-9.]+ ms +[0-9.]+ ms$'
expect_match table_of_second "$said" '^b +11 +11 +0 +0 +0 +0 +11 +2 +8 +0.00 ms +[0-9.]+ ms$'
expect_match table_ticks "$said" '^ticks: 21 out, 0 dropped$'
if grep -q 'late by' <<<"$said"; then fail no_lateness "$said"; else pass no_lateness; fi

# what is held, missing and how old it is, as the table counts
expect status_of_first "$(column aligned.csv a.status | xargs -n 1 | sort | uniq -c | xargs)" "5 0 16 1"
expect status_of_second "$(column aligned.csv b.status)" "2 2 2 2 2 0 0 0 0 0 0 0 0 0 0 0 1 1 2 2 2"
expect age_of_second "$(column aligned.csv b.age_ns)" \
  "nan nan nan nan nan 0 0 0 0 0 0 0 0 0 0 0 100000000 200000000 300000000 400000000 500000000"
expect_match words_of_the_table "$said" '^held  +Ticks that repeat the last row, for at most hold-limit$'

# rows 250 ms apart are further apart than max-gap, so they are interpolated between only when it is longer
align --rate 10 --max-gap 250ms a.csv
expect whole_line "$(column aligned.csv x)" "400 410 420 430 440 450 460 470 480 490 500 510 520 530 540 550 560 570 580 590 600"

align --no-status --rate 10 --output - a.csv b.csv
expect to_stdout "$(sed -n 2p <<<"$said") $(wc -l <<<"$said")" "tick_ns,x,y 23"
expect_match table_to_stderr "$errors" '^ticks: 21 out'

# times of 19 digits, which no double holds
printf 'stamp_ns,v\n1326899528468056009,1\n1326899528478056009,2\n1326899528488056009,3\n' > ns.csv
aligns epoch_ns "0,1 5000000,1.5 10000000,2 15000000,2.5 20000000,3" --rate 200 ns.csv
expect_match epoch_ns_origin "$errors" 'counts from 1326899528468056009 ns'
printf 't,v\n1326899528.468056009,1\n1326899528.478056009,2\n1326899528.488056009,3\n' > s.csv
aligns epoch_s_and_ns "0,1,1 5000000,1.5,1.5 10000000,2,2 15000000,2.5,2.5 20000000,3,3" --rate 200 s.csv ns.csv

# ---- what is guessed, and said ----

# guess NAME PATTERN FILE CONTENT
guess () {
  printf '%b' "$4" > "$3"
  align --rate 100 -o - "$3"
  expect_match "$1" "$errors" "$2"
}
guess unit_by_name_s 'time in s \(by the name time_s\)' u1.csv 'time_s,v\n0,1\n1,2\n'
guess unit_by_name_ms 'time in ms \(by the name t_ms\)' u2.csv 't_ms,v\n0,1\n1000,2\n'
guess unit_by_name_us 'time in us \(by the name stamp_us\)' u3.csv 'stamp_us,v\n0,1\n100,2\n'
guess unit_by_name_ns 'time in ns \(by the name stamp_ns\)' u4.csv 'stamp_ns,v\n0,1\n10,2\n'
guess unit_by_name_in_brackets 'time in ms \(by the name' u5.csv 'time [ms],v\n0,1\n10,2\n'
guess unit_by_decimals 'time in s \(guessed: it has decimals\)' u6.csv 't,v\n0,1\n0.5,2\n1,3\n'
guess unit_by_step_ms 'time in ms \(guessed: the median step of 10 is then 10 ms\)' u7.csv 't,v\n0,1\n10,2\n20,3\n'
guess unit_by_step_us 'time in us \(guessed: the median step of 4888 is then 4.888 ms\)' u8.csv 't,v\n20326716,1\n20331604,2\n20336492,3\n'
guess unit_by_step_ns 'time in ns \(guessed: the median step of 5e\+06 is then 5 ms\)' u9.csv 't,v\n5000000,1\n10000000,2\n15000000,3\n'
guess unit_of_a_hole 'time in us \(guessed' u10.csv 't,v\n0,1\n5000,2\n10000,3\n900000000,4\n900005000,5\n'
guess rate_is_said '3 rows of 1 channels, about 100 Hz' u11.csv 't,v\n0,1\n0.01,2\n0.02,3\n'

# middle NAME EXPECTED ARGUMENT...: the second row
middle () {
  align --no-status -o - "${@:3}"
  expect "$1" "$(sed -n 4p <<<"$said")" "$2"
}
# half way from no turn to half a turn about z is a quarter turn
printf 't,qw,qx,qy,qz\n0,1,0,0,0\n0.02,0,0,0,1\n' > q.csv
middle slerp_by_names "10000000,0.707106769,0,0,0.707106769" --rate 100 q.csv
expect_match slerp_by_names_is_said "$errors" 'quaternions at channel 0, by slerp \(guessed by their names\)'
printf 't,a,qx,qy,qz,qw\n0,5,0,0,0,1\n0.02,6,0,0,1,0\n' > xyzw.csv
middle slerp_by_a_given_name "10000000,5.5,0,0,0.707106769,0.707106769" --rate 100 xyzw.csv,quaternions=qx
middle slerp_xyzw "10000000,5.5,0,0,0.707106769,0.707106769" --rate 100 xyzw.csv
expect_match slerp_xyzw_channel "$errors" 'quaternions at channel 1,'
printf 't,q_0,q_1,q_2,q_3\n0,1,0,0,0\n0.02,0,0,0,1\n' > q4.csv
middle slerp_by_norm "10000000,0.707106769,0,0,0.707106769" --rate 100 q4.csv
printf 't,q_0,q_1,q_2,q_3\n0,1,0.5,0,0\n0.02,0,0,0,1\n' > joints4.csv
middle joints_have_no_unit_norm "10000000,0.5,0.25,0,0.5" --rate 100 joints4.csv
printf 't,q_0,q_1,q_2,q_3,q_4\n0,1,0,0,0,0\n0.02,0,0,0,1,0\n' > joints5.csv
middle five_joints "10000000,0.5,0,0,0.5,0" --rate 100 joints5.csv
middle no_quaternions "10000000,0.5,0,0,0.5" --rate 100 q.csv,quaternions=
middle slerp_of_chosen_channels "10000000,0,0,0.707106769,0.707106769" --rate 100 xyzw.csv,channels=qx,qy,qz,qw

# rows in another order than their times are all used
printf 't,v\n0,0\n0.02,2\n0.01,1\n0.03,3\n0.05,5\n0.04,4\n' > mixed.csv
aligns out_of_order "0,0 10000000,1 20000000,2 30000000,3 40000000,4 50000000,5" --rate 100 mixed.csv
expect_match out_of_order_is_said "$errors" 'up to 10 ms out of order'
expect_match out_of_order_none_late "$errors" '^mixed +6 +6 +0 +0 +0 +0 +6 '

# ---- names ----

# names NAME EXPECTED ARGUMENT...: the line of names
names () {
  align --no-status -o - "${@:3}"
  expect "$1" "$(sed -n 2p <<<"$said")" "$2"
}
printf '0,1,2\n0.01,3,4\n' > 'bare.csv'
align --no-status --rate 100 -o - bare.csv
expect without_header "$(tail -n +2 <<<"$said")" "tick_ns,bare.0,bare.1
0,1,2
10000000,3,4"
mkdir -p 'other place'
printf 't,x\n4,7\n4.01,8\n' > 'other place/c d.csv'
names same_name_twice "tick_ns,a.x,c d.x" --rate 100 a.csv 'other place/c d.csv'
cp b.csv 'other place/b.csv'
names same_file_name_twice "tick_ns,b.y,b_2.y" --rate 10 b.csv 'other place/b.csv'
expect_match same_file_name_in_table "$errors" '^b_2 +11 '
cp b.csv 'comma, in name.csv'
align --no-status --rate 10 -o 'other place/out put.csv' 'comma, in name.csv'
expect odd_paths "$(sed -n 2p 'other place/out put.csv') $(wc -l < 'other place/out put.csv')" "tick_ns,y 13"
printf 't,"a ""b"""\n0,1\n0.01,2\n' > quoted.csv
names quoted_name 'tick_ns,"a ""b"""' --rate 100 quoted.csv
# names that elements of the pipeline have
for name in aligned fuse record tee; do
  cp b.csv "$name.csv"
  names "same_name_as_element_$name" "tick_ns,y" --rate 10 "$name.csv"
done
printf 't,n\n0,16777217\n0.01,20000001\n' > long.csv
align --rate 100 -o - long.csv
expect_match rounding_is_said "$errors" 'note: float32 keeps seven digits, but these columns have longer numbers: n$'

# ---- empty cells are no value, and columns with other ones are streams ----

# fast has a value each 10 ms, slow each 100 ms, none never
awk 'BEGIN { print "t,fast,slow,none"; for (i = 0; i <= 100; i++) printf "%.2f,%d,%s,NA\n", i / 100, i, i % 10 ? "" : i }' > sparse.csv

align --rate 50 -o - sparse.csv
# the CSV is on standard output, and what people read beside it
expect status "$status" 0
expect rows "$(wc -l <<<"$said")" 53
expect header "$(sed -n 2p <<<"$said")" tick_ns,fast,slow,sparse.status,sparse.age_ns,sparse_2.status,sparse_2.age_ns
expect values "$(awk -F, 'NR > 2 && ($2 != 2 * (NR - 3) || $3 != 2 * (NR - 3) || $4 != 0 || $6 != 0)' <<<"$said")" ""
expect_match left_out "$errors" '^sparse.csv: columns without a value in the whole file are left out: none$'
expect_match streams "$errors" '^sparse.csv: columns have values in different rows, so they become 2 streams. Rows without a value, of 101: slow \(90, 89.1 %\)$'
expect_match of_slow "$errors" '^sparse.csv \(slow\): 11 rows of 1 channels, about 10 Hz, .*; 90 of 101 rows of the file have no value$'
expect no_warning "$(grep -c '^warning' <<<"$errors")" 0

aligns chosen "$(seq 0 50 | awk '{ printf "%s%d,%d", s, $1 * 20000000, 2 * $1; s = " " }')" --rate 50 sparse.csv,channels=slow
# a cell that is empty for longer than max-gap is a hole
head -12 sparse.csv | cut -d, -f1,3 > short.csv
aligns hole_in_a_stream "0,0 20000000,nan 40000000,nan 60000000,nan 80000000,nan 100000000,10" --rate 50 --max-gap 50ms --hold-limit 0 short.csv

printf 't,a,b\n0,1,\n0.01,,2\n0.02,3,\n0.03,,4\n' > apart.csv
aligns never_together "0,1,nan 10000000,2,2 20000000,3,3 30000000,3,4" --rate 100 apart.csv
program=robocache-align
refuse options_by_number '^error: apart.csv: its columns have values in different rows, so angles=0 is ambiguous: .*channels=1; channels=2$' apart.csv,angles=0
refuse kinds_of_all '^error: apart.csv: its columns have values in different rows, so kinds=hold\*2 is ambiguous: ' 'apart.csv,kinds=hold*2'
printf 't,a\n0,\n0.01,NaN\n' > nothing.csv
refuse no_value '^error: nothing.csv has no value in any row$' nothing.csv
program=robocache-offset
run "$programs/$program" apart.csv sparse.csv,channels=fast
expect_match other_programs "$status $errors" '^1 error: apart.csv: no row has a value in each column: choose columns with channels=1 or channels=2$'

# ---- a clock that was set back ----

awk 'BEGIN { print "t,a"; for (i = 0; i < 200; i++) printf "%.2f,%d\n", 100 + (i < 100 ? i : i - 99) / 100, i }' > back.csv
align --rate 100 -o - back.csv
expect_match set_back "$status $errors" "^1 error: back.csv: the time steps back 1 time, first at row 101, by up to 0.980 s, .*: cut the file there, or set reorder-window"
align --rate 100 -o - back.csv,reorder-window=1s
expect_match set_back_and_sorted "$status $errors" "^warning: back.csv: The time goes back 1 time, first at line 102, by up to 0.980 s: the clock was set"
expect said_once "$(grep -c 'time goes back' <<<"$errors")" 1
exit $failed
