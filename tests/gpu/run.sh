#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs the GPU tests that lie beside it or in the build, with compute-sanitizer where there is one, and ends with one line:
# N passed, M failed[, K skipped]. Needs a GPU and its driver, nothing else: carry gpu-align, gpu-backend, gpu-voxel
# and this script.
#
#   run.sh [DIR]     DIR: where the programs are; default: here, else build/tests/gpu
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${1:-$here}
[ -x "$dir/gpu-align" ] || dir=$here/../../build/tests/gpu
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# run NAME COMMAND...: its lines, and a failed case more when it fails without saying which
run() {
  local name=$1 output status
  shift
  output=$("$@" 2>&1)
  status=$?
  printf '%s\n' "$output" | grep -E '^(PASS|FAIL|SKIP) ' >> "$log"
  printf '%s\n' "$output" | grep -E '^(FAIL|SKIP|seed|[0-9]+ cases|=========.*(ERROR|WARNING|SUMMARY))'
  if [ $status -ne 0 ] && ! grep -q '^FAIL ' <<< "$output"; then
    echo "FAIL $name: exit status $status" | tee -a "$log"
  fi
}

run backend "$dir/gpu-backend"
run align "$dir/gpu-align"
run voxel "$dir/gpu-voxel"
sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
if [ -x "$sanitizer" ]; then
  for tool in memcheck racecheck initcheck synccheck; do
    # a section a process; threads race in no shared memory, and racecheck takes minutes for them
    for section in dtypes shapes wide streams graphs threads brackets large; do
      if [ "$tool-$section" != racecheck-threads ]; then
        echo "== $tool $section"
        run "$tool-$section" "$sanitizer" --tool "$tool" --error-exitcode 9 "$dir/gpu-align" \
          --separate --few --only "$section"
      fi
    done
    for section in kinds sizes plain lies huge graphs wrong; do
      echo "== $tool voxel $section"
      run "$tool-voxel-$section" "$sanitizer" --tool "$tool" --error-exitcode 9 "$dir/gpu-voxel" \
        --separate --few --only "$section"
    done
  done
else
  echo "SKIP compute-sanitizer: not on this machine" | tee -a "$log"
fi

passed=$(grep -c '^PASS ' "$log")
failed=$(grep -c '^FAIL ' "$log")
skipped=$(grep -c '^SKIP ' "$log")
echo "$passed passed, $failed failed$([ "$skipped" -gt 0 ] && echo ", $skipped skipped")"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
