# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases: shards that are exported apart, twice, at once, and killed, make the set of a single process byte for byte."""
import errno
import io
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
from unittest import mock

import av
import make
import numpy as np
from robocache.export.manifest import Complete, remove_left
from run import export, must_export, start

COUNT = 3


def _arguments(folder, out, *more):
    return [folder / "a.mcap", folder / "b.mcap", "--episodes", folder / "spans.csv", "--mapping", make.mapping(folder), "--output", out, *more]


def tree(root):
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def _frames(video):
    with av.open(io.BytesIO(video)) as container:
        return [frame.to_ndarray(format="rgb24").astype(np.int16) for frame in container.decode(video=0)]


def _are_same(name, got, expected):
    """x264 writes other bytes for the same pictures about once in a hundred videos on a busy machine: such a video must show the same."""
    if got == expected or None in (got, expected) or not name.endswith(".mp4"):
        return got == expected
    one, other = _frames(got), _frames(expected)
    return [a.shape for a in one] == [b.shape for b in other] and all(np.abs(a - b).mean() < 0.5 for a, b in zip(one, other))


def compare(got, expected):
    """Names of the files that differ."""
    return {name for name in got.keys() | expected.keys() if not _are_same(name, got.get(name), expected.get(name))}


def same_bytes(folder):
    out = folder / "sharded"
    status, said = export(*_arguments(folder, out, "--status", COUNT))
    missing = said.strip().split(",")
    yield "all are missing", (status, set(missing) <= set("012") and len(missing) > 0), (3, True)
    status, said = export(*_arguments(folder, out, "--merge"))
    yield "too early", (status, "3 of 3 episodes are not exported yet" in said, out.exists()), (1, True, False)
    for number in range(COUNT):
        must_export(*_arguments(folder, out, "--shard", f"{number}/{COUNT}"))
    yield "none is missing", export(*_arguments(folder, out, "--status", COUNT)), (0, "\n")
    must_export(*_arguments(folder, out, "--merge"))
    yield "set", compare(tree(out), tree(folder / "set")), set()
    must_export(*_arguments(folder, out, "--merge"))
    yield "merged again", compare(tree(out), tree(folder / "set")), set()


def _parts(folder):
    return sorted(path for path in (folder / "sharded.parts").iterdir() if not path.name.startswith("."))


def skipped(folder):
    """What is whole is not exported again; what was damaged is."""
    out = folder / "sharded"
    said = "".join(must_export(*_arguments(folder, out, "--shard", f"{number}/{COUNT}")) for number in range(COUNT))
    yield "done before", said.count("done before"), 3
    damaged = _parts(folder)[0] / "0" / "observation.images.front.mp4"
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:-1])
    status, said = export(*_arguments(folder, out, "--status", COUNT))
    yield "damage is seen", (status, len(said.strip().split(","))), (3, 1)
    said = must_export(*_arguments(folder, out, "--shard", f"{said.strip()}/{COUNT}"))
    yield "exported again", said.count(" frames"), 1
    yield "the same bytes", _are_same(damaged.name, damaged.read_bytes(), whole), True


def settings(folder):
    """Parts of another mapping are not taken for those of this one."""
    out = folder / "sharded"
    other = make.mapping(folder, "other.toml", more="[video]\nquality = 30")
    arguments = [folder / "a.mcap", folder / "b.mcap", "--episodes", folder / "spans.csv", "--mapping", other, "--output", out]
    status, said = export(*arguments, "--merge", "--overwrite")
    yield "not merged", (status, "3 of 3 episodes are not exported yet" in said), (1, True)


def manifest(folder):
    for part in _parts(folder):
        said = json.loads((part / "manifest.json").read_text())
        yield "names", {"inputs", "settings", "outputs", "frames", "dropped", "recording"} <= said.keys(), True
        yield "outputs", sorted(said["outputs"]), sorted(str(path.relative_to(part)) for path in part.rglob("*")
                                                 if path.is_file() and path.name != "manifest.json")


def killed_and_at_once(folder):
    """Ctrl-C and kill -9 in the middle, then two processes of the same shard at once."""
    out = folder / "killed"
    first = start(*_arguments(folder, out, "--shard", "0/1"))
    first.stdout.readline()
    first.send_signal(signal.SIGINT)
    said = first.communicate()[0].splitlines()
    yield "Ctrl-C", (first.returncode, said[-1]), (130, "interrupted: the same command skips the episodes that are complete")
    first = start(*_arguments(folder, out, "--shard", "0/1"))
    first.stdout.readline()
    first.kill()
    first.communicate()
    both = [start(*_arguments(folder, out, "--shard", "0/1")) for _ in range(2)]
    ended = [(process.communicate()[0], process.returncode) for process in both]
    yield "status", [(code, said if code else "") for said, code in ended], [(0, ""), (0, "")]
    must_export(*_arguments(folder, out, "--merge"))
    yield "set", compare(tree(out), tree(folder / "set")), set()
    shutil.rmtree(folder / "killed.parts")


def published_at_once(folder):
    """Another process is first, just before the rename."""
    path, rename, tries = folder / "published", os.rename, []

    def late(source, target):
        tries.append(target)
        if len(tries) == 1:
            path.mkdir()
            (path / "other").touch()
        rename(source, target)

    with mock.patch("os.rename", late), Complete(path) as temporary:
        temporary.mkdir()
        (temporary / "mine").touch()
    yield "the last one stays", sorted(tree(path)), ["mine"]
    yield "nothing else", [found.name for found in folder.glob(".published*")], []


def _published(folder, name):
    """What is beside a path that was published, and what it has."""
    path = folder / name
    return sorted(tree(path)), [found.name for found in folder.glob(f".{name}.*")]


def renames_that_fail(folder):
    """What was stays, whichever call of the disk fails, and nothing is left."""
    for call, number, code in itertools.product(("rename", "fsync"), range(4), (errno.EIO, errno.ENOSPC)):
        path, real, calls = folder / f"failing-{call}-{number}-{code}", getattr(os, call), itertools.count()
        path.mkdir()
        (path / "old").touch()

        def fail(*arguments, real=real, calls=calls, number=number, code=code):
            if next(calls) == number:
                raise OSError(code, os.strerror(code))
            return real(*arguments)

        try:
            with mock.patch(f"os.{call}", fail), Complete(path) as temporary:
                temporary.mkdir()
                (temporary / "new").touch()
            ended = None
        except OSError as error:
            ended = error.errno
        # the file and its folder are synced, then three renames replace a folder, then the folder of both is synced
        stays = number < {"rename": 3, "fsync": 2}[call]
        yield path.name, (ended, *_published(folder, path.name)), (code if number < 3 else None, ["old" if stays else "new"], [])


def _kill_within(folder, name, *places):
    """A process that is killed in Complete: within the block, or with the renames of `places` done."""
    program = ("import os, signal, sys\nfrom pathlib import Path\nfrom robocache.export.manifest import Complete\n"
               "path, places = Path(sys.argv[1]), int(sys.argv[2])\n"
               "real = os.rename\n"
               "def rename(*arguments):\n    global places\n    if not places: os.kill(os.getpid(), signal.SIGKILL)\n"
               "    places -= 1\n    real(*arguments)\n"
               "os.rename = rename\n"
               "with Complete(path) as temporary:\n    temporary.mkdir()\n    (temporary / 'new').touch()\n")
    subprocess.run([sys.executable, "-c", program, folder / name, *places], check=False)


def left_by_a_kill(folder):
    """The next run removes what a killed one left, and puts back what was away for a moment."""
    for places, at_kill in (("0", ["old"]), ("1", ["old"]), ("2", [])):
        path = folder / f"killed-after-{places}"
        path.mkdir()
        (path / "old").touch()
        _kill_within(folder, path.name, places)
        left = _published(folder, path.name)
        yield f"{path.name}: left", (left[0] if path.exists() else [], len(left[1])), (at_kill, 1)
        alive = Complete(path)
        with alive as temporary:
            remove_left(folder)
            yield f"{path.name}: back", sorted(tree(path)), ["old"]
            yield f"{path.name}: one that lives", temporary.parent.is_dir(), True
            temporary.mkdir()
        yield f"{path.name}: nothing else", _published(folder, path.name), ([], [])


def merge_that_was_killed(folder):
    """--merge leaves no hidden copy of the set, nor of a part."""
    out = folder / "sharded"
    _kill_within(folder, "sharded", "0")
    _kill_within(out.with_name("sharded.parts"), "0123456789abcdef", "0")
    yield "left", [len(list(place.glob(".*.*"))) for place in (folder, folder / "sharded.parts")], [1, 1]
    must_export(*_arguments(folder, out, "--merge"))
    yield "removed", [len(list(place.glob(".*.*"))) for place in (folder, folder / "sharded.parts")], [0, 0]
    yield "set", compare(tree(out), tree(folder / "set")), set()


def inputs_in_the_set(folder):
    """Neither the set that is replaced nor its parts may have a file that is read."""
    for name, place in (("mapping", "sharded"), ("mapping", "sharded.parts"), ("episodes", "sharded"), ("recording", "sharded")):
        files = {"mapping": folder / "robot.toml", "episodes": folder / "spans.csv", "recording": folder / "a.mcap"}
        moved = folder / place / files[name].name
        shutil.copy(files[name], moved)
        files[name] = moved
        status, said = export(files["recording"], folder / "b.mcap", "--episodes", files["episodes"], "--mapping", files["mapping"],
                              "--output", folder / "sharded")
        yield f"{name} in {place}: {said}", (status, f"{place}/{moved.name} is one of the inputs" in said, moved.is_file()), (1, True, True)
        moved.unlink()


def other_files_beside_parts(folder):
    """What is no part is not removed with the parts."""
    out = folder / "beside"
    out.with_name("beside.parts").mkdir()
    (out.with_name("beside.parts") / "thesis.tex").write_text("x")
    must_export(*_arguments(folder, out))
    yield "kept", [path.name for path in out.with_name("beside.parts").iterdir()], ["thesis.tex"]


def cases(folder):
    yield from ((f"shards {case.__name__}", case, folder) for case in (same_bytes, skipped, settings, manifest, killed_and_at_once,
                                                                   published_at_once, renames_that_fail, left_by_a_kill,
                                                                   merge_that_was_killed, inputs_in_the_set, other_files_beside_parts))
