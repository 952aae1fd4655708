# SPDX-License-Identifier: LGPL-2.1-or-later
"""Episodes of all recordings, by the kind of marks that the user chose."""
import hashlib
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path

from . import marks
from .errors import ExportError


@dataclass(frozen=True)
class Episode:
    recording: object
    number: int  # within the recording
    span: marks.Span
    task: str

    @property
    def name(self):
        first = self.recording.span()[0]
        start, end = ((time - first) / 1e9 for time in (self.span.start, self.span.end))
        return f"{self.recording.name} episode {self.number} (+{start:.3f} s to +{end:.3f} s)"

    @property
    def id(self):
        """By content, so that it is the same whatever other recordings are exported beside it."""
        text = f"{self.recording.name}\0{self.span.start}\0{self.span.end}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def shard(self, count):
        return int(self.id, 16) % count


def sidecar(recording):
    """The marks that `record` writes beside a recording."""
    path = Path(recording.path)
    return path.with_name(f"{path.stem}.episodes.csv")


def _from_gaps(text, mapping):
    """gaps:SECONDS of all topics of the mapping, or gaps:SECONDS:TOPIC."""
    seconds, _, topic = text.partition(":")
    try:
        if Decimal(seconds) <= 0:
            raise InvalidOperation
    except InvalidOperation:
        raise ExportError(f"--episodes gaps:{text}: expected seconds, like gaps:2 or gaps:2:/command") from None
    topics = [topic] if topic else sorted({stream.topic for stream in mapping.streams})
    return lambda recording: marks.from_gaps(seconds, topics, recording)


def _default(recording):
    path = sidecar(recording)
    return marks.from_csv(path, recording) if path.is_file() else marks.whole(recording)


def cutter(text, mapping):
    """A function that gives the spans of a recording."""
    kind, _, rest = (text or "").partition(":")
    if not text:
        return _default
    if text == "whole":
        return marks.whole
    if kind == "gaps":
        return _from_gaps(rest, mapping)
    if kind == "topic" and rest:
        return lambda recording: marks.from_topic(rest, recording)
    if not Path(text).is_file():
        raise ExportError(f"--episodes {text}: expected whole, gaps:SECONDS, topic:NAME or a file of spans")
    return lambda recording: marks.from_csv(text, recording)


def cut(recordings, mapping, text):
    """All episodes, in the order of recordings and time."""
    spans_of, episodes = cutter(text, mapping), []
    for recording in recordings:
        for number, span in enumerate(sorted(spans_of(recording), key=lambda span: span.start)):
            episodes.append(Episode(recording, number, span, span.task or mapping.task))
    if not episodes:
        raise ExportError("no episodes: every span is discarded, or the marks name other recordings")
    return episodes
