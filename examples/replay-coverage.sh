#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What latency buys: recordings with a column of arrival times, replayed live into robocachefuse with each of several
# latencies, and how many ticks it aligned. Builds what it needs.
#
#   replay-coverage.sh --rate 20 --time-column stamp_ns --arrival-column arrival_ns FILE[,key=value...]... [OPTION...]
set -euo pipefail
if [ $# -lt 1 ]; then sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 2; fi
. "$(dirname "$0")/setup.sh"
robocache_run replay-coverage "$@"
