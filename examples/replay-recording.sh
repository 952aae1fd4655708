#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A recording (CSV) replayed live: each row at its time of arrival, stamped with its time of capture. Prints a line a row.
#
#   replay-recording.sh CSV CAPTURE_COLUMN ARRIVAL_COLUMN [UNIT]
#
# Columns count from 0. UNIT of both times: s (default), ms, us or ns.
set -euo pipefail
if [ $# -lt 3 ]; then sed -n '3,7s/^# \{0,1\}//p' "$0"; exit 2; fi
. "$(dirname "$0")/env.sh"
gst-launch-1.0 -v filesrc location="$1" \
  ! robocacheparse time-column="$2" arrival-column="$3" time-unit="${4:-s}" \
  ! fakesink sync=false silent=false | sed -n 's/.*last-message = chain.*(\([0-9]* bytes\),.* \(pts: [0-9:.]*\),.*/\2, \1/p'
