#!/bin/bash
# robocache: rows of one host are fused on another by their times of capture, whatever the network does to them
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/cases.sh"
seconds=5

installed two_hosts gstreamer1.0-plugins-good gstreamer1.0-plugins-bad iproute2 || exit 0

# free_ports N: the first of six that nobody has, N times and never the same
free_ports () {
  local first port free n=$1
  for first in $(shuf -i 2000-5000 -n 50); do
    first=$((first * 6)) free=yes
    for port in $(seq "$first" $((first + 5))); do
      ! ss -Htuln "sport = :$port" | grep -q . || free=''
    done
    [ -z "$free" ] || { echo "$first"; n=$((n - 1)); }
    [ "$n" -gt 0 ] || return
  done
}

# ms_after PATTERN TEXT: the number of ms that comes after it, in us
ms_after () { sed -n "s/^$1 \([0-9]*\)\.\([0-9]\{3\}\) ms.*/\1\2/p" <<<"$2" | sed 's/^0*\([0-9]\)/\1/'; }

# us WHAT TEXT STREAM: the error of a stream, in us
us () { ms_after "alignment error of $3: .*$1" "$2"; }

# fused NAME TEXT MEDIAN_US WORST_US: that it was aligned, that it adds up, and how exact it is, the clock's own error aside:
# on a busy machine an answer to what time it is can be long on its way, and then it is wrong; by how much the sender says
fused () {
  local stream clock
  clock=$(ms_after 'sender: when rows were captured the shared clock was at most' "$2")
  for stream in joints force; do
    expect_within "$1_$stream" "$(us median "$2" $stream)" 0 $((clock + $3))
    expect_within "$1_${stream}_nearly_all" "$(us '99 %' "$2" $stream)" 0 $((clock + $4))
    expect_within "$1_${stream}_aligned" "$(sed -n "s/^alignment error of $stream: .* of \([0-9]*\) ticks$/\1/p" <<<"$2")" \
      $((50 * seconds / 2)) $((50 * seconds))
  done
  expect "$1_rows_add_up" "$(rows_add_up "$2")" "2 0"
}
# sent TEXT STREAM: rows that robocachefuse had, packets that were lost and rows without a time
sent () {
  awk -v stream="$2" '$1 == stream && $2 ~ /^[0-9]/ { n += $2 } $1 == stream ":" { n += $2 + $5 } END { print n }' <<<"$1"
}

# what the scripts would do, but one at a time
(. "$examples/setup.sh"; robocache_build "$ROBOCACHE_BUILD_DIR" gst/libgstrobocache.so examples/tools/robocache-two-hosts) 2>/dev/null

# at once, since each takes its time: the two transports, and what becomes of RTP when rows are stamped as they arrive
mapfile -t ports < <(free_ports 3)
bash "$examples/two-hosts.sh" --loopback --seconds $seconds --transport tcp --port "${ports[0]}" > tcp.txt 2>tcp.errors &
tcp=$!
common=(--transport rtp --base-time $(($(date +%s) + 5)) --seconds $seconds --port "${ports[2]}")
if [ "$(gst-inspect-1.0 rtpbin | grep -c add-reference-timestamp-meta)" -gt 0 ]; then
  bash "$examples/two-hosts.sh" --loopback --seconds $seconds --transport rtp --port "${ports[1]}" > rtp.txt 2>rtp.errors &
  rtp=$!
  "$programs/robocache-two-hosts" receiver "${common[@]}" --arrival-times > arrival.txt 2>arrival.errors &
  arrival=$!
  "$programs/robocache-two-hosts" sender "${common[@]}" --receiver 127.0.0.1 --own-clock --delay 40ms > sender.txt 2>&1
  expect sender "$?" 0
  wait $arrival
  expect arrival "$? $(cat arrival.errors)" "0 "
  wait $rtp
  expect rtp "$? $(cat rtp.errors)" "0 "
  said=$(cat rtp.txt)
  fused rtp "$said" 2000 5000
  # but for those at the end, of which no later packet tells
  expect_within rtp_joints_are_counted "$(sent "$said" joints)" $((100 * seconds - 10)) $((100 * seconds))
  expect_within rtp_force_is_counted "$(sent "$said" force)" $((250 * seconds - 10)) $((250 * seconds))
  expect_within rtp_loses_packets "$(sed -n 's/^force: \([0-9]*\) packets lost.*/\1/p' <<<"$said")" 1 60
  # the way of the packets shows when nobody says when they set out
  expect_within arrival_times_are_wrong "$(us median "$(cat arrival.txt)" joints)" 10000 1000000
else
  program=robocache-two-hosts
  refuse rtp_of_1_20 '^error: --transport rtp: rtpbin needs GStreamer 1.22 for times of capture; use --transport tcp$' \
    receiver "${common[@]}"
fi
wait $tcp
expect tcp "$? $(cat tcp.errors)" "0 "
expect says_which_network "$(head -1 tcp.txt)" 'Network: over loopback; 20 ms of delay and 1 % of loss by the sender, of rows'
said=$(cat tcp.txt)
fused tcp "$said" 1000 5000
expect tcp_loses_nothing "$(sent "$said" joints) $(sent "$said" force)" "$((100 * seconds)) $((250 * seconds))"

# between namespaces, if they can be made and entered
ip netns add "robocache-test-$$" 2>errors.txt && ip netns exec "robocache-test-$$" true 2>errors.txt
can_enter=$?
ip netns del "robocache-test-$$" 2>/dev/null
if [ $can_enter -eq 0 ]; then
  bash "$examples/two-hosts.sh" --seconds $seconds --transport tcp > namespaces.txt 2>errors.txt &
  script=$!
  wait $script
  expect namespaces "$? $(cat errors.txt)" "0 "
  said=$(cat namespaces.txt)
  expect_match namespaces_are_said "$said" '^Network: between two network namespaces; 20 ms of delay and 1 % of loss by the '
  fused namespaces "$said" 1000 5000
  expect namespaces_are_gone "$(ip netns list | grep -c -- "^robocache-.*-$script\>")" 0
else
  echo "SKIP namespaces: $(head -1 errors.txt)"
fi

program=robocache-two-hosts
refuse no_role '^error: expected one argument, sender or receiver'
refuse sender_without_receiver '^error: --receiver: expected the address' sender
refuse receiver_with_receiver '^error: --receiver: expected the address' receiver --receiver 127.0.0.1
refuse receiver_of_elements '^error: --receiver 127.0.0.1 ! fakesink: expected the name or the IP address of the fusing host$' \
  sender --receiver '127.0.0.1 ! fakesink'
refuse sender_that_listens '^error: --listen: expected for the receiver only$' sender --receiver 127.0.0.1 --listen 127.0.0.1
refuse listen_name '^error: --listen fusion: expected an IP address of this host' receiver --listen fusion
refuse listen_elements '^error: --listen ::1%a ! fakesink: expected an IP address' receiver --listen '::1%a ! fakesink'
refuse listen_elsewhere '^error: the clock cannot be served at 192.0.2.77, UDP port 5600; is the address this host.s' \
  receiver --transport tcp --base-time 1 --listen 192.0.2.77
refuse transport '^error: --transport carrier-pigeon: expected tcp or rtp$' receiver -t carrier-pigeon
refuse clock '^error: --clock sundial: expected net, ptp or system$' receiver -t tcp -c sundial
refuse base_time '^error: --base-time noon: expected seconds on the shared clock' receiver -t tcp -b noon
refuse seconds '^error: --seconds 0, --port 5600: expected 1 to 86400 and 1024 to 65500$' receiver -t tcp -b 1 -s 0
refuse loss '^error: --loss 2: expected 0 to less than 1$' receiver -t rtp -b 1 --loss 2
refuse delay '^error: --delay long: expected a time' receiver -t rtp -b 1 --delay long
bash "$examples/two-hosts.sh" --fast > usage.txt
expect usage "$? $(grep -c 'two-hosts.sh \[--seconds N\]' usage.txt)" "2 1"
exit $failed
