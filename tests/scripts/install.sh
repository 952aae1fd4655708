#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# install.sh BUILD PREFIX PLUGINSDIR LIBDIR: checks that `meson install` puts down the plugin where GStreamer finds it, the
# programs with their man pages, the package of Python, the library with what a compiler and Python need of it, and the pages; that each
# works; and that `ninja uninstall` removes them.
set -uo pipefail
build=$1 prefix=$2 pluginsdir=$3 libdir=$4 failed=0
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
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

# installed FILE...: of the prefix
installed () {
  local file
  for file in "$@"; do
    [ -s "$root$prefix/$file" ] || { echo "$file is absent"; find "$root" -type f; return 1; }
  done
}

# nothing lies where it was not expected, and nothing that is not for users
nothing_else () {
  local other
  other=$(cd "$root" && find . -type f | grep -v -E \
    "^\.($pluginsdir/(libgstrobocache.so|robocache-(dds|view)\.module)|$prefix/($libdir/(librobocache-1\.0\.so\.[0-9.]+|pkgconfig/robocache-1\.0\.pc|girepository-1\.0/Robocache-1\.0\.typelib)|include/robocache-1\.0/robocache/robocache\.h|bin/robocache(-[a-z-]+)?|share/(bash-completion/completions/robocache|zsh/site-functions/_robocache|man/man1/robocache(-[a-z-]+)?\.1(\.gz)?|gir-1\.0/Robocache-1\.0\.gir|licenses/robocache/LICENSE|robocache/robocache_msgs/(package\.xml|CMakeLists\.txt|msg/[A-Za-z]+\.msg)|doc/robocache/.*\.(md|svg|png))|(local/)?lib/python3[0-9.]*/(site|dist)-packages/(lerobot_robot_)?robocache/(.*\.py|py\.typed)))\$")
  [ -z "$other" ] || { echo "$other"; return 1; }
}

# Each file is in a Debian package: debhelper refuses to build with others.
packages_have_all () {
  local patterns pattern file found=yes
  mapfile -t patterns < <(cat "$source"/examples/packaging/debian/{*.install,not-installed} | sed -n 's#^usr/\([^ ]*\).*#\1#p')
  while read -r file; do
    for pattern in "${patterns[@]}"; do
      # shellcheck disable=SC2053
      [[ $file != $pattern && $file != $pattern/* ]] || continue 2
    done
    echo "$file is in no package"
    found=''
  done < <(cd "$root$prefix" && find . ! -type d -printf '%P\n' | sed -E 's#^(local/)?lib/python3[0-9.]*/#lib/python3/#')
  [ -n "$found" ]
}

# A prefix that is neither the system's nor GStreamer's keeps everything, the plugin too.
private_prefix_keeps_all () {
  local paths
  meson setup "$root/private" "$source" --prefix=/opt/robocache -Dcuda=disabled -Dtests=disabled > "$root/setup.log" || { cat "$root/setup.log"; return 1; }
  paths=$(meson introspect --installed "$root/private" | python3 -c 'import json, sys; print(*json.load(sys.stdin).values(), sep="\n")')
  grep -x '/opt/robocache/.*/gstreamer-1.0/libgstrobocache.so' <<< "$paths" && ! grep -v '^/opt/robocache/' <<< "$paths"
}

# what runs finds our libraries only in $root
export LD_LIBRARY_PATH=$root$prefix/$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

has_element () {
  env -u GST_PLUGIN_PATH_1_0 -u GST_PLUGIN_PATH GST_PLUGIN_SYSTEM_PATH_1_0="$root$pluginsdir" GST_REGISTRY_1_0="$root/registry.bin" \
    gst-inspect-1.0 "$1" > /dev/null
}

# those that the page names, less those for recordings where the build has none
programs_are_on_the_page () {
  local expected absent='^$'
  has_element robocachemcapsink || absent='-(export|record|recover|replay|report|sample-data)$'
  # doctor is part of robocache
  expected=$(sed -n 's/^| `\(robocache\( [a-z-]*\)*\)` | [a-z].*/\1/p' "$source/docs/howto/install.md" | tr ' ' - | grep -v -x robocache-doctor |
    grep -v -E -e "$absent" | sort)
  diff <(echo "$expected") <(cd "$root$prefix/bin" && find . -type f -printf '%f\n' | sort)
}

# each program has a man page that names it, where man pages are made
programs_run () {
  local program
  for program in "$root$prefix"/bin/robocache*; do
    [ ! -L "$program" ] || { "$program" --help > /dev/null || return 1; continue; }
    "$program" --help | grep -E "^([Uu]sage:| ) (${program##*/}|robocache ${program##*/robocache-}) (\[OPTION|\[-h|COMMAND)" > /dev/null || { "$program" --help; return 1; }
    [ -d "$root$prefix/share/man" ] || continue
    gzip -cdf "$root$prefix/share/man/man1/${program##*/}.1"* | grep "${program##*/}" > /dev/null || return 1
  done
}

# with_gstreamer COMMAND...: with the installed plugin beside those of the system
with_gstreamer () {
  env -u GST_PLUGIN_PATH_1_0 -u GST_PLUGIN_PATH GST_PLUGIN_SYSTEM_PATH_1_0="$pluginsdir:$root$pluginsdir" \
    GST_REGISTRY_1_0="$root/registry.bin" "$@"
}

recorder_records () {
  with_gstreamer "$root$prefix/bin/robocache-record" "$root/run.mcap" --simulated <<< quit && [ -s "$root/run.mcap" ]
}

# in the Python environment of suite dataset
exporter_reads () {
  printf 't,x\n0,0\n0.5,1\n1,2\n' > "$root/a.csv"
  with_gstreamer "$root$prefix/bin/robocache-align" --report= -o "$root/a.mcap" --rate 2 "$root/a.csv" &&
    ROBOCACHE_EXPORT_VENV=$source/build-venv-export with_gstreamer "$root$prefix/bin/robocache-export" "$root/a.mcap" --suggest |
    grep 'topic = "/aligned"'
}

application_compiles_and_runs () {
  local flags
  # the file, for where it lies now
  sed "s|^prefix=.*|prefix=$root$prefix|" "$root$prefix/$libdir/pkgconfig/robocache-1.0.pc" > "$root/robocache-1.0.pc"
  flags=$(PKG_CONFIG_PATH=$root${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH} pkg-config --cflags --libs robocache-1.0) || return 1
  cat > "$root/application.c" <<'END'
#include <robocache/robocache.h>
int
main (int argc, char **argv)
{
  GstBuffer *buffer;
  gint64 tick = 5;

  gst_init (&argc, &argv);
  robocache_sample_meta_register ();
  buffer = gst_buffer_new ();
  if (robocache_sample_meta_get_tick (buffer, &tick))
    return 1;
  gst_structure_set (gst_custom_meta_get_structure (gst_buffer_add_custom_meta (buffer, ROBOCACHE_SAMPLE_META)), "tick",
      G_TYPE_INT64, G_GINT64_CONSTANT (7), NULL);
  return robocache_sample_meta_get_tick (buffer, &tick) && tick == 7 ? 0 : 2;
}
END
  # shellcheck disable=SC2086
  ${CC:-cc} -Wall -Werror -o "$root/application" "$root/application.c" $flags && "$root/application"
}

# as printed, without a checkout; at least the ones that align tables
pages_run () {
  PATH=$root$prefix/bin:/usr/bin:$PATH PYTHONPATH=$(find "$root$prefix" -path '*-packages/robocache' -printf '%h') \
    PKG_CONFIG_PATH=$root${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH} ROBOCACHE_EXPORT_VENV=$source/build-venv-export with_gstreamer python3 -B \
    "$source/tests/docs/commands.py" "$source" --installed README.md docs/tutorial.md docs/howto/{python,run-a-policy,c-application,training-sets}.md \
    > "$root/pages.log" || { cat "$root/pages.log"; return 1; }
  grep -v '^PASS' "$root/pages.log"
  [ "$(grep -c '^PASS docs/tutorial.md' "$root/pages.log")" -ge 4 ]
}

nothing_is_left () {
  DESTDIR=$root ninja -C "$build" uninstall > "$root/uninstall.log" || { cat "$root/uninstall.log"; return 1; }
  ! find "$root$prefix" "$root$pluginsdir" | grep .
}

# sources are not installed; pages link to them
links_of_the_pages () {
  local dead
  dead=$(python3 "$source/tests/docs/links.py" "$root$prefix/share/doc/robocache" | sed -n 's/^FAIL //p' |
    sed -E 's#(, )?(\.\./)+(gst|common|kernels|examples)/[^,]*##g' | grep -v ': *$')
  [ -z "$dead" ] || { echo "$dead"; return 1; }
}

python_reads_a_sample () {
  unset GST_PLUGIN_PATH_1_0 GST_PLUGIN_PATH
  GI_TYPELIB_PATH=$root$prefix/$libdir/girepository-1.0 GST_PLUGIN_SYSTEM_PATH_1_0=$pluginsdir:$root$pluginsdir \
    GST_REGISTRY_1_0=$root/registry.bin /usr/bin/python3 -c '
import gi
gi.require_version("Gst", "1.0"); gi.require_version("Robocache", "1.0")
from gi.repository import Gst, Robocache
Gst.init(None)
assert Robocache.sample_meta_get_tick(Gst.Buffer.new())[0] is False
pipeline = Gst.parse_launch("robocachefuse name=fuse rate=100/1 ! appsink name=sink "
    "robocachetestsrc kind=imu rate=100/1 num-buffers=3 ! fuse.sink_0 robocachetestsrc kind=force rate=1/1 num-buffers=1 ! fuse.force_0")
pipeline.set_state(Gst.State.PLAYING)
buffer = pipeline.get_by_name("sink").emit("pull-sample").get_buffer()
assert Robocache.sample_meta_get_streams(buffer) == ["force_0", "sink_0"]
assert Robocache.sample_meta_get_n_rows(buffer) == 1
assert Robocache.sample_meta_get_tick(buffer) == (True, 0)
assert Robocache.sample_meta_get_times(buffer, "sink_0", -1) == (True, 0, 0, 10000000)
assert Robocache.sample_meta_get_times(buffer, "force_0", -1) == (True, 0, 0, Robocache.SAMPLE_NO_TIME)
assert Robocache.sample_meta_get_status(buffer, "sink_0", 0) == (True, Robocache.SampleStatus.ALIGNED, False)
pipeline.set_state(Gst.State.NULL)
'
}

check install env DESTDIR="$root" meson install -C "$build" --no-rebuild --quiet
check plugin_where_gstreamer_looks test -s "$root$pluginsdir/libgstrobocache.so"
check files installed "$libdir/librobocache-1.0.so" "$libdir/pkgconfig/robocache-1.0.pc" include/robocache-1.0/robocache/robocache.h \
  share/licenses/robocache/LICENSE share/doc/robocache/README.md share/doc/robocache/docs/tutorial.md \
  share/robocache/robocache_msgs/{package.xml,CMakeLists.txt,msg/Tick.msg}
check nothing_else nothing_else
check packages_have_all packages_have_all
if [ -z "${CC-}" ]; then check private_prefix_keeps_all private_prefix_keeps_all; fi
# the scanner's own programs do not preload what a sanitized build needs
if ldd "$root$pluginsdir/libgstrobocache.so" | grep -q 'lib[at]san'; then
  echo 'SKIP what is installed runs: the build is sanitized'
  exit "$failed"
fi
check elements_are_found has_element robocachefuse
if [ -d "$root$prefix/bin" ]; then
  check programs_are_on_the_page programs_are_on_the_page
  check programs_run programs_run
  if ! has_element robocachemcapsink; then
    echo 'SKIP recorder_records, exporter_reads: -Dmcap=disabled'
  elif ! /usr/bin/python3 -c 'import gi; gi.require_version("Gst", "1.0")' 2>/dev/null; then
    echo 'SKIP recorder_records, exporter_reads: not installed: python3-gi gir1.2-gstreamer-1.0'
  else
    check recorder_records recorder_records
    if compgen -G "$source/build-venv-export-*/bin/python" > /dev/null; then
      check exporter_reads exporter_reads
    else
      echo 'SKIP exporter_reads: suite dataset makes its environment'
    fi
  fi
else
  echo 'SKIP programs_run: -Dexamples=disabled'
fi
check application_compiles_and_runs application_compiles_and_runs
if [ -d "$root$prefix/bin" ]; then check pages_run pages_run; fi
check links_of_the_pages links_of_the_pages
if [ ! -e "$root$prefix/$libdir/girepository-1.0" ]; then
  echo 'SKIP python_reads_a_sample: built without gobject-introspection'
elif ! /usr/bin/python3 -c 'import gi; gi.require_version("Gst", "1.0")' 2>/dev/null; then
  echo 'SKIP python_reads_a_sample: not installed: python3-gi gir1.2-gstreamer-1.0'
else
  check python_reads_a_sample python_reads_a_sample
fi
check nothing_is_left nothing_is_left
exit "$failed"
