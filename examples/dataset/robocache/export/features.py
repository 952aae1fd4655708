# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where each feature is in the row of a tick, and how recordings are joined: by the names of their channels, never by their places.

A row has the channels of all streams of numbers, one after the other, in the order of its own recording. Features have those of the first
recording, or of the set that is appended to.
"""
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np

from . import channelnames
from .errors import ExportError

ABSENT = -1  # in place of a channel's index: the recording lacks it


@dataclass(frozen=True)
class Layout:
    """`columns` are the indices of a feature's values in a row, or ABSENT; `names` those of its channels in the set, `channels` those that
    the streams have."""
    width: int
    columns: dict
    names: dict
    channels: dict
    sizes: dict  # {feature of pictures: (width, height)}
    streams: dict  # {stream of numbers: slice of a row}
    depth: tuple = ()  # features whose pictures are depth

    @property
    def used(self):
        """Columns of a row whose values the set has."""
        used = np.unique(np.concatenate([*self.columns.values(), np.zeros(0, np.int64)]).astype(np.int64))
        return used[used != ABSENT]

    def take(self, feature, rows):
        """The values of a feature [rows, channels]: NaN where the recording lacks the channel."""
        columns = np.array(self.columns[feature], np.int64)
        values = rows[:, columns]
        if (columns == ABSENT).any():
            values[:, columns == ABSENT] = np.nan
        return values

    def arranged(self, feature, names):
        """The same, with the channels of a feature those of a set, in its order."""
        own = {name: i for i, name in enumerate(self.names[feature])}
        pick = lambda values, other: [values[own[name]] if name in own else other for name in names]
        return replace(self, columns=self.columns | {feature: pick(self.columns[feature], ABSENT)},
                       channels=self.channels | {feature: pick(self.channels[feature], "")}, names=self.names | {feature: list(names)})


# ---- channels that a mapping chooses ----

def _is_glob(word):
    return any(sign in word for sign in "*?[")


def _numbers(word, channels):
    """Of a channel's name, a glob of names, a number, or a range of numbers like 0-5."""
    if word in channels:
        return [channels.index(word)]
    found = [i for i, name in enumerate(channels) if _is_glob(word) and fnmatchcase(name, word)]
    if found:
        return found
    first, _, last = word.partition("-")
    last = last or first
    if not (first.isdigit() and last.isdigit()) or int(last) >= len(channels) or int(first) > int(last):
        raise ExportError(f"no channel {word}: expected 0 to {len(channels) - 1}, or one of {', '.join(channels)}")
    return list(range(int(first), int(last) + 1))


def _select(feature, part, channels):
    """Numbers of the channels of a part of a feature."""
    try:
        numbers = [number for word in part.channels for number in _numbers(word, channels)]
    except ExportError as error:
        raise ExportError(f"features.{feature}: {part.stream} has {error}") from None
    return numbers or list(range(len(channels)))


# ---- names that recordings have in common ----

def _is_named(channels):
    """Whether each channel has a name of its own."""
    return len(set(channels)) == len(channels) and channels != tuple(str(i) for i in range(len(channels)))


def _list(names):
    return ",".join(names)


class Joined:
    """The channels of each stream, as the recordings of a set have them together: the first recording's order, and behind it, with
    fill = "nan", the names that only others have."""

    def __init__(self, mapping):
        self._mapping, self.recording, self.channels = mapping, None, {}

    def add(self, recording, found):
        """The problems of a recording's channels, as texts."""
        own = {one.stream.name: one.channels for one in found if not one.stream.is_camera}
        if self.recording is None:
            self.recording, self.channels = recording, own
            return []
        problems = [self._add(one.stream, one.channels) for one in found if not one.stream.is_camera]
        return [problem for problem in problems if problem]

    def _takes(self, stream, number, channels):
        """The features with a channel: those that name it, or take the stream as a whole."""
        return [feature for feature, parts in self._mapping.vectors.items() for part in parts
                if part.stream == stream.name and number in _select(feature, part, channels)]

    def _chooses(self, stream, name):
        """Whether a feature would take a channel of this name, which the first recording lacks."""
        parts = [part for parts in self._mapping.vectors.values() for part in parts if part.stream == stream.name]
        return any(not part.channels or any(word == name or _is_glob(word) and fnmatchcase(name, word) for word in part.channels) for part in parts)

    def _add(self, stream, own):
        common = self.channels[stream.name]
        if own == common:
            return None
        both = f"{stream.topic} ({stream.name}) has {_list(own)}, and {_list(common)} in {self.recording.name}"
        if not (_is_named(own) and _is_named(common)):
            return f"{both}: channels without their own names are not joined"
        missing = [name for i, name in enumerate(common) if name not in own and self._takes(stream, i, common)]
        extra = [name for name in own if name not in common and self._chooses(stream, name)]
        if not set(own) & set(common) and missing:
            return f"{both}: no name is in both lists"
        if self._mapping.fill != "nan" and (missing or extra):
            parts = [f"{_list(names)} {'are' if len(names) > 1 else 'is'} {word}" for word, names in (("missing", missing), ("extra", extra)) if names]
            return (f"{both}: {' and '.join(parts)}; --fill nan writes NaN where a recording lacks a channel, and names in the mapping like "
                    f"\"{stream.name}:{','.join(name for name in common if name in own)}\" leave channels out")
        self.channels[stream.name] = (*common, *extra)
        return self._of_places(stream, own, both)

    @staticmethod
    def _of_places(stream, own, both, names=("velocities", "kinds", "quaternions")):
        """What the mapping says of a stream by the places of channels holds for one order alone."""
        settings = dict(stream.settings)
        kinds = {word.partition("*")[0].strip() for word in settings.get("kinds", "ignore").split(",")}
        angles = {word.strip() for word in str(settings.get("angles", "")).split(",")} - {""}
        named = {"kinds": len(kinds) <= 1, "angles": angles <= set(own)}
        wrong = [name for name in names if name in settings and not named.get(name)]
        return f"{both}: streams.{stream.name} has {' and '.join(wrong)} by the places of channels; give recordings of one order" if wrong else None

    def problems_in_set(self, streams):
        """Of a set that is appended to, whose streams have these channels: what the mapping says by places, and another order would change."""
        problems = []
        for stream in self._mapping.rows:
            own, given = self.channels[stream.name], tuple(streams.get(stream.name, self.channels[stream.name]))
            both = f"{stream.topic} ({stream.name}) has {_list(own)}, and {_list(given)} in the set"
            problems.append(self._of_places(stream, own, both, ("velocities", "kinds", "quaternions", "angles")) if own != given else None)
        return [problem for problem in problems if problem]

    def adapted(self, found):
        """Streams of a recording whose settings name channels where the mapping numbers them."""
        return tuple(one if one.stream.is_camera else replace(one, stream=replace(one.stream, settings=self._settings(one))) for one in found)

    def _settings(self, one):
        common = self.channels[one.stream.name]
        if one.channels == common or not _is_named(common):
            return one.stream.settings
        words = lambda text: [common[i] for word in str(text).split(",") if word.strip() for i in _numbers(word.strip(), common) if common[i] in one.channels]
        return tuple((key, ",".join(words(value)) if key == "angles" else value) for key, value in one.stream.settings)

    # ---- layouts ----

    def resolve(self, found):
        """The layout of a recording."""
        mapping, by_name, offsets, width = self._mapping, {one.stream.name: one for one in found}, {}, 0
        for stream in mapping.rows:
            offsets[stream.name] = width
            width += len(by_name[stream.name].channels)
        columns, channels = {}, {}
        for feature, parts in mapping.vectors.items():
            chosen = [(part.stream, number) for part in parts for number in _select(feature, part, self.channels[part.stream])]
            channels[feature] = [(stream, self.channels[stream][number]) for stream, number in chosen]
            columns[feature] = [self._column(by_name[stream].channels, offsets[stream], stream, number) for stream, number in chosen]
        names = channelnames.of_features(mapping, channels)
        sizes = {feature: by_name[stream].size for feature, stream in mapping.pictures.items()}
        streams = {name: slice(first, first + len(by_name[name].channels)) for name, first in offsets.items()}
        depth = tuple(feature for feature, stream in mapping.pictures.items() if by_name[stream].is_depth)
        return Layout(width, columns, names, {feature: [name for _, name in pairs] for feature, pairs in channels.items()}, sizes, streams, depth)

    def _column(self, own, offset, stream, number):
        common = self.channels[stream]
        if own == common:
            return offset + number
        return offset + own.index(common[number]) if common[number] in own else ABSENT


# ---- a set that is appended to ----

@dataclass(frozen=True)
class OfSet:
    """Channels of a set. names: {feature: names}; of actions that are computed, of the channels that they are computed of. streams:
    {stream: channels} of its first episode."""
    names: dict
    streams: dict


def arrange(layouts, names, mapping):
    """The layouts of episodes, {key: Layout}, with the channels of a set in its order, and the problems, as texts. names are those of OfSet."""
    problems = []
    for feature, own in next(iter(layouts.values())).names.items() if layouts else ():
        # a set that does not say what its computed actions were computed of
        given = names.get(feature, own)
        if own == given:
            continue
        both = f"features.\"{feature}\" has {_list(own)}, and {_list(given)} in the set"
        missing, extra = ([name for name in one if name not in other] for one, other in ((given, own), (own, given)))
        if not (_is_named(tuple(own)) and _is_named(tuple(given))) or not set(own) & set(given):
            problems.append(f"{both}: no name is in both lists, or channels have no names of their own")
        elif extra:
            problems.append(f"{both}: {_list(extra)} would be NaN in all episodes that the set has; leave channels out by names in the mapping")
        elif missing and mapping.fill != "nan":
            problems.append(f"{both}: {_list(missing)} {'are' if len(missing) > 1 else 'is'} missing; --fill nan writes NaN")
        else:
            layouts = {key: layout.arranged(feature, given) for key, layout in layouts.items()}
    return layouts, problems
