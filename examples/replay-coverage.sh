#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Replays recordings with a column of arrival times into a live robocachefuse with each of several latencies, and tabulates how
# many ticks it aligns. Builds the program first.
#
#   replay-coverage.sh --rate 20 --time-column stamp_ns --arrival-column arrival_ns FILE[,key=value...]... [OPTION...]
set -euo pipefail
if [ $# -lt 1 ]; then sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 2; fi
. "$(dirname "$0")/setup.sh"
robocache_run robocache-replay-coverage "$@"
