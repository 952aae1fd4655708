#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shows a recording as a page of HTML: rates, gaps, jitter, ages and signals of its streams, and the lag of its ticks. Builds the
# program first.
#
#   report.sh RECORDING.mcap [--output FILE]
#
# as in: report.sh run.mcap --output run.html
set -euo pipefail
if [ $# -lt 1 ]; then sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 2; fi
. "$(dirname "$0")/setup.sh"
robocache_run robocache-report "$@"
