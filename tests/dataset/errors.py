# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases: errors that are named before anything is written, with the episode, and mappings that are refused."""
import make
from run import export

# (settings of make.robot or make.mapping, episodes, parts of the message)
PLANS = {
    "stream missing in an episode": (
        ["few"], {"streams": {"command": '{topic = "/command", hold-limit = "500ms"}'}}, ["a,0,1,,,", "few,0,1,,,", "few,1.6,2.6,,,"],
        ["few.mcap episode 1 (+1.600 s to +2.600 s): no messages of /command (command) in the episode"]),
    "no such topic": (
        ["a"], {"streams": {"front": '{topic = "/camera/back"}'}}, ["a,0,1,,,"],
        ["a.mcap episode 0", "no topic /camera/back; the recording has /camera/front, /camera/wrist, /command, /joint_states"]),
    "fps that the camera does not reach": (
        ["a", "slow"], {}, ["a,0,1,,,", "slow,0,1,,,"],
        ["slow.mcap episode 0 (+0.000 s to +1.000 s): /camera/front (front) has 15.00 frames per second, and the set 30"]),
    "changing channels": (
        ["a", "nine"], {"features": {"observation.state": '"joints"'}}, ["a,0,1,,,", "nine,0,1,,,"],
        ["nine.mcap episode 0 (+0.000 s to +1.000 s): /joint_states (joints) has q0,q1,q2,q3,q4,q5,q6,q7,q8, and q0,q1,q2,q3,q4,q5,q6 in a.mcap: q7,q8 are extra; "
         "--fill nan writes NaN where a recording lacks a channel, and names in the mapping like \"joints:q0,q1,q2,q3,q4,q5,q6\" leave channels out"]),
    "disjoint spans": (
        ["apart"], {}, ["apart,0,3,,,"],
        ["apart.mcap episode 0 (+0.000 s to +3.000 s): /camera/", "s before /joint_states begins: their spans are disjoint"]),
    "all problems at once": (
        ["slow", "nine"], {"streams": {"wrist": '{topic = "/nothing"}'}}, ["slow,0,1,,,", "nine,0,1,,,"],
        ["slow.mcap episode 0", "15.00 frames per second", "nine.mcap episode 0", "no topic /nothing"]),
    "too long": (["a"], {}, ["a,0,2000,,,"], ["a.mcap episode 0", "2000 s is longer than 1000 s"]),
    "too short": (["a"], {}, ["a,0,0.01,,,"], ["a.mcap episode 0", "0.010 s is shorter than two ticks of 30 Hz"]),
    "nothing left": (
        ["a"], {"streams": {"joints": '{topic = "/joint_states", max-gap = "1ns", hold-limit = 0, interpolation = "linear"}'}}, ["a,0.5,1,,,"],
        ["a.mcap episode 0", "nothing is left of it: joints missing at 15 ticks"]),
    "span without end": (["a"], {}, ["a,1,,,,"], ["spans.csv:2: end is empty"]),
    "end before start": (["a"], {}, ["a,1,0.5,,,"], ["spans.csv:2: the end 0.5 is not after the start 1"]),
    "no time": (["a"], {}, ["a,one,2,,,"], ["spans.csv:2: 'one' is not a time"]),
    "no episodes": (["a"], {}, ["a,0,1,,,yes"], ["no episodes"]),
    "wrong property of a pad": (
        ["a"], {"streams": {"joints": '{topic = "/joint_states", interpolatoin = "linear"}'}}, ["a,0,1,,,"], ["a.mcap episode 0", "interpolatoin"]),
    "wrong cutoff": (
        ["a"], {"streams": {"joints": '{topic = "/joint_states", interpolation = "lowpass", lobes = 2, cutoff = 1e-7}'}}, ["a,0,1,,,"],
        ["a.mcap episode 0", "cutoff=1e-07: expected 0 (automatic) or 0.001"]),
    "wrong channel": (
        ["a"], {"features": {"observation.state": '"joints:q9"'}}, ["a,0,1,,,"], ["features.observation.state: joints has no channel q9"]),
    "rows as pictures": (
        ["a"], {"streams": {"front": '{topic = "/joint_states"}'}}, ["a,0,1,,,"],
        ["a.mcap episode 0", "/joint_states"]),
    "odd size": (
        ["a"], {"streams": {"front": '{topic = "/camera/front", width = 63}'}}, ["a,0,1,,,"], ["63x48 pictures; yuv420p needs even numbers"]),
}
# (changes of the mapping, part of the message)
MAPPINGS = {
    "unknown setting": ({"more": "[video]\ncodec = \"h264\""}, "video.codec is not a setting: expected encoder"),
    "wrong choice": ({"missing": "skip"}, "missing = 'skip': expected split or end or keep or drop"),
    "time without unit": ({"streams": {"joints": '{topic = "/joint_states", max-gap = 20}'}},
                          'streams.joints.max-gap = 20: expected a time with a unit, like "20ms"'),
    "offset without unit": ({"streams": {"joints": '{topic = "/joint_states", offset = "-1.5"}'}}, "expected a time with a unit"),
    "wrong length": ({"min_episode": "1 minute"}, "min-episode = '1 minute': expected seconds, or a time with a unit"),
    "fill without holes": ({"fill": "hold"}, "fill = \"hold\" needs missing = \"keep\", and missing is \"split\""),
    "wrong encoder": ({"more": "[video]\nencoder = \"vp8enc\""}, "video.encoder = 'vp8enc': expected x264enc"),
    "absent encoder": ({"more": "[video]\nencoder = \"nvh264enc\""}, "video.encoder: nvh264enc is not installed"),
    "wrong preset": ({"more": "[video]\npreset = \"quick\""}, "speed-preset"),
    "lossless": ({"more": "[video]\nquality = 0"}, "video.quality = 0: expected 1 (best) to 50"),
    "no rate": ({"fps": "0"}, "fps = 0: expected 1 to"),
    "no action": ({"features": {"action": None}, "streams": {"command": None}}, "features.action is missing"),
    "unused stream": ({"features": {"observation.images.front": None}}, "streams.front is used by no feature"),
    "unknown stream": ({"streams": {"front": None}}, "uses the stream front, which streams lacks"),
    "name of a picture": ({"streams": {"front": None, "image": '{topic = "/x"}'}, "features": {"observation.images.front": '"image"'}},
                          "without the word image"),
    "both kinds": ({"streams": {"wrist": None}, "features": {"observation.images.wrist": '"joints"'}}, "is used as pictures and as numbers"),
    "foreign feature": ({"features": {"reward": '"joints"'}}, "features.reward: expected action"),
    "not TOML": ({"more": "[["}, "robot.toml: "),
}


def _recordings(folder):
    """Made once: {name: settings of make.robot}."""
    made = {"slow": {"front_rate": 15}, "nine": {"joints": 9}, "few": {"command_seconds": 1}}
    for name, changes in made.items():
        make.robot(folder, f"{name}.mcap", **changes)
    # joints begin when the cameras have ended
    late = folder / "late.csv"
    late.write_text("t,a,b,c,d,e,f,g\n" + "".join(f"{2 + i / 200:.3f}" + ",0" * 7 + "\n" for i in range(200)))
    make.record(folder / "apart.mcap", [
        f"filesrc location={late} ! robocacheparse time-origin=0 ! record.sink_0", make.rows("sink_1", 20, 3, 6), make.camera(folder, "sink_2", 50, 1, (64, 48), "jpegenc !"), make.camera(folder, "sink_3", 30, 1, (60, 48))],
        ["/joint_states", "/command", "/camera/front", "/camera/wrist"])


def plan(folder, out, recordings, changes, episodes, parts):
    status, said = export(*(folder / f"{name}.mcap" for name in recordings), "--mapping", make.mapping(folder, "plan.toml", **changes),
                          "--output", out, "--episodes", make.spans(folder, episodes, "bad-spans.csv"))
    yield "status", status, 1
    yield f"message: {said}", [part for part in parts if part not in said], []
    left = [path for path in (out, out.with_name(f"{out.name}.parts")) if path.exists() and (path.is_file() or any(path.iterdir()))]
    yield "nothing is written", left, []


def mapping(folder, out, changes, part):
    status, said = export(folder / "a.mcap", "--mapping", make.mapping(folder, "robot.toml", **changes), "--output", out)
    yield f"message: {said}", (status, part in said), (1, True)
    yield "nothing is written", out.exists(), False


def slow_camera_allowed(folder):
    status, said = export(folder / "slow.mcap", "--mapping", make.mapping(folder), "--output", folder / "slow-set", "--check",
                          "--allow-slow-cameras")
    yield "said", (status, said.splitlines()[-1]), (0, "1 episodes can be exported")


def foreign_output(folder):
    """What is not a set is not replaced."""
    other = folder / "papers"
    other.mkdir()
    (other / "thesis.tex").write_text("x")
    status, said = export(folder / "a.mcap", "--mapping", make.mapping(folder), "--output", other)
    yield "said", (status, "exists and is not a set of lerobot" in said, (other / "thesis.tex").read_text()), (1, True, "x")


def cases(folder):
    _recordings(folder)
    yield from ((f"error: {name}", plan, folder, folder / f"refused {name}", *row) for name, row in PLANS.items())
    yield from ((f"mapping: {name}", mapping, folder, folder / f"refused {name}", *row) for name, row in MAPPINGS.items())
    yield from ((f"errors {case.__name__}", case, folder) for case in (slow_camera_allowed, foreign_output))
