# SPDX-License-Identifier: LGPL-2.1-or-later
"""Marks of episodes: a CSV of spans, a topic of texts, gaps, or whole recordings. Each gives spans of one recording."""
import csv
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import numpy as np

from .errors import ExportError

COLUMNS = ("recording", "start", "end", "task", "success", "discard")
TRUTH = {"": None, "1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


@dataclass(frozen=True)
class Span:
    """From start to before end, in ns of the recording's clock."""
    start: int
    end: int
    task: str = ""
    success: bool | None = None


def time_of(text, first):
    """Seconds of the recording's clock as an exact decimal; after a + from its first message. In ns."""
    try:
        value = int(Decimal(text) * 10**9)
    except (InvalidOperation, ValueError, OverflowError):
        raise ExportError(f"{text!r} is not a time: expected seconds like 1700000000.25, or +1.5 from the first message") from None
    return value + first if text.startswith("+") else value


# ---- a CSV of spans ----

def _truth(row, column):
    value = (row.get(column) or "").strip().lower()
    if value not in TRUTH:
        raise ExportError(f"{column} = {value!r}: expected true, false or nothing")
    return TRUTH[value]


def _span_of(row, first):
    for column in ("start", "end"):
        if not (row.get(column) or "").strip():
            raise ExportError(f"{column} is empty")
    start, end = (time_of(row[column].strip(), first) for column in ("start", "end"))
    if end <= start:
        raise ExportError(f"the end {row['end']} is not after the start {row['start']}")
    return Span(start, end, (row.get("task") or "").strip(), _truth(row, "success"))


def read_rows(path):
    """[(line, row)] of a CSV with a header."""
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        missing = [column for column in ("start", "end") if column not in (reader.fieldnames or [])]
        unknown = [column for column in reader.fieldnames or [] if column not in COLUMNS]
        if missing or unknown:
            raise ExportError(f"{path}: columns {', '.join(missing + unknown)} are missing or unknown: expected {','.join(COLUMNS)}, "
                              "of which start and end are needed")
        return [(reader.line_num, row) for row in reader]


def from_csv(path, recording):
    """The spans of one recording; rows without a name are for every recording."""
    spans = []
    for line, row in read_rows(path):
        if (row.get("recording") or recording.name) not in (recording.name, recording.name.rsplit(".", 1)[0]):
            continue
        try:
            if not _truth(row, "discard"):
                spans.append(_span_of(row, recording.span()[0]))
        except ExportError as error:
            raise ExportError(f"{path}:{line}: {error}") from None
    return spans


# ---- a topic of texts ----

class _Marks:
    """Texts in the order of time: start TASK, end, success, failure, discard. The last three end an episode, too."""
    ENDS = {"end": None, "success": True, "failure": False}

    def __init__(self, where):
        self.where, self.spans, self.open = where, [], None

    def handle(self, time, text):
        word, _, task = text.strip().partition(" ")
        if word == "start":
            if self.open is not None:
                raise ExportError(f"{self.where}: \"{text}\" at {time} ns, and the episode before has no end")
            self.open = (time, task.strip())
        elif word in self.ENDS or word == "discard":
            self._end(time, word, text)
        else:
            raise ExportError(f"{self.where}: \"{text}\" at {time} ns is no mark: expected start TASK, end, success, failure or discard")

    def _end(self, time, word, text):
        if self.open is None:
            # what was ended already is judged now
            if not self.spans or word == "end":
                raise ExportError(f"{self.where}: \"{text}\" at {time} ns, and no episode has begun")
            last = self.spans.pop()
            if word != "discard":
                self.spans.append(Span(last.start, last.end, last.task, self.ENDS[word]))
            return
        start, task = self.open
        self.open = None
        if word != "discard":
            self.spans.append(Span(start, time, task, self.ENDS[word]))


def from_topic(topic, recording):
    """An episode without an end, as a crash leaves it, ends with the recording."""
    if not recording.has(topic):
        raise ExportError(f"{recording.name}: no topic {topic} with marks of episodes")
    marks = _Marks(f"{recording.name}: {topic}")
    for time, text in recording.texts(topic):
        marks.handle(time, text)
    if marks.open is not None:
        marks.handle(recording.span()[1] + 1, "end")
    return marks.spans


# ---- gaps, and none ----

def from_gaps(seconds, topics, recording):
    """Where all of the topics are silent for longer than `seconds`, an episode ends."""
    times = np.sort(np.concatenate([recording.times(topic) for topic in topics]))
    if not len(times):
        return []
    cuts = np.flatnonzero(np.diff(times) > int(Decimal(seconds) * 10**9))
    starts = [times[0], *times[cuts + 1]]
    ends = [*times[cuts], times[-1]]
    return [Span(int(start), int(end) + 1) for start, end in zip(starts, ends)]


def whole(recording):
    """In parts where stamps step, without the time in which rows of both sides would be mixed."""
    first, last = recording.span()
    found = recording.breaks()
    if any(after <= before for before, after in found):
        raise ExportError(f"{recording.name}: stamps step back, so times before and after the step are the same: use --time-source auto, or mark episodes")
    breaks = [(before, after) for before, after in found if first < after and before < last]
    starts, ends = [first, *(after for _, after in breaks)], [*(before for before, _ in breaks), last]
    return [Span(start, max(start, end) + 1) for start, end in zip(starts, ends)]
