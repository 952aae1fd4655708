#!/bin/bash
# robocache: the delay between two recordings of one motion is found to a tenth of a tick, and what cannot be found is said
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/cases.sh"

program=robocache-offset quiet=yes
estimate () { run "$programs/$program" "$@"; }
number () { sed -n "s/^$1: \(-\{0,1\}[0-9.]*\)[ ,].*/\1/p" <<<"$said"; }

# none NAME PATTERN ARGUMENT...: two recordings give no offset
none () {
  estimate "${@:3}"
  expect "$1_status" "$status $said" "3 "
  expect_match "$1" "$errors" "$2"
}

# finds NAME OFFSET_US TOLERANCE_US ARGUMENT...: the offset, within a tolerance
finds () {
  estimate "${@:4}"
  expect "$1_status" "$status $errors" "0 "
  expect_within "$1" "$(number offset)" $((1000 * ($2 - $3))) $((1000 * ($2 + $3)))
}

# noise that is the same with every awk, from -0.5 to 0.5
random='function random() { r = (16807 * r) % 2147483647; return r / 2147483647 - 0.5 } BEGIN { r = 1234567 }'

# motion RATE JITTER NOISE DELAY SECONDS: what a sensor says of a motion that does not repeat itself. Its rows are captured at
# RATE, give or take JITTER s, carry NOISE, and say a time that is DELAY s too late.
motion () {
  awk -v rate="$1" -v jitter="$2" -v noise="$3" -v delay="$4" -v seconds="$5" "$random"' BEGIN {
    print "t,x,y,z"
    for (k = 0; k < rate * seconds; k++) {
      t = k / rate + jitter * random()
      x = sin(4.1 * t) + 0.5 * sin(9.7 * t + 1) + 0.2 * sin(21.3 * t + 2)
      y = cos(5.3 * t) + 0.4 * sin(13.9 * t)
      printf "%.9f,%.9g,%.9g,%.9g\n", 100 + t + delay, x + noise * random(), y + noise * random(), 0.25 }
  }'
}
motion 200 0 0 0 20 > first.csv

# a tenth of a tick of 100 Hz is 1 ms; without noise there is far less of error
for us in 0 3000 3700 -12345 250000 -980000; do
  motion 200 0 0 "$(awk -v us=$us 'BEGIN { print us / 1e6 }')" 20 > second.csv
  finds "shift_of_${us}_us" $((-us)) 50 first.csv,channels=x second.csv,channels=x
done
expect_match peak_is_one "$said" '^correlation: 1\.0000 over 1[0-9]{3} ticks of 10 ms'
motion 57 0.004 0 0.0314 20 > second.csv
finds other_rate -31400 300 first.csv,channels=x second.csv,channels=x
finds at_a_kilohertz -31400 300 --rate 1000 first.csv,channels=x second.csv,channels=x
finds rate_of_a_fraction -31400 500 --rate 100/3 first.csv,channels=x second.csv,channels=x
motion 57 0.004 0.2 0.0314 20 > noisy.csv
finds noise -31400 1000 first.csv,channels=x noisy.csv,channels=x
expect_within uncertainty_of_noise "$(number uncertainty)" 20000 2000000
finds two_channels -31400 1000 first.csv,channels=x,y noisy.csv,channels=x,y
finds norm -31400 1000 --norm first.csv,channels=x,y noisy.csv,channels=y,x
finds norm_of_unequal_numbers -31400 300 --norm first.csv,channels=x,y second.csv,channels=x,y,z
finds offsets_are_counted_in -31400 300 first.csv,channels=x second.csv,channels=x,offset=-20ms
finds first_ones_offset_too -36400 300 first.csv,channels=x,offset=-5ms second.csv,channels=x
estimate second.csv,channels=x first.csv,channels=x
expect_within the_other_way_round "$(number offset)" 31100000 31700000
expect_match says_who_is_ahead "$said" '^first.csv is 31\.[0-9]* ms ahead of second.csv; set this offset on its pad of robocachefuse$'

# what was found, set as an offset, leaves nothing
finds estimated_offset_is_an_offset -31400 300 first.csv,channels=x second.csv,channels=x
offset=$(number offset)
estimate first.csv,channels=x "second.csv,channels=x,offset=${offset}ns"
expect_within nothing_is_left "$(($(number offset) - offset))" -20000 20000
expect_match ticks_with_offset_agree "$said" '^second.csv is 0\.0[0-9]* ms '

# a hole in the one, and time that is not shared, are not compared
awk -F, 'NR == 1 || $1 < 105 || $1 > 108' second.csv > hole.csv
finds hole -31400 300 first.csv,channels=x hole.csv,channels=x
# required: ticks without the stream are not there at all
finds hole_of_required -31400 300 first.csv,channels=x hole.csv,channels=x,required

# ---- what is no answer ----

none edge '^error: the maximum correlation, 0\.[0-9]*, is at the end of the range, with second.csv 20 ms behind: set a longer --range$' \
  --range 20ms first.csv,channels=x second.csv,channels=x
none still '^error: second.csv contains no motion' first.csv,channels=x second.csv,channels=z
none still_first '^error: first.csv contains no motion' first.csv,channels=z second.csv,channels=x
awk "$random"' BEGIN { print "t,n"; for (k = 0; k < 4000; k++) printf "%.3f,%.6f\n", 100 + k / 200, random() }' > noise.csv
none unlike '^error: the correlation of first.csv and noise.csv is at most 0\.[0-9]*, expected 0\.5 or more, and more than unrelated motions reach by chance:' \
  first.csv,channels=x noise.csv
awk -F, 'BEGIN { OFS = "," } NR > 1 { $1 += 1000 } 1' first.csv > later.csv
refuse no_overlap '^error: first.csv ends at .* s and later.csv begins at .* s, so they do not overlap' \
  --rate 10 first.csv,channels=x later.csv,channels=x
none no_aligned_ticks '^error: first.csv and later.csv have too few ticks at which both are aligned' \
  --rate 10 --allow-gaps first.csv,channels=x later.csv,channels=x
refuse one_file '^error: expected two recordings' first.csv
refuse three_files '^error: expected two recordings' first.csv second.csv hole.csv
refuse missing_file '^error: nowhere.csv: No such file' first.csv nowhere.csv
refuse unequal_channels '^error: first.csv has 3 channels and second.csv has 1: choose' first.csv second.csv,channels=x
refuse range_word '^error: --range far: expected the longest delay' --range far first.csv second.csv
refuse range_zero '^error: --range 0: expected .* of 1 to 1000000 ticks \(a tick is 10 ms\)$' --range 0 first.csv second.csv
refuse smooth_too_short '^error: --smooth 1ms: expected a time, like 30ms, from a tick \(10 ms\) to --range$' \
  --smooth 1ms first.csv second.csv
refuse correlation_too_great '^error: --min-correlation 2: expected more than 0, and 1 at most$' \
  --min-correlation 2 first.csv second.csv
refuse rate_zero '^error: --rate 0: expected' --rate 0 first.csv second.csv

# what is an answer, but not a safe one
awk 'BEGIN { print "t,x"; for (k = 0; k < 4000; k++) printf "%.3f,%.9g\n", k / 200, sin(12.566370614 * k / 200) }' > sine.csv
estimate sine.csv sine.csv
expect repeating "$status" 0
expect_match repeating_is_said "$errors" '^warning: an offset of -?[0-9]+ ms fits nearly as well .*, because the motion repeats'
awk -F, 'BEGIN { OFS = "," } NR > 1 { $2 = -$2 } 1' first.csv > mirrored.csv
estimate --min-correlation 0.1 first.csv,channels=x mirrored.csv,channels=x
expect_match mirrored_is_said "$errors" '^warning: an offset of -?0 ms gives a stronger negative correlation \(-1\.0000\)'
head -200 first.csv > short.csv
none too_short '^error: .* record longer' --smooth 100ms short.csv,channels=x short.csv,channels=x
head -401 first.csv > short.csv
estimate --range 100ms --smooth 60ms short.csv,channels=x short.csv,channels=x
expect_match short_is_said "$errors" '^warning: [0-9]+ ticks are few for smoothing by 60 ms'

# ---- real recordings ----

if have rover arm_joints_250hz.csv rover_imu_20hz.csv rover_twist_40hz.csv; then
  # the twist carries the angular rates of the IMU, 40 times a second where the IMU has 20
  rates=$data/rover_imu_20hz.csv,time-column=stamp_ns,channels=gx,gy,gz
  finds rover 0 200 "$rates" "$data/rover_twist_40hz.csv,time-column=stamp_ns,channels=wx,wy,wz"
  # and with times that are 23 ms too late; they have more digits than awk can add to
  awk -F, 'NR == 1 { print "stamp_ns,wx,wy,wz"; next } {
    s = substr($2, 1, length($2) - 9); ns = substr($2, length($2) - 8) + 23000000
    if (ns >= 1000000000) { s++; ns -= 1000000000 }
    printf "%d%09d,%s,%s,%s\n", s, ns, $6, $7, $8 }' "$data/rover_twist_40hz.csv" > twist.csv
  finds rover_shifted -23000 200 "$rates" twist.csv
  # an arm moves slowly: here noise of 0.01 degrees matters
  awk -F, "$random"' NR == 1 { print "t,q"; next } { printf "%.6f,%.6f\n", $1 + 0.0374, $2 + 0.0004 * random() }' \
    "$data/arm_joints_250hz.csv" > arm.csv
  finds arm_shifted -37400 1000 "$data/arm_joints_250hz.csv,channels=q0" arm.csv
fi
exit $failed
