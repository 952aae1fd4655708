# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that are complete or absent, and what says that they are: hashes of inputs, settings and outputs."""
import errno
import hashlib
import json
import os
import shutil
from contextlib import suppress
from functools import cache
from pathlib import Path

MANIFEST = "manifest.json"
TAKEN = (errno.EEXIST, errno.ENOTEMPTY, errno.EISDIR)  # of a rename to a folder


def hash_file(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def _hash_once(path, size, mtime_ns):
    return hash_file(path)


def hash_inputs(paths):
    """{name: hash}; a file that did not change is read once."""
    stats = {path: os.stat(path) for path in paths}
    return {path.name: _hash_once(path, stat.st_size, stat.st_mtime_ns) for path, stat in stats.items()}


def hash_outputs(folder):
    """{path below the folder: hash} of all files but the manifest."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST)
    return {str(path.relative_to(folder)): hash_file(path) for path in files}


def write_json(path, value, indent=2):
    """Without indent it is much faster."""
    path.write_text(json.dumps(value, indent=indent) + "\n", encoding="utf-8")


def read(folder):
    """The manifest of a folder, None where it has none that can be read."""
    try:
        return json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def is_valid(folder, settings, inputs):
    """Whether a folder was made from these inputs with these settings, and its files are whole."""
    said = read(folder)
    return bool(said) and said["settings"] == settings and said["inputs"] == inputs and said["outputs"] == hash_outputs(folder)


def _sync(path):
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Complete:
    """A temporary path that takes the place of `path` at the end of a with block, and is gone after an error.

    Two processes that write the same path at once each have their own; the last one stays, and nobody sees half a file."""

    def __init__(self, path):
        self.path = Path(path)
        self._temporary = self.path.with_name(f".{self.path.name}.{os.uname().nodename}.{os.getpid()}")

    def __enter__(self):
        _remove(self._temporary)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        return self._temporary

    def __exit__(self, kind, error, trace):
        if kind is None:
            self._publish()
        _remove(self._temporary)

    def _publish(self):
        for path in [*self._temporary.rglob("*"), self._temporary]:
            _sync(path)
        while not self._take_place():
            self._clear_place()
        _sync(self.path.parent)

    def _take_place(self):
        """False: a folder is there, maybe since just now."""
        try:
            os.rename(self._temporary, self.path)
        except OSError as error:
            if error.errno not in TAKEN:
                raise
            return False
        return True

    def _clear_place(self):
        """A folder is not replaced at once: it is away for a moment, never half there."""
        old = self._temporary.with_name(f"{self._temporary.name}.old")
        with suppress(FileNotFoundError):
            os.rename(self.path, old)
        _remove(old)


def _remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
