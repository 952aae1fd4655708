# SPDX-License-Identifier: LGPL-2.1-or-later
"""A first mapping file for a recording, from its topics. The user checks and changes it."""
import re

from .errors import ExportError

DEFAULT_FPS = 30
COMMAND_WORDS = ("command", "action", "cmd", "target")
STATE_WORDS = ("joint_state", "joints", "state")
IMAGES = "observation.images."


def _name_of(topic, part, taken):
    """Of a stream: the words of its topic that say which, without the word that LeRobot takes for a picture."""
    words = [word for word in re.split(r"[^A-Za-z0-9]+", f"{topic}/{part}") if word and "image" not in word.lower()]
    name = "_".join(words).lower() or "stream"
    return name if name not in taken else f"{name}_{len(taken)}"


def _feature_of(name, topic, is_camera, taken):
    kinds = [(IMAGES + name, is_camera), ("action", any(word in topic.lower() for word in COMMAND_WORDS)),
             ("observation.state", any(word in topic.lower() for word in STATE_WORDS))]
    feature = next((feature for feature, fits in kinds if fits), f"observation.{name}")
    return feature if feature not in taken else f"observation.{name}"


def _rate(recording, topics):
    """Of the slowest camera, as the set's rate."""
    rates = [(len(times) - 1) * 1e9 / max(1, int(times[-1] - times[0])) for times in map(recording.times, topics) if len(times) > 1]
    return max(1, round(min(rates))) if rates else DEFAULT_FPS


def suggest(recording):
    streams, features, cameras = {}, {}, []
    for topic, part, kind in recording.kinds():
        if kind not in ("rows", "pictures"):
            continue
        name = _name_of(topic, part, streams)
        streams[name] = f'{{topic = "{topic}"' + (f', stream = "{part}"' if part else "") + "}"
        features[_feature_of(name, topic, kind == "pictures", features)] = name
        cameras += [topic] * (kind == "pictures")
    if not streams:
        raise ExportError(f"{recording.name}: no topic with numbers or pictures")
    top = [f"fps = {_rate(recording, cameras)}", 'task = ""']
    if "action" not in features and "observation.state" in features:
        top.append('action = "next-state"')
    lines = [*top, "", "[streams]", *(f"{name} = {value}" for name, value in streams.items()),
             "", "[features]", *(f'"{feature}" = "{name}"' for feature, name in features.items())]
    return "\n".join(lines) + "\n"
