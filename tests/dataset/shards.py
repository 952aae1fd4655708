# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases: shards that are exported apart, twice, at once, and killed, make the set of a single process byte for byte."""
import json
import os
import shutil
from unittest import mock

import make
from robocache_export.manifest import Complete
from run import export, must_export, start

COUNT = 3


def _arguments(folder, out, *more):
    return [folder / "a.mcap", folder / "b.mcap", "--episodes", folder / "spans.csv", "--mapping", make.mapping(folder), "--output", out, *more]


def tree(root):
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def compare(got, expected):
    return {name for name in got.keys() | expected.keys() if got.get(name) != expected.get(name)}


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
    damaged = _parts(folder)[0] / "observation.images.front.mp4"
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:-1])
    status, said = export(*_arguments(folder, out, "--status", COUNT))
    yield "damage is seen", (status, len(said.strip().split(","))), (3, 1)
    said = must_export(*_arguments(folder, out, "--shard", f"{said.strip()}/{COUNT}"))
    yield "exported again", said.count(" frames"), 1
    yield "the same bytes", damaged.read_bytes() == whole, True


def settings(folder):
    """Parts of another mapping are not taken for those of this one."""
    out = folder / "sharded"
    other = make.mapping(folder, "other.toml", more="[video]\nquality = 30")
    arguments = [folder / "a.mcap", folder / "b.mcap", "--episodes", folder / "spans.csv", "--mapping", other, "--output", out]
    status, said = export(*arguments, "--merge")
    yield "not merged", (status, "3 of 3 episodes are not exported yet" in said), (1, True)


def manifest(folder):
    for part in _parts(folder):
        said = json.loads((part / "manifest.json").read_text())
        yield "names", {"inputs", "settings", "outputs", "frames", "dropped", "recording"} <= said.keys(), True
        yield "outputs", sorted(said["outputs"]), sorted(str(path.relative_to(part)) for path in part.rglob("*") if path.name != "manifest.json")


def killed_and_at_once(folder):
    """kill -9 in the middle, then two processes of the same shard at once."""
    out = folder / "killed"
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


def cases(folder):
    yield from ((f"shards {case.__name__}", case, folder) for case in (same_bytes, skipped, settings, manifest, killed_and_at_once,
                                                                   published_at_once))
