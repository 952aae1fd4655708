# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parts: one folder an episode, with its numbers as Parquet and its pictures, complete or absent. A set is made of them."""
import hashlib
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from . import __version__
from .actions import convert
from .alignment import Alignment
from .errors import ExportError
from .manifest import MANIFEST, Complete, hash_inputs, hash_outputs, is_valid, read, write_json
from .pictures import Arrays, Histogram, Videos
from .ticks import Kept

NUMBERS = "numbers.parquet"
ARRAYS = "pictures.hdf5"
TIMES = ("capture_time", "age", "status")


@dataclass(frozen=True)
class Job:
    """What is exported: into `folder`, for LeRobot (videos) or for HDF5 (arrays)."""
    folder: Path
    mapping: object
    with_videos: bool

    @cached_property
    def settings(self):
        return hashlib.sha256(f"{__version__} {self.with_videos} {self.mapping.digest()}".encode()).hexdigest()

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
    columns = {feature: rows[:, indices] for feature, indices in layout.columns.items()}
    if mapping.action == "next-state":
        columns["action"] = next_rows[:, layout.columns["observation.state"]]
    return columns


def _table(planned, mapping, alignment, kept):
    rows, next_rows, info = (np.concatenate(arrays) for arrays in zip(*kept))
    vectors = _vectors(planned.layout, mapping, rows, next_rows)
    converted, names = convert(mapping, planned.layout, vectors)
    columns = {name: vector_column(values) for name, values in (vectors | converted).items()}
    times = alignment.times(info)
    for name, values in zip(TIMES, times):
        columns |= {f"{name}.{stream}": number_column(values[:, i]) for i, stream in enumerate(alignment.streams)}
    return pa.table(columns), planned.layout.names | names


# ---- writing ----

def _pictures(job, planned, folder):
    sizes = planned.layout.sizes
    if not sizes:
        return None
    return Videos(folder, sizes, job.mapping) if job.with_videos else Arrays(folder / ARRAYS, sizes)


def _run(job, planned, folder):
    """Writes pictures while they come. Returns (alignment, (rows, next rows, info) of kept ticks, counts of dropped ones, histograms)."""
    layout, mapping = planned.layout, job.mapping
    alignment = Alignment(planned, mapping)
    ticks = Kept(alignment, mapping, layout.used)
    numbers = [(feature, [stream.name for stream in mapping.cameras].index(stream)) for feature, stream in mapping.pictures.items()]
    histograms = {feature: Histogram(alignment.count, layout.sizes[feature]) for feature, _ in numbers}
    output, kept = _pictures(job, planned, folder), []
    try:
        for part, following in ticks:
            kept.append((part.rows, following.rows, part.info))
            for tick, (feature, number) in product(range(len(part)), numbers):
                picture = part.picture(tick, number)
                histograms[feature].add(picture)
                output.add(feature, picture)
        if output and kept:
            output.finish()
    finally:
        if output:
            output.close()
    return alignment, kept, dict(ticks.dropped), histograms


def _describe(job, planned, inputs, kept, dropped, histograms, names):
    episode, layout = planned.episode, planned.layout
    return {"format": 1, "recording": episode.recording.name, "number": episode.number, "start": episode.span.start,
            "end": episode.span.end, "task": episode.task, "success": episode.span.success, "frames": sum(len(rows) for rows, *_ in kept), "dropped": dropped,
            "names": names, "sizes": layout.sizes, "streams": [stream.name for stream in job.mapping.streams],
            "pictures": {feature: histogram.state() for feature, histogram in histograms.items()},
            "settings": job.settings, "inputs": inputs}


def is_done(job, planned):
    return is_valid(job.path(planned.episode), job.settings, hash_inputs(planned.episode.recording.files()))


def write(job, planned):
    """Makes the part of an episode. Returns its manifest. Errors name the episode."""
    try:
        return _write(job, planned)
    except ExportError as error:
        name = planned.episode.name
        raise ExportError(str(error) if str(error).startswith(name) else f"{name}: {error}") from None


def _write(job, planned):
    inputs = hash_inputs(planned.episode.recording.files())
    with Complete(job.path(planned.episode)) as folder:
        folder.mkdir()
        alignment, kept, dropped, histograms = _run(job, planned, folder)
        if not kept:
            reasons = ", ".join(f"{name} at {count} ticks" for name, count in dropped.items()) or "the recording has no rows there"
            raise ExportError(f"{planned.episode.name}: nothing is left of it: {reasons}")
        table, names = _table(planned, job.mapping, alignment, kept)
        # read once, by --merge
        pq.write_table(table, folder / NUMBERS, compression="none", use_dictionary=False, write_statistics=False)
        said = _describe(job, planned, inputs, kept, dropped, histograms, names)
        write_json(folder / MANIFEST, {**said, "outputs": hash_outputs(folder)}, indent=None)
    return said


# ---- reading ----

@dataclass(frozen=True)
class Part:
    folder: Path
    said: dict  # its manifest

    def table(self):
        # read_table loads much more of PyArrow
        return pq.ParquetFile(self.folder / NUMBERS).read()

    def size(self, name=NUMBERS):
        return (self.folder / name).stat().st_size


def read_parts(job, plan):
    """The parts of all episodes in their order; an error that names those that are not there, or are not whole."""
    missing = [planned.episode.name for planned in plan if not is_done(job, planned)]
    if missing:
        raise ExportError(f"{len(missing)} of {len(plan)} episodes are not exported yet: {'; '.join(missing[:5])}"
                          f"{'; …' if len(missing) > 5 else ''}")
    return [Part(job.path(planned.episode), read(job.path(planned.episode))) for planned in plan]
