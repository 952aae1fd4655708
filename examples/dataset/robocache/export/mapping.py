# SPDX-License-Identifier: LGPL-2.1-or-later
"""The mapping file: which streams of a recording become which features of a set, as TOML or JSON.

Every value is checked here, so that the rest of the package takes a Mapping as it is.
"""
import hashlib
import json
import re
from dataclasses import asdict, dataclass, field
from decimal import Decimal

from .actions import SETTINGS as ACTIONS
from .actions import Actions, make_actions
from .arguments import CHOICES
from .errors import ExportError

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

IMAGES = "observation.images."
# LeRobot looks a frame up by a float32 time
MAX_FPS = 1000
NAME = re.compile(r"[A-Za-z0-9_-]+")
FEATURE = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")

UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
AUTOMATIC = -2  # of max-gap and hold-limit, which are properties of pads
DURATIONS = ("max-gap", "hold-limit", "offset", "reorder-window")

# Names in the file and their types; what a stream has beside these are properties of its pad.
TOP = {"fps": int, "robot-type": str, "task": str, "missing": str, "min-episode": (int, float, str), "fill": str, "action": str, "names": str,
       "streams": dict, "features": dict, "video": dict, "files": dict, "aloha": dict, "actions": dict}
STREAM = {"topic": str, "stream": str, "robot": str, "width": int, "height": int}
VIDEO = {"encoder": str, "quality": int, "key-frame-interval": int, "threads": int, "preset": str}
FILES = {"data-mb": int, "video-mb": int, "chunk-size": int}
ALOHA = {"velocity": str}


@dataclass(frozen=True)
class Stream:
    """One stream of a recording. `settings` are properties of its pad of robocachefuse."""
    name: str
    topic: str
    part: str = ""  # one of several streams of the topic
    is_camera: bool = False
    width: int = 0  # of the set's pictures, 0: as recorded
    height: int = 0
    settings: tuple = ()
    robot: str = ""  # whose it is, for names


@dataclass(frozen=True)
class Part:
    """Channels of a stream in a feature: names, globs of names and numbers, or all of them."""
    stream: str
    channels: tuple = ()


@dataclass(frozen=True)
class Video:
    encoder: str = "x264enc"
    quality: int = 23
    key_frame_interval: int = 2
    threads: int = 4
    preset: str = "medium"


@dataclass(frozen=True)
class Files:
    data_mb: int = 100
    video_mb: int = 200
    chunk_size: int = 1000


@dataclass(frozen=True)
class Mapping:
    fps: int
    streams: tuple  # of Stream
    features: dict  # {name: (Part, …)}, pictures included
    robot_type: str = ""
    task: str = ""
    missing: str = "split"
    min_episode_ns: int = 10**9  # of a piece of an episode that was split
    fill: str = ""  # what is missing: "hold", or "nan", which also joins recordings that lack channels; "": NaN with missing = keep
    action: str = "recorded"
    velocity: str = "recorded"
    names: str = "recorded"
    video: Video = field(default_factory=Video)
    files: Files = field(default_factory=Files)
    actions: Actions = field(default_factory=Actions)
    time_source: str = "auto"  # of the command line

    @property
    def cameras(self):
        return [stream for stream in self.streams if stream.is_camera]

    @property
    def rows(self):
        return [stream for stream in self.streams if not stream.is_camera]

    @property
    def pictures(self):
        """{feature: stream} of the pictures."""
        return {name: parts[0].stream for name, parts in self.features.items() if name.startswith(IMAGES)}

    @property
    def vectors(self):
        """{feature: parts} of the numbers."""
        return {name: parts for name, parts in self.features.items() if not name.startswith(IMAGES)}

    def describe(self):
        """What the manifest of a set has of it."""
        return {"fps": self.fps, "missing": self.missing, "min_episode_ns": self.min_episode_ns, "fill": self.fill or "nan", "action": self.action,
                "actions": self.actions.kind,
                "time_source": self.time_source,
                "streams": {stream.name: {"topic": stream.topic, **dict(stream.settings)} for stream in self.streams}}

    def topics(self):
        """{topic: the offset of its streams, 0 where they differ}."""
        offsets = {}
        for stream in self.streams:
            offsets.setdefault(stream.topic, set()).add(duration_ns(dict(stream.settings).get("offset"), 0))
        return {topic: min(found) if len(found) == 1 else 0 for topic, found in offsets.items()}

    def digest(self):
        """Of all that decides what an episode becomes."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


# ---- reading ----

def read_mapping(path):
    """The mapping in a file that ends in .json or is TOML."""
    try:
        text = path.read_text(encoding="utf-8")
        values = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except OSError as error:
        raise ExportError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise ExportError(f"{path}: {error}") from None
    try:
        return make_mapping(values)
    except ExportError as error:
        raise ExportError(f"{path}: {error}") from None


def make_mapping(values):
    _check("", values, TOP)
    for name in ("fps", "streams", "features"):
        if name not in values:
            raise ExportError(f"{name} is missing")
    if not 1 <= values["fps"] <= MAX_FPS:
        raise ExportError(f"fps = {values['fps']}: expected 1 to {MAX_FPS}")
    action = values.get("action", "recorded")
    features = _make_features(values["features"])
    streams = _make_streams(values["streams"], features)
    _check_action(features, action)
    return Mapping(values["fps"], streams, features, values.get("robot-type", ""), values.get("task", ""), values.get("missing", "split"),
                   seconds_ns("min-episode", values.get("min-episode", 1)), values.get("fill", ""), action,
                   _section(values, "aloha", ALOHA, dict).get("velocity", "recorded"), values.get("names", "recorded"),
                   _section(values, "video", VIDEO, _make_video), _section(values, "files", FILES, _make_files),
                   _section(values, "actions", ACTIONS, lambda **settings: make_actions(settings)))


def _check(where, values, types):
    """Refuses names that are not known, and values of another type or choice."""
    for name, value in values.items():
        if name not in types:
            raise ExportError(f"{where}{name} is not a setting: expected {', '.join(types)}")
        if not isinstance(value, types[name]) or isinstance(value, bool):
            raise ExportError(f"{where}{name} = {value!r}: expected {getattr(types[name], '__name__', 'a number or a text')}")
        if name in CHOICES and value not in CHOICES[name]:
            raise ExportError(f"{where}{name} = {value!r}: expected {' or '.join(CHOICES[name])}")


def seconds_ns(name, value):
    """Of seconds, or a number with a unit like 500ms."""
    found = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)(s|ms|us|ns)?", str(value))
    if not found:
        raise ExportError(f"{name} = {value!r}: expected seconds, or a time with a unit, like 0.5 or 500ms")
    return int(Decimal(found[1]) * UNITS[found[2] or "s"])


def duration_ns(value, default):
    """Of a property of a pad: ns, or a number with a unit; -1 is no limit."""
    text = str(value if value is not None else default)
    for unit in UNITS:
        if text.endswith(unit):
            return int(Decimal(text[:-len(unit)]) * UNITS[unit])
    return int(text)


def _section(values, name, types, make):
    section = values.get(name, {})
    _check(f"{name}.", section, types)
    return make(**{key.replace("-", "_"): value for key, value in section.items()})


def _make_video(**values):
    video = Video(**values)
    # 0 is lossless, which yuv420p at the usual profiles is not
    if not 1 <= video.quality <= 50:
        raise ExportError(f"video.quality = {video.quality}: expected 1 (best) to 50")
    if video.key_frame_interval < 1 or video.threads < 1:
        raise ExportError("video.key-frame-interval and video.threads must be at least 1")
    return video


def _make_files(**values):
    files = Files(**values)
    if min(asdict(files).values()) < 1:
        raise ExportError("the numbers of files must be at least 1")
    return files


# ---- features ----

def _make_part(feature, text):
    """Of NAME or NAME:CHANNELS, like joints:0-5,gripper."""
    name, _, channels = text.partition(":")
    return Part(name, tuple(word.strip() for word in channels.split(",") if word.strip()))


def _make_features(values):
    features = {}
    for name, value in values.items():
        words = [value] if isinstance(value, str) else value
        if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
            raise ExportError(f"features.{name}: expected a stream, or a list of streams, like [\"joints:0-5\", \"gripper\"]")
        if not FEATURE.fullmatch(name) or not (name == "action" or name.startswith(("action.", "observation."))):
            raise ExportError(f"features.{name}: expected action, action.NAME, observation.NAME or {IMAGES}NAME")
        if name.startswith(IMAGES) and (len(words) != 1 or ":" in words[0]):
            raise ExportError(f"features.{name}: pictures come from one stream, without channels")
        features[name] = tuple(_make_part(name, word) for word in words)
    return features


def _check_action(features, action):
    if action == "recorded" and "action" not in features:
        raise ExportError("features.action is missing: name the stream of commands, or set action = \"next-state\"")
    if action == "next-state" and "action" in features:
        raise ExportError("features.action and action = \"next-state\" exclude each other")
    if action == "next-state" and "observation.state" not in features:
        raise ExportError("action = \"next-state\" needs features.\"observation.state\"")


# ---- streams ----

def _uses(features):
    """{stream: the features that it is used in}."""
    uses = {}
    for feature, parts in features.items():
        for part in parts:
            uses.setdefault(part.stream, []).append(feature)
    return uses


def _make_streams(values, features):
    uses = _uses(features)
    for name in uses:
        if name not in values:
            raise ExportError(f"features.{uses[name][0]} uses the stream {name}, which streams lacks")
    for name in values:
        if name not in uses:
            raise ExportError(f"streams.{name} is used by no feature")
    # the order of the file, cameras apart
    return tuple(_make_stream(name, value, uses[name]) for name, value in values.items())


def _make_stream(name, value, features):
    where = f"streams.{name}"
    if not isinstance(value, dict):
        raise ExportError(f"{where}: expected a table with topic")
    # LeRobot takes any feature with this word for a picture
    if not NAME.fullmatch(name) or "image" in name:
        raise ExportError(f"{where}: expected letters, digits, _ and -, without the word image")
    _check(where + ".", {key: item for key, item in value.items() if key in STREAM}, STREAM)
    if "topic" not in value:
        raise ExportError(f"{where}: topic is missing")
    is_camera = features[0].startswith(IMAGES)
    if any(feature.startswith(IMAGES) != is_camera for feature in features):
        raise ExportError(f"{where} is used as pictures and as numbers: {', '.join(features)}")
    return Stream(name, value["topic"], value.get("stream", ""), is_camera, value.get("width", 0), value.get("height", 0),
                  _settings(where, value, is_camera, any(feature.split(".")[0] == "action" for feature in features)), value.get("robot", ""))


def _settings(where, value, is_camera, is_command):
    """Properties of the pad, those of the file last."""
    own = {key: item for key, item in value.items() if key not in STREAM}
    for key, item in own.items():
        if not isinstance(item, (str, int, float)) or isinstance(item, str) and re.search(r'[;"]', item):
            raise ExportError(f"{where}.{key} = {item!r}: expected a number or a text")
        # -1 and -2 are no durations
        if key in DURATIONS and re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)", str(item)) and float(item) not in (0, -1, -2):
            raise ExportError(f"{where}.{key} = {item!r}: expected a time with a unit, like \"{item}ms\"")
    # a command holds until the next one; it is never interpolated unless the file says so
    defaults = {"interpolation": "previous", "hold-limit": "5s"} if is_command else {}
    if is_camera:
        defaults = {"interpolation": "nearest"}
    return tuple({**defaults, **own}.items())
