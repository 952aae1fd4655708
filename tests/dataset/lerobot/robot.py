#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The robot of LeRobot whose observation is the newest aligned sample, and the teleoperator whose action is one.

    robot.py EXAMPLES [--installed]     --installed: with the packages of this Python, in place of the stub beside this file

LeRobot needs PyTorch and gigabytes, so tests run with a stub that has what a robot uses of it. --installed compares their signatures, too, and
runs lerobot-record. lerobot.sh beside this file makes a system for it."""
import inspect
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
is_installed = "--installed" in sys.argv
if not is_installed:
    sys.path[:0] = [str(HERE / "stub"), str(Path(sys.argv[1], "dataset"))]

import lerobot
import numpy as np
from lerobot.robots.config import RobotConfig
from lerobot.robots.robot import Robot
from lerobot.teleoperators.config import TeleoperatorConfig
from lerobot.teleoperators.teleoperator import Teleoperator
from lerobot_robot_robocache import ImageConfig, Robocache, RobocacheConfig, RobocacheLeader, RobocacheLeaderConfig

JOINTS = [f"{name}.pos" for name in ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper")]
FORCES = [f"wrist.{axis}" for axis in ("fx", "fy", "fz", "tx", "ty", "tz")]
ARM = "robocachetestsrc kind=proprio channels=6 rate=200/1 is-live=true {more} ! fuse.proprio_0"
CAMERA = "videotestsrc is-live=true {more} ! video/x-raw,format=RGB,width=32,height=24,framerate=30/1 ! fuse.camera_0"
FUSE = "robocachefuse name=fuse rate=30/1"
failed = False


def expect(name, got, wanted):
    global failed
    failed |= got != wanted
    print(f"PASS {name}" if got == wanted else f"FAIL {name}: got {got!r}, expected {wanted!r}", flush=True)


def error_of(call):
    try:
        call()
    except (ConnectionError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return "no error"


def expect_error(name, call, words):
    text = error_of(call)
    expect(name, words if words in text else text, words)


def make(pipeline, **settings):
    return Robocache(RobocacheConfig(id="test", pipeline=pipeline, **settings))


def observes():
    robot = make(f"{FUSE} {ARM.format(more='')} {CAMERA.format(more='')} appsrc name=commands ! fakesink async=false", state={"proprio_0": JOINTS},
                 images={"front": ImageConfig("camera_0", 24, 32)}, action=JOINTS)
    expect("features", robot.observation_features, {name: float for name in JOINTS} | {"front": (24, 32, 3)})
    expect("action_features", robot.action_features, {name: float for name in JOINTS})
    expect("is_of_lerobot", (isinstance(robot, Robot), RobotConfig.get_choice_class("robocache")), (True, RobocacheConfig))
    expect("cameras", list(robot.cameras), ["front"])
    expect_error("not_connected", robot.get_observation, "ConnectionError: test Robocache is not connected")
    robot.connect()
    try:
        expect("connected", (robot.is_connected, robot.is_calibrated), (True, True))
        expect_error("connected_twice", robot.connect, "is connected already")
        ticks, seen = [], []
        sent = robot.send_action({name: 0.5 + i for i, name in enumerate(JOINTS)})
        expect("action_sent", sent, {name: 0.5 + i for i, name in enumerate(JOINTS)})
        while len(ticks) < 4:
            seen.append(robot.get_observation())
            if robot.tick_ns not in ticks:
                ticks.append(robot.tick_ns)
        expect("observation_has_features", set(seen[-1]), set(robot.observation_features))
        expect("values_are_floats", {type(seen[-1][name]) for name in JOINTS}, {float})
        expect("image", (seen[-1]["front"].shape, seen[-1]["front"].dtype), ((24, 32, 3), np.dtype("uint8")))
        expect("ticks_are_on_the_grid", [round((b - a) * 30 / 1e9 % 1, 3) % 1 for a, b in zip(ticks, ticks[1:])], [0.0] * 3)
        expect("same_tick_same_values", robot.tick_ns > ticks[0] and seen[0] != seen[-1], True)
    finally:
        robot.disconnect()
    expect("disconnected", robot.is_connected, False)
    expect_error("disconnected_twice", robot.disconnect, "is not connected")


def leads():
    leader = RobocacheLeader(RobocacheLeaderConfig(id="test", pipeline=f"{FUSE} {ARM.format(more='')}", state={"proprio_0": JOINTS}))
    expect("leader_is_of_lerobot", (isinstance(leader, Teleoperator), TeleoperatorConfig.get_choice_class("robocache")), (True, RobocacheLeaderConfig))
    expect("leader_features", (leader.action_features, leader.feedback_features), ({name: float for name in JOINTS}, {}))
    expect_error("leader_not_connected", leader.get_action, "ConnectionError: test RobocacheLeader is not connected")
    leader.connect()
    expect("leader_acts", {name: type(value) for name, value in leader.get_action().items()}, {name: float for name in JOINTS})
    leader.send_feedback({})
    leader.disconnect()
    expect("leader_disconnected", leader.is_connected, False)


def refuses():
    pipeline = f"{FUSE} {ARM.format(more='')}"
    expect_error("other_number_of_names", make(pipeline, state={"proprio_0": JOINTS[:5]}).connect,
                 "ValueError: state of proprio_0 names 5 channels (shoulder_pan.pos, ")
    expect_error("no_such_stream", make(pipeline, state={"proprio_1": JOINTS}).connect, "proprio_1 is no stream of the samples: they have proprio_0")
    expect_error("other_image", make(f"{FUSE} {CAMERA.format(more='')}", images={"front": ImageConfig("camera_0", 48, 64)}).connect,
                 "image front is (48, 64, 3), and the frames of camera_0 are (24, 32, 3)")
    expect_error("no_appsrc", make(pipeline, state={"proprio_0": JOINTS}, action=JOINTS).connect, "the pipeline has no appsrc named commands")
    expect_error("no_sample", make(f"{FUSE} {ARM.format(more='num-buffers=0')}", state={"proprio_0": JOINTS}).connect, "ConnectionError: the pipeline ")
    robot = make(pipeline, state={"proprio_0": JOINTS})
    robot.connect()
    expect_error("takes_no_action", lambda: robot.send_action({}), "the robot takes no action")
    robot.disconnect()


def fails():
    """What ends, stalls or is missing is an error, never an old value."""
    robot = make(f"{FUSE} {ARM.format(more='num-buffers=60')}", state={"proprio_0": JOINTS}, max_age_s=0.2)
    robot.connect()
    last = time.monotonic() + 20
    while (text := error_of(robot.get_observation)) == "no error" and time.monotonic() < last:
        pass
    expect("an_end_is_an_error", "and max_age_s is 0.2: the pipeline has ended" in text, True)
    robot.disconnect()
    force = "robocachetestsrc kind=force channels=6 rate=100/1 is-live=true num-buffers=100 ! fuse.force_0"
    dies = make(f"{FUSE} {ARM.format(more='')} {force}", state={"proprio_0": JOINTS, "force_0": FORCES})
    dies.connect()
    last = time.monotonic() + 20
    while (text := error_of(dies.get_observation)) == "no error" and time.monotonic() < last:
        pass
    expect("missing_is_an_error", text.startswith("ConnectionError: force_0 is missing at the tick "), True)
    dies.disconnect()


def as_printed():
    """The settings of the command on the page."""
    page = Path(sys.argv[1], "..", "docs", "howto", "lerobot.md").read_text(encoding="utf-8")
    command = shlex.split(re.search(r"^```sh needs=lerobot\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)[1])
    given = dict(word.removeprefix("--robot.").split("=", 1) for word in command if word.startswith("--robot."))
    # words of YAML without quotes
    state, images, action = (json.loads(re.sub(r"[A-Za-z_][\w.]*", r'"\g<0>"', given[name])) for name in ("state", "images", "action"))
    robot = make(given["pipeline"], state=state, images={name: ImageConfig(**image) for name, image in images.items()}, action=action)
    robot.connect()
    observation = robot.get_observation()
    expect("as_printed", (given["type"], sorted(observation), observation["front"].shape), ("robocache", sorted([*JOINTS, "front"]), (480, 640, 3)))
    expect("as_printed_action", robot.send_action(dict.fromkeys(action, 0.0)), dict.fromkeys(JOINTS, 0.0))
    robot.disconnect()


def signatures():
    """The stub has the methods of the installed LeRobot, with their parameters."""
    scope = {}
    exec((HERE / "stub" / "lerobot" / "__init__.py").read_text(encoding="utf-8"), scope)
    expect("version", lerobot.__version__.split(".")[:2], scope["__version__"].split(".")[:2])
    for name, installed in (("robots/robot.py", Robot), ("teleoperators/teleoperator.py", Teleoperator)):
        exec((HERE / "stub" / "lerobot" / name).read_text(encoding="utf-8"), scope)
        stub = scope[installed.__name__]
        wanted = {name: list(inspect.signature(member).parameters) for name, member in inspect.getmembers(installed, inspect.isfunction)
                  if getattr(member, "__isabstractmethod__", False)}
        expect(f"signatures_of_{installed.__name__}", {name: list(inspect.signature(getattr(stub, name)).parameters) for name in wanted}, wanted)
        expect(f"abstract_of_{installed.__name__}", set(stub.__abstractmethods__), set(installed.__abstractmethods__))


def records():
    """lerobot-record finds robot and teleoperator, and its set has their values."""
    joints = f"[{', '.join(JOINTS)}]"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([
            sys.executable, "-m", "lerobot.scripts.lerobot_record", "--robot.type=robocache", "--robot.id=arm",
            f"--robot.pipeline={FUSE} {ARM.format(more='')} {CAMERA.format(more='')} appsrc name=commands ! fakesink async=false",
            f"--robot.state={{proprio_0: {joints}}}", "--robot.images={front: {stream: camera_0, height: 24, width: 32}}",
            f"--robot.action={joints}", "--teleop.type=robocache", "--teleop.id=leader", f"--teleop.pipeline={FUSE} {ARM.format(more='')}",
            f"--teleop.state={{proprio_0: {joints}}}", "--dataset.repo_id=test/arm", f"--dataset.root={folder}/set", "--dataset.single_task=test",
            "--dataset.fps=30", "--dataset.episode_time_s=3", "--dataset.reset_time_s=0", "--dataset.num_episodes=2", "--dataset.push_to_hub=false",
            "--dataset.video=false", "--play_sounds=false"],
            env=os.environ | {"HF_HOME": f"{folder}/hub", "HF_HUB_OFFLINE": "1"}, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(done.stdout, done.stderr)
        expect("lerobot_record", done.returncode, 0)
        if done.returncode == 0:
            check_set(Path(folder, "set"))


def check_set(folder):
    import pyarrow.dataset
    info = json.loads((folder / "meta" / "info.json").read_text(encoding="utf-8"))
    expect("set_of_robot", (info["robot_type"], info["total_episodes"], info["fps"]), ("robocache", 2, 30))
    expect("set_names", [info["features"][name]["names"] for name in ("observation.state", "action")], [JOINTS, JOINTS])
    expect("set_has_image", info["features"]["observation.images.front"]["shape"], [24, 32, 3])
    rows = pyarrow.dataset.dataset(folder / "data").to_table().to_pydict()
    # a busy machine is slower than the rate
    expect("set_has_frames", 2 <= info["total_frames"] == len(rows["action"]) <= 2 * 91, True)
    expect("set_is_finite", bool(np.isfinite([rows["observation.state"], rows["action"]]).all()), True)
    expect("set_moves", all(len({tuple(row) for row in rows[name]}) > 1 for name in ("observation.state", "action")), True)


for part in (observes, leads, refuses, fails, as_printed):
    part()
if is_installed:
    signatures()
    records()
else:
    print("SKIP signatures: tests/dataset/lerobot/lerobot.sh runs this with an installed LeRobot")
sys.exit(failed)
