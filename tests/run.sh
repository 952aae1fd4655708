#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# run.sh [--all | -DOPTION=VALUE... --suite NAME... --timeout-multiplier N]: sets up, builds and tests. The last line is:
# N passed, M failed[, K skipped]. Without options it tests in ./build what this machine runs: the plugin with code for its
# own GPUs, kernels with few cases. With --all it tests in ./build-all all cases, code for two generations of GPUs, an emulated
# GPU, the benchmarks, and races between threads; and in ./build-sanitized under AddressSanitizer and UndefinedBehaviorSanitizer.
# -D sets options of a new build, --suite chooses tests, and --timeout-multiplier gives them more time.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
all='' options=() chosen=() slow=()
while [ $# -gt 0 ]; do
  case $1 in
    --all) all=yes ;;
    -D*=*) options+=("$1") ;;
    --suite) chosen+=("$1" "${2-}"); shift ;;
    --timeout-multiplier) slow=("$1" "${2-}"); shift ;;
    *) all=wrong; break ;;
  esac
  shift
done
[ -z "$all" ] || [ $((${#options[@]} + ${#chosen[@]} + ${#slow[@]})) -eq 0 ] || all=wrong
if [ "$all" = wrong ]; then
  sed -n '3,7s/^# \?//p' "${BASH_SOURCE[0]}"
  exit 2
fi
# shellcheck source=../examples/setup.sh
. "$root/examples/setup.sh"
packages=(python3 python3-gi python3-numpy python3-venv gir1.2-gstreamer-1.0 gstreamer1.0-plugins-good gstreamer1.0-plugins-bad
  gstreamer1.0-plugins-ugly iproute2 openssl socat xz-utils)
# nvcc and the emulated GPU need a C++ compiler
[ -z "$all" ] || packages+=(g++)
# a peer of live topics: Fast DDS 2
[ -z "$all" ] || ! grep -qs '^VERSION_ID="12"' /etc/os-release || packages+=(fastddsgen libfastrtps-dev default-jre-headless)
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
  meson test -C "$dir" --no-rebuild --num-processes $(($(nproc) + 1)) "${@:2}" </dev/null | grep -E '^ *[0-9]+/[0-9]+ ' || true
  logs+=("$log")
}

if [ -n "$all" ]; then
  # where there is nvcc, a build that goes on without it would test less and tell nobody
  cuda=auto
  if command -v nvcc > /dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then cuda=enabled; fi
  build_and_test build-all -Dcuda=$cuda '-Dcuda-arch=87 110' -Dcuda-fast-compile=true -Dbenchmarks=enabled -Demulation=enabled --
  # sanitizers add code that takes long to optimize
  build_and_test build-sanitized -Dcuda=disabled -Doptimization=1 -Dc_args=-g1 -Db_lundef=false -Db_sanitize=address,undefined \
    -- --suite kernels --suite check --suite soak --suite fuzz --suite recordings
else
  [ ${#chosen[@]} -gt 0 ] || chosen=(--no-suite threads)
  build_and_test build "$(robocache_gpu_options)" "${options[@]}" -- "${slow[@]}" "${chosen[@]}"
fi
python3 "$root/tests/summary.py" "${logs[@]}"
