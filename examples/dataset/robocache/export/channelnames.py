# SPDX-License-Identifier: LGPL-2.1-or-later
"""Names of channels in a set: as they were recorded, or as LeRobot writes them.

LeRobot's robots write shoulder_pan.pos (SO-101) or left_shoulder_pan.pos (two arms), and its sets of ALOHA left_waist. Sources: robots in
src/lerobot/robots, and meta/info.json of the sets aloha_*, both of github.com/huggingface/lerobot.
"""
import re
from collections import Counter

from .errors import ExportError

QUANTITIES = {"position": "pos", "velocity": "vel", "effort": "torque"}
# channels of messages of one number, whose name says nothing
PLAIN = re.compile(r"data|value|position|\d+")
GRIPPER = re.compile(r"gripper|claw|jaw", re.IGNORECASE)
COMMAND = re.compile(r"commands?|cmds?|actions?|targets?|desired|goals?|setpoints?|references?|trajectory|leader|master|teleop|joy|spacenav|spacemouse",
                     re.IGNORECASE)
STATE = re.compile(r"states?|positions?", re.IGNORECASE)


def _recorded(pairs, is_alone):
    return [channel if is_alone else f"{stream}.{channel}" for stream, channel in pairs]


def _part_of_robot(stream):
    """The words of a stream's name, without those of its robot and those that say state or command: gripper of left_gripper_command."""
    robot = stream.robot.split("_")
    words = stream.name.split("_")
    words = words[len(robot):] if words[:len(robot)] == robot else words
    return "_".join(word for word in words if not COMMAND.fullmatch(word) and not STATE.fullmatch(word))


def _lerobot(stream, channel, is_aloha):
    """(the name without the robot, the robot)."""
    base, _, quantity = channel.rpartition(".")
    if quantity not in QUANTITIES or not base:
        base, quantity = channel, ""
    if PLAIN.fullmatch(base):
        part = _part_of_robot(stream) or stream.name
        # one number is that of the part; of several each has its own
        base = f"{part}_{base}" if base.isdigit() else part
        quantity = quantity or ("position" if GRIPPER.search(base) else "")
    if quantity == "position" and is_aloha:
        quantity = ""
    prefix = f"{stream.robot}_" if stream.robot and not base.startswith(f"{stream.robot}_") else ""
    return f"{prefix}{base}{'.' if quantity else ''}{QUANTITIES.get(quantity, '')}"


def of_features(mapping, channels):
    """{feature: names} of {feature: [(stream, channel)]}."""
    if mapping.names != "lerobot":
        return {feature: _recorded(pairs, len(mapping.vectors[feature]) == 1) for feature, pairs in channels.items()}
    streams, is_aloha = {stream.name: stream for stream in mapping.streams}, "aloha" in mapping.robot_type.lower()
    names = {feature: [_lerobot(streams[stream], channel, is_aloha) for stream, channel in pairs] for feature, pairs in channels.items()}
    for feature, given in names.items():
        twice = [name for name, count in Counter(given).items() if count > 1]
        if twice:
            raise ExportError(f"features.\"{feature}\": --names lerobot calls {twice[0]} more than one channel; set robot for their streams, or use "
                              "--names recorded")
    return names
