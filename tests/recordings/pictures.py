#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Depth images in compressedDepth, as image_transport_plugins writes them: the pixels, and one error for what is damaged.

    pictures.py DEMUXTOOL [CASE...]

PNG and RVL are written here. Prints PASS, FAIL or SKIP for each case; exit status 1 if one failed.
"""
import struct
import sys
import zlib
from pathlib import Path

import bags
import numpy as np
from bags import BEGIN, MS, STORE, in_folder, play
from mcapplan import run_cases
from rosbags.rosbag2 import StoragePlugin, Writer

RANDOM = np.random.default_rng(9)
# of the transport: depth_max 10 m, depth quantization 100
DEPTH_A = 100.0 * 101.0
DEPTH_B = 1.0 - DEPTH_A / 10.0


def to_rvl(pixels):
    """A. D. Wilson, "Fast Lossless Depth Image Compression", algorithm 1."""
    nibbles, flat, at, previous = [], [int(x) for x in pixels.ravel()], 0, 0

    def encode(number):
        while True:
            nibble, number = number & 7, number >> 3
            nibbles.append(nibble | (8 if number else 0))
            if not number:
                return

    def run(is_zero):
        end = at
        while end < len(flat) and (flat[end] == 0) == is_zero:
            end += 1
        encode(end - at)
        return end

    while at < len(flat):
        at = run(True)
        begin, at = at, run(False)
        for pixel in flat[begin:at]:
            delta, previous = pixel - previous, pixel
            encode((delta << 1) ^ (delta >> 31) if delta >= 0 else ((-delta) << 1) - 1)
    nibbles += [0] * (-len(nibbles) % 8)
    words = [sum(nibble << 28 - 4 * i for i, nibble in enumerate(nibbles[k:k + 8])) for k in range(0, len(nibbles), 8)]
    height, width = pixels.shape
    return struct.pack("<ii", width, height) + struct.pack(f"<{len(words)}I", *words)


def paeth(a, b, c):
    p = a + b - c
    return a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c


def to_png(pixels, chunk=40):
    """Every line with another filter, in several chunks of data."""
    height, width = pixels.shape
    lines, above, raw = pixels.astype(">u2").view(np.uint8).reshape(height, 2 * width).astype(int), np.zeros(2 * width, int), b""
    for y, line in enumerate(lines):
        left, corner = np.concatenate([[0, 0], line[:-2]]), np.concatenate([[0, 0], above[:-2]])
        guesses = [0 * line, left, above, (left + above) // 2, np.array([paeth(*x) for x in zip(left, above, corner)])]
        raw += bytes([y % 5]) + bytes(int(x) for x in (line - guesses[y % 5]) % 256)
        above = line
    data = zlib.compress(raw)

    def part(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", width, height, 16, 0, 0, 0, 0)) + part(b"tEXt", b"a\0b") + b"".join(
        part(b"IDAT", data[i:i + chunk]) for i in range(0, len(data), chunk)) + part(b"IEND", b"")


def picture(width, height):
    pixels = RANDOM.integers(300, 9000, (height, width)).astype(np.uint16)
    pixels[RANDOM.random((height, width)) < 0.3] = 0
    pixels[0, :3] = [0, 65535, 1]
    return pixels


def write(folder, frames):
    """frames: (format, bytes)."""
    bag = Path(folder, "bag")
    with Writer(bag, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        connection = writer.add_connection("/depth", "sensor_msgs/msg/CompressedImage", typestore=STORE)
        for i, (form, data) in enumerate(frames):
            message = bags.make("sensor_msgs/CompressedImage", header=bags.header(i), format=form, data=np.frombuffer(data, np.uint8))
            writer.write(connection, BEGIN + i * MS, bytes(STORE.serialize_cdr(message, "sensor_msgs/msg/CompressedImage")))
    return bag


def header(a=0.0, b=0.0):
    return struct.pack("<iff", 0, a, b)


def integers(folder):
    """RVL in mm, of even and odd widths, whose lines have padding in video."""
    for width, height in ((8, 6), (7, 5), (64, 48)):
        pixels = picture(width, height)
        pads, messages = play(write(Path(folder, f"{width}"), [("16UC1; compressedDepth rvl", header() + to_rvl(pixels))]))
        padded = np.zeros((height, (2 * width + 3) // 4 * 2), "<u2")
        padded[:, :width] = pixels
        yield f"pixels {width}", [value for _, value in pads["/depth"]], [padded.tobytes().hex()]
        yield f"messages {width}", messages, []


def metres(folder, encode, name):
    """The quantized inverse of a depth; 0 is unknown."""
    pixels = picture(9, 7)
    pads, messages = play(write(folder, [(f"32FC1; compressedDepth {name}", header(DEPTH_A, DEPTH_B) + encode(pixels))]))
    wanted = [float("nan") if p == 0 else float(np.float32(np.float32(DEPTH_A) / (np.float32(p) - np.float32(DEPTH_B)))) for p in pixels.ravel()]
    got = [float(x) for x in pads["/depth"][0][1].split(",")]
    yield "pixels", [float(f"{x:.6g}") if x == x else 0 for x in got], [float(f"{x:.6g}") if x == x else 0 for x in wanted]
    yield "messages", messages, []


def damaged(folder, encode, form):
    """Cut at every byte, and with each byte replaced: the number of frames and of lost ones is all."""
    data = header(DEPTH_A, DEPTH_B) + encode(picture(4, 3))
    frames = [(form, data)] + [(form, data[:end]) for end in range(len(data))]
    frames += [(form, data[:i] + bytes([data[i] ^ 0x5a]) + data[i + 1:]) for i in range(12, len(data))]
    pads, messages = play(write(folder, frames))
    yield "messages", [line.split(" ")[0] for line in messages], ["warning"]
    yield "the first is whole", pads["/depth"][0][0], 0.0
    yield "most are lost", len(pads["/depth"]) < len(frames), True


def large(folder):
    """Sizes that the bytes cannot have are refused before memory is taken."""
    rvl = struct.pack("<ii", 32767, 32767) + bytes(8)
    pads, messages = play(write(folder, [("16UC1; compressedDepth rvl", header() + rvl), ("16UC1; compressedDepth rvl", header() + to_rvl(picture(4, 4)))]))
    yield "messages", ["32767 x 32767 pixels" in line for line in messages], [True]
    yield "the second is read", len(pads["/depth"]), 1


def list_cases():
    yield "integers", in_folder, integers
    for name, encode in (("rvl", to_rvl), ("png", to_png)):
        yield f"metres {name}", in_folder, metres, encode, name
        yield f"damaged {name}", in_folder, damaged, encode, f"32FC1; compressedDepth {name}"
    yield "large", in_folder, large


if __name__ == "__main__":
    bags.TOOL = sys.argv[1]
    sys.exit(run_cases([case for case in list_cases() if not sys.argv[2:] or case[0] in sys.argv[2:]]))
