# robocache: fresh Debian systems in folders, for scripts that need root. Sourced.
#
#   ROBOCACHE_PLATFORMS   their folder (/var/tmp/robocache-platforms); a base system is kept there for the next run
#   ROBOCACHE_MIRROR      where they come from (http://deb.debian.org/debian)
#   ROBOCACHE_UBUNTU      where those of Ubuntu come from (http://archive.ubuntu.com/ubuntu)
#   ROBOCACHE_APT_CONF    a file with settings of apt for them, such as a proxy
#   ROBOCACHE_CERTS       a file of certificates that pip trusts there, such as that of a proxy
#   ROBOCACHE_CCACHE      a folder of ccache, in which their compilers find what an earlier run compiled
#   ROBOCACHE_TOOLKIT     the folder of a CUDA toolkit, which they have as /usr/local/cuda
#
# SPDX-License-Identifier: LGPL-2.1-or-later
folder=${ROBOCACHE_PLATFORMS:-/var/tmp/robocache-platforms}
mirror=${ROBOCACHE_MIRROR:-http://deb.debian.org/debian}

die () { printf '%s: %s\n' "${0##*/}" "$1" >&2; exit 1; }

# base SUITE ARCH: makes the base system, unless it is there. Debian has no package with the keys of Ubuntu, so debootstrap does not check its
# signatures unless they are in /usr/share/keyrings.
base () {
  local to=$folder/base-$1-$2 from=$mirror options=(--variant=minbase "--arch=$2" ${ROBOCACHE_CCACHE:+--include=ccache})
  [ ! -d "$to" ] || return 0
  [ "$1" != jammy ] || options+=(--components=main,universe) from=${ROBOCACHE_UBUNTU:-http://archive.ubuntu.com/ubuntu}
  rm -rf "$to.part"
  debootstrap "${options[@]}" "$1" "$to.part" "$from" > "$folder/base-$1-$2.log" 2>&1 && mv "$to.part" "$to"
}

# fresh ROOT SUITE ARCH: makes ROOT a copy of a base system
fresh () {
  base "$2" "$3" || return 1
  rm -rf "$1" && cp -a "$folder/base-$2-$3" "$1" && cp /etc/resolv.conf "$1/etc/" || return 1
  [ -e "$1/etc/hosts" ] || echo '127.0.0.1 localhost' > "$1/etc/hosts"
  # it is thrown away: dpkg need not wait for the disk
  echo force-unsafe-io > "$1/etc/dpkg/dpkg.cfg.d/unsafe-io"
  [ -z "${ROBOCACHE_APT_CONF-}" ] || cp "$ROBOCACHE_APT_CONF" "$1/etc/apt/apt.conf.d/99platforms"
  [ -z "${ROBOCACHE_CERTS-}" ] || { cp "$ROBOCACHE_CERTS" "$1/etc/certs.pem" && printf '[global]\ncert = /etc/certs.pem\n' > "$1/etc/pip.conf"; }
}

# put_source SOURCE ROOT: copies a working tree of git to /root/robocache of ROOT
put_source () {
  mkdir "$2/root/robocache"
  git -C "$1" ls-files -z | tar -C "$1" --null -T - -c | tar -C "$2/root/robocache" -x
}

# make_wheel SOURCE TO: puts a wheel into the folder TO, which is made. It is made in a fresh jammy, or in a fresh bookworm where Ubuntu cannot
# be had, and says which.
make_wheel () {
  local on=jammy arch root
  arch=$(dpkg --print-architecture)
  base jammy "$arch" || on=bookworm
  root=$folder/packages-made-wheel-$on
  echo "The wheel is made in $on"
  fresh "$root" $on "$arch" && put_source "$1" "$root" && within "$root" apt-get -q update &&
    within "$root" bash /root/robocache/examples/packaging/wheel.sh /root/wheel && mkdir -p "$2" && cp "$root"/root/wheel/*.whl "$2" && rm -rf "$root"
}

# run_arm64: has the kernel run programs of arm64 by qemu
run_arm64 () {
  local formats=/proc/sys/fs/binfmt_misc
  [ "$(dpkg --print-architecture)" != arm64 ] || return 0
  [ -e $formats/register ] || mount -t binfmt_misc binfmt_misc $formats || return 1
  [ -e $formats/qemu-aarch64 ] || cat /usr/lib/binfmt.d/qemu-aarch64.conf > $formats/register || die 'install qemu-user-static'
}

# native_gcc ROOT: copies this machine's cross compiler for arm64, if it has one, to a root of arm64, where it runs without qemu and
# with the headers and libraries of that root. Prints where it is there.
native_gcc () {
  local gcc=aarch64-linux-gnu-gcc to=/opt/native program
  command -v $gcc > /dev/null || return 0
  mkdir -p "$1$to"
  (cd / && tar -c usr/bin/aarch64-linux-gnu-* usr/lib/gcc-cross/aarch64-linux-gnu usr/aarch64-linux-gnu/bin) | tar -C "$1$to" -x
  for program in cc1 lto1 collect2 as ld; do ldd "$($gcc -print-prog-name=$program)"; done \
    | grep -o '/[^ ]*\.so[^ :]*' | sort -u | xargs cp -L --parents -t "$1" && echo $to/usr/bin/$gcc
}

# within ROOT COMMAND...: runs a command in a chroot with mounts of its own, which go with it
within () {
  # shellcheck disable=SC2016
  unshare --mount --pid --fork bash -c '
    mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount -t tmpfs tmpfs "$0/tmp" && mount -t tmpfs tmpfs "$0/dev/shm" || exit
    [ -z "${ROBOCACHE_CCACHE-}" ] || { mkdir -p "$0/ccache" && mount --bind "$ROBOCACHE_CCACHE" "$0/ccache"; } || exit
    [ -z "${ROBOCACHE_TOOLKIT-}" ] || { mkdir -p "$0/usr/local/cuda" && mount --bind "$ROBOCACHE_TOOLKIT" "$0/usr/local/cuda"; } || exit
    exec chroot "$0" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 CI=true \
      ${ROBOCACHE_CCACHE:+CCACHE_DIR=/ccache CCACHE_BASEDIR=/root CCACHE_NOHASHDIR=1} "${@}"' "$@" </dev/null
}

[ "$(id -u)" -eq 0 ] || die 'debootstrap and chroot take root'
command -v debootstrap >/dev/null || die 'install debootstrap'
mkdir -p "$folder"
