#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# packages.sh [SUITE [WAY]]: installs robocache in a fresh system, runs README's first pipelines, the tutorial and the exporter there, and
# uninstalls it. Prints PASS or FAIL for each case, with its seconds.
#
#   SUITE   bookworm (the default), trixie, or jammy, which is Ubuntu 22.04
#   WAY     debs     packages of package.sh, which are made in another fresh system and checked by lintian there (the default)
#           cuda     the same with package.sh --cuda=90, which needs CUDA in /usr/local/cuda. The system where they are installed has no CUDA
#           wheel    a wheel of wheel.sh. It is made in a fresh jammy, or in a fresh bookworm where Ubuntu cannot be had, and kept
#           source   ninja install with a prefix of its own
#
# Run by hand. It takes root, debootstrap, the network and minutes; chroot.sh says what it reads from the environment. Logs are beside the
# systems, which are removed if all cases pass.
set -uo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=chroot.sh
. "$source/tests/chroot.sh"
suite=${1:-bookworm} way=${2:-debs} arch=$(dpkg --print-architecture) failed=0
name=$suite-$way
made=$folder/packages-made-$name used=$folder/packages-used-$name log=$folder/packages-$name.log before=$folder/packages-before-$name
# what a user of this way sets, for programs and for gst-launch-1.0
environment=() gst_environment=() installed=/usr cuda=() toolkit=''
case $way in
  debs) ;;
  cuda) way=debs cuda=(--cuda=90) toolkit=/usr/local/cuda ;;
  wheel) installed=/root/venv environment=(PATH=/root/venv/bin:/usr/bin:/bin) ;;
  # root could write Python's caches into the prefix, other users cannot
  source) installed=/opt/robocache environment=(PATH=/opt/robocache/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1) ;;
  *) die "$way: expected debs, cuda, wheel or source" ;;
esac
: > "$log"

# check NAME COMMAND...: prints a line; the output goes to the log
check () {
  local began=$SECONDS
  printf '== %s\n' "$1" >> "$log"
  if "${@:2}" >> "$log" 2>&1; then echo "PASS $1 ($((SECONDS - began)) s)"; else echo "FAIL $1: see $log"; failed=1; return 1; fi
}

install () { within "$1" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${@:2}"; }
as_user () { within "$used" env "${environment[@]}" "$@"; }
gst () { within "$used" env "${environment[@]}" "${gst_environment[@]}" "$@"; }
packages () { within "$used" sh -c "dpkg-query -W -f '\${Package} \${db:Status-Status}\n' | sort"; }
# of what is installed: in /root only the virtual environment is
files () {
  within "$used" find / -xdev \( -path /var/cache -o -path /var/lib/apt -o -path '/root/[!v]*' \) -prune -o -print | grep -i robocache
}

# ---- what is made ----

make_packages () {
  fresh "$made" "$suite" "$arch" && put_source "$source" "$made" && within "$made" apt-get -q update \
    && ROBOCACHE_TOOLKIT=$toolkit within "$made" bash /root/robocache/examples/packaging/package.sh "${cuda[@]}" /root/packages
}

# a warning fails, too
lint () { install "$made" lintian && within "$made" sh -c 'lintian --allow-root --fail-on error,warning /root/packages/*.changes'; }

new_system () {
  fresh "$used" "$suite" "$arch" && within "$used" apt-get -q update && mkdir "$used/root/packages" || return 1
  case $way in
    # apt does not remove these where GStreamer brought them
    debs) cp "$made"/root/packages/*.deb "$used/root/packages" && install "$used" adduser systemd-sysv ;;
    wheel) cp "$folder"/wheel/*.whl "$used/root/packages" && install "$used" python3-venv &&
      within "$used" /usr/bin/python3 -m venv /root/venv && within "$used" /root/venv/bin/pip install --disable-pip-version-check numpy ;;
    source) put_source "$source" "$used" && within "$used" bash -c '. /root/robocache/examples/setup.sh; robocache_install python3-gi python3-numpy \
      python3-venv gir1.2-gstreamer-1.0 gobject-introspection libgirepository1.0-dev help2man gstreamer1.0-plugins-good' ;;
  esac
}

# ---- installing ----

install_debs () { within "$used" sh -c 'DEBIAN_FRONTEND=noninteractive apt-get -q install -y /root/packages/*.deb'; }
install_wheel () { as_user sh -c 'pip install --disable-pip-version-check "$(echo /root/packages/*.whl)[export]"'; }
# and the line for gst-launch-1.0. meson shows the script that prints it, and newer ones not what it prints.
install_source () {
  within "$used" sh -c 'meson setup /root/build /root/robocache --prefix=/opt/robocache --buildtype=release -Dcuda=disabled -Dtests=disabled \
    && ninja -C /root/build && ninja -C /root/build install' > "$folder/packages-$name.install" || { cat "$folder/packages-$name.install"; return 1; }
  read -ra gst_environment < <(sed -n 's/.*For this shell: export \([^"]*\).*/\1/p' "$folder/packages-$name.install")
  echo "${gst_environment[@]}"
  [ ${#gst_environment[@]} -eq 2 ] && environment+=("${gst_environment[@]}")
}

# one line that names the packages, where they are absent
says_what_is_missing () {
  local said line
  said=$(as_user robocache-align --help 2>&1)
  echo "$said"
  line=$(sed -n 's/^robocache-align: .*: sudo apt-get install //p' <<< "$said")
  [ "$(wc -l <<< "$said")" = 1 ] && [ -n "$line" ] || return 1
  said=$(as_user python -c 'import robocache; robocache.samples("robocachefuse")' 2>&1 | tail -1)
  echo "$said"
  [ "${said##*: sudo apt-get install }" = "$line" ] || return 1
  # shellcheck disable=SC2086
  install "$used" $line gstreamer1.0-plugins-good gstreamer1.0-tools
}
finds_its_plugin () {
  gst_environment=("$(as_user sh -c 'eval "$(python -m robocache)" && echo "GST_PLUGIN_PATH_1_0=$GST_PLUGIN_PATH_1_0"')")
  echo "${gst_environment[0]}"
  [[ ${gst_environment[0]} == GST_PLUGIN_PATH_1_0=/root/venv/* ]]
}

# ---- using ----

elements_are_there () { gst gst-inspect-1.0 robocachefuse && gst gst-inspect-1.0 robocachebagsrc && gst gst-inspect-1.0 robocachekinematics; }

robot () {
  as_user sh -c 'cd /root && robocache simulate' > "$folder/packages-$name.robot" || return 1
  cat "$folder/packages-$name.robot"
  grep -q '^proprio_0 *500 ' "$folder/packages-$name.robot" && [ -s "$used/root/voxels.png" ]
}

# the block below "One pipeline", without the line that finds a checkout; it ends by Ctrl-C
first_pipeline () {
  sed -n '/^## One pipeline/,/^## /{/^```sh/,/^```$/p}' "$source/README.md" | grep -v -e '^```' -e '^\. examples/env.sh' > "$used/root/pipeline.sh"
  grep -q 'gst-launch-1.0 robocachefuse' "$used/root/pipeline.sh" || return 1
  gst sh -c 'timeout -s INT 6 sh /root/pipeline.sh' > "$folder/packages-$name.pipeline"
  tail -3 "$folder/packages-$name.pipeline"
  grep -q 'caps = other/tensors.*3:640:480' "$folder/packages-$name.pipeline" && grep -q '921680 bytes' "$folder/packages-$name.pipeline"
}

# The commands of step 3 and the program of step 5, less the line that finds a checkout. What they print has each line of the page's tables.
tutorial () {
  local step=$used/root/tutorial
  mkdir "$step" && as_user robocache sample-data /root/tutorial || return 1
  sed -n '/^## 3/,/^## /{/^```sh$/,/^```$/p}' "$source/docs/tutorial.md" | grep -v -e '^```' -e '^\. examples/env.sh' > "$step/commands.sh"
  sed -n '/^## 5/,/^## /{/^```python/,/^```$/p}' "$source/docs/tutorial.md" | grep -v '^```' > "$step/read.py"
  sed -n '/^## [35]/,/^## /{/^```text$/,/^```$/p}' "$source/docs/tutorial.md" | grep -v '^```' > "$step/expected"
  as_user sh -c 'cd /root/tutorial && sh -e commands.sh && python3 read.py' > "$step/said" 2>&1
  cat "$step/said"
  [ "$(wc -l < "$step/expected")" -gt 15 ] && ! grep -Fxvf "$step/said" "$step/expected"
}

recordings () {
  printf 't,x\n0,0\n0.5,1\n1,2\n' > "$used/root/a.csv"
  [ "$(as_user robocache align --no-status --rate 2 -o - /root/a.csv | tail -n +3 | xargs)" = '0,0 500000000,1 1000000000,2' ] || return 1
  as_user sh -c 'cd /root && robocache align --rate 2 -o a.mcap a.csv && truncate -s -9 a.mcap && robocache recover a.mcap &&
    robocache report a.recovered.mcap && ls -s a.recovered.html && robocache inspect a.csv a.recovered.mcap &&
    robocache-estimate-offset --help'
}

# the package without which the wheel serves no viewers, where it did not come with GStreamer
says_what_viewers_need () {
  local package said
  package=$(as_user robocache doctor | sed -n '/^note *viewers/{n;s/.*→ sudo apt-get install //p}')
  echo "$package"
  if [ -n "$package" ]; then
    said=$(as_user robocache top --help 2>&1)
    echo "$said"
    [[ $said == "robocache-top: "*": sudo apt-get install $package" ]] && install "$used" "$package" || return 1
  fi
  as_user robocache doctor | grep '^ok *viewers'
}

# a live pipeline with a picture, whose server says so to robocache top
top () {
  local port=$((20000 + $$ % 20000))
  gst sh -c "gst-launch-1.0 -q robocachefuse name=fuse rate=30/1 ! robocachefoxglovesink port=$port robocachetestsrc is-live=true ! fuse.proprio_0 &
    for attempt in 1 2 3 4 5 6 7 8 9 10; do robocache top --once localhost:$port && kill \$! && exit; sleep 1; done; kill \$!; exit 1" \
    > "$folder/packages-$name.top" 2>&1
  cat "$folder/packages-$name.top"
  grep -q '^ *proprio_0 ' "$folder/packages-$name.top"
}

doctor () { as_user robocache --version && as_user robocache doctor; }

recorder () { as_user robocache export --help && as_user sh -c 'cd /root && echo quit | robocache record robot.mcap --simulated && ls -s robot.mcap'; }

# a bag of ROS 2 as rosbags writes it, to a set
exporter () {
  cat > "$used/root/bag.py" <<'END'
import numpy as np
from rosbags.rosbag2 import Writer
from rosbags.typesys import Stores, get_typestore
types = get_typestore(Stores.ROS2_HUMBLE)
Joints, Header, Time = (types.types[name] for name in ("sensor_msgs/msg/JointState", "std_msgs/msg/Header", "builtin_interfaces/msg/Time"))
with Writer("/root/bag", version=8) as bag:
    topics = [bag.add_connection(topic, Joints.__msgtype__, typestore=types) for topic in ("/joint_states", "/command")]
    for k in range(200):
        ns = 1_700_000_000_000_000_000 + k * 10_000_000
        row = Joints(Header(Time(ns // 10**9, ns % 10**9), ""), ["a", "b"], np.array([k, 2.0]), np.zeros(0), np.zeros(0))
        for topic in topics:
            bag.write(topic, ns, types.serialize_cdr(row, Joints.__msgtype__))
END
  within "$used" sh -c 'python3 -m venv /root/rosbags && /root/rosbags/bin/pip -q install rosbags &&
    /root/rosbags/bin/python /root/bag.py' || return 1
  as_user sh -c 'cd /root && robocache export bag --suggest > robot.toml && cat robot.toml && robocache export bag --mapping robot.toml --output set &&
    cat set/meta/info.json' > "$folder/packages-$name.export" || { cat "$folder/packages-$name.export"; return 1; }
  cat "$folder/packages-$name.export"
  grep -q '"total_episodes": *1' "$folder/packages-$name.export" && ls "$used"/root/set/data/*/*.parquet
}

# The programs, the plugin and Python have one GLib, the system's, and all their libraries.
one_glib () {
  cat > "$used/root/glib.py" <<'END'
import pathlib, subprocess, sys
import robocache
sample = next(iter(robocache.samples("robocachefuse name=fuse rate=10/1 robocachetestsrc num-buffers=9 ! fuse.proprio_0")))
loaded = {line.split()[-1] for line in open("/proc/self/maps") if any(name in line for name in ("libglib-2", "libgobject-2", "libgstreamer-1"))}
linked, absent = set(), []
for file in pathlib.Path(sys.argv[1]).rglob("*"):
    if "robocache" in str(file) and file.is_file() and not file.is_symlink() and file.open("rb").read(4) == b"\x7fELF":
        for line in subprocess.run(["ldd", file], capture_output=True, text=True).stdout.splitlines():
            linked |= {str(pathlib.Path(line.split()[2]).resolve())} if "libglib-2" in line else set()
            absent += [f"{file}: {line}"] * ("not found" in line)
print(sample.tensors["proprio_0"].shape, *sorted(loaded), *linked, *absent, sep="\n")
sys.exit(len(loaded) != 3 or len(linked) != 1 or not linked <= loaded or bool(absent))
END
  as_user python3 /root/glib.py "$installed"
}

for_applications () {
  within "$used" sh -c 'ls /usr/share/man/man1/robocache-align.1.gz /usr/lib/*/girepository-1.0/Robocache-1.0.typelib \
    /usr/include/robocache-1.0/robocache/robocache.h /usr/share/doc/robocache' \
    && install "$used" pkg-config && within "$used" pkg-config --exists --print-errors robocache-1.0
}

# ---- uninstalling ----

purge () {
  within "$used" sh -c "dpkg-query -W -f '\${Package}\n' | grep robocache | xargs env DEBIAN_FRONTEND=noninteractive apt-get -q purge -y" &&
    within "$used" env DEBIAN_FRONTEND=noninteractive apt-get -q purge -y pkg-config &&
    within "$used" env DEBIAN_FRONTEND=noninteractive apt-get -q autoremove --purge -y \
      -o APT::AutoRemove::RecommendsImportant=false -o APT::AutoRemove::SuggestsImportant=false
}
uninstall () { if [ "$way" = wheel ]; then as_user pip uninstall -y robocache; else within "$used" ninja -C /root/build uninstall; fi; }
# with debs not even of what came with them
nothing_is_left () { ! files && { [ "$way" != debs ] || packages | diff "$before" -; }; }

if [ "$way" = debs ]; then
  check packages_are_made make_packages && check lintian_accepts_them lint
elif [ "$way" = wheel ] && ! compgen -G "$folder/wheel/*.whl" > /dev/null; then
  check wheel_is_made make_wheel "$source" "$folder/wheel"
fi
[ $failed -eq 0 ] && check new_system new_system && packages > "$before" && check installs "install_$way" || exit 1
if [ "$way" = wheel ]; then
  check says_what_is_missing says_what_is_missing
  check finds_its_plugin finds_its_plugin
  check says_what_viewers_need says_what_viewers_need
fi
check elements_are_there elements_are_there
check doctor doctor
check robot robot
check first_pipeline first_pipeline
check tutorial tutorial
check recordings recordings
check recorder recorder
check top top
check exporter exporter
if [ "$way" = debs ]; then
  check for_applications for_applications
fi
[ "$way" = source ] || check one_glib one_glib
if [ "$way" = debs ]; then check uninstalls purge; else check uninstalls uninstall; fi
check nothing_is_left nothing_is_left
[ $failed -ne 0 ] || rm -rf "$made" "$used"
exit $failed
