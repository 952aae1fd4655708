#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A robot with a fault that a person must find on the live page.

    scene.py NAME PORT          NAME: good, slow, late, early, dead, ended, behind, ahead, full, two, renamed or counted

Prints "port N" when it plays. Of standard input, "stats" prints statistics of its robocachefuse as JSON, "fail" begins a recording on a full
disk, and "rename" gives other names to the channels of a stream, or the first ones again."""
import json
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

SECOND = 10**9
DELAY = "queue name=delay min-threshold-time=80000000 max-size-time=0 max-size-buffers=0 max-size-bytes=0 !"
# what a scene adds to the timestamps of a source
SHIFTS = {"late": ("camera", 80_000_000), "early": ("camera", -80_000_000), "ahead": ("proprio", SECOND), "behind": ("proprio", -SECOND),
          "two": ("shift", SECOND)}
ROBOT = """robocachefoxglovesink name=view port={port} sync=false sink_0::topic=/samples sink_1::topic=/camera_0 sink_2::topic=/proprio_0
    sink_3::topic=/force_0 sink_4::topic=/others
  robocachefuse name=f rate=50 ! queue ! view.sink_0
  videotestsrc name=camera is-live=true pattern=ball ! video/x-raw,format=RGB,width=160,height=120,framerate=30/1 ! {delay} tee name=c ! queue ! f.camera_0
    c. ! queue ! view.sink_1
  robocachetestsrc name=proprio kind=proprio is-live=true rate=100 jitter=1000000 ! tee name=p ! queue ! f.proprio_0 p. ! queue ! view.sink_2
  robocachetestsrc name=wrench kind=force is-live=true rate=200 ! valve name=force ! tee name=o ! queue ! f.force_0 o. ! queue ! view.sink_3"""
# every write fails, as on a full disk
RECORDER = """ p. ! valve name=disk drop=true ! robocachemcapsink name=recorder location=/dev/full"""
SECOND_FUSE = """ robocachefuse name=g rate=20 ! queue ! view.sink_4
  robocachetestsrc kind=proprio is-live=true rate=100 ! identity name=shift ! g.proprio_0"""
RENAMED = """ robocachetestsrc kind=proprio is-live=true rate=100 ! identity name=names ! queue ! view.sink_4"""
MORE = {"full": RECORDER, "two": SECOND_FUSE, "renamed": RENAMED}
NAMES = [",".join(["elbow", "wrist"] + [f"q{i}" for i in range(12)]), ",".join(f"q{i}" for i in range(14))]
# not live, with rows that come twice: all counts are known
COUNTED = """robocachefuse name=f rate=100 ! queue ! robocachefoxglovesink name=view port={port} sync=false
  robocachetestsrc rate=100 num-buffers=100 ! f.sink_0 appsrc name=twice format=time
    caps="other/tensors,format=static,num_tensors=1,types=float32,dimensions=(string)2,framerate=100/1" ! f.sink_1"""


class Scene:
    def __init__(self, name, port):
        self.name, self.loop, self.n_renamed = name, GLib.MainLoop(), 0
        launch = COUNTED if name == "counted" else ROBOT + MORE.get(name, "")
        self.pipeline = Gst.parse_launch(launch.format(port=port, delay=DELAY if name == "slow" else ""))
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message::error", lambda *_: self.loop.quit())
        GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP, self._read)

    def prepare(self):
        """The fault. A fuse that knew of a delay would wait for it."""
        if self.name in SHIFTS:
            source, shift = SHIFTS[self.name]
            self._find(source).get_static_pad("src").set_offset(shift)
        if self.name == "slow":
            self._find("delay").get_static_pad("src").add_probe(Gst.PadProbeType.QUERY_UPSTREAM, self._hide_latency)
        if self.name == "dead":
            GLib.timeout_add_seconds(3, lambda: self._find("force").set_property("drop", True))
        if self.name == "full":
            # it begins later
            self._find("recorder").set_locked_state(True)
        if self.name == "ended":
            self._find("wrench").set_property("num-buffers", 600)
        if self.name == "counted":
            self._push_rows()

    def _find(self, name):
        return self.pipeline.get_by_name(name)

    @staticmethod
    def _hide_latency(_, info):
        query = info.get_query()
        if query.type != Gst.QueryType.LATENCY:
            return Gst.PadProbeReturn.OK
        query.set_latency(True, 0, Gst.CLOCK_TIME_NONE)
        return Gst.PadProbeReturn.HANDLED

    def _push_rows(self):
        source = self._find("twice")
        for i in range(100):
            for _ in range(2 if i % 10 == 5 else 1):
                buffer = Gst.Buffer.new_wrapped(bytes(8))
                buffer.pts, buffer.duration = i * SECOND // 100, SECOND // 100
                source.emit("push-buffer", buffer)

    def _rename(self, pad, _):
        caps = pad.get_current_caps().copy()
        caps.set_value("channels", NAMES[self.n_renamed % 2])
        self.n_renamed += 1
        pad.push_event(Gst.Event.new_caps(caps))
        return Gst.PadProbeReturn.REMOVE

    def _read(self, *_):
        line = sys.stdin.readline().strip()
        if not line:
            self.loop.quit()
        elif line == "stats":
            print(json.dumps(as_dictionary(self._find("f").get_property("stats"))), flush=True)
        elif line == "rename":
            self._find("names").get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, self._rename)
        elif line == "fail":
            self._find("recorder").set_locked_state(False)
            self._find("recorder").sync_state_with_parent()
            self._find("disk").set_property("drop", False)
        return True

    def run(self):
        self.prepare()
        self.pipeline.set_state(Gst.State.PLAYING)
        print("port", self._find("view").get_property("stats").get_value("port"), flush=True)
        self.loop.run()
        self.pipeline.set_state(Gst.State.NULL)


def as_dictionary(structure):
    fields = {structure.nth_field_name(i): structure.get_value(structure.nth_field_name(i)) for i in range(structure.n_fields())}
    return {name: as_dictionary(value) if isinstance(value, Gst.Structure) else value for name, value in fields.items() if isinstance(value, (int, float, str, Gst.Structure))}


if __name__ == "__main__":
    Gst.init(None)
    Scene(sys.argv[1], int(sys.argv[2])).run()
