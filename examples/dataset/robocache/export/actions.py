# SPDX-License-Identifier: LGPL-2.1-or-later
"""Actions as poses of a tool, as steps of it, or as joints, by the element robocachekinematics."""
import hashlib
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from gi.repository import Gst

from .arguments import ACTIONS
from .errors import ExportError
from .recordings.pipelines import parse, quote, wait

ORIENTATIONS = ("quaternion", "rotation6d", "euler")
SETTINGS = {"kind": str, "urdf": str, "frame": str, "base": str, "orientation": str, "joints": str, "state-joints": str, "keep": str}
CONVERGED = 0


@dataclass(frozen=True)
class Actions:
    """`joints` and `state_joints` name the channels of the action and of the state, where the recording has other names. `keep` are
    channels of the action that follow the pose."""
    kind: str = "joint"
    urdf: str = ""
    frame: str = ""
    base: str = ""
    orientation: str = "quaternion"
    joints: tuple = ()
    state_joints: tuple = ()
    keep: tuple = ()
    digest: str = ""  # of the robot

    @property
    def converts(self):
        return self.urdf != ""


def _words(text):
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _digest(urdf):
    try:
        return hashlib.sha256(Path(urdf).read_bytes()).hexdigest()
    except OSError as error:
        raise ExportError(f"actions.urdf: {error}") from None


def make_actions(values):
    """Of the mapping's section, with _ for - in names."""
    lists = {name: _words(values.get(name, "")) for name in ("joints", "state_joints", "keep")}
    values = {**values, **lists}
    return check(Actions(**values, digest=_digest(values["urdf"]) if values.get("urdf") else ""))


def check(actions):
    if actions.kind not in ACTIONS:
        raise ExportError(f"actions.kind = {actions.kind!r}: expected {', '.join(ACTIONS)}")
    if actions.orientation not in ORIENTATIONS:
        raise ExportError(f"actions.orientation = {actions.orientation!r}: expected {', '.join(ORIENTATIONS)}")
    if actions.kind != "joint" and not actions.converts:
        raise ExportError(f"actions of kind {actions.kind} need a robot: set urdf in the section actions")
    if actions.converts and not actions.frame:
        raise ExportError("actions.frame is missing: name the tool's link")
    return actions


def choose(actions, kind):
    """The same with the kind of the command line."""
    return check(replace(actions, kind=kind)) if kind else actions


# ---- through the element ----

def _run(rows, names, settings, wanted):
    """(rows, names) that the element makes of rows of float64."""
    with tempfile.TemporaryDirectory() as folder:
        source, sink = Path(folder) / "in", Path(folder) / "out"
        source.write_bytes(np.ascontiguousarray(rows, np.float64).tobytes())
        pipeline = parse(f"filesrc location={quote(source)} blocksize={8 * len(names)} ! other/tensors,format=(string)static,num_tensors=(int)1,"
                         f"types=(string)float64,dimensions=(string){len(names)},framerate=(fraction)0/1,channels=(string){quote(','.join(names))} ! "
                         f"robocachekinematics name=kinematics {settings} ! filesink location={quote(sink)}")
        try:
            pipeline.set_state(Gst.State.PLAYING)
            wait(pipeline, Gst.MessageType.EOS, wanted)
            made = pipeline.get_by_name("kinematics").get_static_pad("src").get_current_caps()
        finally:
            pipeline.set_state(Gst.State.NULL)
        channels = made.get_structure(0).get_string("channels").split(",")
        return np.frombuffer(sink.read_bytes()).reshape(len(rows), len(channels)), channels


def _settings(actions, mode, more=""):
    base = f"base={quote(actions.base)}" if actions.base else ""
    return f"urdf={quote(actions.urdf)} frames={quote(actions.frame)} {base} orientation={actions.orientation} mode={mode} {more}"


# ---- conversions ----

@dataclass(frozen=True)
class _Rows:
    names: list
    values: np.ndarray  # [rows, names]

    def select(self, names):
        return self.values[:, [self.names.index(name) for name in names]]


def _poses(actions, action, state):
    return _run(action.values, action.names, _settings(actions, "fk"), "poses of actions")


def _steps(actions, action, state):
    """Rows of the state and of the action by turns, so that each action is relative to its state."""
    names = [name for name in action.names if name in state.names]
    turns = np.stack([state.select(names), action.select(names)], axis=1).reshape(-1, len(names))
    rows, channels = _run(turns, names, _settings(actions, "fk", "reference=previous"), "steps of actions")
    return rows[1::2], channels


def _joints(actions, action, state):
    """Each search starts from the joints before it, and the first one from the state."""
    own = [name for name in state.names if name not in action.names]
    rows, channels = _run(np.hstack([action.values, state.select(own)]), action.names + own, _settings(actions, "ik", "restarts=0"),
                          "joints of actions")
    failed = np.flatnonzero(rows[:, channels.index("ik.status")] != CONVERGED)
    if len(failed):
        raise ExportError(f"{len(failed)} of {len(rows)} actions have no joints that reach them, the first is number {failed[0]}")
    keep = [i for i, name in enumerate(channels) if not name.startswith("ik.")]
    return rows[:, keep], [channels[i].removesuffix(".position") for i in keep]


CONVERSIONS = {"cartesian": _poses, "delta": _steps, "joint": _joints}


def _renamed(names, given, feature):
    """Names of joints: those that are given, or the channels' without the stream and without `.position`."""
    if given and len(given) != len(names):
        raise ExportError(f"{feature} has {len(names)} channels ({', '.join(names)}), and {len(given)} names in the section actions")
    return list(given) or [name.removesuffix(".position") for name in names]


def convert(mapping, layout, columns):
    """({"action": values}, {"action": names}) of an episode's columns; both empty where actions stay as they are."""
    actions = mapping.actions
    if not actions.converts:
        return {}, {}
    if "observation.state" not in mapping.vectors:
        raise ExportError("the section actions needs features.\"observation.state\"")
    recorded = "action" if mapping.action == "recorded" else "observation.state"
    given = actions.joints or (actions.state_joints if recorded != "action" else ())
    action = _Rows(_renamed(layout.channels[recorded], given, recorded), columns["action"])
    state = _Rows(_renamed(layout.channels["observation.state"], actions.state_joints, "observation.state"),
                  columns["observation.state"])
    if actions.kind == "joint" and f"{actions.frame}.x" not in action.names:
        return {}, {}  # recorded as joints
    unknown = [name for name in actions.keep if name not in action.names]
    if unknown:
        raise ExportError(f"actions.keep: no channel {unknown[0]}; the action has {', '.join(action.names)}")
    rows, names = CONVERSIONS[actions.kind](actions, action, state)
    return {"action": np.hstack([rows, action.select(actions.keep)]).astype(np.float32)}, {"action": [*names, *actions.keep]}
