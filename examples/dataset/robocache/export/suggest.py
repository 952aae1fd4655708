# SPDX-License-Identifier: LGPL-2.1-or-later
"""A first mapping file for a recording, from its topics, channels and kinds. The user checks and changes it.

Robots are told apart by left, right and numbers in topics, and by namespaces with joints of their own. Commands are actions, never observations.
What is left out stands in the file, with the reason.
"""
import json
import re
from dataclasses import dataclass, field
from functools import cached_property

from .channelnames import COMMAND, GRIPPER
from .errors import ExportError
from .formats import module_of
from .mapping import IMAGES
from .plan import MIN_RATE
from .recordings.csvfolder import MAX_NAMED
from .recordings.found import channels_of, holds_all, is_depth, joints_of, kind_of

DEFAULT_FPS = 30
# what is no sensor and no command: {topic: reason}
NO_DATA = {
    r"/rosout(_agg)?": "messages of a log",
    r"/parameter_events": "changes of parameters",
    r"/_service_event": "events of a service",
    r"/_action/(feedback|status)": "the progress of a ROS action",
    r"/tf_static": "transforms that do not change",
    r"/clock": "the time",
    r"/diagnostics(_agg|_toplevel_state)?": "diagnostics of nodes",
    r"/camera_info": "the calibration of a camera",
    r"/robocache/\w+": "notes of robocache",
}
SIDES = re.compile(r"left|right")
NUMBERED = re.compile(r"(?:robot|arm)_?\d+")
JOINTS = re.compile(r"joint|proprio", re.IGNORECASE)
STATE = re.compile(r"state|position", re.IGNORECASE)
# channels of the messages of controllers, which are no measurements
NO_MEASUREMENT = re.compile(r"(desired|reference|setpoint|target|command|goal|error|output)(?![a-z])", re.IGNORECASE)
SPATIAL = ("pose", "twist", "odometry")
# words of topics of pictures that do not say which camera
TRANSPORT = ("compressed", "raw", "rect", "color", "rgb")


def _words(text):
    return [word for word in re.split(r"[^A-Za-z0-9]+", text) if word]


@dataclass
class _Stream:
    """A stream of the recording. `channels` are those of which a feature can be made, "" of them that there are no names."""
    topic: str
    part: str
    caps: object
    rate: float
    name: str = ""
    robot: str = ""
    channels: tuple = ()
    features: dict = field(default_factory=dict)  # {feature: channels, or () for all}

    @property
    def _structure(self):
        return self.caps.get_structure(0)

    @cached_property
    def is_camera(self):
        return kind_of(self.caps) == "pictures"

    @property
    def role(self):
        return self._structure.get_string("role") or ""

    @property
    def is_controller(self):
        """Whether it has what a controller was told, beside what it measured."""
        return re.search(r"/(controller_)?state$", self.topic) is not None and any(map(NO_MEASUREMENT.match, self.channels))

    @property
    def is_command(self):
        is_called_so = any(COMMAND.fullmatch(word) for word in _words(self.topic)) or re.search("command|cmd|setpoint", self.topic.lower())
        return bool(is_called_so) and not self.is_controller

    @property
    def is_gripper(self):
        return GRIPPER.search(self.topic) is not None

    @property
    def is_held(self):
        return holds_all(self._structure.get_string("kinds") or "")

    @property
    def is_joints(self):
        """By its messages, or by its topic where they do not tell."""
        return self.has_joints or not (self.role or self.is_held or self.is_controller) and JOINTS.search(self.topic) is not None

    @property
    def has_joints(self):
        return self.role in ("joints", "proprio")

    @property
    def base(self):
        """The topic of pictures without the way in which they are packed."""
        return re.sub(r"/(compressed|theora|ffmpeg|zstd)$", "", self.topic)

    def named(self, quantities):
        """Its channels of these quantities, and those without one."""
        suffix = lambda name: name.rpartition(".")[2]
        return tuple(name for name in self.channels if suffix(name) in quantities or suffix(name) not in ("position", "velocity", "effort"))


def _reason(stream):
    """Why it is left out; None: it is not."""
    for topic, reason in NO_DATA.items():
        if re.search(f"{topic}$", stream.topic):
            return reason
    if kind_of(stream.caps) not in ("rows", "pictures"):
        return f"{kind_of(stream.caps)}, which sets do not hold"
    if stream.is_camera and is_depth(stream.caps, stream.topic):
        return "depth, which is left to you: name it in a feature of pictures"
    if stream.rate == 0:
        return "fewer than two messages"
    return None


# ---- names and robots ----

def _name_streams(streams):
    """By the words of their topics and of short parts, without the word that LeRobot takes for a picture."""
    taken = set()
    for stream in streams:
        part = stream.part if stream.part.count(",") < MAX_NAMED else ""
        words = [word for word in _words(f"{stream.topic}/{part}") if "image" not in word.lower()]
        if stream.is_camera:
            words = [word for word in words if word.lower() not in TRANSPORT] or words
        name = base = "_".join(words).lower() or "stream"
        number = 2
        while name in taken:
            name, number = f"{base}_{number}", number + 1
        taken.add(name)
        stream.name = name


def _robot_of(topic, namespaces):
    if side := next((word for word in _words(topic.lower()) if SIDES.fullmatch(word)), ""):
        return side
    if numbered := NUMBERED.search(topic.lower()):
        return numbered[0]
    first = topic.strip("/").partition("/")[0]
    return "_".join(_words(first)).lower() if first in namespaces else ""


def _find_robots(rows):
    """No robot has a name if there is one alone."""
    namespaces = {stream.topic.strip("/").partition("/")[0] for stream in rows if stream.is_joints and not stream.is_command and stream.topic.count("/") > 1}
    for stream in rows:
        stream.robot = _robot_of(stream.topic, namespaces)
    if len({stream.robot for stream in rows if stream.is_joints or stream.is_gripper or stream.is_command}) == 1:
        for stream in rows:
            stream.robot = ""


def _by_side(channels):
    """Channels of one robot with two arms, grouped by arm in the order in which arms appear."""
    side = lambda name: next(iter(SIDES.findall(name.lower())), "")
    sides = list(dict.fromkeys(map(side, channels)))
    return tuple(sorted(channels, key=lambda name: sides.index(side(name))))


# ---- features ----

def _without_repeated(streams, left_out):
    """Joints of a robot that another stream has already are left out, and cameras that come in two ways."""
    found, kept = {}, []
    for stream in streams:
        key = stream.base if stream.is_camera else (stream.robot, stream.is_command, frozenset(stream.channels)) if stream.is_joints and stream.channels else None
        if key is not None and found.get(key, stream.topic) != stream.topic:
            left_out.append((stream.topic, f"the same {'pictures' if stream.is_camera else 'joints'} as {found[key]}"))
            continue
        found[key] = stream.topic
        kept.append(stream)
    return kept


def _take_joints(stream, quantities, left_out):
    """The state, or the action, has these quantities; others are features of their own."""
    feature = "action" if stream.is_command else "observation.state"
    if not stream.channels:
        stream.features[feature] = ()
        return
    taken = _by_side(stream.named(quantities)) or stream.channels
    stream.features[feature] = taken
    rest = [name for name in stream.channels if name not in taken]
    if stream.is_command:
        left_out += [(stream.topic, f"channels {', '.join(rest)} beside the positions")] if rest else []
        return
    for name, quantity in (("velocity", ".velocity"), ("effort", ".effort")):
        if chosen := _by_side(tuple(one for one in rest if one.endswith(quantity))):
            stream.features[f"observation.{name}"] = chosen


def _take_commands(streams, quantities, left_out):
    """All that is commanded of a robot: its joints and grippers; poses where there are no joints. What is held and no gripper is a mode."""
    has_numbers = any(not stream.is_held and stream.role not in SPATIAL and not stream.is_gripper for stream in streams)
    for stream in streams:
        is_mode = stream.is_held and not stream.is_gripper
        if is_mode or stream.role in SPATIAL and has_numbers:
            stream.features[f"action.{stream.name}"] = ()
        elif stream.is_joints:
            _take_joints(stream, quantities, left_out)
        else:
            stream.features["action"] = stream.channels


def _take_measured(stream, state, left_out):
    """A stream that is no joints: a gripper belongs to the state, all others are observations of their own. What a controller was told is none."""
    told = [name for name in stream.channels if NO_MEASUREMENT.match(name)]
    measured = tuple(name for name in stream.channels if name not in told)
    if told:
        left_out.append((stream.topic, f"channels {', '.join(told)} are commands, or made of them"))
    if measured or not told:
        stream.features["observation.state" if stream in state else f"observation.{stream.name}"] = measured


def _states(rows):
    """Grippers, and without joints the streams whose topics are called state, or else the first one that is not held."""
    grippers = [stream for stream in rows if stream.is_gripper]
    if any(stream.is_joints for stream in rows):
        return grippers
    others = [stream for stream in rows if not stream.is_held and stream.role not in (*SPATIAL, "imu", "force") and stream not in grippers]
    return [stream for stream in others if STATE.search(stream.topic)] + grippers or others[:1] or rows[:1]


def _choose_features(rows, quantities, left_out):
    commands, measured = ([stream for stream in rows if stream.is_command is is_command] for is_command in (True, False))
    for robot in dict.fromkeys(stream.robot for stream in commands):
        _take_commands([stream for stream in commands if stream.robot == robot], quantities, left_out)
    state, is_known = _states(measured), any(stream.has_joints for stream in measured)
    for stream in measured:
        if stream.has_joints or stream.is_joints and not is_known:
            _take_joints(stream, quantities, left_out)
        else:
            _take_measured(stream, state, left_out)


# ---- the file ----

def _rate(recording, topic):
    times = recording.times(topic)
    return (len(times) - 1) * 1e9 / float(times[-1] - times[0]) if len(times) > 1 and times[-1] > times[0] else 0.0


def _streams_of(recording, left_out):
    """Those of the recording that a set can hold."""
    found = [_Stream(topic, part, caps, _rate(recording, topic)) for topic, part, caps in recording.described()]
    for topic in recording.topics():
        if topic not in {stream.topic for stream in found}:
            left_out.append((topic, next((reason for name, reason in NO_DATA.items() if re.search(f"{name}$", topic)), "no numbers or pictures that can be read")))
    left_out += dict.fromkeys((stream.topic, reason) for stream in found if (reason := _reason(stream)))
    kept = [stream for stream in found if not _reason(stream)]
    for stream in kept:
        if not stream.part and sum(other.topic == stream.topic for other in kept) > 1:
            # which joints come first in a topic is chance
            stream.part = ",".join(joints_of(stream.caps))
        channels = () if stream.is_camera else channels_of(stream.caps.get_structure(0))
        stream.channels = channels if channels != tuple(str(i) for i in range(len(channels))) and len(set(channels)) == len(channels) else ()
    return kept


def _fps(streams):
    """(the rate of the slowest camera, or without cameras of the slowest joints and commands; the streams that are slower)."""
    cameras = [stream.rate for stream in streams if stream.is_camera]
    rows = [stream for stream in streams if not stream.is_camera and not stream.is_held and {"action", "observation.state"} & stream.features.keys()]
    fps = max(1, round(min(cameras, default=min([DEFAULT_FPS, *(stream.rate for stream in rows)]))))
    return fps, [stream for stream in rows if stream.rate < MIN_RATE * fps]


def _feature_lines(streams):
    """Robots one after the other, and a robot's joints before its gripper."""
    features = {}
    for stream in sorted(streams, key=lambda one: (one.robot, not one.is_joints)):
        for feature, channels in stream.features.items():
            features.setdefault(feature, []).append(f"{stream.name}:{','.join(channels)}" if channels else stream.name)
    order = ["observation.state", "observation.velocity", "observation.effort", "action"]
    names = sorted(features, key=lambda name: (order.index(name) if name in order else len(order), name))
    return [f"{json.dumps(name)} = {json.dumps(features[name], ensure_ascii=False)}" for name in names]


def _stream_line(stream):
    words = {"topic": stream.topic, "stream": stream.part, "robot": stream.robot}
    text = ", ".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in words.items() if value)
    size = "" if not stream.is_camera else "".join(
        f", {key} = {value - 1}" for key in ("width", "height") if (value := stream.caps.get_structure(0).get_int(key)[1]) % 2)
    return f"{stream.name} = {{{text}{size}}}"


def _comment(text):
    """One line, whatever a topic is called."""
    return f"# {json.dumps(text, ensure_ascii=False)[1:-1]}"


def suggest(recording, form="lerobot", names="recorded"):
    """The text of a mapping for sets of a format."""
    left_out, module = [], module_of(form)
    streams = _streams_of(recording, left_out)
    _name_streams(streams)
    rows = [stream for stream in streams if not stream.is_camera]
    _find_robots(rows)
    streams = _without_repeated(streams, left_out)
    _choose_features([stream for stream in streams if not stream.is_camera], module.QUANTITIES, left_out)
    for stream in streams:
        if stream.is_camera:
            name = re.sub(r"^cam(eras?)?_(?=.)", "", stream.name) if names == "lerobot" else stream.name
            stream.features[IMAGES + name] = ()
    used = [stream for stream in streams if stream.features]
    if not used:
        raise ExportError(f"{recording.name}: no topic with numbers or pictures")
    fps, slow = _fps(used)
    features = {feature for stream in used for feature in stream.features}
    top = [_comment(f"left out: {topic}: {reason}") for topic, reason in left_out]
    top += [_comment(f"{stream.topic} has {stream.rate:.2f} rows per second, and the set {fps}") for stream in slow]
    top += [f"fps = {fps}", 'task = ""'] + ([f'names = "{names}"'] if names != "recorded" else [])
    if "action" not in features and "observation.state" in features:
        top += [_comment("no topic has commands: the action is observation.state of the next tick"), 'action = "next-state"']
    lines = [*top, "", "[streams]", *map(_stream_line, used), "", "[features]", *_feature_lines(used)]
    return "\n".join([*lines, *module.suggested_lines(features)]) + "\n"
