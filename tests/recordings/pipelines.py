# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pipelines that record, and what official readers find in their files."""
import io
import os
import subprocess

import numpy as np
from mcap.reader import NonSeekingReader, SeekingReader
from mcap_ros2.decoder import DecoderFactory
from rosbags.typesys import Stores, get_types_from_msg, get_typestore


def environment():
    """Of programs that load the plugin. An AddressSanitizer build names its runtime in ROBOCACHE_PRELOAD."""
    runtime = os.environ.get("ROBOCACHE_PRELOAD")
    return {**os.environ, "LD_PRELOAD": runtime} if runtime else None


# The search for leaks crashes now and then where a thread ends during the search.
LEAK_SEARCH_FAILED = "LeakSanitizer has encountered a fatal error"


def launch(*words, timeout=120, attempts=3):
    """Runs gst-launch-1.0 to its end; raises with its output where that fails."""
    done = subprocess.run(["gst-launch-1.0", "-q", *" ".join(words).split()], capture_output=True, timeout=timeout, check=False,
                          env=environment())
    text = (done.stdout + done.stderr).decode()
    if LEAK_SEARCH_FAILED in text and attempts > 1:
        return launch(*words, timeout=timeout, attempts=attempts - 1)
    if done.returncode or "ERROR" in text:
        raise RuntimeError(f"exit status {done.returncode}: {text.strip()[-1500:]}")
    return text


def has_elements(*names):
    return all(subprocess.run(["gst-inspect-1.0", "--exists", name], check=False, env=environment()).returncode == 0
               for name in names)


def readable(data):
    """(topic, sequence, log time) of each message up to the place where the file is cut."""
    found = []
    try:
        for _, channel, message in NonSeekingReader(io.BytesIO(data), validate_crcs=True).iter_messages(log_time_order=False):
            found.append((channel.topic, message.sequence, message.log_time))
    except Exception:  # the package has several for a file that ends
        pass
    return found


class Recording:
    """All messages of a file, decoded by mcap-ros2-support and by rosbags; both must agree with each other on stamps."""

    def __init__(self, data):
        self.data = data
        reader = SeekingReader(io.BytesIO(data), validate_crcs=True, decoder_factories=[DecoderFactory()])
        self.header, self.summary = reader.get_header(), reader.get_summary()
        self.metadata = [(record.name, record.metadata) for record in reader.iter_metadata()]
        self.attachments = list(reader.iter_attachments())
        # in the order of the file
        self.messages = [(channel.topic, message, decoded) for _, channel, message, decoded
                         in NonSeekingReader(io.BytesIO(data), validate_crcs=True, decoder_factories=[DecoderFactory()])
                         .iter_decoded_messages(log_time_order=False)]
        self.channels = {channel.topic: channel for channel in self.summary.channels.values()}

    def of(self, topic):
        return [(message, decoded) for name, message, decoded in self.messages if name == topic]

    def type_of(self, topic):
        return self.summary.schemas[self.channels[topic].schema_id].name

    def caps(self, topic):
        return self.channels[topic].metadata["caps"]

    def stamps(self, topic):
        return [stamp_of(decoded) for _, decoded in self.of(topic)]

    def rosbags_messages(self, topic):
        """The messages of a topic as rosbags decodes them, from the schemas in the file alone."""
        channel = self.channels[topic]
        schema = self.summary.schemas[channel.schema_id]
        store = get_typestore(Stores.EMPTY)
        store.register(get_types_from_msg(schema.data.decode(), schema.name))
        return [store.deserialize_cdr(message.data, schema.name) for message, _ in self.of(topic)]

    def events(self):
        return [(event.kind, event.topic, event.text) for _, event in self.of("/robocache/events")]


def stamp_of(decoded):
    stamp = decoded.timestamp if hasattr(decoded, "timestamp") else decoded.header.stamp
    return stamp.sec * 10**9 + stamp.nanosec


def read(path):
    return Recording(path.read_bytes())


def raw_rows(path, channels, dtype=np.float32):
    return np.fromfile(path, dtype).reshape(-1, channels)
