#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Finds the delay between two recordings of the same motion, and prints it as the `offset` of the second one's pad. Builds the
# program first.
#
#   estimate-offset.sh FILE[,key=value...] FILE[,key=value...] [OPTION...]
#
# as in: estimate-offset.sh imu.csv,channels=gx,gy,gz odometry.csv,channels=wx,wy,wz --range 500ms
set -euo pipefail
if [ $# -lt 1 ]; then sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 2; fi
. "$(dirname "$0")/setup.sh"
robocache_run robocache-estimate-offset "$@"
