#!/bin/bash
# robocache: what can be said of each recording, and of all
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/../cases.sh"

printf 't,v,w\n0,0,10\n0.02,2,12\n0.04,4,14\n' > ramp.csv
printf 't,v\n0,1\n0.02,1\n0.12,1\n0.14,1\n' > hole.csv

# values NAME EXPECTED ARGUMENT...: the last column, at 100 Hz
values () {
  local name=$1 expected=$2
  shift 2
  align --no-status --rate 100 -o - "$@"
  expect "$name" "$(tail -n +3 <<<"$said" | sed 's/.*,//' | xargs)" "$expected"
}
values linear "0 1 2 3 4" ramp.csv,channels=v
values previous "0 0 2 2 4" ramp.csv,channels=v,interpolation=previous
values previous_for_all "0 0 2 2 4" --interpolation previous ramp.csv,channels=v
values own_wins "0 1 2 3 4" --interpolation=previous ramp.csv,channels=v,interpolation=linear
values chosen_name "10 11 12 13 14" ramp.csv,channels=w
values chosen_columns "0 1 2 3 4" ramp.csv,channels=2,1
values options_after_a_list "0 0 2 2 4" ramp.csv,channels=2,1,interpolation=previous

# the column of arrivals is no channel, whatever else is set
printf 't,arr,a,b,c\n0,0.01,1,10,100\n0.02,0.03,3,12,102\n' > arrivals.csv
aligns arrivals_are_left_out "0,1,10,100 20000000,3,12,102" --rate 50 arrivals.csv,arrival-column=arr
aligns arrivals_beside_channels "0,100 20000000,102" --rate 50 arrivals.csv,channels=c,arrival-column=arr
expect arrivals_beside_channels_name "$(sed -n 2p <<<"$said")" "tick_ns,c"
aligns arrivals_beside_kinds "0,1,10,100 10000000,1,11,101 20000000,3,12,102" --rate 100 \
  arrivals.csv,kinds=hold,real,real,arrival-column=arr

printf 't,yaw\n0,3\n0.02,-3\n' > yaw.csv
values straight "3 0 -3" yaw.csv
printf 't,yaw\n0,3\n0.02,-2.5\n' > turn.csv
values angles "3 -2.89159274 -2.5" turn.csv,angles=0
values angles_by_name "3 -2.89159274 -2.5" turn.csv,angles=yaw
printf 't,closed,mode\n0,0,1\n0.02,1,4\n' > switch.csv
values mode_is_held "1 1 4" switch.csv
expect_match mode_is_said "$errors" '; kinds real,hold \(by their names\)$'
values switch_is_held "0 0 1" switch.csv,channels=closed,kinds=hold
values kinds_of_columns "1 1 4" switch.csv,kinds=angle,hold
values kinds_are_ignored "1 2.5 4" switch.csv,kinds=ignore
values kinds_are_ignored_for_all "1 2.5 4" --kinds=ignore switch.csv
printf 't,closed\n0,0\n0.012,1\n0.02,1\n' > near.csv
# ages NAME EXPECTED ARGUMENT...: value, status and age, at 100 Hz
ages () {
  align --rate 100 -o - "${@:3}"
  expect "$1" "$(tail -n +3 <<<"$said" | cut -d , -f 2- | xargs)" "$2"
}
ages age_of_the_nearest "0,0,0 1,0,-2000000 1,0,0" near.csv,kinds=ignore,interpolation=nearest
ages age_of_what_is_held "0,0,0 0,0,10000000 1,0,0" near.csv,kinds=hold,interpolation=nearest
printf 't,p/orientation/w,p/orientation/x,p/orientation/y,p/orientation/z\n0,1,0,0,0\n0.02,-0.6,0,0,-0.8\n' > plotjuggler.csv
values names_of_plotjuggler "0 0.44721359 -0.800000012" plotjuggler.csv
printf 't,q.w,q.z,q.y,q.x\n0,1,0,0,0\n0.02,1,0,0,0\n' > backwards.csv
align --rate 100 -o - backwards.csv
expect_match quaternion_in_disorder "$errors" 'q.x, q.y, q.z and q.w are a quaternion by their names.*list them in one of these orders in channels, or set kinds=ignore'
values quaternion_in_order "1 1 1" backwards.csv,channels=q.x,q.y,q.z,q.w,kinds=quaternion
printf 't,x,v\n0,0,0\n0.02,0.01,1\n' > rates.csv
values hermite "0 0.5 1" rates.csv,interpolation=hermite,velocities=1
values hermite_by_name "0 0.5 1" rates.csv,interpolation=hermite,velocities=v
align --rate 100 -o - rates.csv,interpolation=hermite,velocities=1
expect hermite_values "$(column <(echo "$said") x)" "0 0.00249999994 0.00999999978"

{ echo t,v; for i in $(seq 0 60); do echo "0.$(printf %02d "$i"),$((i % 2))"; done; } > fast.csv
align --rate 10 -o - fast.csv,interpolation=lowpass,lobes=2,cutoff=10
expect lowpass "$(for v in $(column <(echo "$said") v); do printf '%.2f ' "$v"; done)" "0.00 0.50 0.50 0.50 0.50 0.50 0.00 "

# 5 s of it, which ticks fold; a warning names the channel and the choices
awk 'BEGIN { print "t,v"; for (i = 0; i <= 520; i++) printf "%.2f,%d\n", i / 100, i % 2 }' > folded.csv
align --rate 10 -o - folded.csv
expect_match fast_rows_are_folded "$errors" '^warning: folded.csv: .*variance of channel 0 lies above 5 Hz.*interpolation=lowpass, which looks 500ms ahead, or interpolation=mean'
align --rate 10 -o - folded.csv,interpolation=lowpass
expect fast_rows_are_filtered "$(grep -c variance <<<"$errors")" 0

values gap_is_bridged "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1" hole.csv
values gap_is_held "1 1 1 1 1 nan nan nan nan nan nan nan 1 1 1" hole.csv,max-gap=50ms,hold-limit=20000000ns
values gap_is_held_for_all "1 1 1 1 1 nan nan nan nan nan nan nan 1 1 1" --max-gap 0.05s --hold-limit 20000us hole.csv
values gap_is_nothing "1 1 1 nan nan nan nan nan nan nan nan nan 1 1 1" hole.csv,max-gap=50ms,hold-limit=0
values gap_is_left_out "1 1 1 1 1 1" hole.csv,max-gap=50ms,hold-limit=0,required
values gap_is_left_out_for_all "1 1 1 1 1 1" --required --max-gap=50ms --hold-limit=0 hole.csv
align --rate 100 -o - hole.csv,max-gap=50ms,hold-limit=0,required
expect ticks_left_out "$(tail -n +3 <<<"$said" | cut -d, -f1 | xargs)" "0 10000000 20000000 120000000 130000000 140000000"
expect_match ticks_left_out_are_counted "$errors" '^ticks: 6 out, 9 dropped$'

# two recordings of one ramp; the one that came 10 ms late is put right
printf 't,v\n0,0\n0.02,2\n0.04,4\n' > true.csv
printf 't,u\n0.01,0\n0.03,2\n0.05,4\n' > late.csv
aligns offset "0,0,0 20000000,2,2 40000000,4,4" --rate 50 true.csv late.csv,offset=-10ms
aligns offset_later "0,0,0 20000000,2,2 40000000,4,4" --rate 50 true.csv,offset=10ms late.csv
# more rows than wait in the pipeline: the report is of times with the offset, in which no stream waits for another one
seq 0 1999 | awk 'BEGIN { print "t,v" } { printf "%.3f,%d\n", $1 / 200, $1 }' > long.csv
for offset in 6s -6s; do
  align --rate 50 long.csv long.csv,offset=$offset
  expect "offset_of_$offset" "$status $(sed '1,2d' aligned.csv | awk -F, '$4 == 0 && $6 == 0' | wc -l)" "0 200"
done
expect_match offset_in_report "$(cat aligned.html)" 'long_2 is missing from 10\.[0-9] to 16\.0 s'

# ---- what a file looks like ----

printf 't;v\n0;1\n0.01;2\n' > semicolon.csv
values delimiter "1 2" 'semicolon.csv,delimiter=;'
values delimiter_for_all "1 2" --delimiter ';' semicolon.csv
printf 't v\n0   1\n0.01  2\n' > blanks.txt
values delimiter_space "1 2" blanks.txt,delimiter=space
printf '# t,v\n# a comment\n0,1\n\n0.01,2\r\n' > numpy.csv
values comments "1 2" numpy.csv
printf '\xEF\xBB\xBFt,v\r\n0,1\r\n0.01,2\r\n' > bom.csv
values byte_order_mark "1 2" bom.csv
expect byte_order_mark_name "$(sed -n 2p <<<"$said")" "tick_ns,v"
printf 'v,t\n1,0\n2,0.01\n' > swapped.csv
values time_column_number "1 2" swapped.csv,time-column=1
values time_column_name "1 2" swapped.csv,time-column=t
values time_column_for_all "1 2" --time-column t swapped.csv
printf 't,v\n0,1\n1,2\n' > unit.csv
aligns time_unit "0,1 1000000000,2" --rate 1 unit.csv,time-unit=s
aligns time_unit_for_all "0,1 1000000000,2" --rate 1 --time-unit s unit.csv
expect_match given_unit_is_no_guess "$errors" 'time in s$'

printf 't,v\n0,0\n0.02,20\n0.01,1\n0.03,30\n' > mixed.csv
values reorder_window "0 1 20 30" mixed.csv
values reorder_window_of_none "0 10 20 30" mixed.csv,reorder-window=0
expect_match late_is_counted "$errors" '^mixed +4 +[0-9]+ +1 +0 '

# ---- the rate ----

# ticks NAME RATE EXPECTED
ticks () {
  align ${2:+--rate "$2"} -o - ramp.csv
  expect "$1" "$(tail -n +3 <<<"$said" | cut -d, -f1 | xargs)" "$3"
}
ticks rate_fraction 1000/3 "0 3000000 6000000 9000000 12000000 15000000 18000000 21000000 24000000 27000000 30000000 33000000 36000000 39000000"
ticks rate_decimal 62.5 "0 16000000 32000000"
ticks rate_thirds 300 "0 3333333 6666666 10000000 13333333 16666666 20000000 23333333 26666666 30000000 33333333 36666666 40000000"
ticks rate_default "" "0 10000000 20000000 30000000 40000000"

exit $failed
