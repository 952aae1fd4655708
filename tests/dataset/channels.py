# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases: channels of a recording's summary, beside the official reader."""
import io
import struct

from mcap.data_stream import ReadDataStream
from mcap.records import Channel
from robocache_export.recordings.mcapindex import read_channel


def _text(text):
    return struct.pack("<I", len(text.encode())) + text.encode()


def _channel(topic, metadata=()):
    texts = b"".join(map(_text, metadata))
    return struct.pack("<HH", 7, 1) + _text(topic) + _text("cdr") + struct.pack("<I", len(texts)) + texts


PLAIN = _channel("/joints")
NOTED = _channel("/größe", ["caps", "other/tensors", "dtype", ""])
WHOLE = {"plain": PLAIN, "no name": _channel(""), "with metadata": NOTED, "with a later field": NOTED + b"later"}
DAMAGED = {f"cut at byte {end}": NOTED[:end] for end in range(len(NOTED))} | {
    "a key without value": _channel("/joints", ["caps"]), "not UTF-8": PLAIN.replace(b"joints", b"joint\xff")}


def whole(content):
    official = Channel.read(ReadDataStream(io.BytesIO(content)))
    yield "channel", tuple(read_channel(content)), (official.id, official.topic, official.metadata)


def damaged(content):
    try:
        found = read_channel(content)
    except (ValueError, struct.error):
        found = None
    yield "channel", found, None


def cases(_):
    yield from ((f"channel {name}", whole, content) for name, content in WHOLE.items())
    yield from ((f"channel {name}", damaged, content) for name, content in DAMAGED.items())
