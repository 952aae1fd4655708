#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# run.sh [--all]: sets up, builds and tests. The last line is: N passed, M failed[, K skipped].
#
# Without options it tests in ./build what this machine runs: the plugin with code for its own GPUs. With --all it tests
# in ./build-all code for all GPUs, on an emulated GPU too, the benchmarks, and races between threads; and in
# ./build-sanitized under AddressSanitizer and UndefinedBehaviorSanitizer.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
case $* in
  '' | --all) ;;
  *) sed -n '3,7s/^# \?//p' "${BASH_SOURCE[0]}"; exit 2 ;;
esac
# shellcheck source=../examples/setup.sh
. "$root/examples/setup.sh"
packages=(python3 python3-numpy gstreamer1.0-plugins-good gstreamer1.0-plugins-bad iproute2 xz-utils)
# nvcc and the emulated GPU need a C++ compiler
[ "${1-}" != --all ] || packages+=(g++)
robocache_install "${packages[@]}"

logs=()
# build_and_test DIR SETUP_OPTION... -- TEST_ARGUMENT...: builds all of DIR, then runs meson test there
build_and_test() {
  local dir=$root/$1 log=$root/$1/meson-logs/testlog.json setup=(${CI:+-Dwerror=true})
  shift
  while [ "$1" != -- ]; do setup+=("$1"); shift; done
  robocache_build "$dir" "${setup[@]}"
  rm -f "$log"
  echo "== tests in ${dir##*/}"
  meson test -C "$dir" --no-rebuild --num-processes 2 "${@:2}" </dev/null | grep -E '^ *[0-9]+/[0-9]+ ' || true
  logs+=("$log")
}

if [ "${1-}" = --all ]; then
  build_and_test build-all -Dbenchmarks=enabled -Demulation=enabled --
  build_and_test build-sanitized -Dcuda=disabled -Db_lundef=false -Db_sanitize=address,undefined \
    -- --suite kernels --suite check --suite soak --suite fuzz
else
  build_and_test build "$(robocache_gpu_options)" -- --no-suite threads
fi
python3 "$root/tests/summary.py" "${logs[@]}"
