# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases: what exists is replaced only if it is asked for, sets are made once, and episodes are appended to them, in every format."""
import json
import math

import h5py
import make
import numpy as np
import robots
from lerobot_sets import Set
from run import export, must_export
from shards import compare, tree

FPS = 20
JOINTS = {"shoulder": lambda t: 1 + t, "elbow": lambda t: 2 - 3 * t}
# {format: name of the output}; the suffix says nothing
OUTPUTS = {"lerobot": "set", "robomimic": "set", "robomimic with a suffix": "set.hdf5", "robomimic with another": "set.data", "aloha": "set.act"}
MAPPING = """fps = {fps}
{top}
[streams]
joints = {{topic = "/joint_states"{joints}}}
command = {{topic = "/command", interpolation = "linear"}}
front = {{topic = "/camera/front"{front}}}
[features]
"observation.state" = "joints"
"{feature}" = "front"
"action" = "command"
[aloha]
velocity = "zeros"
"""


def mapping(folder, name="existing.toml", fps=FPS, top="", joints="", front="", feature="observation.images.front"):
    path = folder / name
    path.write_text(MAPPING.format(fps=fps, top=top, joints=joints, front=front, feature=feature))
    return path


def bag(folder, name, order=tuple(JOINTS), joints=None, phase=0.0, size=(64, 48)):
    joints = joints or JOINTS
    moved = {key: lambda t, own=own: own(t) + phase for key, own in joints.items()}
    return robots.write(folder / f"{name}.mcap", {
        "/joint_states": (50, robots.joints(moved, order=list(order))), "/command": (25, robots.joints(moved, order=list(reversed(order)))),
        "/camera/front": (20, robots.camera(20, size))}, 2.0)


def _arguments(folder, form, out, *recordings, more=(), path=None):
    marks = make.spans(folder, [f",+0.2,+1.2,{task},{outcome}," for task, outcome in (("pick", "true"),)], "existing.csv")
    return [*recordings, "--mapping", path or mapping(folder), "--output", out, "--format", form.partition(" ")[0], "--episodes", marks, *more]


def _content(path):
    """All values of a set, without what says how it was made."""
    if path.is_dir() and (path / "meta").is_dir():
        made = Set(path)
        names = [name for name, feature in made.info["features"].items() if feature["dtype"] != "video"]
        frames = [[make.counter_of(pixels) for _, pixels in made.frames(i, "observation.images.front")] for i in range(len(made.episodes))]
        rows = [{name: value for name, value in row.items() if "file_index" not in name and "from_timestamp" not in name and "to_timestamp" not in name}
                for row in made.episodes]
        info = {name: value for name, value in made.info.items() if name != "features"}
        return {"columns": {name: made.column(name).tolist() for name in names}, "frames": frames, "rows": rows, "stats": made.stats, "info": info}
    found = {}

    def add(name, item):
        if isinstance(item, h5py.Dataset) and not name.endswith("/manifest"):
            found[name] = np.asarray(item[()]).tolist()
        found[f"{name} attributes"] = {key: str(value) for key, value in item.attrs.items()}

    for file in [path] if path.is_file() else sorted(path.glob("*.hdf5")):
        with h5py.File(file) as root:
            root.visititems(lambda name, item, file=file: add(f"{file.name if path.is_dir() else ''}/{name}", item))
    return found


def _bytes(path):
    return path.read_bytes() if path.is_file() else tree(path)


def _made(folder, form):
    """A folder of one set, as the format has it."""
    folder = folder / f"existing {form}"
    folder.mkdir(exist_ok=True)
    return folder, folder / OUTPUTS[form], bag(folder, "one")


def refused(folder, form):
    """A set is not replaced without --overwrite, also by --check, --shard and --merge, and stays as it is."""
    folder, out, one = _made(folder, form)
    must_export(*_arguments(folder, form, out, one))
    before = _bytes(out)
    other = bag(folder, "other", phase=5)
    for more in ([], ["--check"], ["--shard", "0/1"], ["--merge"]):
        status, said = export(*_arguments(folder, form, out, other, more=more))
        yield f"{more}: {said}", (status, f"--output {out} exists, and was made of other recordings or with other settings" in said, _bytes(out) == before), (1, True, True)
    status, said = export(*_arguments(folder, form, out, one, path=mapping(folder, fps=10)))
    yield f"other settings: {said}", (status, "with other settings" in said, _bytes(out) == before), (1, True, True)
    yield "no parts are left", out.with_name(f"{out.name}.parts").exists(), False
    must_export(*_arguments(folder, form, out, other, more=["--overwrite"]))
    yield "replaced", _bytes(out) == before, False


def done_before(folder, form):
    """The same export a second time writes nothing, whatever the set is called."""
    folder, out, one = _made(folder, form)
    must_export(*_arguments(folder, form, out, one, more=["--overwrite"]))
    before, times = _bytes(out), out.stat().st_mtime_ns
    for more in ([], ["--merge"], ["--overwrite"]):
        said = must_export(*_arguments(folder, form, out, one, more=more))
        yield f"{more}: {said}", (f"{out}: done before" in said, _bytes(out) == before, out.stat().st_mtime_ns == times), (True, True, True)


def damaged(folder):
    """A set that lacks a file is not taken for the whole one."""
    folder, out, one = _made(folder, "lerobot")
    must_export(*_arguments(folder, "lerobot", out, one, more=["--overwrite"]))
    next((out / "videos").rglob("*.mp4")).unlink()
    status, said = export(*_arguments(folder, "lerobot", out, one))
    yield f"said: {said}", (status, "exists" in said), (1, True)
    must_export(*_arguments(folder, "lerobot", out, one, more=["--overwrite"]))
    yield "made again", len(list((out / "videos").rglob("*.mp4"))), 1


def other_files(folder):
    """--overwrite takes a set away, and nothing that somebody put beside it, and no folder or file that is no set."""
    folder, out, one = _made(folder, "lerobot")
    must_export(*_arguments(folder, "lerobot", out, one, more=["--overwrite"]))
    (out / "notes.txt").write_text("x")
    status, said = export(*_arguments(folder, "lerobot", out, bag(folder, "other", phase=5), more=["--overwrite"]))
    yield f"said: {said}", (status, f"--overwrite removes {out}, which has notes.txt beside the set" in said, (out / "notes.txt").read_text()), (1, True, "x")
    (out / "notes.txt").unlink()
    for form in ("lerobot", "robomimic", "aloha"):
        for name, make_it in (("a file", lambda path: path.write_text("x")), ("a folder", lambda path: (path.mkdir(), (path / "thesis.tex").write_text("x"))),
                              ("a link", lambda path: path.symlink_to("nowhere")), ("another HDF5 file", lambda path: h5py.File(path, "w").close())):
            path = folder / f"{form} {name}"
            make_it(path)
            status, said = export(*_arguments(folder, form, path, one, more=["--overwrite"]))
            yield f"{form}, {name}: {said}", (status, f"exists and is not a set of {form}" in said, path.is_symlink() or path.exists()), (1, True, True)
    (folder / "empty").mkdir()
    must_export(*_arguments(folder, "lerobot", folder / "empty", one))
    yield "an empty folder", (folder / "empty" / "meta").is_dir(), True


def status_of_none(folder):
    """--status 0 is no number of shards."""
    folder, _, one = _made(folder, "lerobot")
    for count in ("0", "-1", "two"):
        status, said = export(*_arguments(folder, "lerobot", folder / "status", one, more=["--status", count]))
        yield f"{count}: {said}", (status, "expected the number of shards, 1 or more" in said, (folder / "status").exists()), (2, True, False)


# ---- append ----

def appended(folder, form):
    """Two exports that are appended have all that one export of both has; the joints of the second are in another order."""
    folder, out, one = _made(folder, form)
    two, out = bag(folder, "two", order=("elbow", "shoulder"), phase=3), folder / f"appended {OUTPUTS[form]}"
    must_export(*_arguments(folder, form, out, one, more=["--append"]))
    said = must_export(*_arguments(folder, form, out, two, more=["--append"]))
    yield f"said: {said}", "1 episodes appended to 1, 20 frames" in said, True
    both = folder / f"both {OUTPUTS[form]}"
    must_export(*_arguments(folder, form, both, one, two))
    got, expected = _content(out), _content(both)
    yield "content", [name for name in expected.keys() | got.keys() if got.get(name) != expected.get(name)], []
    before = _bytes(out)
    said = must_export(*_arguments(folder, form, out, one, two, more=["--append"]))
    yield f"again: {said}", (f"{out}: has all these episodes" in said, _bytes(out) == before), (True, True)
    must_export(*_arguments(folder, form, out, one, two, bag(folder, "three", phase=7), more=["--append"]))
    yield "only what is new", len(_content(out)["rows"] if form == "lerobot" else _episodes(out)), 3


def _episodes(path):
    if path.is_dir():
        return sorted(path.glob("*.hdf5"))
    with h5py.File(path) as file:
        return [demo.decode() for demo in file["mask/success"]]


def appended_by_shards(folder):
    """Shards that are exported apart are appended by --merge."""
    folder, _, one = _made(folder, "lerobot")
    out, two = folder / "by shards", bag(folder, "two", order=("elbow", "shoulder"), phase=3)
    must_export(*_arguments(folder, "lerobot", out, one))
    for number in (0, 1):
        must_export(*_arguments(folder, "lerobot", out, two, more=["--append", "--shard", f"{number}/2"]))
    yield "not yet", len(Set(out).episodes), 1
    yield "none is missing", export(*_arguments(folder, "lerobot", out, two, more=["--append", "--status", "2"])), (0, "\n")
    must_export(*_arguments(folder, "lerobot", out, two, more=["--append", "--merge"]))
    yield "none is missing behind it", export(*_arguments(folder, "lerobot", out, two, more=["--append", "--status", "2"])), (0, "\n")
    yield "values", np.allclose(Set(out).of(1, "observation.state")[0], [JOINTS[name](0.2) + 3 for name in ("shoulder", "elbow")]), True


FOUR = JOINTS | {"wrist": math.sin}
# {name: (recording's joints and size, changes of the mapping, more options, part of the error)}
NOT_APPENDED = {
    "fps": ({}, {"fps": 10}, [], "has fps 20, and the mapping 10"),
    "features": ({}, {"feature": "observation.images.top"}, [],
                 "features action, observation.images.front, observation.state, and the mapping action, observation.images.top, observation.state"),
    "next state": ({}, {}, ["--action", "next-state"], "has action recorded, and the mapping next-state"),
    "other joints": ({"joints": {"a": math.sin, "b": math.cos}, "order": ("a", "b")}, {}, ["--fill", "nan"],
                     'features."observation.state" has a.position,b.position, and shoulder.position,elbow.position in the set: no name is in both lists'),
    "missing": ({"joints": {"elbow": math.sin}, "order": ("elbow",)}, {}, [],
                "has elbow.position, and shoulder.position,elbow.position in the set: shoulder.position is missing; --fill nan writes NaN"),
    "extra": ({"joints": FOUR, "order": tuple(FOUR)}, {}, ["--fill", "nan"],
              "in the set: wrist.position would be NaN in all episodes that the set has; leave channels out by names in the mapping"),
    "other names": ({}, {}, ["--names", "lerobot"], "has shoulder.pos,elbow.pos, and shoulder.position,elbow.position in the set: no name is in both lists"),
    "pictures": ({"size": (32, 24)}, {}, [], "features.observation.images.front has 32x24, and 64x48 in the set"),
    **{f"{setting} by place": ({"order": ("elbow", "shoulder")}, {"joints": f", {setting} = {value}"}, [],
                               "/joint_states (joints) has elbow.position,shoulder.position, and shoulder.position,elbow.position in the set: "
                               f"streams.joints has {setting} by the places of channels; give recordings of one order")
       for setting, value in (("kinds", '"real,hold"'), ("angles", "1"), ("velocities", '"1"'))},
    "another codec": ({}, {"top": '[video]\nencoder = "x265enc"'}, [], "--append: the set has another feature observation.images.front"),
}


def not_appended(folder, name, settings, changes, more, text):
    folder, _, one = _made(folder, "lerobot")
    out = folder / "kept"
    if not out.exists():
        must_export(*_arguments(folder, "lerobot", out, one))
    before = _bytes(out)
    path = mapping(folder, **{**changes, "top": ""})
    path.write_text(path.read_text() + changes.get("top", ""))
    for check in (["--check"], []):
        status, said = export(*_arguments(folder, "lerobot", out, bag(folder, f"not {name}", phase=1, **settings), path=path, more=["--append", *more, *check]))
        yield f"{check}: {said}", (status, text in said, _bytes(out) == before), (1, True, True)


def filled(folder):
    """--fill nan appends episodes that lack a channel."""
    folder, _, one = _made(folder, "lerobot")
    out = folder / "filled"
    must_export(*_arguments(folder, "lerobot", out, one))
    must_export(*_arguments(folder, "lerobot", out, bag(folder, "short", ("elbow",), {"elbow": JOINTS["elbow"]}), more=["--append", "--fill", "nan"]))
    made = Set(out)
    # the first recording's commands are in the other order
    yield "values", (bool(np.isnan(made.of(1, "action")[:, 1]).all()), made.of(1, "action")[:, 0].tolist()), (True, made.of(0, "action")[:, 0].tolist())


def settings_by_name(folder):
    """Settings that hold for every order are taken."""
    folder, _, one = _made(folder, "lerobot")
    two = bag(folder, "two", order=("elbow", "shoulder"), phase=3)
    for number, setting in enumerate(('kinds = "real*2"', 'angles = "shoulder.position"')):
        out = folder / f"settings {number}"
        for recording in (one, two):
            must_export(*_arguments(folder, "lerobot", out, recording, more=["--append"], path=mapping(folder, joints=f", {setting}")))
        yield setting, np.allclose(Set(out).of(1, "observation.state")[0], [JOINTS[name](0.2) + 3 for name in ("shoulder", "elbow")]), True


def overlapping(folder):
    """A span of a recording that the set has is not appended again."""
    folder, _, one = _made(folder, "lerobot")
    out = folder / "overlapped"
    must_export(*_arguments(folder, "lerobot", out, one))
    arguments = _arguments(folder, "lerobot", out, one, more=["--append"])
    arguments[arguments.index("--episodes") + 1] = make.spans(folder, [",+1,+1.5,,,"], "shifted.csv")
    status, said = export(*arguments)
    yield f"said: {said}", (status, "one.mcap episode 0 (+1.000 s to +1.500 s): it overlaps episode 0 of one.mcap, which the set has" in said), (1, True)
    arguments[arguments.index("--episodes") + 1] = make.spans(folder, [",+1.2,+1.8,,,"], "behind.csv")
    must_export(*arguments)
    manifest = json.loads((out / "meta" / "manifest.json").read_text())
    yield "behind it", [len(manifest["episodes"]), [one["first_episode"] for one in manifest["appended"]]], [2, [1]]


def cases(folder):
    folder = folder / "existing"
    folder.mkdir()
    yield from ((f"existing {case.__name__}: {form}", case, folder, form) for form in OUTPUTS for case in (refused, done_before))
    yield from ((f"existing {case.__name__}", case, folder) for case in (damaged, other_files, status_of_none))
    yield from ((f"append: {form}", appended, folder, form) for form in OUTPUTS)
    yield from ((f"append {case.__name__}", case, folder) for case in (appended_by_shards, filled, settings_by_name, overlapping))
    yield from ((f"append refused: {name}", not_appended, folder, name, *row) for name, row in NOT_APPENDED.items())
