#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Servers and clients of others beside robocachefoxglovesink.

    peers.py VIEWTOOL

A pipeline plays into robocachemcapsink and robocachefoxglovesink. Then servers of others serve the recording: the reader of viewers.py must get the
same from them, and each server must answer requests with the same forms. Last, a client of others reads the pipeline. Prints PASS or FAIL for each
case."""
import asyncio
import json
import logging
import os
import pathlib
import sys
import tempfile

import foxglove
import foxglove_websocket.server
import robo_ws_bridge
import websockets
from viewers import CASES, Pipeline, compare, read, recorded, sinks, watch

TIMEOUT_S = 60
TOKEN = "peers-of-the-foxglove-sink-0123456789"
SDK = "foxglove.sdk.v1"
N_CHANNELS = 3
N_OWN = 3                       # channels about the pipeline itself
SETTING = "f.latency"
QUEUE = 100000                  # messages
# {request: (message, operations of the answers)}; CHANNEL stands for a channel that is subscribed to
CHANNEL = "CHANNEL"
REQUESTS = {
    "graph": ({"op": "subscribeConnectionGraph"}, ["connectionGraphUpdate"]),
    "parameters": ({"op": "getParameters", "parameterNames": [], "id": "all"}, ["parameterValues"]),
    "one parameter": ({"op": "getParameters", "parameterNames": [SETTING]}, ["parameterValues"]),
    "updates": ({"op": "subscribeParameterUpdates", "parameterNames": [SETTING]}, []),
    "change": ({"op": "setParameters", "parameters": [{"name": SETTING, "value": 30000000}], "id": "change"}, ["parameterValues"] * 2),
    "no JSON": ("synchronize", ["status"]),
    "no operation": ({"op": "dance"}, ["status"]),
    "no channel": ({"op": "subscribe", "subscriptions": [{"id": 9, "channelId": 4242}]}, ["status"]),
    "subscribed twice": ({"op": "subscribe", "subscriptions": [{"id": 1000, "channelId": CHANNEL}]}, ["status"]),
    "binary": (b"\x09abcdef", ["status"]),
}


def without_null(message):
    """foxglove-websocket writes members that are missing as null."""
    return {key: value for key, value in json.loads(message).items() if value is not None}


async def converse(url, subprotocol, without=()):
    """{request: answers}, and the first messages of the server."""
    said = {}
    async with websockets.connect(url, subprotocols=[subprotocol], max_size=None) as socket:
        said["server"] = [without_null(await socket.recv())]
        channels = []
        while len(channels) < N_CHANNELS + N_OWN:
            channels += json.loads(await socket.recv())["channels"]
        said["channels"] = sorted(channels, key=lambda channel: channel["topic"])
        first = said["channels"][0]["id"]
        await socket.send(json.dumps({"op": "subscribe", "subscriptions": [{"id": 1000, "channelId": first}]}))
        if subprotocol == SDK:
            await socket.send(json.dumps({"op": "setParameters", "parameters": [{"name": "token", "value": TOKEN}]}))
        for name, (request, operations) in REQUESTS.items():
            if name in without:
                continue
            await socket.send(json.dumps(request).replace(f'"{CHANNEL}"', str(first)) if isinstance(request, dict) else request)
            said[name] = []
            while len(said[name]) < len(operations):
                message = await asyncio.wait_for(socket.recv(), TIMEOUT_S)
                if isinstance(message, str) and json.loads(message)["op"] in operations:
                    said[name].append(without_null(message))
    return said


class Sdk:
    """The server of foxglove-sdk."""

    protocol, without = SDK, ()

    def __init__(self, said):
        self.said, self.channels = said, {}

    async def __aenter__(self):
        # without it, its channels end
        self.context = context = foxglove.Context()
        capability = foxglove.websocket.Capability
        self.server = foxglove.start_server(
            port=0, name="robocache", context=context, server_listener=self, message_backlog_size=QUEUE,
            capabilities=[capability.Time, capability.ConnectionGraph, capability.Parameters])
        for one in self.said["channels"]:
            schema = foxglove.Schema(name=one["schemaName"], encoding=one["schemaEncoding"], data=one["schema"].encode())
            self.channels[one["topic"]] = foxglove.Channel(one["topic"], message_encoding=one["encoding"], schema=schema, context=context)
        graph = foxglove.websocket.ConnectionGraph()
        for topic in self.said["graph"][0]["publishedTopics"]:
            graph.set_published_topic(topic["name"], topic["publisherIds"])
        for topic in self.said["graph"][0]["subscribedTopics"]:
            graph.set_subscribed_topic(topic["name"], topic["subscriberIds"])
        self.server.publish_connection_graph(graph)
        self.url = f"ws://127.0.0.1:{self.server.port}"
        return self

    def __getattr__(self, name):
        """What else a listener may have."""
        if name.startswith("on_"):
            return lambda *_, **__: None
        raise AttributeError(name)

    def on_get_parameters(self, _, names, __=None):
        return [foxglove.Parameter(one["name"], value=one["value"]) for one in self.said["parameters"][0]["parameters"]
                if not names or one["name"] in names]

    def on_set_parameters(self, _, parameters, __=None):
        return parameters

    async def send(self, topic, log_time, data):
        self.channels[topic].log(data, log_time=log_time)

    async def send_time(self, time):
        self.server.broadcast_time(time)

    async def __aexit__(self, *_):
        self.server.stop()


class V1(foxglove_websocket.server.FoxgloveServerListener):
    """The server of foxglove-websocket, which knows no graph."""

    protocol, without = "foxglove.websocket.v1", ("graph",)

    def __init__(self, said):
        self.said, self.channels = said, {}

    async def __aenter__(self):
        capabilities = ["time", "parameters", "parametersSubscribe"]
        logger = logging.getLogger("quiet")
        logger.disabled = True
        self.server = foxglove_websocket.server.FoxgloveServer(
            "127.0.0.1", 0, "robocache", capabilities=capabilities, metadata={"library": "other"}, session_id="1", logger=logger)
        self.server.set_listener(self)
        self.server.start()
        opened = await self.server.wait_opened()
        for one in self.said["channels"]:
            self.channels[one["topic"]] = await self.server.add_channel({key: value for key, value in one.items() if key != "id"})
        self.url = f"ws://127.0.0.1:{opened.sockets[0].getsockname()[1]}"
        return self

    async def on_get_parameters(self, _, names, __):
        return [one for one in self.said["parameters"][0]["parameters"] if not names or one["name"] in names]

    async def on_set_parameters(self, _, parameters, __):
        return parameters

    async def on_parameters_subscribe(self, *_):
        pass

    async def send(self, topic, log_time, data):
        await self.server.send_message(self.channels[topic], log_time, data)

    async def send_time(self, time):
        await self.server.broadcast_time(time)

    async def __aexit__(self, *_):
        self.server.close()
        await self.server.wait_closed()


def forms(value, path=""):
    """Paths of all members with their types. Names of metadata are free."""
    if isinstance(value, dict):
        return {line for key, one in value.items() for line in forms(one, f"{path}.{'*' if path.endswith('metadata') else key}")}
    if isinstance(value, list):
        return {line for one in value for line in forms(one, f"{path}[]")} or {f"{path} list"}
    return {f"{path} {type(value).__name__}"}


def without_ids(channels):
    return [{key: value for key, value in channel.items() if key != "id"} for channel in channels]


def by_name(graph):
    return {key: sorted(value, key=str) if isinstance(value, list) else value for key, value in graph.items()}


def launch_line(folder, name):
    return sinks(CASES["samples"]).replace("{path}", str(pathlib.Path(folder) / name)).replace("name=s ", "name=s parameters=true ")


async def run_ours(tool, folder):
    """{request: answers} of a first run; messages of a second one, which equal its recording, and that recording."""
    async with Pipeline(tool, launch_line(folder, "asked.mcap")) as pipeline:
        said = await converse(pipeline.url, SDK)
        pipeline.play()
    viewer = await watch(tool, launch_line(folder, "run.mcap"), N_CHANNELS, False)
    messages, types = recorded(pathlib.Path(folder) / "run.mcap")
    compare(viewer, messages, types, False, False)
    return said, viewer, messages, types


async def check_answers(ours, server):
    async with server(ours[0]) as peer:
        theirs = await converse(peer.url, peer.protocol, peer.without)
    assert without_ids(ours[0]["channels"]) == without_ids(theirs["channels"]), f"channels {theirs['channels']}"
    for name, answers in theirs.items():
        expected = ours[0][name]
        if name in ("parameters", "one parameter", "change"):
            assert sorted(map(str, answers)) == sorted(map(str, expected)), f"{name}: {expected}, {server.__name__} has {answers}"
        if name == "graph":
            assert [by_name(one) for one in answers] == [by_name(one) for one in expected], f"{name}: {answers}"
        difference = forms(answers) ^ forms(expected)
        assert not difference, f"{name}: {difference} are in one of {expected} and {answers}"


async def check_messages(ours, server):
    """The recording, published with the server: the reader gets what it got from ours."""
    _, viewer, messages, types = ours
    over = False
    async with server(ours[0]) as peer:

        async def play():
            nonlocal over
            for topic, items in messages.items():
                for log_time, data in items:
                    await peer.send(topic, log_time, data)
            for time in viewer.times:
                await peer.send_time(time)
            over = True

        other = await read(peer.url, N_CHANNELS, play, lambda: over, subprotocol=peer.protocol)
    compare(other, messages, types, False, False)
    assert other.times == viewer.times, "other times"


async def check_client(tool, folder):
    """A client of others gets what is recorded, and sets a parameter."""
    got = {}
    async with Pipeline(tool, launch_line(folder, "client.mcap")) as pipeline:
        client, advertised, times = robo_ws_bridge.WebSocketBridgeClient(pipeline.url), asyncio.Event(), []
        client.on_advertised_channel(lambda _: len(client.channels) == N_CHANNELS + N_OWN and advertised.set())
        client.on_message(lambda channel, log_time, data: got.setdefault(channel["topic"], []).append((log_time, data)))
        client.on_time_update(times.append)
        await client.connect()
        await advertised.wait()
        for channel in client.channels.values():
            await client.subscribe(channel["topic"])
        await client.subscribe_connection_graph()
        await client.set_parameters([{"name": "token", "value": TOKEN}])
        assert await client.set_parameters([{"name": SETTING, "value": 7000000}]) == [{"name": SETTING, "value": 7000000}]
        assert (await client.get_parameters([SETTING]))[0]["value"] == 7000000
        graph = client.connection_graph
        assert {one["name"] for one in graph.published_topics} == {one["topic"] for one in client.channels.values()}, graph
        types = {one["topic"]: (one["schemaName"], one["schema"]) for one in client.channels.values()}
        pipeline.play()
        await pipeline.ended
        messages, recorded_types = recorded(pathlib.Path(folder) / "client.mcap")
        while any(len(got.get(topic, [])) < len(items) for topic, items in messages.items()):
            await asyncio.sleep(0)
        await client.disconnect()
    assert {topic: types[topic] for topic in recorded_types} == recorded_types and times
    for topic, items in messages.items():
        assert got[topic] == items, f"{topic}: other messages"


def main():
    os.environ["ROBOCACHE_VIEW_TOKEN"] = TOKEN
    failed, tool = 0, sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        ours = asyncio.run(asyncio.wait_for(run_ours(tool, folder), TIMEOUT_S))
        cases = {f"{what} of {name}": (check, ours, server) for name, server in (("foxglove-sdk", Sdk), ("foxglove-websocket", V1))
                 for what, check in (("answers", check_answers), ("messages", check_messages))}
        cases["client robo-ws-bridge"] = (check_client, tool, folder)
        for name, (check, *arguments) in cases.items():
            try:
                asyncio.run(asyncio.wait_for(check(*arguments), TIMEOUT_S))
                print(f"PASS {name}")
            except (AssertionError, asyncio.TimeoutError, OSError) as error:
                failed += 1
                print(f"FAIL {name}: {str(error)[:1000] or type(error).__name__}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
