#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sets up, builds and tests everything, the second time under AddressSanitizer and UndefinedBehaviorSanitizer, and ends
# with one line: N passed, M failed[, K skipped].
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=../examples/setup.sh
. "$root/examples/setup.sh"
robocache_install python3 python3-numpy gstreamer1.0-plugins-good gstreamer1.0-plugins-bad iproute2

werror=${CI:+-Dwerror=true}
# the quickstart may have built there for this machine alone
if [ -f "$root/build/build.ninja" ]; then meson configure "$root/build" -Dcuda=auto -Dcuda-arch=default; fi
robocache_build "$root/build" $werror
robocache_build "$root/build-sanitized" $werror -Dcuda=disabled -Db_sanitize=address,undefined -Db_lundef=false -Dbuildtype=debugoptimized

logs=()
# run DIR ARG...: meson test in a build; the verdict is the summary's
run() {
  local dir=$1
  shift
  echo "== tests in ${dir##*/}"
  meson test -C "$dir" --no-rebuild --num-processes 2 "$@" </dev/null | grep -E '^ *[0-9]+/[0-9]+ ' || true
  logs+=("$dir/meson-logs/testlog.json")
}
run "$root/build"
run "$root/build-sanitized" --suite kernels --suite check --suite soak --suite fuzz
python3 "$root/tests/summary.py" "${logs[@]}"
