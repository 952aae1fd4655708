#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# package.sh [--cuda[=ARCH]] [FOLDER]: makes Debian packages in FOLDER (build-packages), for this system.
#
#   gstreamer1.0-robocache         the plugin; with --cuda in its place:
#   gstreamer1.0-robocache-cuda    the plugin with code for NVIDIA GPUs. It takes nvcc, and minutes for each GPU generation. ARCH
#                                  chooses the GPUs: -Dcuda-arch of meson_options.txt, such as 90 or 80,90
#   robocache-tools                the programs and their man pages, and the package of Python
#   librobocache-1.0-0, gir1.2-robocache-1.0, librobocache-dev    for applications
#   robocache-doc                  the pages
#
# Install all of them with apt-get install ./FOLDER/*.deb. Missing packages are installed, which takes root or sudo.
set -euo pipefail
source=$(CDPATH="" cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export ROBOCACHE_CUDA=''
case ${1-} in
  --cuda) ROBOCACHE_CUDA=default; shift ;;
  --cuda=?*) ROBOCACHE_CUDA=${1#--cuda=}; shift ;;
esac
if [ $# -gt 1 ] || [[ ${1-} == -* ]]; then
  sed -n '3,12s/^# \?//p' "${BASH_SOURCE[0]}"
  exit 2
fi
mkdir -p "${1:-$source/build-packages}"
folder=$(CDPATH="" cd "${1:-$source/build-packages}" && pwd)
if compgen -G "$folder/*.deb" > /dev/null; then
  printf 'error: %s holds packages of an earlier build: remove them, or name another folder\n' "$folder" >&2
  exit 1
fi
if [ -n "$ROBOCACHE_CUDA" ] && ! command -v nvcc > /dev/null; then
  PATH=$PATH:/usr/local/cuda/bin
  command -v nvcc > /dev/null || { printf 'error: --cuda needs nvcc, in PATH or in /usr/local/cuda/bin\n' >&2; exit 1; }
fi
# shellcheck source=../setup.sh
. "$source/examples/setup.sh"
robocache_install dpkg-dev debhelper dh-python gir1.2-gstreamer-1.0 gobject-introspection help2man libgirepository1.0-dev \
  ${ROBOCACHE_CUDA:+g++}

# The packages lie beside the folder that they are made in.
work=$(mktemp -d "$folder/work-XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/robocache"
if git -C "$source" rev-parse --is-inside-work-tree > /dev/null 2>&1; then
  git -C "$source" ls-files -z | tar -C "$source" --null -T - -c | tar -C "$work/robocache" -x
  date=$(git -C "$source" log -1 --format=%aD)
else
  tar -C "$source" --exclude='./build*' --exclude=./.git -c . | tar -C "$work/robocache" -x
  date=$(date -R -r "$source/meson.build")
fi
cp -r "$source/examples/packaging/debian" "$work/robocache/debian"
version=$(sed -n "s/^ *version : '\(.*\)',$/\1/p" "$source/meson.build" | head -1)
# Ubuntu has no suite named unstable
suite=$(sed -n 's/^UBUNTU_CODENAME=//p' /etc/os-release)
printf 'robocache (%s) %s; urgency=medium\n\n  * Build of this source tree.\n\n -- %s  %s\n' "$version" "${suite:-unstable}" \
  "$(sed -n 's/^Maintainer: //p' "$source/examples/packaging/debian/control")" "$date" > "$work/robocache/debian/changelog"

printf 'Building packages in %s\n' "$folder" >&2
# what a debugger needs is not for `apt-get install ./*.deb`
export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-} noautodbgsym" DEB_CFLAGS_STRIP=-g
(cd "$work/robocache" && robocache_quietly dpkg-buildpackage --build=binary --no-sign)
mv "$work"/*.deb "$work"/*.changes "$work"/*.buildinfo "$folder"
ls "$folder"/*.deb
