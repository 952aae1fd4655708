# SPDX-License-Identifier: LGPL-2.1-or-later
"""What can be known before anything is written: each problem with its episode.

Times are those of the recording's index, which are times of arrival.
"""
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from .errors import ExportError, ProblemsError
from .features import resolve

# Of the set's rate, as cameras of 29.97 Hz count as 30.
MIN_RATE = 0.95
# LeRobot compares float32 times with a tolerance of 1e-4 s, which float32 holds up to 1024 s.
MAX_SECONDS = 1000
DURATION_UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}


@dataclass(frozen=True)
class Planned:
    """An episode, and its streams as the recording has them."""
    episode: object
    found: tuple
    layout: object  # where each feature is in a row of a tick


def duration_ns(value, default):
    """Of a property of a pad: ns, or a number with a unit; -1 is no limit."""
    text = str(value if value is not None else default)
    for unit in ("ns", "us", "ms", "s"):
        if text.endswith(unit):
            return int(float(text[:-len(unit)]) * DURATION_UNITS[unit])
    return int(text)


def hold_ns(stream):
    """How long before a tick its row may be; None: without limit."""
    limits = [duration_ns(dict(stream.settings).get(name), "200ms") for name in ("hold-limit", "max-gap")]
    return None if min(limits) < 0 else max(limits)


# ---- one stream of one episode ----

def _times(episode, stream, before=0):
    """Those within the episode, and from `before` ns on before it."""
    times = episode.recording.times(stream.topic)
    return times[(times >= episode.span.start - before) & (times < episode.span.end)]


def _is_command(stream):
    return dict(stream.settings).get("interpolation") == "previous"


def _presence(episode, stream):
    if not episode.recording.has(stream.topic):
        return f"no topic {stream.topic}; the recording has {', '.join(episode.recording.topics())}"
    hold = hold_ns(stream) if _is_command(stream) else 0
    if not len(_times(episode, stream, episode.span.start if hold is None else hold)):
        return f"no messages of {stream.topic} ({stream.name}) in the episode"
    return None


def _rate(episode, stream, fps):
    times = _times(episode, stream)
    if len(times) < 2:
        return None
    rate = (len(times) - 1) * 1e9 / float(times[-1] - times[0])
    if rate >= MIN_RATE * fps:
        return None
    return (f"{stream.topic} ({stream.name}) has {rate:.2f} frames per second, and the set {fps}: lower fps, or repeat frames with "
            "--allow-slow-cameras")


def _overlap(episode, one, other):
    """Two streams that share no time."""
    first, second = sorted((one, other), key=lambda stream: _times(episode, stream)[0])
    end, begin = _times(episode, first)[-1], _times(episode, second)[0]
    if end >= begin:
        return None
    return f"{first.topic} ends {(begin - end) / 1e9:.3f} s before {second.topic} begins: their spans are disjoint"


def _length(episode, fps):
    seconds = (episode.span.end - episode.span.start) / 1e9
    if seconds * fps < 2:
        return f"{seconds:.3f} s is shorter than two ticks of {fps} Hz"
    if seconds > MAX_SECONDS:
        return f"{seconds:.0f} s is longer than {MAX_SECONDS} s, to which LeRobot's float32 times are exact: mark shorter episodes"
    return None


def _episode_problems(episode, mapping, allow_slow):
    found = [_length(episode, mapping.fps)]
    missing = {stream.name: _presence(episode, stream) for stream in mapping.streams}
    found += missing.values()
    there = [stream for stream in mapping.streams if missing[stream.name] is None]
    found += [_rate(episode, stream, mapping.fps) for stream in there if stream.is_camera and not allow_slow]
    spans = [stream for stream in there if not _is_command(stream) and len(_times(episode, stream))]
    found += [_overlap(episode, *pair) for pair in combinations(spans, 2)]
    return [(episode.name, problem) for problem in found if problem]


# ---- formats of all recordings ----

def _changes(recording, mapping):
    """Topics whose channels change within a recording."""
    return [f"the channels of {stream.topic} ({stream.name}) change: {' | '.join(formats)}"
            for stream in mapping.streams if len(formats := recording.channel_formats(stream.topic)) > 1]


def _differences(found, reference, reference_name):
    return [f"{one.stream.topic} ({one.stream.name}) has {one.format}, and {other.format} in {reference_name}"
            for one, other in zip(found, reference) if one.format != other.format]


def _find_streams(episodes, mapping, problems):
    """{recording: its streams}; adds what is wrong to problems."""
    streams, reference = {}, None
    for episode in episodes:
        recording = episode.recording
        if recording in streams:
            continue
        try:
            streams[recording] = tuple(recording.streams(mapping))
        except ExportError as error:
            streams[recording] = None
            problems.append((episode.name, str(error)))
            continue
        reference = reference or (streams[recording], recording.name)
        problems += [(episode.name, text) for text in _changes(recording, mapping) + _differences(streams[recording], *reference)]
    return streams


def make_plan(episodes, mapping, allow_slow_cameras=False):
    """Every episode with its streams; a ProblemsError that names all problems otherwise."""
    problems = [problem for episode in episodes for problem in _episode_problems(episode, mapping, allow_slow_cameras)]
    # streams are looked for once all topics are there
    streams = {} if problems else _find_streams(episodes, mapping, problems)
    if problems:
        raise ProblemsError(problems)
    return [Planned(episode, streams[episode.recording], resolve(mapping, streams[episode.recording])) for episode in episodes]


def lead_ns(mapping, episode):
    """How long before the episode its recording is read, in whole seconds: rows from then on can reach into it."""
    holds = [hold_ns(stream) for stream in mapping.streams]
    reach = episode.span.start - episode.recording.span()[0] if None in holds else max(holds)
    return max(1, int(np.ceil(reach / 1e9))) * 10**9
