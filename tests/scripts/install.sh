#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# install.sh BUILD PLUGINSDIR: checks that `meson install` installs the plugin alone, where GStreamer finds it.
set -uo pipefail
build=$1 pluginsdir=$2 failed=0
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

check () {
  local name=$1
  shift
  if said=$("$@" 2>&1); then
    echo "PASS $name"
  else
    printf '%s\nFAIL %s: %s\n' "$said" "$name" "$*"
    failed=1
  fi
}

only_the_plugin () {
  [ "$(cd "$root" && find . -type f)" = ".$pluginsdir/libgstrobocache.so" ] || { find "$root" -type f; return 1; }
}

installed_elements_are_found () {
  unset GST_PLUGIN_PATH_1_0 GST_PLUGIN_PATH
  GST_PLUGIN_SYSTEM_PATH_1_0=$root$pluginsdir GST_REGISTRY_1_0=$root/registry.bin gst-inspect-1.0 robocachefuse
}

check install env DESTDIR="$root" meson install -C "$build" --no-rebuild --quiet
check install_where_gstreamer_looks only_the_plugin
check installed_elements_are_found installed_elements_are_found
exit "$failed"
