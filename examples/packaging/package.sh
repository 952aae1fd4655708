#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# package.sh [FOLDER]: makes Debian packages in FOLDER (build-packages), for this system.
#
#   gstreamer1.0-robocache         the plugin
#   gstreamer1.0-robocache-cuda    the plugin with code for NVIDIA GPUs, if nvcc is installed. ROBOCACHE_CUDA=no omits it, and
#                                  ROBOCACHE_CUDA_ARCH chooses the GPUs: -Dcuda-arch of meson_options.txt
#   robocache-tools                the programs and their man pages, and the package of Python
#   librobocache-1.0-0, gir1.2-robocache-1.0, librobocache-dev    for applications
#   robocache-doc                  the pages
#
# Install them with apt-get install ./FOLDER/NAME….deb. Missing packages are installed, which takes root or sudo.
set -euo pipefail
source=$(CDPATH="" cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ $# -gt 1 ] || [[ ${1-} == -* ]]; then
  sed -n '3,12s/^# \?//p' "${BASH_SOURCE[0]}"
  exit 2
fi
mkdir -p "${1:-$source/build-packages}"
folder=$(CDPATH="" cd "${1:-$source/build-packages}" && pwd)
# shellcheck source=../setup.sh
. "$source/examples/setup.sh"
robocache_install dpkg-dev debhelper dh-python gir1.2-gstreamer-1.0 gobject-introspection help2man libgirepository1.0-dev

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
printf 'robocache (%s) unstable; urgency=medium\n\n  * Build of this source tree.\n\n -- %s  %s\n' "$version" \
  "$(sed -n 's/^Maintainer: //p' "$source/examples/packaging/debian/control")" "$date" > "$work/robocache/debian/changelog"

command -v nvcc > /dev/null || PATH=$PATH:/usr/local/cuda/bin
if [ "${ROBOCACHE_CUDA-}" != no ] && command -v nvcc > /dev/null; then export ROBOCACHE_CUDA=yes; fi
printf 'Building packages in %s\n' "$folder" >&2
(cd "$work/robocache" && robocache_quietly dpkg-buildpackage --build=binary --no-sign)
mv "$work"/*.deb "$work"/*.changes "$work"/*.buildinfo "$folder"
ls "$folder"/*.deb
