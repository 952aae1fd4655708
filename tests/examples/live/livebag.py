#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fuses live topics, records them, and compares the samples with those of the recording.

    livebag.py REPLAY

REPLAY is robocache-replay. With a latency that all rows meet, samples of the live session and of its recording have the same ticks, statuses,
times and values. With a latency of 0 arrivals decide, and the session is replayed. Runs in a network namespace of its own. Prints PASS or FAIL
for each case; exits with 77 where a namespace is missing.
"""
import pathlib
import subprocess
import sys
import tempfile

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402: require_version comes first

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "check" / "rossrc"))
from rclpypeer import enter  # noqa: E402

TOPICS = {"/joints": "proprio_0", "/force": "force_0", "/front": "camera_0"}
PUBLISHER = """robocacherossink name=out sink_0::topic=/joints sink_1::topic=/force sink_2::topic=/front
  robocachetestsrc kind=proprio rate=100/1 channels=6 is-live=true jitter=2000000 drop=0.02 num-buffers=250 ! out.sink_0
  robocachetestsrc kind=force rate=400/1 is-live=true jitter=300000 num-buffers=1000 ! out.sink_1
  videotestsrc is-live=true num-buffers=75 pattern=ball ! video/x-raw,format=RGB,width=16,height=12,framerate=30/1 ! out.sink_2"""
# (name, settings of robocachefuse): for the first ones, latency is more than any delay of a busy machine
EQUAL = [
    ("rate", "rate=50/1 latency=3000000000"),
    ("camera", "reference-pad=camera_0 latency=3000000000"),
    ("window", "rate=30/1 window=3 proprio_0::interpolation=cubic force_0::interpolation=mean camera_0::max-gap=50000000 latency=3000000000"),
]
REPLAYED = [("arrivals", "rate=100/1 latency=0")]
LIMIT = 60 * Gst.SECOND


def stream_of(pad):
    """The topic of a pad of a source or demuxer."""
    return "/" + pad.get_stream_id().split("/")[-1].partition("@")[0]


class Run:
    """A pipeline whose streams end in a robocachefuse; samples: {PTS: bytes}, with times and statuses, which info=tensor adds."""

    def __init__(self, source, settings, branches):
        self.samples = {}
        tees = " ".join(f"tee name={topic[1:]} {topic[1:]}. ! queue max-size-time=0 max-size-buffers=0 max-size-bytes=0 ! fuse.{pad}"
                        if source.startswith("filesrc") else f"tee name={topic[1:]} {topic[1:]}. ! fuse.{pad}" for topic, pad in TOPICS.items())
        self.pipeline = Gst.parse_launch(f"robocachefuse name=fuse info=tensor {settings} ! tee name=fused fused. ! queue ! appsink name=sink "
                                         f"emit-signals=true sync=false {tees} {branches} {source}")
        self.pipeline.get_by_name("sink").connect("new-sample", self._take)
        self.source = self.pipeline.get_by_name("source")
        self.source.connect("pad-added", self._link)

    def _take(self, sink):
        buffer = sink.emit("pull-sample").get_buffer()
        self.samples[buffer.pts] = buffer.extract_dup(0, buffer.get_size())
        return Gst.FlowReturn.OK

    def _link(self, _, pad):
        assert pad.link(self.pipeline.get_by_name(stream_of(pad)[1:]).get_static_pad("sink")) == Gst.PadLinkReturn.OK

    def play(self):
        self.pipeline.set_state(Gst.State.PLAYING)

    def finish(self):
        message = self.pipeline.get_bus().timed_pop_filtered(LIMIT, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        self.pipeline.set_state(Gst.State.NULL)
        if message is None or message.type != Gst.MessageType.EOS:
            raise RuntimeError(message.parse_error() if message else "no end")


def run_live(path, settings):
    """Fuses and records what a publisher of another process sends."""
    branches = " ".join(f"{topic[1:]}. ! rec.sink_{i}" for i, topic in enumerate(TOPICS))
    topics = " ".join(f"sink_{i}::topic={topic}" for i, topic in enumerate([*TOPICS, "/fused"]))
    live = Run(f"robocacherossrc name=source topics={','.join(TOPICS)} wait={Gst.CLOCK_TIME_NONE}", settings,
               f"robocachemcapsink name=rec location={path} {topics} {branches} fused. ! rec.sink_{len(TOPICS)}")
    live.play()
    subprocess.run(["gst-launch-1.0", "-q", *PUBLISHER.split()], check=True)
    origin = live.source.get_property("stats").get_int64("time-origin")[1]
    live.source.send_event(Gst.Event.new_eos())
    live.finish()
    return live.samples, origin


def comparable(sample, settings):
    """A live tick of a reference pad does not wait for the frame after it, whose time is the third of the pad's numbers at the end."""
    at = len(sample) - len(TOPICS) * 4 * 8 + 2 * 8
    return sample[:at] + sample[at + 8:] if "reference-pad" in settings else sample


def compare(path, settings):
    """What differs; None: nothing."""
    live, origin = run_live(path, settings)
    bag = Run(f"filesrc location={path} ! robocachemcapdemux name=source topics={','.join(TOPICS)} time-origin={origin}", settings, "")
    bag.play()
    bag.finish()
    wrong = [pts for pts, sample in bag.samples.items() if comparable(live.get(pts, b""), settings) != comparable(sample, settings)]
    # live, ticks may come before all streams have begun, and until the end
    inner = [pts for pts in live if min(bag.samples) <= pts <= max(bag.samples)]
    if wrong or len(inner) != len(bag.samples) or len(inner) < 50:
        return f"{len(wrong)} of {len(bag.samples)} samples differ from {len(inner)} live ones, first at {min(wrong, default=None)}"
    return None


def replay(path, settings, program):
    run_live(path, settings)
    done = subprocess.run([program, path], capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else done.stdout + done.stderr


def main():
    program, = sys.argv[1:]
    enter()
    Gst.init(None)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for name, settings in EQUAL + REPLAYED:
            path = pathlib.Path(folder, f"{name}.mcap")
            fault = compare(path, settings) if (name, settings) in EQUAL else replay(path, settings, program)
            print(f"FAIL {name}: {fault}" if fault else f"PASS {name}", flush=True)
            failed |= fault is not None
    return failed


if __name__ == "__main__":
    sys.exit(main())
