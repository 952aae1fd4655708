#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Topics of robocachefoxglovesink about the pipeline: diagnostics, the description of the robot, and the fields that layouts of viewers show.

    owntopics.py VIEWTOOL URDF LAYOUTS

A live pipeline has one stream that is aligned, and one that ends. Prints PASS or FAIL for each case."""
import asyncio
import json
import pathlib
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree

import websockets
from mcap_ros2._dynamic import generate_dynamic

TIMEOUT_S = 60
SILENCE_S = 20                  # after the last topic
LAUNCH = (
    "robocachefoxglovesink name=s port=0 sink_2::topic=/camera robocachefuse name=f rate=50 ! queue ! s.sink_0 "
    "robocachetestsrc kind=proprio rate=100 is-live=true num-buffers=1000000 ! f.proprio_0 "
    "robocachetestsrc kind=force rate=100 is-live=true num-buffers=20 ! f.force_0 "
    "robocachetestsrc kind=proprio channels=7 rate=50 is-live=true ! robocachekinematics urdf={urdf} joints=q0,q1,q2,q3,q4,q5,q6 frames=tool ! s.sink_1 "
    "videotestsrc is-live=true ! video/x-raw,format=RGB,width=64,height=48,framerate=10/1 ! s.sink_2"
)
OK, WARN, ERROR = b"\0", b"\1", b"\2"


async def messages_of(socket, topic):
    """The messages of a topic, decoded."""
    while True:
        message = await socket.recv()
        found = [] if isinstance(message, bytes) else [one for one in json.loads(message).get("channels", []) if one["topic"] == topic]
        if found:
            break
    decode = generate_dynamic(found[0]["schemaName"], found[0]["schema"])[found[0]["schemaName"]]
    await socket.send(json.dumps({"op": "subscribe", "subscriptions": [{"id": 7, "channelId": found[0]["id"]}]}))
    while True:
        message = await socket.recv()
        if isinstance(message, bytes) and message[0] == 1:
            assert struct.unpack_from("<I", message, 1)[0] == 7
            yield decode(message[13:])


async def check_diagnostics(socket, _):
    """The stream that has ended is held, then missing."""
    async for message in messages_of(socket, "/robocache/diagnostics"):
        status = {one.name: one for one in message.status}
        assert list(status) == ["robocache: f", "robocache: f: proprio_0", "robocache: f: force_0"], list(status)
        assert all({"rows per second", "age p50 (ms)", "age p99 (ms)", "rows late", "rows dropped"} <= {value.key for value in one.values}
                   for name, one in status.items() if name.count(":") == 2), message
        level = status["robocache: f: force_0"].level
        level = level if isinstance(level, bytes) else bytes([level])
        if level == ERROR:
            assert "missing" in status["robocache: f: force_0"].message, message
            return


async def check_robot(socket, urdf):
    async for message in messages_of(socket, "/robot_description"):
        assert message.data == pathlib.Path(urdf).read_text(encoding="utf-8")
        return


def paths_of(folder):
    """Fields that layouts show, as lists of names without indices."""
    layout = json.loads((folder / "foxglove.json").read_text(encoding="utf-8"))
    paths = [path["value"] for config in layout["configById"].values() for path in config.get("paths", [])]
    paths += [config["topicPath"] for config in layout["configById"].values() if "topicPath" in config]
    curves = xml.etree.ElementTree.parse(folder / "plotjuggler.xml").iter("curve")
    names = [curve.get("name").replace("/", ".").replace(".", "/", 2) for curve in curves]
    return sorted({re.sub(r"\[[^]]*\]|{[^}]*}", "", path) for path in paths + names})


def topics_of(value, name=""):
    """Topics that a layout names: values of members such as imageTopic, keys of topics."""
    if isinstance(value, dict):
        return {topic for key, one in value.items() for topic in topics_of(one, key)} | (set(value) if name == "topics" else set())
    is_topic = isinstance(value, str) and (name.endswith("Topic") or name.startswith("topic"))
    return {value.split(".")[0]} if is_topic else set()


def panels_of(layout):
    """Panels of the tree that a layout draws."""
    return [layout] if isinstance(layout, str) else [panel for half in ("first", "second") for panel in panels_of(layout[half])]


async def check_layouts(socket, folder):
    """All panels are drawn, topics are advertised, and each field of /robocache/ is in the schema of its topic."""
    layout = json.loads((pathlib.Path(folder) / "foxglove.json").read_text(encoding="utf-8"))
    assert sorted(panels_of(layout["layout"])) == sorted(layout["configById"]), "other panels are drawn than there are"
    paths, schemas = paths_of(pathlib.Path(folder)), {}
    topics = topics_of(layout["configById"]) | {path.split(".")[0] for path in paths}
    assert len(paths) > 10 and len(topics) >= 5, (paths, topics)
    while not topics <= set(schemas):
        try:
            channels = json.loads(await asyncio.wait_for(socket.recv(), SILENCE_S)).get("channels", [])
        except asyncio.TimeoutError as error:
            raise AssertionError(f"{sorted(topics - set(schemas))} are not advertised") from error
        schemas.update({one["topic"]: json.loads(one["schema"]) if one["encoding"] == "json" else None for one in channels})
    for path in paths:
        topic, *names = path.split(".")
        schema = schemas[topic]
        for name in names:
            schema = schema.get("items", schema)
            assert name in schema.get("properties", {}), f"{path}: {topic} has no field {name}"
            schema = schema["properties"][name]


async def run(tool, urdf, check):
    process = await asyncio.create_subprocess_exec(tool, LAUNCH.format(urdf=urdf), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        line = (await process.stdout.readline()).decode().split()
        assert line and line[0] == "port", "the pipeline does not preroll"
        process.stdin.write(b"play\n")
        async with websockets.connect(f"ws://127.0.0.1:{line[1]}", subprotocols=["foxglove.sdk.v1"], max_size=None) as socket:
            await check(socket)
    finally:
        process.kill()
        await process.wait()


def main():
    failed = 0
    tool, urdf, layouts = sys.argv[1:]
    cases = {"diagnostics": (check_diagnostics, urdf), "robot description": (check_robot, urdf), "layouts": (check_layouts, layouts)}
    for name, (check, argument) in cases.items():
        try:
            asyncio.run(asyncio.wait_for(run(tool, urdf, lambda socket: check(socket, argument)), TIMEOUT_S))
            print(f"PASS {name}")
        except (AssertionError, asyncio.TimeoutError, OSError) as error:
            failed += 1
            print(f"FAIL {name}: {str(error)[:500] or type(error).__name__}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
