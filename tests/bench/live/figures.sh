#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# figures.sh BENCH-RECEIVE [SECONDS [ROUNDS]]: receivers of live topics by turns, beside one publisher of rclpy, on a network of their own.
# Python is that of an environment with rclpy (tests/recordings/venv.sh FOLDER-jazzy), in the variable PYTHON. The receiver with message_filters
# runs if that is on PYTHONPATH. Prints for each receiver the median of its rounds: messages, lost, p50 and p99 in us; CPU in us a message.
set -euo pipefail
if [ -z "${IN_NETWORK-}" ]; then
  exec env IN_NETWORK=1 ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST ROS_DOMAIN_ID=31 unshare -n bash "$0" "$@"
fi
ip link set lo up
here=$(cd "$(dirname "$0")" && pwd) program=$1 seconds=${2:-60} rounds=${3:-3}
receivers=(reader element subscribe)
"$PYTHON" -c 'import message_filters' 2> /dev/null && receivers+=(approximate)
folder=$(mktemp -d)
trap 'kill -KILL $publisher; wait 2> /dev/null; rm -rf "$folder"' EXIT
"$PYTHON" -B "$here/nodes.py" publish 1000000 & publisher=$!
for ((round = 0; round < rounds; round++)); do
  for receiver in "${receivers[@]}"; do
    case $receiver in
      reader | element) "$program" "$receiver" "$seconds" ;;
      *) "$PYTHON" -B "$here/nodes.py" "$receiver" "$seconds" ;;
    esac > "$folder/$receiver.$round"
  done
done
for receiver in "${receivers[@]}"; do
  for what in /joints /imu /image /points cpu; do
    # medians of each column
    grep -h "^$what " "$folder/$receiver".* | "$PYTHON" -c '
import statistics, sys
rows = [line.split()[1:] for line in sys.stdin]
print(sys.argv[1], *(f"{statistics.median(map(float, column)):g}" for column in zip(*rows)))' "$receiver $what"
  done
done
