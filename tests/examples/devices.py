#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs examples/read-device.sh with a sensor at a pty, a UDP port and a Unix socket. Prints PASS, FAIL or SKIP for each case.

    devices.py EXAMPLES

The sensor sends a row every 10 ms of its clock, and never before that time. On a busy machine rows arrive later."""
import contextlib
import os
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import time

ROWS = 40
STEP_S = 0.01
LIMIT_S = 60


@contextlib.contextmanager
def reader(*arguments):
    """The script; it ends by Ctrl-C."""
    process = subprocess.Popen(["bash", f"{sys.argv[1]}/read-device.sh", *arguments], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)


def send_rows(send):
    begin = time.monotonic()
    for i in range(ROWS):
        time.sleep(max(0, begin + i * STEP_S - time.monotonic()))
        send(f"{1_000_000 + 10_000 * i},{i},{i / 2}\n".encode())


def read_lines(process):
    """ROWS lines of the script, fewer after LIMIT_S or its end."""
    data, end = b"", time.monotonic() + LIMIT_S
    while data.count(b"\n") < ROWS and select.select([process.stdout], [], [], max(0, end - time.monotonic()))[0]:
        piece = os.read(process.stdout.fileno(), 4096)
        if not piece:
            break
        data += piece
    return data.decode().splitlines()[:ROWS]


def is_raw(terminal):
    return not termios.tcgetattr(terminal)[3] & termios.ICANON


def is_bound(port):
    with open("/proc/net/udp", encoding="ascii") as table:
        return any(line.split()[1].endswith(f":{port:04X}") for line in table.readlines()[1:])


def wait_until(process, condition):
    """Polls: nothing announces these conditions."""
    end = time.monotonic() + LIMIT_S
    while process.poll() is None and time.monotonic() < end and not condition():
        time.sleep(0.01)


def serial():
    master, slave = pty.openpty()
    with reader("serial", os.ttyname(slave)) as process:
        wait_until(process, lambda: is_raw(slave))
        # a row in two pieces
        send_rows(lambda row: (os.write(master, row[:5]), os.write(master, row[5:])))
        lines = read_lines(process)
    os.close(master)
    os.close(slave)
    return lines


def udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with reader("udp", str(port)) as process, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        wait_until(process, lambda: is_bound(port))
        send_rows(lambda row: sender.sendto(row, ("127.0.0.1", port)))
        return read_lines(process)


def unix():
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{folder}/sensor")
        server.listen(1)
        server.settimeout(LIMIT_S)
        with reader("unix", f"{folder}/sensor") as process, server.accept()[0] as peer:
            send_rows(peer.sendall)
            return read_lines(process)


def check(name, run):
    """All rows come, in order, as far apart as on the sensor's clock. Only a first row that was late shortens their span."""
    lines = run()
    times = [int(h) * 3600 + int(m) * 60 + float(s)
             for h, m, s in re.findall(r"^pts: (\d+):(\d+):([\d.]+), 8 bytes$", "\n".join(lines), re.MULTILINE)]
    span = times[-1] - times[0] if times else 0
    if len(times) == ROWS and times == sorted(set(times)) and 0.1 < span / (ROWS - 1) / STEP_S < 1.5:
        print(f"PASS {name}")
        return True
    print(f"FAIL {name}: {len(times)} rows, {span} s, {lines[-2:]}")
    return False


def main():
    has = lambda element: subprocess.run(["gst-inspect-1.0", element], capture_output=True, check=False).returncode == 0
    ok = check("serial_port", serial)
    if has("udpsrc"):
        ok &= check("udp", udp)
    else:
        print("SKIP udp: udpsrc is not installed")
    if shutil.which("socat"):
        ok &= check("unix_socket", unix)
    else:
        print("SKIP unix_socket: socat is not installed")
    usage = subprocess.run(["bash", f"{sys.argv[1]}/read-device.sh", "spi", "x"], capture_output=True, text=True, check=False)
    right = usage.returncode == 2 and "read-device.sh serial DEVICE" in usage.stderr
    print("PASS usage" if right else f"FAIL usage: {usage}")
    return 0 if ok and right else 1


sys.exit(main())
