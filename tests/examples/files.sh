#!/bin/bash
# robocache: inputs stay as they are, outputs are written whole or not at all, and a name is a name
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/cases.sh"
export LC_ALL=C.UTF-8

# 24 bytes: two rows of CSV, and two points of a cloud
printf 't,v\n0,1.000000\n0.01,2.0\n' > a.csv
printf 't,w\n0,3.000000\n0.01,4.0\n' > b.csv

# command JOB IN OUT: $command is the job that reads IN and writes OUT
command () {
  case $1 in
    align) command=("$programs/robocache-align" --overwrite --no-status --time-unit s -o "$3" "$2" b.csv) ;;
    fuse) command=(bash "$examples/fuse-recordings.sh" "$2" b.csv "$3") ;;
    fuse-second) command=(bash "$examples/fuse-recordings.sh" b.csv "$2" "$3") ;;
    resample) command=(bash "$examples/resample-recording.sh" "$2" "$3" 100) ;;
    voxelize) command=(bash "$examples/voxelize-file.sh" "$2" "$3" 1.0 -4,-4,-4 8:8:8) ;;
    window) command=(bash "$examples/fuse-window.sh" "$3") ;;
    simulate) command=(bash "$examples/simulate-sensor.sh" imu "$3" 200) ;;
    picture) command=("$programs/robocache-simulate" --overwrite --seconds=0 --cloud-seconds=0 --picture="$3") ;;
  esac
}
readers=(align fuse fuse-second resample voxelize)
writers=("${readers[@]}" window simulate)
! gst-inspect-1.0 --exists pngenc || writers+=(picture)

# files: all of the folder, with their content
files () { find . -type f ! -name errors.txt -exec md5sum {} + | sort; find . -type d | sort; }

# refuses NAME PATTERN JOB IN OUT: one line on stderr, and no file is changed, made or left
refuses () {
  local before
  before=$(files)
  command "${@:3}"
  run "${command[@]}"
  if [ "$status" -ne 0 ] && [ "$(wc -l <<<"$errors")" -eq 1 ] && grep -Eq -- "$2" <<<"$errors" && [ "$(files)" = "$before" ]
  then pass "$1"; else fail "$1" "status $status, \"$errors\" for \"$2\"; $(diff <(echo "$before") <(files))"; fi
}

for job in "${writers[@]}"; do
  command "$job" a.csv "reference.$job"
  runs "$job" "${command[@]}"
done

# ---- inputs ----

ln -s a.csv soft.csv
ln a.csv hard.csv
mkdir folder
ln -s folder elsewhere
ln -s ../a.csv folder/a.csv
echo precious > kept
for job in "${readers[@]}"; do
  for output in a.csv ./a.csv soft.csv hard.csv elsewhere/a.csv; do
    refuses "${job}_to_input_$output" '^error: .*is one of the inputs; write to another file$' \
      "$job" a.csv "$output"
  done
  refuses "${job}_from_link" '; write to another file$' "$job" soft.csv a.csv
  refuses "${job}_missing" '^error: nowhere.csv: No such file or directory$' "$job" nowhere.csv kept
  refuses "${job}_directory" '^error: folder: (Is a directory|a folder without metadata.yaml is not a bag; name its files)$' "$job" folder kept
done

# refuses_line NAME PATTERN COMMAND...: as refuses, with the command itself
refuses_line () {
  command () { command=("$@"); }
  refuses "$1" "$2" "${@:3}"
}

# ---- two outputs, and standard output ----

same='^error: --(output|picture) [^ ]+ and --report [^ ]+ are the same file; write to two files$'
for report in kept ./kept elsewhere/../kept; do
  (refuses_line "align_report_$report" "$same" "$programs/robocache-align" -o kept --report "$report" a.csv; exit $failed) || failed=1
done
for outputs in 'new new' './new new' 'elsewhere/new folder/new'; do
  (refuses_line "align_new_report_$outputs" "$same" "$programs/robocache-align" -o "${outputs% *}" --report "${outputs#* }" a.csv
    exit $failed) || failed=1
  (refuses_line "picture_and_report_$outputs" "$same" "$programs/robocache-simulate" --picture "${outputs% *}" \
    --report "${outputs#* }" --seconds 0; exit $failed) || failed=1
done
before=$(files)
"$programs/robocache-align" -o - a.csv 2>errors.txt >> soft.csv
expect align_appends_to_input "$? $(cat errors.txt) $(diff <(echo "$before") <(files))" \
  "1 error: --output - is one of the inputs; write to another file "
runs align_device_twice "$programs/robocache-align" -o /dev/null --report /dev/null --time-unit s a.csv

# ---- outputs ----

mkfifo sink
for job in "${writers[@]}"; do
  refuses "${job}_to_folder" '^error: .*folder' "$job" a.csv folder
  refuses "${job}_to_nowhere" '^error: nowhere/out: ' "$job" a.csv nowhere/out

  # what was there is replaced, a link stays one, and a pipe is written in place
  echo old > target
  ln -sf target link
  command "$job" a.csv link
  runs "${job}_through_link" "${command[@]}"
  expect "${job}_through_link_file" "$(cmp target "reference.$job" && readlink link)" target
  expect "${job}_mode" "$(stat -c %a target)" "$(printf %o $((0666 & ~$(umask))))"
  command "$job" a.csv sink
  exec 3<> sink
  cat sink 3>&- > target &
  run "${command[@]}" 3>&-
  exec 3>&-
  wait $!
  expect "${job}_to_pipe" "$status $errors $(cmp target "reference.$job" && [ -p sink ] && echo whole)" "0  whole"
done

# full_disk COMMAND...: runs it in a folder without room for a byte; its status, and all files of the folder. A full disk where
# one can be mounted, otherwise a limit
in_folder='"$@" > /dev/null; echo "status $?"; rm -f ballast; find . -type f -exec md5sum {} +; find . -type d'
if unshare -rm mount -t tmpfs tmpfs folder 2>/dev/null; then
  full_disk () {
    unshare -rm bash -c "mount -t tmpfs -o size=64k tmpfs folder && cp a.csv b.csv kept folder && cd folder || exit 1
      head -c 1M /dev/zero > ballast; $in_folder" full_disk "$@" 2>/dev/null
  }
else
  echo "SKIP full_disk_mounted: no file system can be mounted; sizes of files are limited in its place"
  full_disk () {
    rm -rf full && mkdir full && cp a.csv b.csv kept full
    (cd full && bash -c "trap '' XFSZ; ulimit -f 0; $in_folder" full_disk "$@" 2>/dev/null | cat)
  }
fi
untouched=$(full_disk false | sort)
for job in "${writers[@]}"; do
  command "$job" a.csv kept
  expect "${job}_full_disk" "$(full_disk "${command[@]}" | sed 's/^status [1-9][0-9]*$/status 1/' | sort)" \
    "$untouched"
done

# ---- names ----

names=('-x.csv' '--output' 'a b.csv' 'back\slash.csv' 'end\' '"quoted".csv' "it's.csv" 'half".csv' 'a!b;c.csv' 'k=v.csv' 'NULL'
  '$(touch made).csv' '*.csv' $'ä\u4e2d.csv' $'line\n! filesink location=made ! fakesink.csv'
  $'fakesrc num-buffers=1\n! filesink location=made')
mkdir names
cd names || exit 1
cp ../b.csv .
for job in "${readers[@]}"; do
  for name in "${names[@]}"; do
    cp -- ../a.csv "./$name"
    command "$job" "$name" "$name.out"
    run "${command[@]}"
    made=$(cmp -- "./$name.out" "../reference.$job" && find . -type f ! -name errors.txt ! -name "*.html" -printf x)
    expect "${job}_named_${name//$'\n'/ }" "$status $errors $made" "0  xxx"
    rm -f -- "./$name" "./$name.out" made
  done
done
cd ..

# an option of one letter stays one beside a file of that name, and options follow a name as they do any other
cp a.csv ./-o
cp a.csv ./-x.csv
aligns dash_with_options '0,1 1000000000,2' --rate 1 -x.csv,time-column=v,time-unit=s,channels=v
aligns dash_after_dashes '0,1 10000000,2' --time-unit s -- ./-x.csv

# values that are no names
for value in $'100\n! filesink location=made ! fakesink' '100 ! fakesink' '"100"' '100\'; do
  run bash "$examples/resample-recording.sh" a.csv out "$value"
  expect_match "rate_${value//$'\n'/ }" "$status $errors" '^1 .*could not set property "rate"'
done
expect no_file_made "$(find . -name made -o -name out)" ""
printf 'arrival,stamp,q\n120,100,1\n125,110,2\n' > $'late\n! fakesink.csv'
runs replay_named bash "$examples/replay-recording.sh" $'late\n! fakesink.csv' 1 0 ms
expect replay_named_rows "$(grep -c ^pts <<<"$said")" 2
mkdir -p cdpath/examples
runs cdpath env CDPATH="$work/cdpath" bash -c 'cd "$0/.." && bash examples/fuse-window.sh "$1/window"' "$examples" "$work"

# ---- interrupted ----

# interrupted JOB SIGNAL STATUS: the job reads a pipe that nothing is written to, so it has begun when the pipe is open
mkfifo pipe
interrupted () {
  local before pid status
  before=$(files)
  command "$1" pipe kept
  set -m
  "${command[@]}" 2>errors.txt &
  pid=$!
  set +m
  (exec 3> pipe; kill -s "$2" -- "-$pid") &
  wait "$pid"
  status=$?
  kill $! 2>/dev/null           # where the job has ended without the pipe
  wait $!
  expect "${1}_$2" "$status $(diff <(echo "$before") <(files))" "$3 "
}
interrupted fuse INT 130
interrupted fuse TERM 143
interrupted resample INT 130

# what was left by a script that was killed is gone after the next program or script that writes there
before=$(files)
for job in align resample; do
  command fuse pipe kept
  set -m
  "${command[@]}" 2>errors.txt &
  pid=$!
  set +m
  (exec 3> pipe; kill -s KILL -- "-$pid") &
  wait "$pid" 2>/dev/null
  wait $!
  expect "left_before_$job" "$(find . -name '.robocache-*' | wc -l)" 1
  command "$job" a.csv new
  [ "$job" != align ] || command+=(--report=)
  runs "left_removed_by_$job" "${command[@]}"
  rm -f new
  expect "left_removed_by_${job}_files" "$(diff <(echo "$before") <(files))" ""
done

# a rename that fails
mkdir shim
printf '#!/bin/sh\necho "mv: Input/output error" >&2\nexit 1\n' > shim/mv
chmod +x shim/mv
for job in fuse resample voxelize window simulate; do
  before=$(files)
  command "$job" a.csv kept
  run env PATH="$work/shim:$PATH" "${command[@]}"
  expect "${job}_rename_fails" "$((status != 0)) $errors $(diff <(echo "$before") <(files))" "1 mv: Input/output error "
done
exit $failed
