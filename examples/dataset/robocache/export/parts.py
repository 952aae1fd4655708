# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parts: one folder an episode, complete or absent. A set is made of them.

An episode is one piece, or several where holes split it. Each piece has a folder there, with its numbers as Parquet and its pictures, and
becomes an episode of the set.
"""
import hashlib
import re
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from . import __version__, decimation
from .actions import convert
from .alignment import Alignment
from .errors import ExportError
from .manifest import MANIFEST, Complete, hash_inputs, hash_outputs, is_valid, read, write_json
from .pictures import Arrays, Histogram, Videos
from .ticks import Kept

NUMBERS = "numbers.parquet"
ARRAYS = "pictures.hdf5"
TIMES = ("capture_time", "age", "gap", "status")
FORMAT = 4  # of parts
TOO_SHORT = "in pieces that are shorter than min-episode"
PART = re.compile("[0-9a-f]{16}")  # as Episode.id names it


@dataclass(frozen=True)
class Job:
    """What is exported: into `folder`, for LeRobot (videos) or for HDF5 (arrays)."""
    folder: Path
    mapping: object
    with_videos: bool
    channels: str = ""  # of all features, as the recordings are joined
    folded: decimation.Report = field(default_factory=decimation.Report, compare=False)

    @cached_property
    def settings(self):
        return hashlib.sha256(f"{FORMAT} {__version__} {self.with_videos} {self.mapping.digest()} {self.channels}".encode()).hexdigest()

    def path(self, episode):
        return self.folder / episode.id


# ---- columns ----

def vector_type(width):
    return pa.float32() if width == 1 else pa.list_(pa.float32(), width)


def number_column(values):
    """Of an array of numbers, whose memory it shares. pa.array loads numpy.ma."""
    values = np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(values)])


def vector_column(values):
    """Of an array [rows, width] of float32."""
    flat = number_column(values.ravel())
    return flat if values.shape[1] == 1 else pa.FixedSizeListArray.from_arrays(flat, values.shape[1])


def column_values(column):
    """A column of numbers as an array [rows, width]."""
    chunk = column.combine_chunks()
    if isinstance(chunk.type, pa.FixedSizeListType):
        # flatten loads much more of PyArrow
        width = chunk.type.list_size
        return chunk.values.slice(chunk.offset * width, len(chunk) * width).to_numpy(zero_copy_only=False).reshape(len(chunk), -1)
    return chunk.to_numpy(zero_copy_only=False).reshape(len(chunk), -1)


def _vectors(layout, mapping, rows, next_rows):
    columns = {feature: layout.take(feature, rows) for feature in layout.columns}
    if mapping.action == "next-state":
        columns["action"] = layout.take("observation.state", next_rows)
    return columns


def _table(planned, mapping, alignment, kept):
    rows, next_rows, info = (np.concatenate(arrays) for arrays in zip(*kept))
    vectors = _vectors(planned.layout, mapping, rows, next_rows)
    converted, names = convert(mapping, planned.layout, vectors)
    columns = {name: vector_column(values) for name, values in (vectors | converted).items()}
    times = alignment.times(info)
    for name, values in zip(TIMES, times):
        columns |= {f"{name}.{stream}": number_column(values[:, i]) for i, stream in enumerate(alignment.streams)}
    names = planned.layout.names | names
    if mapping.action == "next-state" and "action" not in names:
        names["action"] = names["observation.state"]
    return pa.table(columns), names


# ---- writing ----

class _Piece:
    """A run of ticks without a hole on its way to a folder. Pictures are written while they come."""

    def __init__(self, job, planned, alignment, folder):
        folder.mkdir()
        layout, mapping = planned.layout, job.mapping
        self.folder, self.names, self._kept = folder, {}, []
        self._job, self._planned, self._alignment = job, planned, alignment
        self._numbers = [(feature, [stream.name for stream in mapping.cameras].index(stream)) for feature, stream in mapping.pictures.items()]
        self.histograms = {feature: Histogram(alignment.count, layout.sizes[feature], feature in layout.depth) for feature, _ in self._numbers}
        self._pictures, self._ends = None, []
        if layout.sizes:
            self._pictures = Videos(folder, layout, mapping) if job.with_videos else Arrays(folder / ARRAYS, layout)

    def add(self, ticks, following):
        self._kept.append((ticks.rows, following.rows, ticks.info))
        self._ends = [self._ends[0] if self._ends else int(ticks.index[0]), int(ticks.index[-1])]
        for tick, (feature, number) in product(range(len(ticks)), self._numbers):
            picture = ticks.picture(tick, number)
            self.histograms[feature].add(picture)
            self._pictures.add(feature, picture)

    def finish(self):
        """The pictures are complete."""
        if self._pictures:
            self._pictures.finish()

    def write(self):
        """Writes the numbers."""
        table, self.names = _table(self._planned, self._job.mapping, self._alignment, self._kept)
        # read once, by --merge
        pq.write_table(table, self.folder / NUMBERS, compression="none", use_dictionary=False, write_statistics=False)

    def close(self):
        if self._pictures:
            self._pictures.close()

    @property
    def frames(self):
        return sum(len(rows) for rows, *_ in self._kept)

    def describe(self):
        """Its entry in the manifest, with times of the recording's clock."""
        return {**_span(self._planned, self._job.mapping, *self._ends), "frames": self.frames,
                "pictures": {feature: histogram.state() for feature, histogram in self.histograms.items()}}


def _span(planned, mapping, first, last):
    """Ticks of an episode, from 0, and their times on the recording's clock: up to the tick behind the last one, or the episode's end."""
    span = planned.episode.span
    start, end = (span.start + tick * 10**9 // mapping.fps for tick in (first, last + 1))
    return {"first_tick": first, "last_tick": last, "start": start, "end": min(end, span.end)}


def _run(job, planned, folder):
    """(the ticks, all pieces) of an episode."""
    alignment = Alignment(planned, job.mapping, job.folded.wants(planned.episode.recording))
    ticks, pieces = Kept(alignment, job.mapping, planned.layout), []
    try:
        for number, part, following in ticks:
            if not pieces or pieces[-1][0] != number:
                if pieces:
                    pieces[-1][1].finish()
                pieces.append((number, _Piece(job, planned, alignment, folder / f"run{number}")))
            pieces[-1][1].add(part, following)
        if pieces:
            pieces[-1][1].finish()
    finally:
        for _, piece in pieces:
            piece.close()
    if alignment.is_measured:
        job.folded.add(planned.episode.recording, alignment.folded)
    return alignment, ticks, [piece for _, piece in pieces]


def _choose(job, ticks, pieces):
    """(pieces of the set, pieces that are too short): an episode without a hole is never too short."""
    lost = job.mapping.action == "next-state"
    is_cut = job.mapping.missing == "split" and ticks.holes
    is_short = [is_cut and (piece.frames + lost) * 10**9 < job.mapping.min_episode_ns * job.mapping.fps for piece in pieces]
    return ([piece for piece, short in zip(pieces, is_short) if not short], [piece for piece, short in zip(pieces, is_short) if short])


def _describe_hole(planned, mapping, hole):
    return {**_span(planned, mapping, hole.first, hole.last), "streams": dict(hole.streams), "others": dict(hole.others), "reason": hole.reason}


def _source_names(layout, mapping):
    """{feature: names} of the channels that actions are computed of. The mapping may name their joints by place."""
    return {"action": layout.names["action"]} if mapping.actions.converts and "action" in layout.names else {}


def _describe(job, planned, inputs, alignment, ticks, pieces, short):
    episode, layout, mapping = planned.episode, planned.layout, job.mapping
    too_short = [piece.describe() for piece in short]
    dropped = dict(ticks.dropped) | ({TOO_SHORT: sum(one["frames"] for one in too_short)} if too_short else {})
    ahead = {stream.name: decimation.look_ahead_ns(stream, episode.recording, mapping.fps) for stream in mapping.streams}
    return {"format": FORMAT, "recording": episode.recording.name, "number": episode.number, "start": episode.span.start,
            "end": episode.span.end, "task": episode.task, "success": episode.span.success, "frames": sum(piece.frames for piece in pieces),
            # values of lowpass are made of rows up to this long after their tick
            "look_ahead_ns": {name: time for name, time in ahead.items() if time},
            "ticks": alignment.count, "dropped": dropped, "missing": mapping.missing,
            "holes": [_describe_hole(planned, mapping, hole) for hole in ticks.holes],
            "pieces": [piece.describe() for piece in pieces],
            "too_short": [{name: value for name, value in one.items() if name != "pictures"} for one in too_short],
            "names": pieces[0].names if pieces else {}, "source_names": _source_names(layout, mapping), "sizes": layout.sizes,
            "depth": list(layout.depth), "streams": [stream.name for stream in mapping.streams],
            "kinds": {one.stream.name: {**one.kinds, "channels": one.channels} for one in planned.found if one.kinds},
            "clocks": episode.recording.clocks.describe() if episode.recording.clocks else {},
            "settings": job.settings, "inputs": inputs}


def remove(job):
    """Removes all parts, and their folder unless it has something else."""
    for path in job.folder.iterdir():
        if PART.fullmatch(path.name):
            shutil.rmtree(path)
    with suppress(OSError):
        job.folder.rmdir()


def is_done(job, planned):
    return is_valid(job.path(planned.episode), job.settings, hash_inputs(planned.episode.recording.files()))


def write(job, planned):
    """Makes the part of an episode. Returns its manifest. Errors name the episode."""
    try:
        return _write(job, planned)
    except ExportError as error:
        name = planned.episode.name
        raise ExportError(str(error) if str(error).startswith(name) else f"{name}: {error}") from None


def check(job, plan):
    """Makes all parts, one after another in a temporary folder that is removed. Returns their manifests, of which a set can be made."""
    manifests = []
    for planned in plan:
        with tempfile.TemporaryDirectory(prefix="robocache-check.") as folder:
            made = replace(job, folder=Path(folder))
            write(made, planned)
            manifests.append(read(made.path(planned.episode)))
    _check_joined(manifests)
    return manifests


def _check_joined(manifests):
    """An error where no set can be made of the parts."""
    left = [said for said in manifests if said["pieces"]]
    # an export of another version may have another order
    if any(said["names"] != left[0]["names"] for said in left):
        raise ExportError("the parts have channels of different names, or in different orders: remove the folder of parts")
    if not left:
        raise ExportError(f"nothing is left of {len(manifests)} episodes: all pieces are shorter than min-episode")


def _write(job, planned):
    inputs = hash_inputs(planned.episode.recording.files())
    with Complete(job.path(planned.episode)) as folder:
        folder.mkdir()
        alignment, ticks, made = _run(job, planned, folder)
        if not made:
            reasons = ", ".join(f"{name} at {count} ticks" for name, count in ticks.dropped.items()) or "the recording has no rows there"
            raise ExportError(f"{planned.episode.name}: nothing is left of it: {reasons}")
        pieces, short = _choose(job, ticks, made)
        for piece in short:
            shutil.rmtree(piece.folder)
        for number, piece in enumerate(pieces):
            piece.write()
            piece.folder.rename(folder / str(number))
        said = _describe(job, planned, inputs, alignment, ticks, pieces, short)
        write_json(folder / MANIFEST, {**said, "outputs": hash_outputs(folder)}, indent=None)
    return said


# ---- reading ----

def kinds_of(manifests):
    """What the channels of each stream were taken for; a list where episodes differ, with the channels where their order differs."""
    kinds = {}
    for manifest in manifests:
        for name, said in manifest.get("kinds", {}).items():
            if said not in kinds.setdefault(name, []):
                kinds[name].append(said)
    plain = lambda said: {key: value for key, value in said.items() if key != "channels"}
    return {name: plain(said[0]) if len(said) == 1 else said for name, said in kinds.items()}


@dataclass(frozen=True)
class Part:
    """A piece: an episode of the set."""
    folder: Path
    said: dict  # the manifest of its episode, with the piece's own entry over it

    def table(self):
        # read_table loads much more of PyArrow
        return pq.ParquetFile(self.folder / NUMBERS).read()

    def size(self, name=NUMBERS):
        return (self.folder / name).stat().st_size


def read_parts(job, plan):
    """(all pieces, the manifests) of all episodes in their order; an error that names those that are not there, or are not whole."""
    missing = [planned.episode.name for planned in plan if not is_done(job, planned)]
    if missing:
        raise ExportError(f"{len(missing)} of {len(plan)} episodes are not exported yet: {'; '.join(missing[:5])}"
                          f"{'; …' if len(missing) > 5 else ''}")
    folders = [job.path(planned.episode) for planned in plan]
    manifests = [read(folder) for folder in folders]
    found = [Part(folder / str(number), said | piece | {"piece": number}) for folder, said in zip(folders, manifests)
             for number, piece in enumerate(said["pieces"])]
    _check_joined(manifests)
    return found, manifests
