#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Replays a recording (CSV) live: each row at its time of arrival, stamped with its time of capture. Prints one line per row.
#
#   replay-recording.sh CSV CAPTURE_COLUMN ARRIVAL_COLUMN [UNIT]
#
# Columns count from 0. UNIT of both times: s, ms, us or ns (the one in the name of the capture column, or else s).
set -euo pipefail
if [ $# -lt 3 ]; then sed -n '3,7s/^# \{0,1\}//p' "$0"; exit 2; fi
. "$(dirname "$0")/pipeline.sh"
check_inputs "$1"
gst-launch-1.0 -v filesrc location="$(quoted "$1")" \
  ! robocacheparse time-column="$(quoted "$2")" arrival-column="$(quoted "$3")" ${4:+time-unit="$(quoted "$4")"} \
  ! fakesink sync=false silent=false | sed -n 's/.*last-message = chain.*(\([0-9]* bytes\),.* \(pts: [0-9:.]*\),.*/\2, \1/p'
