# SPDX-License-Identifier: LGPL-2.1-or-later
"""The loop of a usual converter, for speed.py: the official reader of MCAP, a synchronizer, and PyAV for pictures.

The synchronizer has the semantics of message_filters' TimeSynchronizer (slop 0) and ApproximateTimeSynchronizer. Times are integers here,
which is faster than the objects of rclpy. Source: src/message_filters/__init__.py in github.com/ros2/message_filters.
"""
from itertools import product

import av
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

# {whether there are cameras: (messages that wait a topic, ns between the messages of a set)}
SETTINGS = {False: (10, 2 * 10**6), True: (50, 2 * 10**7)}


class Synchronizer:
    """`take` is called with {topic: message} for each set of messages whose times differ by less than slop."""

    def __init__(self, topics, queue_size, slop, take):
        self._queues = {topic: {} for topic in topics}
        self._size, self._slop, self._take = queue_size, slop, take

    def add(self, topic, stamp, message):
        own = self._queues[topic]
        own[stamp] = message
        while len(own) > self._size:
            del own[min(own)]
        near = []
        for other, queue in self._queues.items():
            stamps = [stamp] if other == topic else sorted((s for s in queue if abs(s - stamp) <= self._slop), key=lambda s: abs(s - stamp))
            if not stamps:
                return
            near.append(stamps)
        for chosen in product(*near):
            if max(chosen) - min(chosen) < self._slop or len(set(chosen)) == 1:
                self._take({name: queue.pop(s) for s, (name, queue) in zip(chosen, self._queues.items())})
                return


def stamp_of(message):
    time = message.header.stamp if hasattr(message, "header") else message.timestamp
    return time.sec * 10**9 + time.nanosec


def values_of(message):
    if hasattr(message, "position"):
        return message.position
    return [getattr(getattr(message.wrench, part), axis) for part in ("force", "torque") for axis in "xyz"]


class Video:
    """Decodes the pictures of a topic, and encodes those that are chosen, as robocache-export does."""

    def __init__(self, path, fps):
        self._decoder, self._output = av.CodecContext.create("h264", "r"), av.open(str(path), "w")
        self._stream = self._output.add_stream("libx264", rate=fps)
        self._stream.options = {"crf": "23", "preset": "medium", "g": "2", "bf": "0", "threads": "4"}
        self._count = 0

    def decode(self, data):
        """The picture of an access unit; None while the decoder waits for more."""
        return next(iter(self._decoder.decode(av.Packet(bytes(data)))), None)

    def add(self, frame):
        if not self._count:
            self._stream.width, self._stream.height, self._stream.pix_fmt = frame.width, frame.height, "yuv420p"
        frame.pts, self._count = self._count, self._count + 1
        self._output.mux(self._stream.encode(frame))

    def close(self):
        self._output.mux(self._stream.encode())
        self._output.close()


def convert(path, rows, cameras, fps):
    """Writes the sets of a recording at fps to Parquet, and pictures to videos. Returns the number of sets."""
    columns, ticks = {topic: [] for topic in rows}, []
    videos = {topic: Video(path.with_suffix(f"{topic.replace('/', '.')}.mp4"), fps) for topic in cameras}

    def take(messages):
        tick = stamp_of(messages[rows[0]]) * fps // 10**9
        if ticks and tick == ticks[-1]:
            return
        ticks.append(tick)
        for topic in rows:
            columns[topic].append(values_of(messages[topic]))
        for topic in cameras:
            videos[topic].add(messages[topic])

    synchronizer = Synchronizer([*rows, *cameras], *SETTINGS[bool(cameras)], take)
    with open(path, "rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        for _, channel, _, message in reader.iter_decoded_messages(topics=[*rows, *cameras]):
            content = videos[channel.topic].decode(message.data) if channel.topic in videos else message
            if content is not None:
                synchronizer.add(channel.topic, stamp_of(message), content)
    pq.write_table(pa.table({topic: list(np.array(found, np.float32)) for topic, found in columns.items()}), path.with_suffix(".loop.parquet"))
    for video in videos.values():
        video.close()
    return len(ticks)


# ---- cases: the synchronizer makes the sets that message_filters makes ----

# (messages that wait, slop, [(topic, time)], sets of times of the topics a and b)
SETS = {
    "equal times": (10, 0, [("a", 1), ("b", 1), ("a", 2), ("a", 3), ("b", 3)], [(1, 1), (3, 3)]),
    "unequal times": (10, 0, [("a", 1), ("b", 2)], []),
    "the nearest": (10, 5, [("a", 1), ("a", 4), ("b", 5)], [(4, 5)]),
    "the slop itself is too far": (10, 5, [("a", 1), ("b", 6)], []),
    "the earlier of two": (10, 5, [("a", 4), ("a", 6), ("b", 5)], [(4, 5)]),
    "each once": (10, 5, [("a", 1), ("b", 2), ("b", 3)], [(1, 2)]),
    "late": (10, 5, [("a", 9), ("a", 1), ("b", 2)], [(1, 2)]),
    "no room": (1, 5, [("a", 1), ("a", 9), ("b", 2)], []),
}


def sets(size, slop, messages, expected):
    found = []
    synchronizer = Synchronizer(["a", "b"], size, slop, lambda taken: found.append((taken["a"], taken["b"])))
    for topic, time in messages:
        synchronizer.add(topic, time, time)
    yield "sets", found, expected


def cases(_):
    yield from ((f"synchronizer {name}", sets, *row) for name, row in SETS.items())
