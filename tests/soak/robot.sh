#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# robot.sh [SECONDS [LATE_LIMIT_MS [SEED]]]: a live simulated robot with all faults on, for an hour unless told otherwise. Memory
# stays flat, every counter adds up, and no tick leaves more than 5 ms after its time and the latency. Builds what it needs
# in build-soak, or uses the program in $SOAK_ROBOT.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

if [ -z "${SOAK_ROBOT:-}" ]; then
  # shellcheck source=../../examples/setup.sh
  . "$root/examples/setup.sh"
  robocache_build "$root/build-soak" gst/libgstrobocache.so tests/soak/robot || exit 1
  SOAK_ROBOT=$root/build-soak/tests/soak/robot
  export GST_PLUGIN_PATH_1_0=$root/build-soak/gst GST_REGISTRY_1_0=$root/build-soak/registry.bin
fi
# few arenas, so that what threads leave behind is not taken for a leak
export G_DEBUG=fatal-criticals MALLOC_ARENA_MAX=2
exec "$SOAK_ROBOT" "${1:-3600}" "${2:-5}" ${3:+"$3"}
