#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# live.sh SIMULATED_ROBOT: ten seconds of a live robot, and a clean end.
set -uo pipefail

said=$("$1" --seconds 10 --cloud-seconds 2 2>&1 </dev/null)
status=$?
if [ "$status" -eq 0 ]; then
  echo "PASS ten_seconds_live"
else
  printf '%s\n' "$said"
  echo "FAIL ten_seconds_live: exit status $status"
fi
# 500 ticks at 50 Hz, one more or less at either end
ticks=$(printf '%s\n' "$said" | sed -n 's/^ticks: \([0-9]*\) out.*/\1/p')
if [ "${ticks:-0}" -ge 495 ] && [ "$ticks" -le 502 ]; then
  echo "PASS a_tick_every_20_ms"
else
  echo "FAIL a_tick_every_20_ms: ${ticks:-no} ticks in 10 s"
  status=1
fi
exit "$status"
