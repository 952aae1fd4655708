#!/bin/bash
# robocache: sets everything up, builds, and runs the main job: a simulated robot live, or recordings aligned.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail
root=$(CDPATH="" cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

case ${1-} in
  -h | --help)
    cat <<'END'
quickstart.sh                            a simulated robot, live for five seconds: camera, joints and forces on common
                                         ticks, then point clouds into voxel grids; a report of the run, report.html, and a
                                         picture, voxels.png, replace those of the run before; while it runs, it is a web
                                         page whose address is printed
quickstart.sh joints.csv torque.csv …    aligns recordings, one stream per file, and writes aligned.csv once it is complete,
                                         and aligned.html beside it, a report
quickstart.sh run.mcap                   aligns the topics of a recording of ROS 2, one stream per topic
quickstart.sh bag/                       the same of the folder of a bag, or of its .db3 file
  --rate 100                             ticks per second, a number or a fraction
  --output FILE                          write to FILE: CSV, or MCAP if its name ends in .mcap; - is standard output
  --overwrite                            replace files that exist
  --build                                only installs and builds, for the other pages
  --help                                 all options, once it is built

The first run installs what is missing with apt, and builds in ./build (or in $ROBOCACHE_BUILD_DIR).
END
    robocache=${ROBOCACHE_BUILD_DIR:-$root/build}/examples/tools/robocache
    [ ! -x "$robocache" ] || { echo; "$robocache" align --help; }
    exit 0
    ;;
esac

# shellcheck source=setup.sh
. "$root/examples/setup.sh"
# shellcheck source=env.sh
. "$root/examples/env.sh"
build=${ROBOCACHE_BUILD_DIR:-$root/build}
robocache=$build/examples/tools/robocache
# for the picture
robocache_install gstreamer1.0-plugins-good
robocache_build "$build" "$(robocache_gpu_options)" programs

case ${1-} in
  '')
    view=()
    [[ $("$robocache" --version) != *view=yes* ]] || view=(--view)
    exec "$robocache" simulate --overwrite --urdf "$root/examples/arm.urdf" --tool tool "${view[@]}"
    ;;
  --build) exec "$robocache" --version ;;
  *) exec "$robocache" align "$@" ;;
esac
