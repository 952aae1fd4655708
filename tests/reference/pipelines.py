# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the cases share: the reference, files to read from, pipelines that run, and comparisons.

A case is a function that raises when the elements and the reference disagree. It is registered by name with @case, and
gets a Scene: a folder of its own and a random generator.
"""
import importlib
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:  # every case is skipped then
    np = None

HERE = pathlib.Path(__file__).resolve().parent
SHARED = HERE.parent.parent.parent / "shared"
NS = 1_000_000_000
MS = 1_000_000
PLAYS = 60  # seconds that a pipeline may take
NO_TIME = -(1 << 63)

# Largest error of a type in units of its channel's largest magnitude; integers are exact.
TOLERANCE = {"float64": 1e-9, "float32": 1e-5, "float16": 2.0**-10, "bfloat16": 2.0**-8}

CASES = {}  # name -> function of a Scene


class Skip(Exception):
    """What a case needs is not there."""


def case(name, *arguments):
    """Registers a function under a name, with arguments that follow the Scene."""

    def register(function):
        assert name not in CASES, name
        CASES[name] = lambda scene: function(scene, *arguments)
        return function

    return register


def folder(variable, name):
    return pathlib.Path(os.environ.get(variable) or SHARED / name)


def load_reference():
    """The module robocache_reference; Skip when it, or numpy, is not there."""
    path = folder("ROBOCACHE_REFERENCE", "reference")
    if np is None:
        raise Skip("python3-numpy is not installed")
    if not (path / "robocache_reference.py").is_file():
        raise Skip(f"{path}/robocache_reference.py is not there (set ROBOCACHE_REFERENCE)")
    sys.dont_write_bytecode = True
    if str(path) not in sys.path:
        sys.path.insert(0, str(path))
    return importlib.import_module("robocache_reference")


def recording(name):
    path = folder("ROBOCACHE_TEST_DATA", "data") / name
    if not path.is_file():
        raise Skip(f"{path} is not there (set ROBOCACHE_TEST_DATA)")
    return path


# ---------------------------------------------------------------- files and pipelines
class Scene:
    """Random numbers, and a folder that is gone afterwards."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="robocache-"))
        self.n_files = 0

    def close(self):
        shutil.rmtree(self.path, ignore_errors=True)

    def file(self):
        self.n_files += 1
        return self.path / f"file{self.n_files}"

    def write(self, *arrays):
        """A file of the bytes of arrays, one after the other."""
        path = self.file()
        path.write_bytes(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays))
        return path

    def write_csv(self, times, rows):
        """Times in s as exact decimals, and float32 rows as decimals that read back to the same bits."""
        path = self.file()
        with open(path, "w", encoding="ascii") as file:
            for t, row in zip(times.tolist(), rows.tolist()):
                file.write(f"{t // NS}.{t % NS:09d}," + ",".join(f"{v:.9g}" for v in row) + "\n")
        return path

    def play(self, description, *lists):
        """Runs a pipeline, in which {out} is the file whose bytes are returned. lists: more words, as gst-launch takes them."""
        out = self.file()
        words = description.format(out=f"filesink location={out}").split() + list(lists)
        done = subprocess.run(["gst-launch-1.0", "-q", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=PLAYS, check=False)
        if done.returncode != 0 or b"ERROR" in done.stdout:
            raise AssertionError(f"{' '.join(words)}: {done.stdout.decode(errors='replace').strip()[:600]}")
        return out.read_bytes()


def csv_source(path, parse="start=keep"):
    return f"filesrc location={path} ! robocacheparse {parse}"


def properties(prefix="", **values):
    """Properties of an element, or of its pad. None leaves one out."""
    words = []
    for name, value in values.items():
        if value is None:
            continue
        if isinstance(value, (list, tuple)):
            value = ",".join(map(str, value))
        words.append(f"{prefix}{name.replace('_', '-')}={str(value).lower() if isinstance(value, bool) else value}")
    return " ".join(words)


# ---------------------------------------------------------------- irregular input
def irregular(random, n=200, period=5 * MS, channels=3, holes=3):
    """Rows at a jittering period, with a few holes of up to 20 periods, and values of very different magnitudes."""
    steps = random.integers(period // 4, period * 7 // 4, n)
    steps[random.choice(n, holes, replace=False)] += random.integers(4 * period, 20 * period, holes)
    times = 3 * MS + np.cumsum(steps).astype(np.int64)
    rows = random.normal(size=(n, channels)) * 10.0 ** random.integers(-3, 4, channels)
    return times, rows.astype(np.float32)


def in_disorder(random, times, rows, window):
    """The rows in an order of arrival in which most are at most window late, some more, and some come twice."""
    twice = random.choice(len(times), len(times) // 10, replace=False)
    times = np.concatenate([times, times[twice]])
    rows = np.concatenate([rows, random.normal(size=rows[twice].shape).astype(np.float32)])
    order = np.argsort(times + random.integers(0, window * 3 // 2, len(times)), kind="stable")
    return times[order], rows[order]


def unit_quaternions(random, n, turn=0.3):
    """A tumbling attitude whose sign flips now and then."""
    q = np.cumsum(random.normal(scale=turn, size=(n, 4)), axis=0) + 1e-3
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    q[random.random(n) < 0.2] *= -1
    return q.astype(np.float32)


def orientations(random, batch, n_rows):
    """Attitudes of either sign and about length 1, for some time near the one before and then for some time anywhere."""
    q = np.cumsum(random.normal(size=(batch, n_rows, 4)) * 0.1, axis=1) + 0.01
    wild = np.repeat(random.random((batch, n_rows // 12 + 1)) < 0.5, 12, axis=1)[:, :n_rows]
    q[wild] = random.normal(size=(wild.sum(), 4))
    q /= np.linalg.norm(q, axis=2, keepdims=True)
    return q * random.uniform(0.9, 1, (batch, n_rows, 1)) * random.choice([-1, 1], (batch, n_rows, 1))


def headings(random, batch, n_rows):
    """The same kind of walk in three conventions; some rows stand still, and some are at a limit."""
    steps = random.choice([0, 0.1, 2.5], (batch, n_rows, 3)) * random.uniform(-1, 1, (batch, n_rows, 3))
    walk = np.cumsum(steps, axis=1) + random.uniform(0, 6, (batch, 1, 3))
    walk[:, :, 0] = math.pi - np.mod(math.pi - walk[:, :, 0], 2 * math.pi)
    walk[:, :, 1] = np.mod(walk[:, :, 1], 2 * math.pi)
    at_limit = random.random((batch, n_rows)) < 0.1
    walk[:, :, 0][at_limit] = random.choice([-math.pi, math.pi], at_limit.sum())
    walk[:, :, 1][at_limit] = random.choice([0, 2 * math.pi], at_limit.sum())
    return walk


# ---------------------------------------------------------------- types
NUMPY = {"float64": "<f8", "float32": "<f4", "float16": "<f2", "int8": "i1", "uint8": "u1", "int16": "<i2", "uint16": "<u2",
         "int32": "<i4", "uint32": "<u4", "int64": "<i8", "uint64": "<u8"}


def to_bytes_of(values, dtype):
    """Values in a type of the wire, as an array of its bits, and what they mean as float64."""
    if dtype == "bfloat16":
        bits = np.asarray(values, np.float32).view(np.uint32)
        bits = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")
        return bits, from_bytes(bits.tobytes(), dtype).reshape(np.shape(values))
    typed = np.asarray(values).astype(NUMPY[dtype])
    return typed, typed.astype(np.float64)


def from_bytes(data, dtype):
    if dtype == "bfloat16":
        return (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return np.frombuffer(data, NUMPY[dtype])


def as_integers(values, dtype):
    """Round to nearest even, saturate, NaN becomes 0."""
    info = np.iinfo(NUMPY[dtype])
    rounded = np.rint(np.where(np.isnan(values), 0.0, values))
    return np.array([min(max(int(v), info.min), info.max) for v in rounded.ravel()], NUMPY[dtype]).reshape(values.shape)


def put_holds(wanted, times, rows, ticks, holds):
    """Channels of wanted [ticks, channels] that are held: those of the newest row at or before the tick, where it has a row."""
    newest = np.searchsorted(times, ticks, side="right") - 1
    for channel in holds:
        has_row = ~np.isnan(wanted[:, channel])
        wanted[has_row, channel] = np.asarray(rows)[newest[has_row], channel]


# ---------------------------------------------------------------- comparison
def expect_equal(got, wanted, what):
    got, wanted = np.asarray(got), np.asarray(wanted)
    if got.shape != wanted.shape:
        raise AssertionError(f"{what}: shape {got.shape}, the reference has {wanted.shape}")
    wrong = np.argwhere(got != wanted)
    if len(wrong):
        at = tuple(wrong[0])
        raise AssertionError(f"{what}: {got[at]} at {[int(i) for i in at]}, the reference has {wanted[at]} "
                             f"({len(wrong)} of {wanted.size} differ)")


def expect_integers(got, wanted, what, dtype):
    """Exact; but where the reference lies on a half, its own last bit says which way it rounds."""
    slack = 1e-12 * np.nanmax(np.abs(wanted), initial=1.0)
    other = as_integers(wanted + np.where(got > wanted, slack, -slack), dtype)
    exact = as_integers(wanted, dtype)
    expect_equal(got, np.where(got == other, other, exact).astype(np.float64), what)


def expect_close(got, wanted, inputs, what, dtype="float32", angles=()):
    """got and wanted [rows, channels]; inputs [any, channels] say how large a channel is."""
    got, wanted = np.asarray(got, np.float64), np.asarray(wanted, np.float64)
    if got.shape != wanted.shape:
        raise AssertionError(f"{what}: shape {got.shape}, the reference has {wanted.shape}")
    if dtype not in TOLERANCE:
        return expect_integers(got, wanted, what, dtype)
    expect_equal(np.isnan(got), np.isnan(wanted), f"{what}, where it is NaN")
    error = got - wanted
    for channel in angles:
        error[:, channel] = load_reference().wrap(error[:, channel])
    scale = np.nanmax(np.abs(np.concatenate([np.asarray(inputs, np.float64), wanted])), axis=0, initial=0.0)
    wrong = np.argwhere(np.abs(np.nan_to_num(error)) > TOLERANCE[dtype] * scale)
    if len(wrong):
        row, channel = wrong[0]
        raise AssertionError(f"{what}: {got[row, channel]!r} in row {row}, channel {channel}, the reference has "
                             f"{wanted[row, channel]!r}, and the channel is up to {scale[channel]!r} "
                             f"({len(wrong)} of {wanted.size} differ)")


# ---------------------------------------------------------------- one line a case
def run(seed):
    """Runs all cases and says PASS, FAIL or SKIP of each. Returns how many failed."""
    failed = 0
    for index, (name, function) in enumerate(CASES.items()):
        scene = None
        try:
            load_reference()
            scene = Scene([seed, index])
            function(scene)
            print("PASS", name, flush=True)
        except Skip as reason:
            print(f"SKIP {name}: {reason}", flush=True)
        except Exception as error:  # a case may fail in any way, and the others go on
            print(f"FAIL {name}: {type(error).__name__}: {error}".replace("\n", " "), flush=True)
            failed += 1
        finally:
            if scene:
                scene.close()
    return failed
