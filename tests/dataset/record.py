#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/dataset/robocache-record on a simulated robot: marks, and what a crash leaves. Run as export.py is.

Prints PASS or FAIL for each case; exit status 1 if one failed.
"""
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402: require_version comes first

Gst.init(None)

from lerobot_sets import Set  # noqa: E402: elements come first
from mcapplan import run_cases  # noqa: E402
from robocache.export.recordings import open_recordings  # noqa: E402
from run import SCRIPT, must_export  # noqa: E402

MAPPING = """
fps = 30
[streams]
joints = {topic = "/joint_states"}
command = {topic = "/command"}
front = {topic = "/camera/front"}
[features]
"observation.state" = "joints"
"observation.images.front" = "front"
action = "command"
"""


class Recording:
    """A record program, which is spoken to by lines."""

    def __init__(self, path, *sources, before=()):
        self.path, self.said = path, []
        self.process = subprocess.Popen([*before, SCRIPT.with_name("robocache-record"), path, "--task", "wave", *(sources or ["--simulated"])],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(self, line):
        print(line, file=self.process.stdin, flush=True)

    def wait_for(self, start):
        """The next line that begins so. The program ends a test that waits in vain by its own time limit."""
        for line in self.process.stdout:
            self.said.append(line.rstrip())
            if line.startswith(start):
                return line.rstrip()
        raise RuntimeError(f"no line {start!r}: {self.said}")

    def wait_for_a_second(self, start):
        """Lines of progress are a second apart."""
        return [self.wait_for(start) for _ in range(2)]

    def marks(self):
        with open(self.path.with_suffix(".episodes.csv"), newline="", encoding="utf-8") as file:
            return [(row["task"], row["success"], row["discard"]) for row in csv.DictReader(file)]


def marks(folder):
    """Two episodes and a discarded one, and marks that do not fit."""
    recording = Recording(folder / "run.mcap")
    recording.wait_for("0 episodes: /joint_states")
    recording.say("end")
    yield "no episode runs", recording.wait_for("ignored"), "ignored: 'end' and no episode runs"
    recording.say('start put "it" down')
    recording.wait_for_a_second("episode 0 runs")
    recording.say("success")
    yield "table", recording.wait_for("episode 0: ").split(" s, ")[1], 'success, put "it" down'
    yield "a line a topic", [recording.wait_for("  ").split()[0] for _ in range(4)], ["/joint_states", "/force", "/command", "/camera/front"]
    recording.say("start")
    recording.wait_for("episode 1 runs")
    recording.say("start")
    yield "it runs", recording.wait_for("ignored"), "ignored: 'start' within an episode"
    recording.say("discard")
    recording.wait_for("episode 1: ")
    recording.say("start")
    recording.wait_for_a_second("episode 2 runs")
    recording.say("quit")
    recording.process.communicate()
    yield "status", recording.process.returncode, 0
    yield "marks", recording.marks(), [('put "it" down', "true", ""), ("wave", "", "true"), ("wave", "", "")]
    out = folder / "set"
    (folder / "robot.toml").write_text(MAPPING)
    must_export(recording.path, "--mapping", folder / "robot.toml", "--output", out, "--allow-slow-cameras")
    made = Set(out)
    yield "episodes", [(row["tasks"], row["success"]) for row in made.episodes], [(['put "it" down'], True), (["wave"], None)]
    yield "frames", min(row["length"] for row in made.episodes) > 10, True


def crash(folder):
    """kill -9 within an episode: the recording is whole up to a second before, and so are the marks."""
    recording = Recording(folder / "crash.mcap")
    recording.wait_for("0 episodes: /joint_states")
    recording.say("start before the crash")
    counts = [recording.wait_for("episode 0 runs") for _ in range(3)]
    recording.process.kill()
    recording.process.communicate()
    shown = int(counts[1].partition("/joint_states ")[2].partition(",")[0])
    found, = open_recordings([recording.path])
    # what was shown a second before the last line is in the file
    yield "messages", len(found.times("/joint_states")) >= shown, True
    yield "marks", recording.marks(), [("before the crash", "", "")]
    must_export(recording.path, "--mapping", folder / "robot.toml", "--output", folder / "crash", "--allow-slow-cameras")
    made = Set(folder / "crash")
    yield "episodes", [row["tasks"] for row in made.episodes], [["before the crash"]]
    yield "a second and more of it", made.info["total_frames"] >= 30, True


def existing(folder):
    """Neither a recording nor its marks are replaced."""
    for name in ("kept.mcap", "kept.episodes.csv"):
        path = folder / name
        path.write_text("of before", encoding="ascii")
        done = subprocess.run([SCRIPT.with_name("robocache-record"), folder / "kept.mcap", "--simulated"], capture_output=True, text=True, check=False)
        yield name, (done.returncode, f"{path} exists" in done.stderr, path.read_text(encoding="ascii")), (2, True, "of before")
        path.unlink()


# In a network of its own: a publisher of simulated topics, one of which has two streams, and the program.
NETWORK = ["unshare", "-n", "sh", "-c", '''ip link set lo up
gst-launch-1.0 -q robocacherossink name=ros sink_0::topic=/joint_states sink_1::topic=/command sink_2::topic=/camera/front \\
  robocachetestsrc kind=proprio is-live=true ! ros.sink_0 robocachetestsrc kind=proprio channels=14 rate=50/1 is-live=true ! ros.sink_1 \\
  videotestsrc is-live=true pattern=ball ! video/x-raw,format=RGB,width=320,height=240,framerate=30/1 ! ros.sink_2 > /dev/null 2>&1 &
"$@"; status=$?; kill $!; exit $status''', "network"]


def live_topics(folder):
    """Topics of ROS 2, whose recording begins when they do, beside a source."""
    recording = Recording(folder / "ros.mcap", "/force=robocachetestsrc is-live=true kind=force", "--ros", "/joint_states", "/comm*", "/camera/*",
                          "--joints", "q0,q1,q2;q3,q4", before=NETWORK)
    for topic in ("/joint_states/q0_q1_q2", "/joint_states/q3_q4", "/command/q0_q1_q2", "/camera/front", "/force"):
        while topic not in recording.wait_for("0 episodes"):
            pass
    recording.say("start grasp")
    recording.wait_for_a_second("episode 0 runs")
    recording.say("success")
    recording.wait_for("episode 0: ")
    recording.say("quit")
    recording.process.communicate()
    yield "status", recording.process.returncode, 0
    yield "marks", recording.marks(), [("grasp", "true", "")]
    out, mapping = folder / "ros", MAPPING.replace('"/joint_states"', '"/joint_states/q3_q4"').replace('"/command"', '"/command/q0_q1_q2"')
    (folder / "ros.toml").write_text(mapping)
    must_export(recording.path, "--mapping", folder / "ros.toml", "--output", out, "--allow-slow-cameras")
    made = Set(out)
    yield "episodes", [(row["tasks"], row["success"]) for row in made.episodes], [(["grasp"], True)]
    yield "frames", made.info["total_frames"] > 10, True
    yield "state", made.info["features"]["observation.state"]["shape"], [2]


def arguments(folder):
    for name, words, said in [("topic without --ros", ["/joint_states"], "expected TOPIC=SOURCE, or --ros"),
                              ("option without --ros", ["--simulated", "--domain", "7"], "--domain is an option of live topics"),
                              ("wrong domain", ["--ros", "--domain", "233"], "--domain 233: expected 0 to 232"),
                              ("wrong discovery", ["--ros", "--discovery", "all"], "--discovery: invalid choice"),
                              ("nothing", [], "expected sources, --ros or --simulated"),
                              ("no topic", ["--ros", "joints"], "expected TOPIC=SOURCE")]:
        done = subprocess.run([SCRIPT.with_name("robocache-record"), folder / "a.mcap", *words], capture_output=True, text=True, check=False)
        yield name, (done.returncode, said in done.stderr), (2, True)


CASES = [marks, crash, existing, arguments]


def main():
    if not Gst.ElementFactory.find("robocacherossrc") or subprocess.run(["unshare", "-n", "true"], check=False).returncode != 0:
        print("SKIP record live_topics: this build lacks robocacherossrc, or this process may not have a network namespace")
    else:
        CASES.append(live_topics)
    with tempfile.TemporaryDirectory() as folder:
        return run_cases([(f"record {case.__name__}", case, Path(folder)) for case in CASES])


if __name__ == "__main__":
    sys.exit(main())
