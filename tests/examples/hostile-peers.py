#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the two-hosts receiver against peers that are no senders. Prints PASS or FAIL for each case.

    hostile-peers.py PROGRAM

A case starts a receiver of its own, waits until it is ready, and plays the peer. The receiver must end by itself in time, with
the status and the line on stderr of the table, and within the memory that docs/howto/private-network.md states.
"""
import concurrent.futures
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

HOST, OTHER = "127.0.0.1", "127.0.0.2"
JOINTS, FORCE = 1, 2                    # ports of the sensors by TCP, from the first one on
RTP, RTCP = 1, 2                        # of the joints
MAX_RSS_KB = 128 * 1024
MAX_BYTES = 600 << 20                   # an unlimited receiver is stopped here
SECONDS = 18                            # after which a receiver counts as hung
NO_SAMPLE = r"error: no sample: no rows were received in time"


# ---- bytes ----

def gdp(kind, payload, size=None):
    """A packet of GStreamer's data protocol, without checksums."""
    return struct.pack(">BBBxHI52x", 1, 0, 0, kind, len(payload) if size is None else size) + payload


def record(source):
    """The packets that gdppay makes of a pipeline."""
    line = f"gst-launch-1.0 -q {source} ! gdppay ! fdsink"
    data = subprocess.run(line.split(), stdout=subprocess.PIPE, check=True).stdout
    packets = []
    while data:
        size = 62 + struct.unpack(">I", data[6:10])[0]
        packets.append(data[:size])
        data = data[size:]
    return packets


def caps(text):
    """The beginning of a stream: its events with other caps between them, and a row."""
    return start + gdp(2, b"other/tensors, format=(string)static, " + text + b"\0") + segment + gdp(1, bytes(28))


def rtp(ssrc, payload=b"\0" * 36, marker=0x80, number=0):
    return struct.pack(">BBHII", 0x80, marker | 96, number & 0xffff, number, ssrc) + payload


def report(ssrc):
    return struct.pack(">BBHI20x", 0x80, 200, 6, ssrc)


# ---- peers: each is called with the receiver's first port, and returns what is to stay open ----

def sends(*parts, port=JOINTS, closes=True):
    def play(first):
        peer = socket.create_connection((HOST, first + port))
        try:
            for part in parts:
                peer.sendall(part)
        except ConnectionError:
            pass                        # the receiver has refused it
        if closes:
            peer.close()
        return [peer]
    return play


def floods(*parts):
    """After `parts`, zeros until the receiver closes."""
    def play(first):
        peer = sends(*parts, closes=False)(first)[0]
        zeros = bytes(1 << 20)
        try:
            for _ in range(MAX_BYTES // len(zeros)):
                peer.sendall(zeros)
        except ConnectionError:
            pass
        return [peer]
    return play


def connects(n, *before):
    """n connections to each port after those of `before`; the receiver may refuse them."""
    def play(first):
        peers = [peer for earlier in before for peer in earlier(first)]
        for port in (JOINTS, FORCE) * n:
            peer = socket.socket()
            peer.setblocking(False)
            peer.connect_ex((HOST, first + port))
            peers.append(peer)
        return peers
    return play


def both(*players):
    return lambda first: [peer for play in players for peer in play(first)]


def datagrams(port, make, n):
    def play(first):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
            for i in range(n):
                peer.sendto(make(i), (HOST, first + port))
        return []
    return play


def can_bind(address, port, kind):
    with socket.socket(socket.AF_INET, kind) as own:
        try:
            own.bind((address, port))
        except OSError:
            return False
        return True


def binds(address, ports):
    """The receiver holds each of the ports at `address` and none of them at the other one."""
    def play(first):
        for port, kind in ports:
            there = OTHER if address == HOST else HOST
            if can_bind(address, first + port, kind):
                raise AssertionError(f"port {port} of {address} is free")
            if not can_bind(there, first + port, kind):
                raise AssertionError(f"port {port} of {there} is taken")
        return []
    return play


# ---- receivers ----

SILENT_PAD = re.compile(r"^warning: fuse: \w+ (has no row after 2 s|ended without a row).*\n", re.MULTILINE)


def free_ports():
    """Groups of six ports that nobody has, never the same twice."""
    for first in random.sample(range(12000, 30000, 6), 3000):
        if all(can_bind("", first + i, kind) for i in range(6) for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM)):
            yield first


def run(program, first, transport, play, arguments):
    """(status, stdout, stderr, KiB, seconds) of a receiver whose peer is `play`. stderr is without the warnings of silent pads."""
    begin = time.monotonic()
    receiver = subprocess.Popen([program, "receiver", "--transport", transport, "--port", str(first), "--base-time",
                                 str(int(time.time())), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    watchdog = threading.Timer(SECONDS, receiver.send_signal, [signal.SIGKILL])
    watchdog.start()
    peers, fault = [], ""
    try:
        said = receiver.stdout.readline()
        if said == "receiver: ready\n":
            peers = play(first)
    except AssertionError as error:
        fault = f"{error}\n"
    said += receiver.stdout.read()
    errors = fault + SILENT_PAD.sub("", receiver.stderr.read())
    _, status, usage = os.wait4(receiver.pid, 0)
    receiver.returncode = os.waitstatus_to_exitcode(status)
    watchdog.cancel()
    for peer in peers:
        peer.close()
    return receiver.returncode, said, errors, usage.ru_maxrss, time.monotonic() - begin


def check(program, first, case):
    name, transport, play, status, pattern, *arguments = case
    got, said, errors, rss, seconds = run(program, first, transport, play, arguments or ["--seconds", "1"])
    # each pattern is a line on stderr; "stdout:" is one elsewhere
    lines, patterns = errors.splitlines(), [p for p in pattern.split("\n") if p]
    wanted = [p for p in patterns if not p.startswith("stdout:")]
    ok = got == status and len(lines) == len(wanted) and all(re.match(p, line) for p, line in zip(wanted, lines)) \
        and all(re.search(p[7:], said, re.M) for p in patterns if p.startswith("stdout:"))
    small = rss <= MAX_RSS_KB or "ASAN_OPTIONS" in os.environ
    if ok and small and seconds < SECONDS:
        return f"PASS {name}"
    return f"FAIL {name}: status {got}, {rss} KiB, {seconds:.1f} s, {errors!r} for {pattern!r}, {said!r}"


missing = [name for name in ("gdppay", "tcpserversrc", "rtpgstdepay", "rtpbin", "udpsrc")
           if subprocess.run(["gst-inspect-1.0", "--exists", name]).returncode != 0]
if missing or not shutil.which("gst-launch-1.0"):
    print(f"SKIP hostile_peers: not installed: {' '.join(missing)}")
    sys.exit(0)

joints = record("robocachetestsrc kind=proprio channels=7 rate=100/1 num-buffers=300")
force = record("robocachetestsrc kind=force channels=6 rate=250/1 num-buffers=750")
start, segment, row = joints[0], joints[2], joints[3]
good = b"".join(joints)
noise = random.Random(1).randbytes(4096)
nested = b"other/tensors, dimensions=(string)" + b"<" * 4000
# a row in each ns: far more of them than robocachefuse keeps
dense = b"".join(row[:2] + b"\0" + row[3:10] + struct.pack(">Q", 1000 + i) + row[18:] for i in range(150000))
not_gdp = r"error: joints: a packet of type \d+, not a row, caps or an event of gdp; is the peer a sender of this example\?$"
not_seven = r"error: joints: tensor 0: expected 7 float32 numbers, caps are "
too_long = r"error: joints: a packet of %u bytes, expected at most 4096$"
cut = r"warning: joints: the connection ended within a packet, which is lost$" + "\n" + NO_SAMPLE
refused = r"stdout:^joints: .* [1-9]\d* datagrams refused$" + "\n" + NO_SAMPLE
fused = r"stdout:^alignment error of joints: .* of [1-9]\d* ticks$"
tcp_ports = [(0, socket.SOCK_DGRAM), (JOINTS, socket.SOCK_STREAM), (FORCE, socket.SOCK_STREAM)]
rtp_ports = [(port, socket.SOCK_DGRAM) for port in range(5)]

CASES = [
    # name, transport, peer, status, stderr, options
    ("http", "tcp", sends(b"GET / HTTP/1.0\r\n" * 100), 1, not_gdp),
    ("noise", "tcp", sends(noise), 1, not_gdp),
    ("noise_after_a_row", "tcp", sends(*joints[:4], noise), 1, not_gdp),
    ("other_event", "tcp", sends(gdp(64 + 1, b"")), 1, not_gdp),
    ("cut_header", "tcp", sends(start[:30]), 1, cut),
    ("cut_payload", "tcp", sends(start[:70]), 1, cut),
    ("cut_row", "tcp", sends(*joints[:3], row[:-1]), 1, cut),
    ("no_bytes", "tcp", sends(), 1, NO_SAMPLE),
    ("row_of_2_gib", "tcp", floods(*joints[:3], gdp(1, b"", 1 << 31)), 1, too_long % (1 << 31)),
    ("row_of_4_gib", "tcp", floods(*joints[:3], gdp(1, b"", (1 << 32) - 1)), 1, too_long % ((1 << 32) - 1)),
    ("caps_of_2_gib", "tcp", floods(gdp(2, b"", 1 << 31)), 1, too_long % (1 << 31)),
    ("event_of_4097_bytes", "tcp", floods(gdp(10318, b"", 4097)), 1, too_long % 4097),
    ("three_channels", "tcp", sends(*record("robocachetestsrc channels=3 num-buffers=9")), 1, not_seven),
    ("nine_channels", "tcp", sends(*record("robocachetestsrc channels=9 num-buffers=9")), 1, not_seven),
    ("other_type", "tcp", sends(caps(b"num_tensors=1, types=(string)int32, dimensions=(string)7")), 1, not_seven),
    ("two_tensors", "tcp", sends(caps(b'num_tensors=2, types=(string)"float32,float32", dimensions=(string)"3,4"')), 1,
     not_seven),
    ("huge_rows", "tcp", sends(caps(b"num_tensors=1, types=(string)float32, dimensions=(string)4294967296:4294967296:7")), 1,
     not_seven),
    ("other_media", "tcp", sends(gdp(2, b"video/x-raw\0")), 1, not_seven),
    ("nested_caps", "tcp", sends(gdp(2, nested)), 1, r"error: joints: Could not decode stream\.$"),
    ("row_before_caps", "tcp", sends(start, row), 1, r"error: joints: Could not decode stream\.$"),
    ("segment_without_fields", "tcp", sends(*joints[:2], gdp(17998, b"GstEventSegment;\0")), 1,
     r"error: joints: a malformed segment event"),
    ("stream_without_id", "tcp", sends(gdp(10318, b"")), 1, r"error: joints: a malformed stream-start event"),
    ("dense_rows", "tcp", sends(*joints[:3], dense), 0, "", "--seconds", "3"),
    # slow: they hold the connection, or send a part of a packet and hold it
    ("slow_connection", "tcp", sends(closes=False), 1, NO_SAMPLE),
    ("slow_header", "tcp", sends(start[:30], closes=False), 1, NO_SAMPLE),
    ("slow_row", "tcp", sends(*joints[:3], row[:-1], closes=False), 1, NO_SAMPLE),
    ("slow_force", "tcp", both(sends(good), sends(port=FORCE, closes=False)), 0, fused, "--seconds", "3"),
    ("connections", "tcp", connects(500), 1, NO_SAMPLE),
    ("connections_after_the_sensors", "tcp", connects(500, sends(good), sends(*force, port=FORCE)), 0, fused, "--seconds", "3"),
    ("senders", "rtp", datagrams(RTP, lambda i: rtp(1 + i), 5000), 1, refused),
    ("reports", "rtp", datagrams(RTCP, lambda i: report(1 + i), 5000), 1, refused),
    ("fragments", "rtp", datagrams(RTP, lambda i: rtp(1, bytes(1400), 0, i), 5000), 1, refused),
    ("long_datagrams", "rtp", datagrams(RTP, lambda i: rtp(1, bytes(9000), number=i), 5000), 1, refused),
    ("datagrams_of_noise", "rtp", datagrams(RTP, lambda i: noise[i % 4000:][:i % 90], 5000), 1, refused),
    ("reports_of_noise", "rtp", datagrams(RTCP, lambda i: noise[i % 4000:][:i % 90], 5000), 1, refused),
    ("many_packets", "rtp", datagrams(RTP, lambda i: rtp(1, bytes(1400), number=i * 2), 50000), 1,
     NO_SAMPLE),
    ("default_address_tcp", "tcp", binds(HOST, tcp_ports), 1, NO_SAMPLE),
    ("default_address_rtp", "rtp", binds(HOST, rtp_ports), 1, NO_SAMPLE),
    ("address_tcp", "tcp", binds(OTHER, tcp_ports), 1, NO_SAMPLE, "--seconds", "1", "--listen", OTHER),
    ("address_rtp", "rtp", binds(OTHER, rtp_ports), 1, NO_SAMPLE, "--seconds", "1", "--listen", OTHER),
]

if __name__ == "__main__":
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(check, sys.argv[1], first, case) for first, case in zip(free_ports(), CASES)]
        results = [job.result() for job in jobs]
    print("\n".join(results))
    sys.exit(any(result.startswith("FAIL") for result in results))
