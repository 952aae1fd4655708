#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# run.sh [NAME|all [SECONDS [FUZZ.tar.xz]]]: builds the fuzzers with clang in build-fuzz and runs one of them (elements, encodings, files,
# mcap, mcapdemux, parse, ros, urdf or view) on its corpus for half an hour, or for SECONDS. Findings are in build-fuzz/found, inputs that
# reach new code in build-fuzz/corpus-NAME; add-case.sh adds them to the repository. "all" runs all fuzzers concurrently in at least as many
# processes as there are CPUs, and continues after a finding. It prints one line for each fuzzer and the totals, and packs logs, findings and
# corpora into build-fuzz/fuzz.tar.xz, or $OUT/fuzz.tar.xz. A later run accepts that file and continues with its corpora.
# run.sh --bundle FOLDER: copies the fuzzers, their libraries and corpora and this script into the new FOLDER. FOLDER/run.sh then runs them on
# any x86-64 Linux machine with bash, tar and xz, with FOLDER/results in place of build-fuzz.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# the first ones get more processes
names=(encodings files mcapdemux parse ros mcap urdf elements view)
loader=ld-linux-x86-64.so.2

if [ -e "$here/lib/$loader" ]; then
  build=$here/results programs=$here
  start=("$here/lib/$loader" --library-path "$here/lib")
else
  root=$(cd "$here/../.." && pwd)
  build=$root/build-fuzz programs=$root/build-fuzz/tests/fuzz
  start=()
fi

# build NAME...
build () {
  [ ${#start[@]} -eq 0 ] || return 0
  # shellcheck source=../../examples/setup.sh
  . "$root/examples/setup.sh"
  CC=clang robocache_build "$build" -Dfuzz=enabled -Dcuda=disabled -Dexamples=disabled -Db_lundef=false \
    "${@/#/tests/fuzz/fuzz-}" "${@/#/tests/fuzz/corpus-}"
}

# fuzz NAME SECONDS PREFIX: replaces this shell; findings are files PREFIX…
fuzz () {
  local options=(-max_total_time="$2" -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$build/found/$3-")
  case $1 in
    encodings | mcapdemux | ros | urdf) options+=(-max_len=4096) ;;
    files | parse) options+=(-max_len=600 -dict="$here/csv.dict") ;;
    *) options+=(-max_len=1024) ;;
  esac
  export ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16 UBSAN_OPTIONS=print_stacktrace=1
  mkdir -p "$build/found" "$build/corpus-$1"
  exec "${start[@]}" "$programs/fuzz-$1" "${options[@]}" "$build/corpus-$1" "$programs/corpus-$1"
}

# n_findings PREFIX: those of this run. Slow inputs do not count.
n_findings () { find "$build/found" -name "$1-*" ! -name '*slow-unit-*' -newer "$build/logs/start" | wc -l; }

# fuzz_again NAME SECONDS PROCESS: starts again after a finding; ends where a program fails without one
fuzz_again () {
  local end=$((SECONDS + $2)) before
  while [ $SECONDS -lt $end ]; do
    before=$(n_findings "$1-$3")
    if (fuzz "$1" $((end - SECONDS)) "$1-$3") >> "$build/logs/$1-$3" 2>&1; then return; fi
    if [ "$(n_findings "$1-$3")" = "$before" ]; then
      echo "fuzz-$1 failed without a finding" >> "$build/logs/$1-$3"
      return
    fi
  done
}

# report NAME: the line of one fuzzer
report () {
  awk -v name="$1" -v findings="$(n_findings "$1")" '
    /^stat::number_of_executed_units/ { runs += $2 }
    match($0, / cov: [0-9]+/) { covered = substr($0, RSTART + 6, RLENGTH - 6) + 0; if (covered > most) most = covered }
    /failed without a finding/ { failed = ", FAILED: see its log" }
    END { printf "%s: %.0f runs in %d processes, coverage %d, %d findings%s\n", name, runs, ARGC - 1, most, findings, failed }' "$build/logs/$1"-*
}

# run_all SECONDS
run_all () {
  local i n
  n=$(nproc)
  rm -rf "$build/logs"
  mkdir -p "$build/found" "$build/logs"
  touch -d '1 second ago' "$build/logs/start"
  for ((i = 0; i < n || i < ${#names[@]}; i++)); do fuzz_again "${names[i % ${#names[@]}]}" "$1" "$i" & done
  wait
  for i in "${names[@]}"; do report "$i"; done | tee "$build/logs/summary"
  tar -C "$build" -cJf "${OUT:-$build}/fuzz.tar.xz" logs found "${names[@]/#/corpus-}"
  awk -v seconds="$1" '{ runs += $2; findings += $9 } /FAILED/ { failed++ }
    END { printf "%d fuzzers, %.0f runs in %d s: %d findings, %d failed\n", NR, runs, seconds, findings, failed; exit findings + failed > 0 }' \
    "$build/logs/summary"
}

# bundle FOLDER
bundle () {
  mkdir "$1" "$1/lib"
  cp "${names[@]/#/$programs/fuzz-}" "$here/run.sh" "$here/csv.dict" "$1"
  cp -r "${names[@]/#/$programs/corpus-}" "$1"
  strip --strip-debug "$1"/fuzz-*
  ldd "${names[@]/#/$programs/fuzz-}" | awk '/=> \//{ print $3 } /ld-linux/{ print $1 }' | sort -u | xargs cp -Lt "$1/lib"
  du -sh "$1"
}

name=${1:-elements}
case $name in
  --bundle)
    build "${names[@]}"
    bundle "${2:?usage: run.sh --bundle FOLDER}"
    ;;
  all)
    build "${names[@]}"
    mkdir -p "$build"
    [ -z "${3-}" ] || tar -C "$build" --wildcards -xf "$3" 'corpus-*'
    run_all "${2:-1800}"
    ;;
  *)
    build "$name"
    fuzz "$name" "${2:-1800}" "$name"
    ;;
esac
