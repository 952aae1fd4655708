#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs the GPU tests of a bundle (bundle.sh) or a build: the kernels, the kernels under compute-sanitizer if it is installed, and, in
# a bundle, the tests of the elements with every element on the GPU, and pipelines. The last line is: N passed, M failed[, K
# skipped]. Needs a GPU and its driver.
#
#   run.sh [PART...]           in a bundle
#   run.sh [BUILD [PART...]]   elsewhere; BUILD: a build's folder; default: build
#                              PART: kernels, sanitizers, elements, pipelines; default: all
#
#   JOBS=N     tests at a time, but for the kernels; default 8
#   ROBOCACHE_TEST_DATA=FOLDER   recordings; default: data beside it
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ -x "$here/gpu-memory" ]; then
  gpu=$here kernels=$here parts=" $* "
else
  gpu=${1:-$here/../../build}/tests/gpu kernels=${1:-$here/../../build}/tests/kernels parts=" ${*:2} "
fi
export ROBOCACHE_TEST_DATA=${ROBOCACHE_TEST_DATA:-$here/data}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

wanted() {
  [[ $parts == "  " || $parts == *" $1 "* ]]
}

# run NAME COMMAND...: its verdicts go to the log; a failed case more when it fails without saying which
run() {
  local name=$1 out=$work/$1.out begun=$SECONDS status
  shift
  "$@" > "$out" 2>&1
  status=$?
  grep -E '^(PASS|FAIL|SKIP) ' "$out" > "$work/$name.log"
  if [ $status -ne 0 ] && ! grep -q '^FAIL ' "$out"; then
    echo "FAIL $name: exit status $status" | tee -a "$work/$name.log" >> "$out"
  fi
  grep -E '^(FAIL|SKIP|seed|[0-9]+ cases|=========.*(ERROR|WARNING|SUMMARY))' "$out" | sed "s/^/[$name] /"
  echo "[$name] $((SECONDS - begun)) s"
}

# the same in the background, JOBS at a time
start() {
  while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-8}" ]; do wait -n; done
  run "$@" &
}

# program NAME FORK: one of gst-check with all elements on the GPU. A process that does all tests keeps the contexts between
# them; after a fork nobody could use them. The one of faults has a driver that fails when it is told to.
program() {
  local preload= libraries=${LD_LIBRARY_PATH:-}
  if [ "$2" = no ]; then preload=$here/libholdcontexts.so; fi
  if [ "$1" = gpufaults ]; then libraries=$here/faulty${libraries:+:$libraries}; fi
  LD_LIBRARY_PATH=$libraries timeout 200 "$here/env" env ROBOCACHE_BACKEND=cuda CK_FORK="$2" CK_DEFAULT_TIMEOUT=120 \
    G_DEBUG=fatal-criticals LD_PRELOAD="$preload" "$here/check/$1" 2>&1
}

# failures NAME OUTPUT, in our words
failures() {
  printf '%s\n' "$2" | sed -n -E "s/^([^ ]*:[0-9]+):[FE]:([^:]*:[^:]*:[0-9]+): (.*)/FAIL $1 \\2: \\1: \\3/p"
}

# check NAME: its verdicts. A process a test would open all GPUs for each, which takes a second on some machines; where a test
# fails, it is done again like that, so that the others are heard.
check() {
  local output status counts skipped passed
  output=$(program "$1" no)
  status=$?
  if [ $status -ne 0 ] && [ $status -ne 77 ]; then
    failures "$1" "$output"
    output=$(program "$1" yes)
  fi
  failures "$1" "$output"
  printf '%s\n' "$output" | grep '^SKIP '
  skipped=$(printf '%s\n' "$output" | grep -c '^SKIP ')
  counts=$(printf '%s\n' "$output" | sed -n -E 's/^[0-9]+%: Checks: ([0-9]+), Failures: ([0-9]+), Errors: ([0-9]+)/\1-\2-\3/p')
  # a case that is skipped is one of the checks, too
  for ((passed = 0; passed < ${counts:-0} - skipped; passed++)); do echo "PASS $1 $passed"; done
  return $status
}

sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
if wanted sanitizers && [ ! -x "$sanitizer" ]; then
  echo "SKIP compute-sanitizer: not on this machine" | tee "$work/sanitizer.log"
  sanitizer=
fi

# programs that look at how much of the device is free, or make it fail, are alone; so is the one that waits for each of many
# samples, which takes a time slice of the device each time where other programs compute
if wanted kernels; then
  for name in memory backend faults; do run "$name" "$gpu/gpu-$name"; done
fi
if wanted elements && [ -x "$here/env" ]; then run check-fuse_steady check fuse_steady; fi
if wanted sanitizers && [ -n "$sanitizer" ]; then
  run memcheck-memory "$sanitizer" --tool memcheck --report-api-errors no --error-exitcode 9 "$gpu/gpu-memory"
fi
# programs of sections run one section a process, side by side: PROGRAM:SECTION
sections=(unseen:)
for program in "$kernels"/kernels-{voxel,align,kinematics,voxel-window,voxel-clouds} "$gpu/gpu-graphs"; do
  mapfile -t -O ${#sections[@]} sections < <("$program" --sections | sed "s/^/${program##*/}:/")
done
# section NAME PROGRAM:SECTION OPTION...: in the background, under the wrapper
section() {
  local name=$1 program=${2%%:*} section=${2#*:}
  shift 2
  case $program in
    unseen) start "$name$program" "${wrapper[@]}" "$gpu/gpu-unseen" ${1:+--separate} ;;
    gpu-*) start "$name$program-$section" "${wrapper[@]}" "$gpu/$program" --gpu --only "$section" "$@" ;;
    *) start "$name$program-$section" "${wrapper[@]}" "$kernels/$program" --gpu --only "$section" "$@" ;;
  esac
}
wrapper=()
if wanted kernels; then
  for name in "${sections[@]}"; do section '' "$name"; done
fi
if wanted sanitizers && [ -n "$sanitizer" ]; then
  # racecheck needs minutes for threads, which share no memory of a block; layouts are cases as in other sections
  for tool in racecheck memcheck initcheck synccheck; do
    wrapper=("$sanitizer" --tool "$tool" --error-exitcode 9)
    for name in "${sections[@]}"; do
      case $tool-$name in
        racecheck-kernels-align:threads | *-kernels-voxel:layouts | *-kernels-voxel-clouds:* | \
          *-gpu-graphs:* | *:errors | *:plans) ;;
        *) section "$tool-" "$name" --few --separate ;;
      esac
    done
  done
fi
if [ -x "$here/env" ]; then
  if wanted elements; then
    for program in "$here"/check/*; do
      if [ -x "$program" ] && [ "${program##*/}" != fuse_steady ]; then
        start "check-${program##*/}" check "${program##*/}"
      fi
    done
  fi
  if wanted pipelines; then start pipelines "$here/pipelines.sh"; fi
elif wanted elements || wanted pipelines; then
  echo "SKIP elements: this is no bundle" | tee "$work/elements.log"
fi
wait

passed=$(cat "$work"/*.log | grep -c '^PASS ')
failed=$(cat "$work"/*.log | grep -c '^FAIL ')
skipped=$(cat "$work"/*.log | grep -c '^SKIP ')
echo "$passed passed, $failed failed$([ "$skipped" -gt 0 ] && echo ", $skipped skipped")"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
