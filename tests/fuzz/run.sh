#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# run.sh [elements|encodings|files|mcap|mcapdemux|parse|ros|urdf|view [SECONDS]]: builds the fuzzers with clang in build-fuzz and runs one of them on its corpus, for half
# an hour unless told otherwise. What it finds lies in build-fuzz/found; inputs that reach new code in build-fuzz/corpus-NAME.
# add-case.sh adds them to the repository.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
name=${1:-elements}
build=$root/build-fuzz
# shellcheck source=../../examples/setup.sh
. "$root/examples/setup.sh"
CC=clang robocache_build "$build" -Dfuzz=enabled -Dcuda=disabled -Dexamples=disabled -Db_lundef=false "tests/fuzz/fuzz-$name" "tests/fuzz/corpus-$name"

mkdir -p "$build/found" "$build/corpus-$name"
options=(-max_total_time="${2:-1800}" -timeout=60 -print_final_stats=1 -artifact_prefix="$build/found/$name-")
case $name in
  encodings | mcapdemux | ros | urdf) options+=(-max_len=4096) ;;
  files | parse) options+=(-max_len=600 -dict="$root/tests/fuzz/csv.dict") ;;
  *) options+=(-max_len=1024) ;;
esac
export ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16 UBSAN_OPTIONS=print_stacktrace=1
exec "$build/tests/fuzz/fuzz-$name" "${options[@]}" "$build/corpus-$name" "$build/tests/fuzz/corpus-$name"
