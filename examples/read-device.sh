#!/bin/bash
# robocache: reads rows of text from a device and prints their times on the pipeline's clock
#
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   read-device.sh serial DEVICE           a serial port, 115200 baud, such as /dev/ttyACM0
#   read-device.sh udp [ADDRESS:]PORT      datagrams with whole lines; ADDRESS is 127.0.0.1
#   read-device.sh unix SOCKET             a stream socket; it needs socat
#
# A row is a line: the sensor's time in microseconds, then its numbers, separated by commas. Ctrl-C ends it.
#
# Times: the sensor's clock says how far rows are apart, and clock-mode=track maps it to the pipeline's clock by their arrivals. So a
# row's time is that of its capture plus the smallest delay of its way. do-timestamp instead would be the time of arrival, with jitter.
set -euo pipefail
examples=$(CDPATH="" cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=env.sh
. "$examples/env.sh"

usage () { sed -n '6,10s/^# \?//p' "${BASH_SOURCE[0]}" >&2; exit 2; }

[ $# -eq 2 ] || usage
place=$2
rows=(! robocacheparse time-unit=us clock-mode=track ! fakesink silent=false sync=false)

# play SOURCE...: prints a line per row
play () { gst-launch-1.0 -v "$@" "${rows[@]}" | sed -u -n 's/.*last-message = chain.*(\([0-9]* bytes\), .*pts: \([0-9:.]*\), .*/pts: \2, \1/p'; }

case $1 in
  serial)
    # no echo, no lines edited by the terminal
    stty -F "$place" raw -echo 115200
    play fdsrc < "$place"
    ;;
  udp)
    case $place in *:*) address=${place%:*} ;; *) address=127.0.0.1 ;; esac
    play udpsrc "address=$address" "port=${place##*:}"
    ;;
  unix) socat -u "UNIX-CONNECT:$place" - | play fdsrc ;;
  *) usage ;;
esac
