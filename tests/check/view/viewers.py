#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Viewers of robocachefoxglovesink, held against the recording of the same run.

    viewers.py VIEWTOOL

Each case plays one pipeline into robocachemcapsink and robocachefoxglovesink. A client of the PyPI package websockets, with a reader of
Foxglove's protocol, must get every message that the recording has: the same bytes, times, topics and definitions. Prints PASS or FAIL for each
case."""
import asyncio
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import websockets
from mcap.reader import make_reader

TIMEOUT_S = 60
QUEUE = "max-queue-size=1000000000"
# topics made of others, for viewers alone
DERIVED = ("/compressed", "/voxels", "/tf", "/robot_description")


def sinks(streams):
    """A launch line: each stream goes to both sinks."""
    line = [f"robocachefoxglovesink name=s port=0 sync=false time-origin=0 {QUEUE}", "robocachemcapsink name=m time-origin=0 location={path}"]
    for i, (topic, stream) in enumerate(streams.items()):
        line[0] += f" sink_{i}::topic={topic} sink_{i}::frame-id=frame{i}"
        line[1] += f" sink_{i}::topic={topic} sink_{i}::frame-id=frame{i}"
        line.append(f"{stream} ! tee name=t{i} t{i}. ! queue ! s.sink_{i} t{i}. ! queue ! m.sink_{i}")
    return " ".join(line)


ROBOT = "robocachetestsrc kind={} rate={} num-buffers={} is-live={}"
FUSED = (
    "robocachefuse name=f rate=50 " + ROBOT.format("proprio", 200, 100, "false") + " ! f.sink_0 " + ROBOT.format("force", 300, 150, "false")
    + " ! f.sink_1 f."
)
CASES = {
    "rows": {"/joints": ROBOT.format("proprio", 100, 300, "false"), "/imu": ROBOT.format("imu", 200, 500, "false")},
    "live rows": {"/force": ROBOT.format("force", 500, 2000, "true")},
    "samples": {"/samples": FUSED},
    "names with quotes": {'/a\\"b': ROBOT.format("proprio", 100, 20, "false")},
}
# newest wins: what is sent is a part of the recording, and the last one is there
NEWEST = {
    "clouds": {"/cloud": ROBOT.format("points", 10, 20, "false")},
    "pictures": {"/camera": "videotestsrc num-buffers=30 ! video/x-raw,format=RGB,width=320,height=240"},
}


class Viewer:
    """What a client has received."""

    def __init__(self, with_derived=False):
        self.with_derived = with_derived
        self.channels = {}
        self.messages = {}
        self.times = []

    async def advertised(self, socket, n_streams):
        info = json.loads(await socket.recv())
        assert info["op"] == "serverInfo" and info["name"] and "time" in info["capabilities"], info
        while len(self.channels) < n_streams:
            message = json.loads(await socket.recv())
            assert message["op"] == "advertise", message
            for channel in message["channels"]:
                if channel["topic"].startswith("/robocache/"):
                    assert channel["encoding"] == "cdr" or json.loads(channel["schema"])["type"] == "object", channel
                    continue
                if channel["topic"].endswith(DERIVED) and not self.with_derived:
                    continue
                assert channel["encoding"] == "cdr" and channel["schemaEncoding"] == "ros2msg", channel
                self.channels[channel["id"]] = channel

    async def subscribe(self, socket):
        # ids of subscriptions differ from those of channels
        wishes = [{"id": 1000 + channel, "channelId": channel} for channel in self.channels]
        await socket.send(json.dumps({"op": "subscribe", "subscriptions": wishes}))
        await socket.send("synchronize")
        # live, messages come before
        while isinstance(message := await socket.recv(), bytes):
            self.take(message)
        status = json.loads(message)
        assert status["op"] == "status" and status["level"] == 2, status

    def take(self, message):
        if message[0] == 2:
            self.times.append(struct.unpack("<Q", message[1:])[0])
            return
        assert message[0] == 1
        subscription, log_time = struct.unpack_from("<IQ", message, 1)
        topic = self.channels[subscription - 1000]["topic"]
        self.messages.setdefault(topic, []).append((log_time, message[13:]))


async def receive(viewer, socket, is_over):
    """Takes messages until the pipeline has ended, and nothing comes."""
    while True:
        try:
            viewer.take(await asyncio.wait_for(socket.recv(), 1))
        except asyncio.TimeoutError:
            if is_over():
                return


class Pipeline:
    """A pipeline that viewtool plays, from its preroll to its end."""

    def __init__(self, tool, launch):
        self.command = [tool, launch]
        self.process = self.ended = self.url = None

    async def __aenter__(self):
        self.process = await asyncio.create_subprocess_exec(*self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        line = (await self.process.stdout.readline()).decode().split()
        assert line and line[0] == "port", "the pipeline does not preroll"
        self.url = f"ws://127.0.0.1:{line[1]}"
        return self

    def play(self):
        self.process.stdin.write(b"play\n")
        self.ended = asyncio.create_task(self.process.stdout.readline())

    def is_over(self):
        return self.ended.done()

    async def __aexit__(self, fault, *_):
        try:
            if not fault:
                assert (await self.ended).strip() == b"end", "the pipeline fails"
                self.process.stdin.write(b"end\n")
                assert await self.process.wait() == 0
        finally:
            if self.process.returncode is None:
                self.process.kill()


async def read(url, n_channels, play, is_over, with_derived=False, subprotocol="foxglove.sdk.v1"):
    """What a server sends to a client that subscribes to all. play: called when it has."""
    viewer = Viewer(with_derived)
    async with websockets.connect(url, subprotocols=[subprotocol], max_size=None, max_queue=None) as socket:
        assert socket.subprotocol == subprotocol
        await viewer.advertised(socket, n_channels)
        await viewer.subscribe(socket)
        await play()
        await receive(viewer, socket, is_over)
    return viewer


async def watch(tool, launch, n_channels, is_live, with_derived=False):
    async with Pipeline(tool, launch) as pipeline:
        if is_live:
            pipeline.play()

        async def play():
            if not is_live:
                pipeline.play()

        return await read(pipeline.url, n_channels, play, pipeline.is_over, with_derived)


def recorded(path):
    """Messages by topic, and the type and definition of each topic."""
    messages, types = {}, {}
    with open(path, "rb") as file:
        for schema, channel, message in make_reader(file).iter_messages(log_time_order=False):
            if channel.topic != "/robocache/events":
                messages.setdefault(channel.topic, []).append((message.log_time, message.data))
                types[channel.topic] = (schema.name, schema.data.decode())
    return messages, types


def compare(viewer, messages, types, is_part, is_live):
    seen = {channel["topic"]: (channel["schemaName"], channel["schema"]) for channel in viewer.channels.values()}
    assert seen == types, f"topics {sorted(seen)}, recorded {sorted(types)}"
    assert sorted(viewer.messages) == sorted(messages), f"messages of {sorted(viewer.messages)}, recorded {sorted(messages)}"
    for topic, expected in messages.items():
        got = viewer.messages[topic]
        if is_live:
            # each sink stamps the arrival of a row by itself, and rows before the subscription are gone
            got, expected = [data for _, data in got], [data for _, data in expected][-len(got) :]
        if is_part:
            assert got[-1] == expected[-1] and set(got) <= set(expected), f"{topic}: messages that were not recorded"
            assert [item for item in expected if item in set(got)] == got, f"{topic}: another order"
        else:
            assert len(got) == len(expected), f"{topic}: {len(got)} messages, recorded {len(expected)}"
            assert got == expected, f"{topic}: other bytes or times"
    assert viewer.times, "no time"


def run(tool, name, streams, is_part):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "run.mcap"
        launch = sinks(streams).replace("{path}", str(path))
        n_channels = 3 if name == "samples" else len(streams)
        is_live = name.startswith("live")
        viewer = asyncio.run(asyncio.wait_for(watch(tool, launch, n_channels, is_live), TIMEOUT_S))
        messages, types = recorded(path)
        compare(viewer, messages, types, is_part, is_live)


def main():
    failed = 0
    for name, streams in {**CASES, **NEWEST}.items():
        try:
            run(sys.argv[1], name, streams, name in NEWEST)
            print(f"PASS {name}")
        except (AssertionError, asyncio.TimeoutError, OSError) as error:
            failed += 1
            print(f"FAIL {name}: {error or type(error).__name__}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
