# SPDX-License-Identifier: LGPL-2.1-or-later
"""What can be known before anything is written: each problem with its episode.

Times are those of the recording's index, as its clocks put them on the timeline.
"""
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from .errors import ExportError, ProblemsError
from .features import Joined, arrange
from .mapping import AUTOMATIC, duration_ns
from .recordings.found import names_of, with_caps

# Of the set's rate, as cameras of 29.97 Hz count as 30.
MIN_RATE = 0.95
# LeRobot compares float32 times with a tolerance of 1e-4 s, which float32 holds up to 1024 s.
MAX_SECONDS = 1000


@dataclass(frozen=True)
class Planned:
    """An episode, and its streams as the recording has them."""
    episode: object
    found: tuple
    layout: object  # where each feature is in a row of a tick


# of max-gap and hold-limit; max-gap is then in periods of the rows, by the median of so many spacings before a tick
PERIODS, SPACINGS = 8, 64
# rows arrive up to this long after their capture
DELAY = "200ms"


def _automatic_gap_ns(times):
    """times: sorted."""
    if len(times) <= PERIODS:
        return duration_ns(None, "200ms")
    period = int(np.median(np.diff(times)))
    return max(min(max(PERIODS * period, duration_ns(None, "20ms")), duration_ns(None, "1s")), 2 * period)


def _max_gap_ns(stream):
    return duration_ns(dict(stream.settings).get("max-gap"), AUTOMATIC)


def held_ns(stream, is_held):
    """How long a row is repeated after which none comes; None: without limit. is_held: all its channels are."""
    limit = duration_ns(dict(stream.settings).get("hold-limit"), AUTOMATIC)
    if limit == AUTOMATIC:
        return None if is_held else duration_ns(None, "200ms")
    return None if limit < 0 else limit


def hold_ns(found, recording):
    """How long before a tick its row may be; None: without limit."""
    held, gap = held_ns(found.stream, found.is_held), _max_gap_ns(found.stream)
    if found.is_held:
        return held
    if gap == AUTOMATIC:
        gap = _automatic_gap_ns(recording.stream_times(found.stream))
    return None if held is None or gap < 0 else max(held, gap)


# ---- one stream of one episode ----

# where clocks may be the reason
OTHER_TIMES = {"auto": "; --time-source log uses times of arrival", "stamp": "; --time-source auto puts their clocks on one timeline", "log": ""}


def _times(episode, stream, before=0):
    """Those within the episode, and from `before` ns on before it."""
    times = episode.recording.times(stream.topic)
    return times[(times >= episode.span.start - before) & (times < episode.span.end)]


def _stream_times(episode, stream):
    times = episode.recording.stream_times(stream)
    return times[(times >= episode.span.start) & (times < episode.span.end)]


def _is_command(stream):
    return dict(stream.settings).get("interpolation") == "previous"


def _presence(episode, stream, is_held):
    if not episode.recording.has(stream.topic):
        return f"no topic {stream.topic}; the recording has {', '.join(episode.recording.topics())}"
    hold = held_ns(stream, is_held) if is_held or _is_command(stream) else 0
    if not len(_times(episode, stream, episode.span.start if hold is None else hold)):
        return f"no messages of {stream.topic} ({stream.name}) in the episode"
    return None


def _rate(times):
    """Rows or frames per second; None: not known."""
    return (len(times) - 1) * 1e9 / float(times[-1] - times[0]) if len(times) > 1 and times[-1] > times[0] else None


def _slow_camera(episode, stream, fps):
    rate = _rate(_times(episode, stream))
    if rate is None or rate >= MIN_RATE * fps:
        return None
    return (f"{stream.topic} ({stream.name}) has {rate:.2f} frames per second, and the set {fps}: lower fps, or repeat frames with "
            "--allow-slow-cameras")


def _overlap(episode, one, other):
    """Two streams that share no time."""
    first, second = sorted((one, other), key=lambda stream: _times(episode, stream)[0])
    end, begin = _times(episode, first)[-1], _times(episode, second)[0]
    if end >= begin:
        return None
    advice = OTHER_TIMES[episode.recording.time_source] if episode.recording.clocks else ""
    return f"{first.topic} ends {(begin - end) / 1e9:.3f} s before {second.topic} begins: their spans are disjoint{advice}"


def _length(episode, fps):
    seconds = (episode.span.end - episode.span.start) / 1e9
    if seconds * fps < 2:
        return f"{seconds:.3f} s is shorter than two ticks of {fps} Hz"
    if seconds > MAX_SECONDS:
        return f"{seconds:.0f} s is longer than {MAX_SECONDS} s, to which LeRobot's float32 times are exact: mark shorter episodes"
    return None


def _episode_problems(episode, mapping, allow_slow, streams):
    """streams: those of its recording, or () where they are not known."""
    held = {one.stream.name for one in streams if one.is_held}
    found = [_length(episode, mapping.fps)]
    missing = {stream.name: _presence(episode, stream, stream.name in held) for stream in mapping.streams}
    found += missing.values()
    there = [stream for stream in mapping.streams if missing[stream.name] is None]
    found += [_slow_camera(episode, stream, mapping.fps) for stream in there if stream.is_camera and not allow_slow]
    spans = [stream for stream in there if not _is_command(stream) and stream.name not in held and len(_times(episode, stream))]
    found += [_overlap(episode, *pair) for pair in combinations(spans, 2)]
    return [(episode.name, problem) for problem in found if problem]


# ---- episodes of a recording ----

def _overlapping(episodes):
    """Episodes of one recording that share time, each with the one before it."""
    latest, problems = {}, []
    for episode in sorted(episodes, key=lambda one: one.span.start):
        before = latest.get(episode.recording)
        if before and episode.span.start < before.span.end:
            problems.append((episode.name, f"it overlaps {before.name}: mark episodes that share no time"))
        if not before or episode.span.end > before.span.end:
            latest[episode.recording] = episode
    return problems


# ---- formats of all recordings ----

def _changing_cameras(recording, mapping):
    """Cameras whose pictures change within a recording."""
    return [f"the pictures of {stream.topic} ({stream.name}) change: {' | '.join(formats)}"
            for stream in mapping.cameras if len(formats := recording.channel_formats(stream.topic)) > 1]


def _differences(found, reference, reference_name):
    """Of cameras; rows are joined by the names of their channels."""
    text = lambda one: f"{'depth of ' if one.is_depth else ''}{one.size[0]}x{one.size[1]}"
    return [f"{one.stream.topic} ({one.stream.name}) has {text(one)}, and {text(other)} in {reference_name}"
            for one, other in zip(found, reference) if (one.size, one.is_depth) != (other.size, other.is_depth)]


def _has_all(recording, mapping):
    return all(recording.has(stream.topic) and len(recording.times(stream.topic)) for stream in mapping.streams)


def _find_streams(episodes, mapping, problems):
    """{recording: its streams}, without recordings that lack a topic; adds what is wrong to problems."""
    streams, reference = {}, None
    for episode in episodes:
        recording = episode.recording
        if recording in streams or not _has_all(recording, mapping):
            continue
        try:
            streams[recording] = tuple(recording.streams(mapping))
        except ExportError as error:
            streams[recording] = ()
            problems.append((episode.name, str(error)))
            continue
        reference = reference or (streams[recording], recording.name)
        problems += [(episode.name, text) for text in _changing_cameras(recording, mapping) + _differences(streams[recording], *reference)]
    return streams


def _in_force(episode, one, problems):
    """A stream as it is in an episode, where its channels change within the recording."""
    recording, topic = episode.recording, one.stream.topic
    if one.stream.is_camera or len(recording.channel_formats(topic)) < 2:
        return one
    formats = recording.formats_within(topic, episode.span.start, episode.span.end)
    if len(formats) > 1:
        problems.append((episode.name, f"the channels of {topic} ({one.stream.name}) change in the episode: {' | '.join(names_of(formats))}"))
    return with_caps(one, formats[0]) if formats else one


def _join(episodes, mapping, problems):
    """(the streams of each episode, or () where its recording lacks one; what they have together)."""
    joined, of_episodes, seen = Joined(mapping), [], set()
    streams = _find_streams(episodes, mapping, problems)
    for episode in episodes:
        found = tuple(_in_force(episode, one, problems) for one in streams.get(episode.recording, ()))
        of_episodes.append(found)
        key = (episode.recording, tuple(one.channels for one in found))
        if found and key not in seen:
            seen.add(key)
            problems += [(episode.name, text) for text in joined.add(episode.recording, found)]
    return of_episodes, joined


def make_plan(episodes, mapping, allow_slow_cameras=False, of_set=None):
    """Every episode with its streams; a ProblemsError that names all problems otherwise. of_set are the channels of a set that is appended
    to (OfSet), in whose order they are."""
    of_streams = []
    found, joined = _join(episodes, mapping, of_streams)
    problems = [problem for episode, streams in zip(episodes, found) for problem in _episode_problems(episode, mapping, allow_slow_cameras, streams)]
    problems += _overlapping(episodes) + of_streams
    if problems:
        raise ProblemsError(problems)
    keys = [tuple((one.channels, one.size, one.is_depth) for one in streams) for streams in found]
    layouts = {key: joined.resolve(streams) for key, streams in dict(zip(keys, found)).items()}
    if of_set:
        layouts, texts = arrange(layouts, of_set.names, mapping)
        texts += joined.problems_in_set(of_set.streams)
        if texts:
            raise ProblemsError([(joined.recording.name, text) for text in texts])
    return [Planned(episode, joined.adapted(streams), layouts[key]) for episode, streams, key in zip(episodes, found, keys)]


def slow_streams(plan, mapping):
    """Streams of numbers whose rows are further apart than ticks, as texts: the values between rows are made, not measured."""
    texts = []
    for number, stream in enumerate(mapping.streams):
        rates = [_rate(_stream_times(planned.episode, planned.found[number].stream)) for planned in plan if not stream.is_camera and not planned.found[number].is_held]
        slow = [rate for rate in rates if rate is not None and rate < MIN_RATE * mapping.fps]
        if slow:
            made = "each is repeated until the next one" if _is_command(stream) else "ticks between rows are interpolated"
            episodes = f"in {len(slow)} of {len(plan)} episodes; " if len(plan) > 1 else ""
            texts.append(f"{stream.topic} ({stream.name}) has {min(slow):.2f} rows per second, and the set {mapping.fps}: {episodes}{made}, unless you lower fps")
    return texts


# ---- where reading begins ----

def _since_row(times, start, count):
    """From the row that is the count-th before the start, or the first one, to the start."""
    return int(start - times[max(int(np.searchsorted(times, start, "right")) - count, 0)]) + duration_ns(None, DELAY)


def _reach_ns(found, recording, start):
    """How long before the start its rows matter to ticks from then on."""
    times, hold = recording.stream_times(found.stream), hold_ns(found, recording)
    if not len(times):
        return 0
    if hold is None:
        # cubic takes two
        return _since_row(times, start, 2)
    is_measured = _max_gap_ns(found.stream) == AUTOMATIC and not found.is_held and not found.has_rate
    return max(hold, _since_row(times, start, SPACINGS + 1) if is_measured else 0)


def lead_ns(planned):
    """How long before the episode its recording is read, in whole seconds."""
    episode = planned.episode
    reach = max(_reach_ns(one, episode.recording, episode.span.start) for one in planned.found)
    return max(1, int(np.ceil(reach / 1e9))) * 10**9
