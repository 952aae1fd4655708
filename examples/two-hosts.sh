#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sends sensors from one host and fuses them on another, by gdp over TCP, then by RTP, and measures the alignment error. Both
# ends run here: in two network namespaces if they can be made and entered, else over loopback. Delay is 20 ms and loss
# 1 %: the kernel's (netem) where it has that, or else the sender's. docs/howto/two-hosts.md has the commands for two hosts.
#
#   two-hosts.sh [--seconds N] [--transport tcp|rtp] [--loopback] [--port N]
set -euo pipefail
seconds=8 transports=(tcp rtp) loopback='' port=5600
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=${2:?--seconds N}; shift 2 ;;
    --transport) transports=("${2:?--transport tcp or rtp}"); shift 2 ;;
    --port) port=${2:?--port N}; shift 2 ;;
    --loopback) loopback=yes; shift ;;
    *) sed -n '3,7s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
done
root=$(CDPATH="" cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/examples/setup.sh"
. "$root/examples/env.sh"
build=${ROBOCACHE_BUILD_DIR:-$root/build}
# rtp, rtpmanager and udp are of the good plugins, gdp of the bad ones
robocache_install gstreamer1.0-plugins-good gstreamer1.0-plugins-bad iproute2
robocache_build "$build" programs

sensors=robocache-sensors-$$ fusion=robocache-fusion-$$ cable=rc$$
remove_namespaces () {
  ip netns del "$sensors" || true       # which was perhaps never made
  ip netns del "$fusion" || true
} 2>/dev/null
# 192.0.2.0/24 is for examples, and no network of this machine
make_namespaces () {
  ip netns add "$sensors" && ip netns exec "$sensors" true && ip netns add "$fusion" \
    && ip link add "${cable}s" netns "$sensors" type veth peer name "${cable}f" netns "$fusion" \
    && ip -n "$sensors" addr add 192.0.2.1/24 dev "${cable}s" && ip -n "$fusion" addr add 192.0.2.2/24 dev "${cable}f" \
    && ip -n "$sensors" link set "${cable}s" up && ip -n "$fusion" link set "${cable}f" up
} 2>/dev/null
make_network_bad () {
  tc -n "$sensors" qdisc add dev "${cable}s" root netem delay 20ms loss 1% \
    && tc -n "$fusion" qdisc add dev "${cable}f" root netem delay 20ms loss 1%
} 2>/dev/null

on_sensors=() on_fusion=() address=127.0.0.1 bad=(--delay 20ms --loss 0.01)
where='over loopback' by='by the sender, of rows'
trap remove_namespaces EXIT
if [ -z "$loopback" ] && make_namespaces; then
  on_sensors=(ip netns exec "$sensors") on_fusion=(ip netns exec "$fusion") address=192.0.2.2
  where='between two network namespaces'
  if make_network_bad; then bad=() by='by the kernel, either way'; fi
fi
echo "Network: $where; 20 ms of delay and 1 % of loss $by"

status=0
for transport in "${transports[@]}"; do
  # the sender's clock needs a moment until it agrees
  common=(--transport "$transport" --base-time $(($(date +%s) + 5)) --seconds "$seconds" --port "$port")
  coproc RECEIVER { exec "${on_fusion[@]}" "$build/examples/tools/robocache" two-hosts receiver --listen "$address" "${common[@]}"; }
  receiver=$RECEIVER_PID
  exec {from_receiver}<&"${RECEIVER[0]}"
  if read -r line <&"$from_receiver" && [ "$line" = 'receiver: ready' ]; then
    echo
    "${on_sensors[@]}" "$build/examples/tools/robocache" two-hosts sender "${common[@]}" --receiver "$address" --own-clock "${bad[@]}" || status=1
    cat <&"$from_receiver"
  fi
  exec {from_receiver}<&-
  wait "$receiver" || status=1
done
exit $status
