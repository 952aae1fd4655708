#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# platforms.sh [NAME...]: runs the tests on other systems, each in a fresh chroot, and prints a line for each.
#
#   NAME: bookworm trixie sid, each alone, with -clang, or with -release (optimised, with LTO); arm64 (bookworm's, by qemu: kernels, the
#   comparison with NumPy and gst-check). Without names all of bookworm, trixie, sid and arm64.
#
# It takes root, debootstrap, and for arm64 qemu-user-static; ROBOCACHE_MIRROR (http://deb.debian.org/debian); 4 GiB in
# ROBOCACHE_PLATFORMS (/var/tmp/robocache-platforms) a system. A base system is kept there for the next run, and the log of each NAME.
# ROBOCACHE_APT_CONF names a file with settings of apt for the chroots, such as a proxy.
# On qemu a wall clock says little: tests that need one are named in the log as failed.
set -uo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=${ROBOCACHE_PLATFORMS:-/var/tmp/robocache-platforms}
mirror=${ROBOCACHE_MIRROR:-http://deb.debian.org/debian}

die () { printf 'platforms.sh: %s\n' "$1" >&2; exit 1; }

# base SUITE ARCH: makes the base system, unless it is there
base () {
  local to=$folder/base-$1-$2
  [ ! -d "$to" ] || return 0
  rm -rf "$to.part"
  debootstrap --variant=minbase --arch="$2" "$1" "$to.part" "$mirror" > "$folder/base-$1-$2.log" 2>&1 && mv "$to.part" "$to"
}

# run_arm64: has the kernel run programs of arm64 by qemu
run_arm64 () {
  local formats=/proc/sys/fs/binfmt_misc
  [ "$(dpkg --print-architecture)" != arm64 ] || return 0
  [ -e $formats/register ] || mount -t binfmt_misc binfmt_misc $formats || return 1
  [ -e $formats/qemu-aarch64 ] || cat /usr/lib/binfmt.d/qemu-aarch64.conf > $formats/register || die 'install qemu-user-static'
}

# within ROOT COMMAND...: runs a command in a chroot with mounts of its own, which go with it
within () {
  # shellcheck disable=SC2016
  unshare --mount --pid --fork bash -c '
    mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount -t tmpfs tmpfs "$0/tmp" && mount -t tmpfs tmpfs "$0/dev/shm" \
      && exec chroot "$0" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 CI=true "${@}"' "$@" </dev/null
}

# run NAME: tests a system; prints its line
run () {
  local name=$1 suite=${1%%-*} variant='' arch root=$folder/$1 log=$folder/$1.log run=() status=0
  arch=$(dpkg --print-architecture)
  [ "$1" = "$suite" ] || variant=${1#*-}
  [ "$suite" != arm64 ] || { run_arm64; suite=bookworm arch=arm64; run+=(--suite kernels --suite reference --suite check); }
  case $suite/$variant in
    bookworm/ | trixie/ | sid/) ;;
    bookworm/clang | trixie/clang | sid/clang) ;;
    bookworm/release | trixie/release | sid/release) run+=(-Dbuildtype=release -Db_lto=true) ;;
    *) die "$name: expected bookworm, trixie or sid, alone or with -clang or -release; or arm64" ;;
  esac
  base "$suite" "$arch" || { printf '%-18s no base system: see %s\n' "$name" "$folder/base-$suite-$arch.log"; return 1; }
  rm -rf "$root" && cp -a "$folder/base-$suite-$arch" "$root" && mkdir "$root/root/robocache"
  cp /etc/resolv.conf "$root/etc/"
  [ -z "${ROBOCACHE_APT_CONF-}" ] || cp "$ROBOCACHE_APT_CONF" "$root/etc/apt/apt.conf.d/99robocache-platforms"
  git -C "$source" ls-files -z | tar -C "$source" --null -T - -c | tar -C "$root/root/robocache" -x
  # the reference and the recordings that some tests use, if they are there
  [ ! -d "$source/../shared" ] || cp -r "$source/../shared/." "$root/root/shared"
  {
    if [ "$variant" = clang ]; then
      within "$root" sh -c 'apt-get -q update && apt-get -q install -y --no-install-recommends clang'
      within "$root" env CC=clang bash /root/robocache/tests/run.sh "${run[@]}"
    else
      within "$root" bash /root/robocache/tests/run.sh "${run[@]}"
    fi
  } > "$log" 2>&1 || status=$?
  # shellcheck disable=SC2016
  printf '%-18s %s; %s\n' "$name" "$(within "$root" sh -c 'printf "GStreamer %s, " "$(pkg-config --modversion gstreamer-1.0)"
    "$0" --version | head -1' "$([ "$variant" = clang ] && echo clang || echo gcc)")" "$(tail -1 "$log")"
  [ $status -ne 0 ] || rm -rf "$root"
  return $status
}

[ "$(id -u)" -eq 0 ] || die 'debootstrap and chroot take root'
command -v debootstrap >/dev/null || die 'install debootstrap'
mkdir -p "$folder"
failed=0
for name in "${@:-bookworm trixie sid arm64}"; do
  for one in $name; do
    run "$one" || failed=1
  done
done
exit $failed
