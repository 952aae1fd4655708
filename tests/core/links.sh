#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Checks that the core of robocachefuse needs no GStreamer, and has neither a thread nor a clock. Prints PASS or FAIL for each case.
#
#   links.sh CORE_LIBRARY ROWS_LIBRARY PROGRAM
set -uo pipefail
core=$1 rows=$2 program=$3 failed=0

# undefined symbols of a library
needs () { nm -u "$1" | sed -n 's/^ *U //p' | sort -u; }

# none NAME WORDS...: there are none
none () {
  if [ -z "${*:2}" ]; then echo "PASS $1"; else echo "FAIL $1: ${*:2}"; failed=1; fi
}

[ -n "$(needs "$core")" ] || { echo "FAIL $core has no symbols"; exit 1; }
for library in "$core" "$rows"; do
  # shellcheck disable=SC2046
  none "$(basename "$library") needs no GStreamer and no GObject" $(needs "$library" | grep -E '^_?(gst|g_object|g_type|g_value|g_signal)_')
  # shellcheck disable=SC2046
  none "$(basename "$library") has no thread, lock, clock or wait" \
    $(needs "$library" | grep -E '^(g_(mutex|rec_mutex|rw_lock|cond|thread|once|get_monotonic_time|get_real_time|usleep|timeout|main|idle)|pthread_|clock_|time$|gettimeofday|nanosleep|sleep|usleep|poll|select)')
done
# shellcheck disable=SC2046
none "$(basename "$program") links GLib alone" $(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(libglib-2\.0|libc|libm|ld-linux.*|libasan|libubsan|libtsan|libpthread|libgcc_s)\.so')
# shellcheck disable=SC2046
none "$(basename "$program") has no function of GStreamer" $(nm "$program" | grep -oE ' _?gst_[a-z0-9_]*' | sort -u)
exit $failed
