# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases: marks of episodes from a topic, from gaps, and from a file beside the recording."""
import make
from lerobot_sets import SECOND, Set
from mcap.reader import NonSeekingReader
from mcap_ros2.writer import Writer as RosWriter
from run import export, must_export
from robocache.export.errors import ExportError
from robocache.export.marks import Span, from_gaps, from_topic, time_of


class FakeRecording:
    """What marks are read from."""
    name = "fake"

    def __init__(self, texts=(), times=()):
        self._texts, self._times = texts, times

    def has(self, topic):
        return topic == "/episode"

    def texts(self, _):
        return self._texts

    def times(self, _):
        return self._times

    def span(self):
        return 0, 100


# (texts, spans) or (texts, part of the error)
TOPIC = {
    "two": ([(1, "start pick it"), (5, "success"), (6, "start"), (9, "end")], [Span(1, 5, "pick it", True), Span(6, 9)]),
    "discarded": ([(1, "start a"), (5, "discard"), (6, "start b"), (9, "failure")], [Span(6, 9, "b", False)]),
    "judged after its end": ([(1, "start a"), (5, "end"), (6, "success")], [Span(1, 5, "a", True)]),
    "discarded after its end": ([(1, "start a"), (5, "end"), (6, "discard"), (7, "start b"), (8, "end")], [Span(7, 8, "b")]),
    "no end": ([(1, "start a")], [Span(1, 101, "a")]),
    "two starts": ([(1, "start a"), (2, "start b")], "the episode before has no end"),
    "end alone": ([(1, "end")], "no episode has begun"),
    "unknown": ([(1, "go")], "is no mark"),
}
TIMES = {"1700000000.25": 1700000000250000000, "+1.5": 1500000010, "0.000000001": 1, "-2": -2 * SECOND, "x": None, "nan": None}


def topic(texts, expected):
    try:
        got = from_topic("/episode", FakeRecording(texts))
    except ExportError as error:
        got = str(error)
    yield "spans", got if isinstance(expected, list) else expected in got, expected if isinstance(expected, list) else True


def times(_):
    for text, expected in TIMES.items():
        try:
            got = time_of(text, 10)
        except ExportError:
            got = None
        yield text, got, expected


def gaps(_):
    recording = FakeRecording(times=[0, SECOND, 2 * SECOND, 5 * SECOND, 6 * SECOND, 9 * SECOND])
    yield "longer than 2 s", from_gaps("2", ["/x"], recording), [Span(0, 2 * SECOND + 1), Span(5 * SECOND, 6 * SECOND + 1),
                                                                 Span(9 * SECOND, 9 * SECOND + 1)]
    yield "none", from_gaps("3", ["/x"], recording), [Span(0, 9 * SECOND + 1)]


def _add_texts(source, path, texts):
    """A copy of a recording with a topic of std_msgs/String."""
    with open(path, "wb") as output, open(source, "rb") as stream:
        ros = RosWriter(output)
        writer, channels = ros._writer, {}
        for schema, channel, message in NonSeekingReader(stream).iter_messages(log_time_order=False):
            if channel.id not in channels:
                number = writer.register_schema(schema.name, schema.encoding, schema.data)
                channels[channel.id] = writer.register_channel(channel.topic, channel.message_encoding, number, channel.metadata)
            writer.add_message(channels[channel.id], message.log_time, message.data, message.publish_time, message.sequence)
        schema = ros.register_msgdef("std_msgs/msg/String", "string data")
        for time, text in texts:
            ros.write_message("/episode", schema, {"data": text}, log_time=time, publish_time=time)
        ros.finish()


def recorded_topic(folder):
    path = folder / "marked" / "marked.mcap"
    path.parent.mkdir()
    _add_texts(folder / "a.mcap", path, [(SECOND // 2, "start pick up"), (SECOND * 3 // 2, "success"), (SECOND * 2, "start again"),
                                         (SECOND * 5 // 2, "discard")])
    must_export(path, "--mapping", make.mapping(folder), "--output", folder / "marked-set", "--episodes", "topic:/episode")
    made = Set(folder / "marked-set")
    yield "episodes", [(row["tasks"], row["length"], row["success"]) for row in made.episodes], [(["pick up"], 30, True)]
    yield "as from spans", made.column("observation.state").tolist(), Set(folder / "set").of(0, "observation.state").tolist()
    status, said = export(path, "--mapping", make.mapping(folder), "--output", folder / "no", "--episodes", "topic:/other")
    yield "no such topic", (status, "no topic /other" in said), (1, True)


def beside(folder):
    """RECORDING.episodes.csv is taken without being named; whole ignores it."""
    path = make.robot(folder, "beside.mcap")
    make.spans(folder, [",+0.5,+1,,true,", ",+1,+2,,,"], "beside.episodes.csv")
    status, said = export(path, "--mapping", make.mapping(folder), "--output", folder / "beside", "--check")
    yield "two", (status, said.splitlines()[-1]), (0, "2 episodes can be exported")
    status, said = export(path, "--mapping", make.mapping(folder), "--output", folder / "beside", "--check", "--episodes", "whole")
    yield "whole", (status, said.splitlines()[-1]), (0, "1 episodes can be exported")


def suggested(folder):
    """A mapping from the topics alone, which exports as it is."""
    path = folder / "suggested.toml"
    path.write_text(must_export(folder / "a.mcap", "--suggest"))
    must_export(folder / "a.mcap", "--mapping", path, "--output", folder / "suggested", "--episodes", "whole")
    made = Set(folder / "suggested")
    yield "fps", made.info["fps"], 30
    yield "features", sorted(name for name in made.info["features"] if name.startswith(("observation", "action"))), \
        ["action", "observation.images.camera_front", "observation.images.camera_wrist", "observation.state"]


def cases(folder):
    yield from ((f"marks topic: {name}", topic, *row) for name, row in TOPIC.items())
    yield from ((f"marks {case.__name__}", case, folder) for case in (times, gaps, recorded_topic, beside, suggested))
