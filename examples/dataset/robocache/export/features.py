# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where each feature is in the row of a tick: the channels of all streams of numbers, one after the other."""
from dataclasses import dataclass

import numpy as np

from .errors import ExportError


@dataclass(frozen=True)
class Layout:
    """`columns` are the indices of a feature's values in a row, `names` those of its channels."""
    width: int
    columns: dict
    names: dict
    sizes: dict  # {feature of pictures: (width, height)}
    streams: dict  # {stream of numbers: slice of a row}

    @property
    def used(self):
        """Columns whose values the set has."""
        return np.unique(np.concatenate([*self.columns.values(), np.zeros(0, np.int64)]).astype(np.int64))


def _numbers(word, channels):
    """Of a channel's name, a number, or a range of numbers like 0-5."""
    if word in channels:
        return [channels.index(word)]
    first, _, last = word.partition("-")
    last = last or first
    if not (first.isdigit() and last.isdigit()) or int(last) >= len(channels) or int(first) > int(last):
        raise ExportError(f"no channel {word}: expected 0 to {len(channels) - 1}, or one of {', '.join(channels)}")
    return list(range(int(first), int(last) + 1))


def _select(feature, part, found):
    """(numbers, names) of a part of a feature."""
    try:
        numbers = [number for word in part.channels for number in _numbers(word, found.channels)]
    except ExportError as error:
        raise ExportError(f"features.{feature}: {part.stream} has {error}") from None
    numbers = numbers or list(range(len(found.channels)))
    return numbers, [found.channels[number] for number in numbers]


def resolve(mapping, found):
    by_name, offsets, width = {one.stream.name: one for one in found}, {}, 0
    for stream in mapping.rows:
        offsets[stream.name] = width
        width += len(by_name[stream.name].channels)
    columns, names = {}, {}
    for feature, parts in mapping.vectors.items():
        columns[feature], names[feature] = [], []
        for part in parts:
            numbers, channels = _select(feature, part, by_name[part.stream])
            columns[feature] += [offsets[part.stream] + number for number in numbers]
            names[feature] += channels if len(parts) == 1 else [f"{part.stream}.{channel}" for channel in channels]
    sizes = {feature: by_name[stream].size for feature, stream in mapping.pictures.items()}
    streams = {name: slice(first, first + len(by_name[name].channels)) for name, first in offsets.items()}
    return Layout(width, columns, names, sizes, streams)
