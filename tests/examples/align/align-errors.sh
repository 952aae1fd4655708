#!/bin/bash
# robocache: what cannot be aligned gets one line that says why
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/../cases.sh"
program=robocache-align

printf 't,v\n0,1\n0.01,2\n' > good.csv

refuse no_file '^error: no recording is given'
refuse missing_file '^error: nowhere.csv: No such file or directory$' nowhere.csv
refuse missing_second_file '^error: nowhere.csv: No such file' good.csv nowhere.csv
refuse missing_file_with_options '^error: nowhere.csv: No such file' nowhere.csv,time-unit=s
refuse directory "^error: .: a folder without metadata.yaml is not a bag; name its files$" .
: > empty.csv
refuse empty_file '^error: empty.csv: the file is empty$' empty.csv
printf '\n\n' > blank.csv
refuse blank_file '^error: blank.csv: the file is empty$' blank.csv
echo t,v > header.csv
refuse header_only '^error: header.csv contains a header, but no row$' header.csv
printf 'name,v\nleft,1\nright,2\n' > words.csv
refuse words '^error: words.csv: no column has a name of a time, like stamp, timestamp, time or t: the table has name, v; set time-column' words.csv
printf 'time;v\n0;1\n0.01;2\n' > semicolons.csv
aligns semicolons "0,1 10000000,2" semicolons.csv
printf 'time\tv\n0\t1\n0.01\t2\n' > tabs.csv
aligns tabs "0,1 10000000,2" tabs.csv
refuse time_column_too_far '^error: good.csv: time-column=7: the table has columns 0-1 only$' good.csv,time-column=7
refuse time_column_unknown '^error: good.csv: time-column=stamp: the header has no column of that name; the table has t, v$' good.csv,time-column=stamp
printf 't\n0\n0.01\n' > lonely.csv
refuse time_only '^error: lonely.csv: .*the file has no column of data' lonely.csv
printf 't,v\n7,1\n7,2\n' > still.csv
refuse unit_of_one_time '^error: still.csv: all times are equal, so their unit is unknown; set time-unit, or time-column$' still.csv
printf 't,v\n0,1\n3000000000000,2\n9000000000000,3\n' > odd.csv
refuse unit_of_no_sensor '^error: odd.csv: the median step of the times, .* set time-unit$' odd.csv
refuse unit_unknown '^error: good.csv: time-unit=h: expected s, ms, us or ns$' good.csv,time-unit=h
printf 't,v\n0,left\n0.01,right\n' > text.csv
refuse values_are_words '^error: text.csv: the file has no column of numbers: v have text; to number the words of a column, list it in channels' text.csv

refuse rate_zero '^error: --rate 0: expected ticks per second above 0' --rate 0 good.csv
refuse rate_negative '^error: --rate -5: expected' --rate=-5 good.csv
refuse rate_word '^error: --rate fast: expected .* like 100, 62.5 or 1000/3$' --rate fast good.csv
refuse rate_over_zero '^error: --rate 100/0: expected' --rate 100/0 good.csv
refuse rate_half '^error: --rate 100/: expected' --rate 100/ good.csv
refuse rate_empty '^error: --rate : expected' --rate= good.csv
refuse rate_nan '^error: --rate nan: expected' --rate nan good.csv
refuse option_unknown '^error: .*--fast' --fast good.csv

refuse key_unknown '^error: good.csv: there is no option "speed"' good.csv,speed=3
refuse key_without_value '^error: good.csv: there is no option "interpolation"' good.csv,interpolation
refuse interpolation_unknown '^error: good.csv: interpolation=best: expected linear, nearest, previous, cubic, hermite, mean or lowpass$' \
  good.csv,interpolation=best
refuse duration_word '^error: good.csv: max-gap=long: expected a time in ns, or with a unit, like 20ms, of at least -2$' good.csv,max-gap=long
refuse duration_unit '^error: good.csv: hold-limit=5h: expected a time' good.csv,hold-limit=5h
refuse duration_negative '^error: good.csv: max-gap=-3: expected a time' good.csv,max-gap=-3
refuse duration_without_unit '^error: good.csv: max-gap=20: expected a time with a unit, like 20ms$' good.csv,max-gap=20
refuse duration_of_files '^error: --duration is an option of live topics: use --ros$' --duration 5s good.csv
refuse offset_without_unit '^error: good.csv: offset=20: expected a time with a unit, like -20ms$' good.csv,offset=20
refuse offset_word '^error: good.csv: offset=soon: expected a time' good.csv,offset=soon
refuse required_word '^error: good.csv: required=maybe: expected true or false$' good.csv,required=maybe
refuse delimiter_letter '^error: good.csv: delimiter="x" cannot separate fields' good.csv,delimiter=x
refuse channel_unknown '^error: good.csv: channels: the file has no column "w"; it has t,v$' good.csv,channels=w
refuse channel_too_far '^error: good.csv: channels: "9": expected columns 0-1' good.csv,channels=9

refuse channel_of_angles '^error: good.csv: angles: "w": there is no channel "w"; the caps have v' good.csv,angles=w
refuse channel_list '^error: good.csv: angles: "0-" is not a channel list' good.csv,angles=0-

# what only the pipeline can tell names the file too
align good.csv,quaternions=0
expect_match quaternion_past_the_end "$status $errors" '^1 error: good.csv: .*quaternion'
expect quaternion_past_the_end_in_one_line "$(wc -l <<<"$errors")" 1

# ---- the output ----

before=$(cat good.csv)
refuse output_is_an_input '^error: --output good.csv is one of the inputs; write to another file$' -o good.csv good.csv
expect input_is_untouched "$(cat good.csv)" "$before"
refuse output_nowhere '^error: nowhere/out.csv: No such file or directory$' -o nowhere/out.csv good.csv
if [ -w /dev/full ]; then
  refuse output_full '^error: /dev/full: No space left on device$' -o /dev/full good.csv
else
  echo "SKIP output_full: there is no /dev/full"
fi

# ---- what is odd, but can be aligned ----

printf 't,v\n0,1\n0.01,left\n0.02,3\n0.03\n0.04,5\n' > faulty.csv
aligns faulty_lines "0,1 10000000,2 20000000,3 30000000,4 40000000,5" faulty.csv
expect_match faulty_lines_are_said "$errors" 'omits 2 malformed lines'
expect_match faulty_line_is_named "$errors" '^warning: faulty.csv: Dropped a malformed record: line 3, column 1: "left" is not a number$'
printf 't,v\n0,1\n0.01,\n0.02,3\n' > gaps.csv
aligns empty_field "0,1 10000000,2 20000000,3" gaps.csv
printf 't,v\n0.001,1\n' > between.csv
aligns no_tick "0,1" between.csv
align --help
expect help_status "$status" 0
expect_match help_names_options "$said" '^    hold-limit '
exit $failed
