#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# platforms.sh [NAME...]: runs the tests on other systems, each in a fresh chroot, and prints a line for each.
#
#   NAME: bookworm trixie sid, each alone, with -clang, or with -release (optimised, with LTO); arm64 (bookworm's, by qemu:
#   kernels, the comparison with NumPy and gst-check). Without names all of bookworm, trixie, sid and arm64.
#
# It takes root, debootstrap, for arm64 qemu-user-static, and 4 GiB of disk a system. With gcc-aarch64-linux-gnu, too, only the tests
# of arm64 run by qemu, not the compiler. chroot.sh says where, and has the log of each NAME beside it.
# On qemu a wall clock says little: tests that need one are named in the log as failed.
set -uo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=chroot.sh
. "$source/tests/chroot.sh"

# run NAME: tests a system; prints its line
run () {
  local name=$1 suite=${1%%-*} variant='' arch root=$folder/$1 log=$folder/$1.log run=() more=() settings=() gcc status=0
  arch=$(dpkg --print-architecture)
  [ "$1" = "$suite" ] || variant=${1#*-}
  if [ "$suite" = arm64 ]; then
    run_arm64 || return 1
    suite=bookworm arch=arm64 settings+=(CK_TIMEOUT_MULTIPLIER=10)
    run+=(--timeout-multiplier 10 --suite kernels --suite reference --suite check)
  fi
  case $suite/$variant in
    bookworm/ | trixie/ | sid/) ;;
    bookworm/clang | trixie/clang | sid/clang) ;;
    bookworm/release | trixie/release | sid/release) run+=(-Dbuildtype=release -Db_lto=true) ;;
    *) die "$name: expected bookworm, trixie or sid, alone or with -clang or -release; or arm64" ;;
  esac
  fresh "$root" "$suite" "$arch" || { printf '%-18s no base system: see %s\n' "$name" "$folder/base-$suite-$arch.log"; return 1; }
  put_source "$source" "$root"
  # the reference and the recordings that some tests use, if they are there
  [ ! -d "$source/../shared" ] || cp -r "$source/../shared/." "$root/root/shared"
  # GStreamer 1.26 and later has tensor metas
  [ "$suite" = bookworm ] || more+=(libgstreamer-plugins-bad1.0-dev)
  [ "$variant" != clang ] || { more+=(clang); settings+=(CC=clang); }
  if [ "$arch" != "$(dpkg --print-architecture)" ]; then
    gcc=$(native_gcc "$root")
    settings+=(${gcc:+"CC=$gcc"})
  fi
  {
    if [ ${#more[@]} -gt 0 ]; then
      # shellcheck disable=SC2016
      within "$root" sh -c 'apt-get -q update && apt-get -q install -y --no-install-recommends "$@"' sh "${more[@]}"
    fi
    within "$root" env "${settings[@]}" bash /root/robocache/tests/run.sh "${run[@]}"
  } > "$log" 2>&1 || status=$?
  # shellcheck disable=SC2016
  printf '%-18s %s; %s\n' "$name" "$(within "$root" sh -c 'printf "GStreamer %s, " "$(pkg-config --modversion gstreamer-1.0)"
    "$0" --version | head -1' "$([ "$variant" = clang ] && echo clang || echo gcc)")" "$(tail -1 "$log")"
  [ $status -ne 0 ] || rm -rf "$root"
  return $status
}

failed=0
for name in "${@:-bookworm trixie sid arm64}"; do
  for one in $name; do
    run "$one" || failed=1
  done
done
exit $failed
