# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that are complete or absent, and what says that they are: hashes of inputs, settings and outputs."""
import errno
import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

MANIFEST = "manifest.json"
TAKEN = (errno.EEXIST, errno.ENOTEMPTY, errno.EISDIR)  # of a rename to a folder


def hash_file(path):
    digest = hashlib.sha256()
    with open(path, "rb", buffering=0) as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


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


def sizes_below(folder):
    """{path below the folder: bytes} of all files but the manifests."""
    return {str(path.relative_to(folder)): path.stat().st_size for path in sorted(folder.rglob("*")) if path.is_file() and path.name != MANIFEST}


def link_or_copy(source, target):
    """The same file at another place, or a copy where the file system has no links."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def write_json(path, value, indent=2):
    """Without indent it is much faster."""
    path.write_text(json.dumps(value, indent=indent) + "\n", encoding="utf-8")


def read(folder):
    """The manifest of a folder, None where it has none that can be read."""
    try:
        return json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


# of an episode's manifest: what the set's own files have, and what changes with the place
OF_THE_SET = ("names", "source_names", "sizes", "depth", "pictures", "outputs", "settings", "format")


def of_set(manifests, settings):
    """The manifest of a set: what was made of each episode, and of which inputs. settings are those of the whole set."""
    def plain(said):
        return {name: [plain(one) if isinstance(one, dict) else one for one in value] if isinstance(value, list) else value
                for name, value in said.items() if name not in OF_THE_SET}

    return {"format": 1, **settings, "episodes": [plain(said) for said in manifests]}


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


# ---- files that are complete or absent ----

# Below a hidden folder beside the file or folder that is made, which no other process has.
NEW, OLD, LOCK = "new", "old", "lock"
HIDDEN = re.compile(r"\.(.+)\.[a-z0-9_]{8}")  # as mkdtemp names it
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)  # of file systems


def _try_lock(descriptor):
    """False: another process has it. Where the file system has no locks, nobody removes what others left."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
    return True


def _remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _settle(folder, path):
    """Removes a hidden folder. What was at `path`, and was away for the moment of a rename, is back before."""
    old = folder / OLD
    if os.path.lexists(old) and not os.path.lexists(path):
        os.rename(old, path)
    for made in (NEW, OLD, LOCK):
        _remove(folder / made)
    folder.rmdir()


def _is_left(folder):
    """The descriptor of its lock, if it has one and no process holds it."""
    try:
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def remove_left(parent):
    """Removes what processes left in a folder that were killed."""
    for folder in list(parent.iterdir()) if parent.is_dir() else []:
        found = HIDDEN.fullmatch(folder.name)
        descriptor = _is_left(folder) if found and not folder.is_symlink() else None
        if descriptor is None:
            continue
        try:
            _settle(folder, folder.with_name(found[1]))
        finally:
            os.close(descriptor)


class Complete:
    """A temporary path that takes the place of `path` at the end of a with block. After an error it is gone, and what was there stays.

    Two processes that write the same path at once each have their own; the last one stays, and nobody sees half a file."""

    def __init__(self, path):
        self.path = Path(path)
        self._folder = self._lock = None

    def __enter__(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        remove_left(self.path.parent)
        while not self._make_folder():
            pass
        return self._folder / NEW

    def _make_folder(self):
        """False: another process took it for one that was left."""
        self._folder = Path(tempfile.mkdtemp(prefix=f".{self.path.name}.", dir=self.path.parent))
        try:
            self._lock = os.open(self._folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            return False
        if _try_lock(self._lock) and os.fstat(self._lock).st_nlink:
            return True
        os.close(self._lock)
        return False

    def __exit__(self, kind, error, trace):
        try:
            if kind is None:
                self._publish()
        finally:
            _settle(self._folder, self.path)
            os.close(self._lock)

    def _publish(self):
        new = self._folder / NEW
        for path in [*new.rglob("*"), new]:
            _sync(path)
        while not self._take_place(new):
            self._clear_place()
        _sync(self.path.parent)

    def _take_place(self, new):
        """False: a folder is there, maybe since just now."""
        try:
            os.rename(new, self.path)
        except OSError as error:
            if error.errno not in TAKEN:
                raise
            return False
        return True

    def _clear_place(self):
        """A folder is not replaced at once: it is away for a moment, never half there."""
        _remove(self._folder / OLD)
        with suppress(FileNotFoundError):
            os.rename(self.path, self._folder / OLD)
