#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# threads.sh [SECONDS]: ThreadSanitizer on pads that are added, removed, flushed and seeked, and properties that are set and
# read, from threads of their own, for 60 s unless told otherwise. Before that, that it finds races, and only races; batches and uploads
# that threads share; and topics of ROS 2, whose messages come from threads of DDS.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$root/build-threads
# shellcheck source=../../examples/setup.sh
. "$root/examples/setup.sh"
checks=(device_threadpool rows_episodes resample_batch voxelize_batch)
if pkg-config --exists CycloneDDS; then checks+=(dds_dds rossink_rossink rossrc_definition rossrc_disturbed rossrc_rossrc); fi
robocache_build "$build" -Dcuda=disabled -Dexamples=disabled -Db_sanitize=thread -Db_lundef=false \
  robocache-plugin tests/soak/{threads,races} "${checks[@]/#/tests/soak/}" || exit 1

# memory passes from thread to thread by malloc, which the sanitizer knows; the plugin scanner could not load us
export G_DEBUG=fatal-criticals G_SLICE=always-malloc GST_REGISTRY_FORK=no GST_REGISTRY_1_0=$build/registry.bin \
  GST_PLUGIN_PATH_1_0=$build/gst GST_PLUGIN_SYSTEM_PATH_1_0=$build/tests/plugins
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 suppressions=$root/tests/soak/tsan.supp"
failed=0

# expect NAME STATUS: races NAME ends with that status, which is 66 where there is a race
expect() {
  local said status
  said=$("$build/tests/soak/races" "$1" 2>&1 </dev/null)
  status=$?
  if [ "$status" -eq "$2" ]; then
    echo "PASS races_$1"
  else
    printf '%s\n' "$said"
    echo "FAIL races_$1: exit status $status, not $2"
    failed=1
  fi
}
for name in unprotected another-lock one-side-only; do expect $name 66; done
for name in mutex recursive-mutex object-lock writer-lock condition; do expect $name 0; done

for name in "${checks[@]}"; do
  said=$(CK_FORK=no CK_DEFAULT_TIMEOUT=200 "$build/tests/soak/$name" 2>&1 </dev/null)
  case $? in
    0) echo "PASS ${name}_without_a_race" ;;
    77) echo "SKIP ${name}_without_a_race: $said" ;;
    *)
      printf '%s\nFAIL %s_without_a_race\n' "$said" "$name"
      failed=1
      ;;
  esac
done

if said=$(ROBOCACHE_STRESS_SECONDS=${1:-60} "$build/tests/soak/threads" 2>&1 </dev/null); then
  printf '%s\nPASS threads_without_a_race\n' "$said"
else
  printf '%s\nFAIL threads_without_a_race\n' "$said"
  failed=1
fi
exit $failed
