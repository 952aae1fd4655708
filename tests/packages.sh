#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# packages.sh [SUITE]: makes the Debian packages in a fresh system (bookworm), installs them in another, runs README's first
# pipelines there, and purges them. Prints PASS or FAIL for each case.
#
# Run by hand. It takes root, debootstrap and minutes; chroot.sh says what it reads from the environment. lintian runs where the
# packages are made. Logs are beside the systems, which are removed if all cases pass.
set -uo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=chroot.sh
. "$source/tests/chroot.sh"
suite=${1:-bookworm} arch=$(dpkg --print-architecture) failed=0
made=$folder/packages-made used=$folder/packages-used log=$folder/packages.log
: > "$log"

# check NAME COMMAND...: prints a line; the output goes to the log
check () {
  printf '== %s\n' "$1" >> "$log"
  if "${@:2}" >> "$log" 2>&1; then echo "PASS $1"; else echo "FAIL $1: see $log"; failed=1; return 1; fi
}

install () { within "$1" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y "${@:2}"; }
packages () { within "$used" sh -c "dpkg-query -W -f '\${Package} \${db:Status-Status}\n' | sort"; }
files () { within "$used" sh -c "find / -xdev -path /var/cache -prune -o -path /var/lib/apt -prune -o -path /root -prune -o -print | grep -i robocache"; }

make_packages () {
  fresh "$made" "$suite" "$arch" && put_source "$source" "$made" && within "$made" apt-get -q update \
    && within "$made" env ROBOCACHE_CUDA=no bash /root/robocache/examples/packaging/package.sh /root/packages
}

# a warning fails, too
lint () { install "$made" lintian && within "$made" sh -c 'lintian --allow-root --fail-on error,warning /root/packages/*.changes'; }

new_system () {
  fresh "$used" "$suite" "$arch" && mkdir "$used/root/packages" \
    && cp "$made"/root/packages/*.deb "$used/root/packages" && rm -f "$used"/root/packages/*-dbgsym_* \
    && within "$used" apt-get -q update && packages > "$folder/packages-before"
}

install_packages () { within "$used" sh -c 'DEBIAN_FRONTEND=noninteractive apt-get -q install -y /root/packages/*.deb'; }

elements_are_there () { within "$used" gst-inspect-1.0 robocachefuse && within "$used" gst-inspect-1.0 robocachemcapdemux; }

robot () {
  within "$used" sh -c 'cd /root && robocache-simulated-robot' > "$folder/packages-robot" || return 1
  cat "$folder/packages-robot"
  grep -q '^proprio_0 *500 ' "$folder/packages-robot" && [ -s "$used/root/voxels.png" ]
}

# the block below "One pipeline", without the line that finds a checkout; it ends by Ctrl-C
first_pipeline () {
  sed -n '/^## One pipeline/,/^## /{/^```sh/,/^```$/p}' "$source/README.md" | grep -v -e '^```' -e '^\. examples/env.sh' > "$used/root/pipeline.sh"
  grep -q 'gst-launch-1.0 robocachefuse' "$used/root/pipeline.sh" || return 1
  within "$used" sh -c 'timeout -s INT 6 sh /root/pipeline.sh' > "$folder/packages-pipeline"
  tail -3 "$folder/packages-pipeline"
  grep -q 'caps = other/tensors.*3:640:480' "$folder/packages-pipeline" && grep -q '921680 bytes' "$folder/packages-pipeline"
}

recordings () {
  printf 't,x\n0,0\n0.5,1\n1,2\n' > "$used/root/a.csv"
  [ "$(within "$used" robocache-align --no-status --rate 2 -o - /root/a.csv | tail -n +2 | xargs)" = '0,0 500000000,1 1000000000,2' ] || return 1
  within "$used" sh -c 'cd /root && robocache-align --rate 2 -o a.mcap a.csv && truncate -s -9 a.mcap && robocache-recover a.mcap &&
    robocache-report a.recovered.mcap && ls -s a.recovered.html'
}

# without packages of PyPI, as these take a network
python_programs () {
  within "$used" robocache-export --help && within "$used" sh -c 'cd /root && echo quit | robocache-record robot.mcap --simulated && ls -s robot.mcap' &&
    within "$used" python3 -c 'import robocache.record'
}

for_applications () {
  within "$used" sh -c 'ls /usr/share/man/man1/robocache-align.1.gz /usr/lib/*/girepository-1.0/Robocache-1.0.typelib \
    /usr/include/robocache-1.0/robocache/robocache.h /usr/share/doc/robocache' \
    && install "$used" pkg-config && within "$used" pkg-config --exists --print-errors robocache-1.0
}

purge () {
  within "$used" sh -c "dpkg-query -W -f '\${Package}\n' | grep robocache | xargs env DEBIAN_FRONTEND=noninteractive apt-get -q purge -y" &&
    within "$used" env DEBIAN_FRONTEND=noninteractive apt-get -q purge -y pkg-config &&
    within "$used" env DEBIAN_FRONTEND=noninteractive apt-get -q autoremove --purge -y \
      -o APT::AutoRemove::RecommendsImportant=false -o APT::AutoRemove::SuggestsImportant=false
}

# not even of what came with them
nothing_is_left () { ! files && packages | diff "$folder/packages-before" -; }

check packages_are_made make_packages && check lintian_accepts_them lint
[ $failed -eq 0 ] && check new_system new_system && check they_install install_packages || exit 1
check elements_are_there elements_are_there
check robot robot
check first_pipeline first_pipeline
check recordings recordings
check python_programs python_programs
check for_applications for_applications
check they_purge purge
check nothing_is_left nothing_is_left
[ $failed -ne 0 ] || rm -rf "$made" "$used"
exit $failed
