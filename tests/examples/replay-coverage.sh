#!/bin/bash
# robocache: what latency buys on a replayed recording, and that the table says what happened
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/cases.sh"

program=robocache-coverage
# cells LATENCY STREAM FIRST LAST: columns of the table's line, numbered like its headings from 1
cells () {
  awk -F' *[|] *' -v latency="$1" -v stream="$2" -v from="$3" -v to="$4" '$2 == latency && $4 == stream {
    for (i = from; i <= to; i++) printf "%s%s", (i > from ? " " : ""), $(i + 1) }' <<<"$said"
}
# balances NAME: no line whose rows do not add up, or whose statuses do not add up to as many ticks as those of other streams
balances () {
  expect "$1_rows_add_up" "$(awk -F' *[|] *' '/^\| [0-9n]/ && $9 != $10 + $11 + $12 + $13 + $14 + $15 { n++ } END { print n + 0 }' <<<"$said")" 0
  expect "$1_ticks_add_up" "$(awk -F' *[|] *' '/^\| [0-9n]/ { n = $5 + $6 + $7
    if ($2 in ticks && ticks[$2] != n) wrong++; ticks[$2] = n } END { print wrong + 0 }' <<<"$said")" 0
  expect "$1_aligned_is_aligned" "$(awk -F' *[|] *' '/^\| [0-9n]/ { print $8 }' <<<"$said" | sort -u)" 0
  # the more latency, the more ticks aligned and the fewer rows late
  expect "$1_grows" "$(awk -F' *[|] *' '/^\| [0-9]/ { if ($4 in aligned && ($5 < aligned[$4] || $11 > late[$4])) n++
    aligned[$4] = $5; late[$4] = $11 } END { print n + 0 }' <<<"$said")" 0
}

# 50 Hz for two seconds; rows of each tenth of a second arrive together, 15 ms after the last of them was captured
awk 'BEGIN { print "stamp_ms,arrival_ms,a,b"
  for (k = 0; k <= 100; k++) printf "%d,%d,%d,%d\n", 20 * k, 100 * int(k / 5) + 95, k, 3 * k }' > bundles.csv
runs bundles "$programs/$program" --rate 50 --time-column stamp_ms --arrival-column arrival_ms --latency 20ms,60ms,100ms bundles.csv
balances bundles
expect_match bundles_delays "$said" '^bundles.csv: 101 rows, arriving after capture by: median 55\.0 ms, 99 % 95\.0 ms, worst 95\.0 ms$'
expect bundles_in_full "$(cells '100 ms' bundles 4 7)" "101 0 0 0"
expect bundles_without_deadline "$(cells 'no deadline' bundles 4 14)" "101 0 0 0 101 101 0 0 0 0 0"
# in all it is a row more, so of each five rows the two (four) that arrive up to 40 (80) ms after capture are in time. When the
# first row comes that is not known yet, so ticks begin at 80 (40) ms
expect bundles_latency "$(cells '20 ms' bundles 2 2) $(cells '60 ms' bundles 2 2)" "40.0 ms 80.0 ms"
expect bundles_late "$(cells '20 ms' bundles 9 10) $(cells '60 ms' bundles 9 10)" "39 58 79 20"
# and two ticks are held after the end, of which nobody knows yet
expect bundles_held "$(cells '20 ms' bundles 4 6) $(cells '60 ms' bundles 4 6)" "39 60 0 79 20 0"

# it is the rows that arrive which count, and no time of this machine: the same again, in any case
again=$said
run "$programs/$program" --rate 50 --time-column 0 --arrival-column 1 --latency 20ms,60ms,100ms bundles.csv
expect same_again "$said" "$again"

# two streams at once: what one of them lacks, the sample lacks
awk 'BEGIN { print "stamp_ms,arrival_ms,c"; for (k = 0; k <= 20; k++) printf "%d,%d,%d\n", 100 * k, 100 * k + (k == 7 ? 400 : 90), k }' \
  > slow.csv
runs two "$programs/$program" --rate 50 --time-column stamp_ms --arrival-column arrival_ms --latency 50ms,100ms,500ms bundles.csv slow.csv
balances two
expect two_in_full "$(cells '500 ms' all 4 6) $(cells '500 ms' slow 4 6)" "101 0 0 101 0 0"
# with 200 ms in all, a row that is 400 ms late misses its tick, and so does the one that waits behind it
expect two_of_which_one_is_late "$(cells '100 ms' slow 9 10)" "19 2"
expect two_all_is_the_worst "$(cells '100 ms' all 4 6)" "$(cells '100 ms' slow 4 6)"
expect_within two_most_are_aligned "$(cells '100 ms' all 4 4)" 75 87

# robocache-align leaves the arrival out
align --no-status --rate 50 -o - --time-column stamp_ms --arrival-column arrival_ms slow.csv
expect arrival_is_no_data "$status $(sed -n 2p <<<"$said")" "0 tick_ns,c"

refuse no_file '^error: no recording is given'
refuse no_arrival '^error: bundles.csv: set arrival-column, the column with the time of arrival' bundles.csv
refuse arrival_unknown '^error: bundles.csv: arrival-column=came: the header has no column of that name$' --arrival-column came bundles.csv
refuse arrival_too_far '^error: bundles.csv: arrival-column=9: the table has columns 0-[0-9]+ only$' \
  --arrival-column 9 bundles.csv
refuse latency_word '^error: --latency 50ms,soon: "soon" is not a time' --latency 50ms,soon --arrival-column 1 bundles.csv
refuse latency_negative '^error: --latency -1ms: "-1ms" is not a time' --latency=-1ms --arrival-column 1 bundles.csv

# ---- the recording of docs/howto/latency.md ----

if have rover rover_imu_20hz.csv rover_twist_40hz.csv rover_scan_10hz.csv; then
  runs rover "$programs/$program" --rate 20 --time-column stamp_ns --arrival-column arrival_ns "$data/rover_imu_20hz.csv" \
    "$data/rover_twist_40hz.csv" "$data/rover_scan_10hz.csv"
  balances rover
  expect rover_in_full "$(cells '700 ms' all 4 7)" "$(cells 'no deadline' all 4 7)"
  table=$(grep -E '^\|(--| latency |.*\| all \|)' <<<"$said")
  expect rover_is_as_documented "$(sed -n '/<!-- replay-coverage -->/,/<!-- .replay-coverage -->/{/^|/p}' "$examples/../docs/howto/latency.md")" "$table"
fi
exit $failed
